//! Reading a journal. Nothing here locks or changes it; a run may be going on in its folder.

use error::JudgeError;
use serde::Deserialize;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use system::run_folder;
use words::record::{self, MatchRecord, MatchResult};

/// The finished games of a run, in any order. What grows with their number is where each of
/// them stands in the file.
#[derive(Debug)]
pub struct Games {
    pub(super) path: PathBuf,
    pub(super) file: File,
    /// By the fixture's id.
    pub(super) lines: HashMap<String, LineSpan>,
    /// How many lines could not be read.
    pub damaged: usize,
}

/// A line's place in the file, in bytes, without its newline.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineSpan {
    pub(super) start: u64,
    pub(super) length: usize,
}

impl Games {
    /// Looks for the finished games in a run's folder. A torn last line is passed over.
    ///
    /// # Errors
    /// When there is no journal, or another version of this program has written it.
    pub fn open(directory: &Path) -> Result<Self, JudgeError> {
        let path = directory.join(run_folder::JOURNAL);
        let file = File::open(&path).map_err(|e| JudgeError::io("read", &path, e))?;
        let found = scan(&path, &file)?;
        Ok(Self {
            path,
            file,
            lines: found.lines,
            damaged: found.bad.len(),
        })
    }

    /// Returns whether no game has been finished yet.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns whether a fixture's game is finished.
    pub fn contains(&self, fixture: &str) -> bool {
        self.lines.contains_key(fixture)
    }

    /// Reads a finished game back; none if the fixture has not been played.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(&self, fixture: &str) -> Result<Option<MatchRecord>, JudgeError> {
        self.line(fixture, parse)
    }

    /// Reads what came of a finished game, without its moves; none if the fixture has not
    /// been played.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn result(&self, fixture: &str) -> Result<Option<MatchResult>, JudgeError> {
        self.line(fixture, MatchResult::read)
    }

    fn line<T>(
        &self,
        fixture: &str,
        parse: fn(&[u8]) -> Result<T, serde_json::Error>,
    ) -> Result<Option<T>, JudgeError> {
        let Some(span) = self.lines.get(fixture) else {
            return Ok(None);
        };
        let mut line = vec![0; span.length];
        self.file
            .read_exact_at(&mut line, span.start)
            .map_err(|e| JudgeError::io("read", &self.path, e))?;
        parse(&line).map(Some).map_err(|source| JudgeError::Format {
            what: format!("the line of game {fixture} in {}", self.path.display()),
            source,
        })
    }
}

/// What is in a journal's file.
pub(super) struct Scan {
    pub(super) lines: HashMap<String, LineSpan>,
    /// Lines that cannot be read.
    pub(super) bad: Vec<Vec<u8>>,
    /// Where the whole lines end, in bytes.
    pub(super) whole: u64,
    /// Whether a part of a line follows.
    pub(super) torn: bool,
}

pub(super) fn scan(path: &Path, file: &File) -> Result<Scan, JudgeError> {
    let failed = |e| JudgeError::io("read", path, e);
    let mut reader = BufReader::with_capacity(READ_BYTES, file);
    let mut found = Scan {
        lines: HashMap::new(),
        bad: Vec::new(),
        whole: 0,
        torn: false,
    };
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).map_err(failed)? > 0 {
        if line.pop_if(|last| *last == b'\n').is_none() {
            found.torn = true;
            break;
        }
        let (start, length) = (found.whole, line.len());
        if let Ok(fixture) = record::fixture_of(&line) {
            let span = LineSpan { start, length };
            found.lines.entry(fixture).or_insert(span);
        } else {
            check_version(path, &line)?;
            found.bad.push(line.clone());
        }
        found.whole += length as u64 + 1;
        line.clear();
    }
    Ok(found)
}

/// How much is read at a time.
const READ_BYTES: usize = 1 << 16;

/// What a look into a journal has found.
#[derive(Debug)]
pub struct MatchingGames {
    /// The games, in the order in which they were finished.
    pub records: Vec<MatchRecord>,
    /// How many lines could not be read.
    pub damaged: usize,
}

/// Reads the finished games whose fixture ids begin with `prefix`. A torn last line is passed
/// over.
///
/// # Errors
/// When there is no journal, or another version of this program has written it.
pub fn look(directory: &Path, prefix: &str) -> Result<MatchingGames, JudgeError> {
    let games = Games::open(directory)?;
    let found = games.lines.iter();
    let mut found: Vec<(&String, &LineSpan)> =
        found.filter(|(id, _)| id.starts_with(prefix)).collect();
    found.sort_by_key(|(_, span)| span.start);
    let records: Result<Vec<Option<MatchRecord>>, JudgeError> =
        found.into_iter().map(|(id, _)| games.read(id)).collect();
    Ok(MatchingGames {
        records: records?.into_iter().flatten().collect(),
        damaged: games.damaged,
    })
}

fn parse(line: &[u8]) -> Result<MatchRecord, serde_json::Error> {
    let record: MatchRecord = serde_json::from_slice(line)?;
    record
        .is_consistent()
        .then_some(record)
        .ok_or_else(|| serde::de::Error::custom("seats that are not there"))
}

/// Refuses a journal that another version of this program has written: its lines must not be
/// taken for damaged ones.
fn check_version(path: &Path, line: &[u8]) -> Result<(), JudgeError> {
    #[derive(Deserialize)]
    struct LineVersion {
        v: u32,
    }
    match serde_json::from_slice(line) {
        Ok(LineVersion { v }) if v != record::VERSION => Err(JudgeError::input(format!(
            "{} was written by another version of judge (format version {v}, not {}); continue with that version, \
             or choose another folder with --out",
            path.display(),
            record::VERSION
        ))),
        _ => Ok(()),
    }
}
