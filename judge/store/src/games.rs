//! Reads a journal, and sets aside the lines that the run has not written. Nothing here locks or
//! changes it; a run may be active in its folder.

use crate::findings::{self, DamagedLine, Findings};
use crate::kept::{KeptGames, LineSpan};
use crate::keys::Keys;
use crate::line::{BEGINNING, Kind, LINE_BYTES_MAX, Mac, Signer, with_content};
use crate::machines::{MachineLine, MachineLines};
use crate::moments::{KeptMoment, Moment};
use model::draw::Secret;
use model::fixture::{Conditions, Terms};
use model::game_id::GameId;
use model::record::{MatchRecord, MatchResult};
use nix::fcntl::OFlag;
use rulebook::{IoContext, JudgeError, Result};
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, Error, ErrorKind, Read};
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use system::{cores, run_folder};

/// The finished games of a run, in any order.
#[derive(Debug)]
pub struct Games {
    pub(super) path: PathBuf,
    pub(super) file: File,
    pub(super) kept: KeptGames,
    pub(super) machines: MachineLines,
    pub(super) moments: Vec<KeptMoment>,
    pub(super) signer: Signer,
    pub(super) terms: Terms,
    /// Problems in the file.
    pub findings: Findings,
}

impl Games {
    /// Skips a torn last line, and lines that the run has not written. `ids` lists the games of the run,
    /// which [`Games::listed`] returns; it may be empty.
    pub fn open(directory: &Path, conditions: &Conditions, ids: Vec<GameId>) -> Result<Self> {
        Self::scanned::<()>(directory, conditions, ids, None)
    }

    /// Checks the finished games as strictly as a continued run does, and changes nothing.
    pub fn inspect<T: Send>(
        directory: &Path,
        conditions: &Conditions,
        ids: Vec<GameId>,
        inspector: Inspector<'_, T>,
    ) -> Result<Self> {
        Self::scanned(directory, conditions, ids, Some(inspector))
    }

    fn scanned<T: Send>(
        directory: &Path,
        conditions: &Conditions,
        ids: Vec<GameId>,
        inspector: Option<Inspector<'_, T>>,
    ) -> Result<Self> {
        let keys = Keys::of_run(directory)?;
        let path = directory.join(run_folder::JOURNAL);
        let file = open_file(&path, OpenOptions::new().read(true))?;
        let mut games = Self::new(path, file, &keys.journal, conditions)?;
        // The note is read before the file, which may grow.
        let end = findings::noted(directory)?;
        let is_strict = inspector.is_some();
        let found = games.scan(KeptGames::listing(ids), is_strict, inspector, end)?;
        games.fill(found);
        Ok(games)
    }

    pub(super) fn fill(&mut self, found: Scan) {
        self.kept = found.games;
        self.machines = found.machines;
        self.moments = found.moments;
        self.findings = found.findings;
    }

    pub(super) fn new(
        path: PathBuf,
        file: File,
        key: &Secret,
        conditions: &Conditions,
    ) -> Result<Self> {
        Ok(Self {
            path,
            file,
            kept: KeptGames::default(),
            machines: MachineLines::new(),
            moments: Vec::new(),
            signer: Signer::new(key),
            terms: rulebook::rules::terms_of(conditions)?,
            findings: Findings::default(),
        })
    }

    /// Returns the length of the file; none if another one or none is in its place.
    pub(super) fn length_in_place(&self) -> Result<Option<u64>> {
        let open = self.file.metadata().or_io("read", &self.path)?;
        let there = fs::metadata(&self.path).ok();
        let same = there.filter(|it| (it.dev(), it.ino()) == (open.dev(), open.ino()));
        Ok(same.map(|_| open.len()))
    }

    /// Returns whether no game has been finished yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of finished games, including games that are no longer in the schedule.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Returns the ids of the run's games, as they were listed when the journal was opened.
    pub fn listed(&self) -> &[GameId] {
        self.kept.listed()
    }

    /// Returns the moments of the journal, in file order.
    pub fn moments(&self) -> impl DoubleEndedIterator<Item = &Moment> + ExactSizeIterator {
        self.moments.iter().map(|kept| &kept.moment)
    }

    /// Returns whether a game was finished before the moment with this index, from 0.
    pub fn was_finished(&self, game: GameId, moment: usize) -> bool {
        let before = self.moments.get(moment).map(|kept| kept.start);
        let game = self.kept.span(game).map(|span| span.start);
        matches!((game, before), (Some(game), Some(before)) if game < before)
    }

    /// Returns the machines that the journal describes, by the digests in game lines.
    pub const fn machines(&self) -> &MachineLines {
        &self.machines
    }

    /// Returns the machines on which the finished ones of these games were played.
    pub fn machines_of(&self, games: &[GameId]) -> Result<MachineLines> {
        let mut counting = MachineLines::new();
        for &game in games.iter().filter(|_| !self.machines.is_empty()) {
            let digest = self.result(game)?.and_then(|result| result.machine);
            let known = digest.and_then(|digest| self.machines.get_key_value(&digest));
            if let Some((digest, line)) =
                known.filter(|(digest, _)| !counting.contains_key(*digest))
            {
                counting.insert(digest.clone(), line.clone());
            }
        }
        Ok(counting)
    }

    /// Returns whether a game is finished.
    pub fn contains(&self, game: GameId) -> bool {
        self.kept.span(game).is_some()
    }

    /// Reads a finished game; none if it has not been played.
    pub fn read(&self, game: GameId) -> Result<Option<MatchRecord>> {
        self.line(game, MatchRecord::read)
    }

    /// Reads the result of a finished game, without its moves; none if it has not been played.
    pub fn result(&self, game: GameId) -> Result<Option<MatchResult>> {
        match self.kept.result(game) {
            None => self.line(game, MatchResult::read),
            kept => Ok(kept),
        }
    }

    fn line<T>(
        &self,
        game: GameId,
        parse: fn(&[u8], &Terms) -> Result<T, serde_json::Error>,
    ) -> Result<Option<T>> {
        let Some(span) = self.kept.span(game) else {
            return Ok(None);
        };
        let mut line = vec![0; span.length as usize];
        self.file
            .read_exact_at(&mut line, span.start)
            .or_io("read", &self.path)?;
        let checked = self.signer.check(&line).map_err(str::to_owned);
        let read = checked.and_then(|_| {
            let read = with_content(&mut line, |content| parse(content, &self.terms));
            read.map_err(|error| error.to_string())
        });
        read.map(Some).map_err(|reason| {
            JudgeError::input(format!(
                "the line of game {game} in {} is damaged: {reason}; rerun the same judge run command, \
                 which plays the game again",
                self.path.display()
            ))
        })
    }
}

pub(super) fn open_file(path: &Path, how: &OpenOptions) -> Result<File> {
    let opened = open_regular(path, how).or_io("read", path)?;
    opened.ok_or_else(|| {
        JudgeError::input(format!(
            "{} is not a regular file; move it away, or choose another folder with --out",
            path.display()
        ))
    })
}

/// Opens a file if it is a regular one: opening other kinds could block.
pub(super) fn open_regular(path: &Path, how: &OpenOptions) -> std::io::Result<Option<File>> {
    let mut how = how.clone();
    let file = how.custom_flags(OFlag::O_NONBLOCK.bits()).open(path)?;
    Ok(file.metadata()?.is_file().then_some(file))
}

/// Mode of a journal. Only the judge's user may read it: it reveals every draw.
pub(super) const MODE: u32 = 0o600;

/// The games of a journal that match a prefix.
#[derive(Debug)]
pub struct MatchingGames {
    /// The games, in the order in which they finished.
    pub records: Vec<MatchRecord>,
    /// Number of damaged lines.
    pub damaged: usize,
}

/// Reads the finished games whose fixture ids begin with `prefix`. Skips a torn last line.
pub fn find_games(
    directory: &Path,
    conditions: &Conditions,
    prefix: &str,
) -> Result<MatchingGames> {
    let games = Games::open(directory, conditions, Vec::new())?;
    let mut found: Vec<(GameId, LineSpan)> = (games.kept.iter())
        .filter(|(id, _)| id.text().starts_with(prefix))
        .collect();
    found.sort_by_key(|(_, span)| span.start);
    let records = found
        .iter()
        .filter_map(|(id, _)| games.read(*id).transpose());
    Ok(MatchingGames {
        records: records.collect::<Result<_, _>>()?,
        damaged: games.findings.damaged.len(),
    })
}

/// An inspection of each game of a journal.
pub struct Inspector<'a, T> {
    /// Inspects a game, on any core.
    pub inspect: &'a (dyn Fn(&MatchRecord) -> T + Sync),
    /// Takes the results in the order of the lines: the line's number, the game's number if it is
    /// listed, both from 1, and what `inspect` found.
    pub take: &'a mut dyn FnMut(usize, Option<usize>, T) -> Result,
}

type Inspect<'a, T> = Option<&'a (dyn Fn(&MatchRecord) -> T + Sync)>;

#[derive(Default)]
pub(super) struct Scan {
    pub(super) games: KeptGames,
    pub(super) machines: MachineLines,
    pub(super) moments: Vec<KeptMoment>,
    pub(super) findings: Findings,
    /// The lines to set aside, in the order of [`Findings::damaged`].
    pub(super) bad: Vec<Vec<u8>>,
    bad_bytes: u64,
    /// The first line that this run has signed but whose game it does not know.
    pub(super) foreign: Option<(usize, String)>,
    pub(super) last: Mac,
    pub(super) valid_bytes: u64,
    pub(super) torn: bool,
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
    pub(super) fn scan<T: Send>(
        &self,
        games: KeptGames,
        is_strict: bool,
        inspector: Option<Inspector<'_, T>>,
        end: Option<Mac>,
    ) -> Result<Scan> {
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
    pub(super) fn reason_if_nothing_is_valid(&self) -> Option<&str> {
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
