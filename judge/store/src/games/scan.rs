//! Reads all lines of a journal and sets aside those that the run has not written.

use super::Games;
use crate::findings::{DamagedLine, Findings};
use crate::kept::{KeptGames, LineSpan};
use crate::line::{BEGINNING, Kind, LINE_BYTES_MAX, Mac, with_content};
use crate::machines::{MachineLine, MachineLines};
use crate::moments::{KeptMoment, Moment};
use model::game_id::GameId;
use model::record::{MatchRecord, MatchResult};
use rulebook::JudgeError;
use std::fs::File;
use std::io::{BufRead, Error, ErrorKind, Read};
use std::ops::Range;
use system::cores;

/// An inspection of each game of a journal.
pub struct Inspector<'a, T> {
    /// Inspects a game, on any core.
    pub inspect: &'a (dyn Fn(&MatchRecord) -> T + Sync),
    /// Takes the results in the order of the lines: the line's number, the game's number if it is
    /// listed, both from 1, and what `inspect` found.
    pub take: &'a mut dyn FnMut(usize, Option<usize>, T) -> Result<(), JudgeError>,
}

type Inspect<'a, T> = Option<&'a (dyn Fn(&MatchRecord) -> T + Sync)>;

#[derive(Default)]
pub(crate) struct Scan {
    pub(crate) games: KeptGames,
    pub(crate) machines: MachineLines,
    pub(crate) moments: Vec<KeptMoment>,
    pub(crate) findings: Findings,
    /// The lines to set aside, in the order of [`Findings::damaged`].
    pub(crate) bad: Vec<Vec<u8>>,
    bad_bytes: u64,
    /// The first line that this run has signed but whose game it does not know.
    pub(crate) foreign: Option<(usize, String)>,
    pub(crate) last: Mac,
    pub(crate) valid_bytes: u64,
    pub(crate) torn: bool,
    is_after_damage: bool,
}

struct Line<T> {
    place: Range<usize>,
    found: Result<GoodLine<T>, BadLine>,
}

struct BadLine {
    reason: String,
    /// The run has written it, under other settings or by another version of this program.
    is_foreign: bool,
}

impl<E: ToString> From<E> for BadLine {
    fn from(reason: E) -> Self {
        Self {
            reason: reason.to_string(),
            is_foreign: false,
        }
    }
}

struct GoodLine<T> {
    previous_mac: Mac,
    next_mac: Mac,
    content: LineContent<T>,
}

enum LineContent<T> {
    /// With its result, and what an inspection found.
    Game(GameId, Option<MatchResult>, Option<T>),
    Machine(MachineLine),
    Moment(Moment),
    /// A break, or the output of bots.
    Ignored,
}

impl Games {
    /// Reads the whole file once. `end` is the MAC of a line that must be in it. If `is_strict`,
    /// each game must be a record of this run: a signed line could belong to another.
    pub(crate) fn scan<T: Send>(
        &self,
        games: KeptGames,
        is_strict: bool,
        inspector: Option<Inspector<'_, T>>,
        end: Option<Mac>,
    ) -> Result<Scan, JudgeError> {
        let (inspect, mut take) = inspector.map(|one| (one.inspect, one.take)).unzip();
        let mut found = Scan {
            games,
            last: BEGINNING,
            ..Scan::default()
        };
        let (mut number, mut has_end) = (0, end.is_none_or(|end| end == BEGINNING));
        let blocks = Blocks {
            file: &self.file,
            begun: Vec::new(),
        };
        let parse_line = |block: std::io::Result<Vec<u8>>| {
            let block = block.map_err(|e| match e.kind() {
                ErrorKind::FileTooLarge => self.beyond_repair(&e),
                _ => JudgeError::io("read", &self.path, e),
            })?;
            Ok::<_, JudgeError>(self.parse_block(block, is_strict, inspect))
        };
        cores::in_order(blocks, parse_line, |(block, lines)| {
            let mut read = 0;
            for line in lines.drain(..) {
                number += 1;
                read = line.place.end + 1;
                let inspected = found.take(line.found, number, &block[line.place]);
                if let (Some(take), Some((game, inspected))) = (&mut take, inspected) {
                    take(number, found.games.number(game), inspected)?;
                }
                has_end |= end == Some(found.last);
            }
            if found.bad_bytes > BAD_BYTES_MAX {
                let reason = format!(
                    "more than {} MiB of it are lines of other origin",
                    BAD_BYTES_MAX >> 20
                );
                return Err(self.beyond_repair(&reason));
            }
            found.torn |= read < block.len();
            Ok(())
        })?;
        found.findings.is_cut_off = !has_end && found.bad.is_empty();
        Ok(found)
    }

    fn beyond_repair(&self, reason: &dyn std::fmt::Display) -> JudgeError {
        JudgeError::input(format!(
            "{} is damaged beyond repair ({reason}); restore it from a backup, or move it away and rerun the same \
             judge run command, which plays the games again",
            self.path.display()
        ))
    }

    fn parse_block<T>(
        &self,
        mut block: Vec<u8>,
        is_strict: bool,
        inspect: Inspect<'_, T>,
    ) -> (Vec<u8>, Vec<Line<T>>) {
        let (mut lines, mut start) = (Vec::new(), 0);
        loop {
            let mut rest = &block[start..];
            let length = rest.skip_until(b'\n').expect("it is in memory");
            let Some((b'\n', line)) = block[start..start + length].split_last_mut() else {
                return (block, lines);
            };
            let found = self.parse_line(line, is_strict, inspect);
            let place = start..start + line.len();
            lines.push(Line { place, found });
            start += length;
        }
    }

    fn parse_line<T>(
        &self,
        line: &mut [u8],
        is_strict: bool,
        inspect: Inspect<'_, T>,
    ) -> Result<GoodLine<T>, BadLine> {
        let signed = self.signer.check(line)?;
        let content = match signed.kind {
            Kind::Game(id) => {
                let read = with_content(line, |content| match inspect {
                    Some(inspect) => MatchRecord::read(content, &self.terms)
                        .map(|record| (record.result(), Some(inspect(&record)))),
                    None => MatchResult::read(content, &self.terms).map(|result| (result, None)),
                });
                match read {
                    Ok((result, inspected)) => LineContent::Game(id, Some(result), inspected),
                    Err(error) if is_strict => {
                        return Err(BadLine {
                            is_foreign: true,
                            ..error.into()
                        });
                    }
                    Err(_) => LineContent::Game(id, None, None),
                }
            }
            Kind::Machine => LineContent::Machine(with_content(line, MachineLine::read)?),
            Kind::Moment => LineContent::Moment(with_content(line, Moment::read)?),
            Kind::StderrLine | Kind::Break(_) => LineContent::Ignored,
        };
        Ok(GoodLine {
            previous_mac: signed.after,
            next_mac: signed.next(),
            content,
        })
    }
}

impl Scan {
    pub(crate) fn reason_if_nothing_is_valid(&self) -> Option<&str> {
        let is_empty = self.games.len() == 0 && self.machines.is_empty() && self.moments.is_empty();
        let first = self.findings.damaged.first().filter(|_| is_empty)?;
        Some(&first.reason)
    }

    fn take<T>(
        &mut self,
        line: Result<GoodLine<T>, BadLine>,
        number: usize,
        bytes: &[u8],
    ) -> Option<(GameId, T)> {
        let taken = line.and_then(|good| self.take_good(good, number, bytes));
        self.is_after_damage = taken.is_err();
        self.valid_bytes += bytes.len() as u64 + 1;
        let BadLine { reason, is_foreign } = match taken {
            Ok(inspected) => return inspected,
            Err(bad) => bad,
        };
        if is_foreign {
            self.foreign.get_or_insert((number, reason.clone()));
        }
        self.findings.damaged.push(DamagedLine { number, reason });
        self.bad_bytes += bytes.len() as u64;
        self.bad.push(bytes.to_vec());
        None
    }

    /// Processes a line with a valid MAC; refuses a second line for one game.
    fn take_good<T>(
        &mut self,
        good: GoodLine<T>,
        number: usize,
        line: &[u8],
    ) -> Result<Option<(GameId, T)>, BadLine> {
        let mut found = None;
        match good.content {
            LineContent::Game(id, result, inspected) => {
                let span = LineSpan::of(self.valid_bytes, line);
                if !self.games.insert(id, span, result.as_ref()) {
                    return Err("it is a second line for its game".into());
                }
                found = inspected.map(|inspected| (id, inspected));
            }
            LineContent::Machine(machine) => {
                self.machines.insert(machine.digest(), machine);
            }
            LineContent::Moment(moment) => {
                let start = self.valid_bytes;
                self.moments.push(KeptMoment { moment, start });
            }
            LineContent::Ignored => {}
        }
        if good.previous_mac != self.last && !self.is_after_damage {
            self.findings.missing_before.push(number);
        }
        self.last = good.next_mac;
        Ok(found)
    }
}

/// A file in blocks of whole lines. The last block may end with part of a line.
struct Blocks<'a> {
    file: &'a File,
    begun: Vec<u8>,
}

impl Iterator for Blocks<'_> {
    type Item = std::io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut block = Vec::with_capacity(self.begun.len() + READ_BYTES);
        block.append(&mut self.begun);
        loop {
            let old = block.len();
            match self.file.take(READ_BYTES as u64).read_to_end(&mut block) {
                Ok(0) => return (!block.is_empty()).then_some(Ok(block)),
                Ok(_) => {}
                Err(error) => return Some(Err(error)),
            }
            let end = block[old..].iter().rposition(|byte| *byte == b'\n');
            if let Some(end) = end {
                self.begun = block.split_off(old + end + 1);
                return Some(Ok(block));
            }
            if block.len() as u64 > LINE_BYTES_MAX {
                let reason = format!("a line is longer than {} MiB", LINE_BYTES_MAX >> 20);
                return Some(Err(Error::new(ErrorKind::FileTooLarge, reason)));
            }
        }
    }
}

/// Maximum length of all bad lines, in bytes: they stay in memory until they are set aside.
const BAD_BYTES_MAX: u64 = 4 * LINE_BYTES_MAX;

const READ_BYTES: usize = 1 << 18;
