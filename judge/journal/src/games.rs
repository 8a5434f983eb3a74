//! Reading a journal. Nothing here locks or changes it; a run may be going on in its folder.

use super::end;
use super::findings::{DamagedLine, Findings};
use super::keys::Keys;
use super::line::{self, BEGINNING, Kind, Mac, Signer};
use error::JudgeError;
use nix::fcntl::OFlag;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use system::run_folder;
use words::fixture::{Conditions, Terms};
use words::record::{MatchRecord, MatchResult};

/// The finished games of a run, in any order. What grows with their number is where each of
/// them stands in the file.
#[derive(Debug)]
pub struct Games {
    pub(super) path: PathBuf,
    pub(super) file: File,
    /// By the fixture's id.
    pub(super) lines: HashMap<String, LineSpan>,
    pub(super) signer: Signer,
    pub(super) terms: Terms,
    /// What was wrong with the file.
    pub findings: Findings,
}

/// A line's place in the file, in bytes, without its newline.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineSpan {
    pub(super) start: u64,
    pub(super) length: usize,
}

impl Games {
    /// Looks for the finished games in a run's folder. A torn last line is passed over, and so
    /// are lines that the run has not written.
    ///
    /// # Errors
    /// When there is no journal, its keys are gone, or another version of this program has
    /// written it.
    pub fn open(directory: &Path, conditions: &Conditions) -> Result<Self, JudgeError> {
        let keys = Keys::of_run(directory)?;
        let path = directory.join(run_folder::JOURNAL);
        let file = open_file(&path, OpenOptions::new().read(true))?;
        let mut games = Self::begin(path, file, &keys, conditions)?;
        let found = games.scan(Thoroughness::Signatures, None)?;
        games.lines = found.lines;
        games.findings = found.findings;
        Ok(games)
    }

    /// Looks for the finished games as [`Games::open`] does, but as closely as when a run is
    /// continued, and shows each with the number of its line, from 1. Changes nothing.
    ///
    /// # Errors
    /// As [`Games::open`].
    pub fn inspect(
        directory: &Path,
        conditions: &Conditions,
        visit: Visit<'_>,
    ) -> Result<Self, JudgeError> {
        let keys = Keys::of_run(directory)?;
        let path = directory.join(run_folder::JOURNAL);
        let file = open_file(&path, OpenOptions::new().read(true))?;
        let mut games = Self::begin(path, file, &keys, conditions)?;
        let found = games.scan(Thoroughness::Games(visit), end::noted(directory)?)?;
        games.lines = found.lines;
        games.findings = found.findings;
        Ok(games)
    }

    pub(super) fn begin(
        path: PathBuf,
        file: File,
        keys: &Keys,
        conditions: &Conditions,
    ) -> Result<Self, JudgeError> {
        Ok(Self {
            path,
            file,
            lines: HashMap::new(),
            signer: Signer::new(&keys.journal),
            terms: Terms::new(conditions.entry()?, conditions),
            findings: Findings::default(),
        })
    }

    /// Returns whether no game has been finished yet.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns how many games are finished, those included that nobody plays any more.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns whether a fixture's game is finished.
    pub fn contains(&self, fixture: &str) -> bool {
        self.lines.contains_key(fixture)
    }

    /// Reads a finished game back; none if the fixture has not been played.
    ///
    /// # Errors
    /// When the file cannot be read, or the line has been changed.
    pub fn read(&self, fixture: &str) -> Result<Option<MatchRecord>, JudgeError> {
        self.line(fixture, MatchRecord::read)
    }

    /// Reads what came of a finished game, without its moves; none if the fixture has not
    /// been played.
    ///
    /// # Errors
    /// When the file cannot be read, or the line has been changed.
    pub fn result(&self, fixture: &str) -> Result<Option<MatchResult>, JudgeError> {
        self.line(fixture, MatchResult::read)
    }

    fn line<T>(
        &self,
        fixture: &str,
        parse: fn(&[u8], &Terms) -> Result<T, serde_json::Error>,
    ) -> Result<Option<T>, JudgeError> {
        let Some(span) = self.lines.get(fixture) else {
            return Ok(None);
        };
        let mut line = vec![0; span.length];
        self.file
            .read_exact_at(&mut line, span.start)
            .map_err(|e| JudgeError::io("read", &self.path, e))?;
        let wrong = |reason: &dyn std::fmt::Display| {
            JudgeError::input(format!(
                "the line of game {fixture} in {} is damaged: {reason}; rerun the same judge run command, \
                 which plays the game again",
                self.path.display()
            ))
        };
        self.signer.check(&line).map_err(|reason| wrong(&reason))?;
        let record = parse(&line::content(line), &self.terms);
        record.map(Some).map_err(|error| wrong(&error))
    }
}

/// Opens a journal, which must be a file: others would keep us waiting.
pub(super) fn open_file(path: &Path, how: &OpenOptions) -> Result<File, JudgeError> {
    let mut how = how.clone();
    let file = how.custom_flags(OFlag::O_NONBLOCK.bits()).open(path);
    let file = file.map_err(|e| JudgeError::io("read", path, e))?;
    let metadata = file.metadata();
    if metadata
        .map_err(|e| JudgeError::io("read", path, e))?
        .is_file()
    {
        return Ok(file);
    }
    Err(JudgeError::input(format!(
        "{} is not a regular file; move it away, or choose another folder with --out",
        path.display()
    )))
}

/// What is done with each game; it is told the number of its line, from 1.
pub type Visit<'a> = &'a mut dyn FnMut(usize, &MatchRecord);

/// How closely lines are looked at.
pub(super) enum Thoroughness<'a> {
    /// Their MACs.
    Signatures,
    /// Also whether they are records of this run: what is signed could be of another.
    Records,
    /// The same, and somebody looks at each.
    Games(Visit<'a>),
}

/// What is in a journal's file.
pub(super) struct Scan {
    pub(super) lines: HashMap<String, LineSpan>,
    pub(super) findings: Findings,
    /// The lines that are set aside, as [`Findings::damaged`] names them.
    pub(super) bad: Vec<Vec<u8>>,
    /// The first line that this run has signed, but whose game it does not know: its number, and
    /// why.
    pub(super) foreign: Option<(usize, String)>,
    /// What the next line must come after.
    pub(super) last: Mac,
    /// Where the whole lines end, in bytes.
    pub(super) whole: u64,
    /// Whether a part of a line follows.
    pub(super) torn: bool,
}

/// Why a line does not count.
enum BadLine {
    /// The run has not written it, or has written it twice.
    Damaged(String),
    /// The run has written it, under other settings or by another version of this program.
    Foreign(String),
}

/// A line whose MAC fits.
struct GoodLine {
    /// What it comes after.
    after: Mac,
    /// What the next line must come after.
    next: Mac,
    /// None for a break.
    fixture: Option<String>,
    /// The game, where somebody wants to look at it.
    record: Option<MatchRecord>,
}

impl Games {
    /// Reads the whole file. `end` is the MAC of a line that must be in it.
    pub(super) fn scan(
        &self,
        mut thoroughness: Thoroughness<'_>,
        end: Option<Mac>,
    ) -> Result<Scan, JudgeError> {
        let failed = |e| JudgeError::io("read", &self.path, e);
        let mut reader = BufReader::with_capacity(READ_BYTES, &self.file);
        let mut found = Scan {
            lines: HashMap::new(),
            findings: Findings::default(),
            bad: Vec::new(),
            foreign: None,
            last: BEGINNING,
            whole: 0,
            torn: false,
        };
        let mut line = Vec::new();
        let (mut is_after_damage, mut has_end) = (false, end.is_none_or(|end| end == BEGINNING));
        for number in 1.. {
            if reader.read_until(b'\n', &mut line).map_err(failed)? == 0 {
                break;
            }
            if line.pop_if(|last| *last == b'\n').is_none() {
                found.torn = true;
                break;
            }
            let good = self.look_at(&line, &thoroughness);
            match good.and_then(|good| found.take(good, number, line.len(), is_after_damage)) {
                Ok(record) => {
                    is_after_damage = false;
                    if let (Thoroughness::Games(visit), Some(record)) = (&mut thoroughness, &record)
                    {
                        visit(number, record);
                    }
                }
                Err(bad) => {
                    let reason = match bad {
                        BadLine::Damaged(reason) => reason,
                        BadLine::Foreign(reason) => {
                            found.foreign.get_or_insert((number, reason.clone()));
                            reason
                        }
                    };
                    found.findings.damaged.push(DamagedLine { number, reason });
                    found.bad.push(line.clone());
                    is_after_damage = true;
                }
            }
            has_end |= end == Some(found.last);
            found.whole += line.len() as u64 + 1;
            line.clear();
        }
        found.findings.is_cut_off = !has_end && found.bad.is_empty();
        Ok(found)
    }

    fn look_at(&self, line: &[u8], thoroughness: &Thoroughness<'_>) -> Result<GoodLine, BadLine> {
        let signed = self.signer.check(line);
        let signed = signed.map_err(|reason| BadLine::Damaged(reason.to_owned()))?;
        let (fixture, next) = match signed.kind {
            Kind::Game(id) => (Some(id.to_owned()), signed.mac),
            Kind::Break(resumes) => (None, resumes),
        };
        let content = || line::content(line.to_vec());
        let record = match thoroughness {
            Thoroughness::Records if fixture.is_some() => {
                let result = MatchResult::read(&content(), &self.terms);
                result.map(|_| None)
            }
            Thoroughness::Games(_) if fixture.is_some() => {
                MatchRecord::read(&content(), &self.terms).map(Some)
            }
            _ => Ok(None),
        };
        let record = record.map_err(|error| BadLine::Foreign(error.to_string()))?;
        Ok(GoodLine {
            after: signed.after,
            next,
            fixture,
            record,
        })
    }
}

impl Scan {
    fn take(
        &mut self,
        good: GoodLine,
        number: usize,
        length: usize,
        is_after_damage: bool,
    ) -> Result<Option<MatchRecord>, BadLine> {
        if let Some(fixture) = good.fixture {
            let span = LineSpan {
                start: self.whole,
                length,
            };
            match self.lines.entry(fixture) {
                Entry::Occupied(_) => {
                    let reason = "it is a second line for its game".to_owned();
                    return Err(BadLine::Damaged(reason));
                }
                Entry::Vacant(place) => place.insert(span),
            };
        }
        if good.after != self.last && !is_after_damage {
            self.findings.missing_before.push(number);
        }
        self.last = good.next;
        Ok(good.record)
    }
}

/// Nobody but the judge's user reads a journal: it tells every draw.
pub(super) const MODE: u32 = 0o600;

/// How much is read at a time.
const READ_BYTES: usize = 1 << 16;

/// What a look into a journal has found.
#[derive(Debug)]
pub struct MatchingGames {
    /// The games, in the order in which they were finished.
    pub records: Vec<MatchRecord>,
    /// How many lines are damaged.
    pub damaged: usize,
}

/// Reads the finished games whose fixture ids begin with `prefix`. A torn last line is passed
/// over.
///
/// # Errors
/// As [`Games::open`].
pub fn look(
    directory: &Path,
    conditions: &Conditions,
    prefix: &str,
) -> Result<MatchingGames, JudgeError> {
    let games = Games::open(directory, conditions)?;
    let found = games.lines.iter();
    let mut found: Vec<(&String, &LineSpan)> =
        found.filter(|(id, _)| id.starts_with(prefix)).collect();
    found.sort_by_key(|(_, span)| span.start);
    let records: Result<Vec<Option<MatchRecord>>, JudgeError> =
        found.into_iter().map(|(id, _)| games.read(id)).collect();
    Ok(MatchingGames {
        records: records?.into_iter().flatten().collect(),
        damaged: games.findings.damaged.len(),
    })
}
