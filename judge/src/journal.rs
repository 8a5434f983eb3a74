//! The only truth: one line for every finished game, appended as games finish.

use crate::error::JudgeError;
use crate::record::{self, MatchRecord};
use serde::Deserialize;
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The journal's name in a run's folder.
pub const FILE_NAME: &str = "journal.jsonl";
/// Where lines go that cannot be read; their games are played again.
pub const DAMAGED_NAME: &str = "journal.damaged";
/// Finished games are put on the disk at least this often.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// The finished games of a run, to be read.
#[derive(Debug)]
pub struct Games {
    path: PathBuf,
    file: File,
    /// Where each finished fixture's line stands.
    lines: HashMap<String, Span>,
}

/// The journal of one run, open for appending by this process alone.
#[derive(Debug)]
pub struct Journal {
    games: Games,
    length: u64,
    synced: Instant,
    unsynced: bool,
    /// How many lines could not be read when the journal was opened.
    pub damaged: usize,
    _lock: File,
}

/// A line's place in the file, in bytes, without its newline.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u64,
    length: usize,
}

impl Journal {
    /// Opens the journal in a run's folder, or begins one. A torn last line is dropped, and
    /// lines that cannot be read are moved to [`DAMAGED_NAME`].
    ///
    /// # Errors
    /// When another process has the run open, or the folder cannot be read and written.
    pub fn open(directory: &Path) -> Result<Self, JudgeError> {
        let lock = lock(directory)?;
        let path = directory.join(FILE_NAME);
        let (lines, damaged) = match File::open(&path) {
            Ok(file) => repair(directory, &path, &file)?,
            Err(e) if e.kind() == io::ErrorKind::NotFound => (HashMap::new(), 0),
            Err(e) => return Err(JudgeError::io("read", &path, e)),
        };
        let failed = |e| JudgeError::io("open", &path, e);
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&path)
            .map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        Ok(Self {
            games: Games { path, file, lines },
            length,
            synced: Instant::now(),
            unsynced: false,
            damaged,
            _lock: lock,
        })
    }

    /// Gives the finished games.
    pub fn games(&self) -> &Games {
        &self.games
    }

    /// Tells whether no game has been finished yet.
    pub fn is_empty(&self) -> bool {
        self.games.lines.is_empty()
    }

    /// Tells whether a fixture's game is finished.
    pub fn contains(&self, fixture: &str) -> bool {
        self.games.lines.contains_key(fixture)
    }

    /// Appends a finished game. A fixture that is in the journal already is left as it is.
    ///
    /// # Errors
    /// When the line cannot be written whole; the journal is then as it was before.
    pub fn append(&mut self, record: &MatchRecord) -> Result<(), JudgeError> {
        if self.contains(&record.fixture) {
            return Ok(());
        }
        let mut line = serde_json::to_vec(record).expect("plain data");
        line.push(b'\n');
        if let Err(error) = self.games.file.write_all(&line) {
            // Best effort: what stays behind is a torn last line, and dropped on resume.
            let _ = self.games.file.set_len(self.length);
            return Err(JudgeError::io("append to", &self.games.path, error));
        }
        let span = Span {
            start: self.length,
            length: line.len() - 1,
        };
        self.length += line.len() as u64;
        self.games.lines.insert(record.fixture.clone(), span);
        self.unsynced = true;
        Ok(())
    }

    /// Puts what was appended on the disk if that has not been done for a second.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn sync_if_due(&mut self) -> Result<(), JudgeError> {
        if self.unsynced && self.synced.elapsed() >= SYNC_INTERVAL {
            self.sync()?;
        }
        Ok(())
    }

    /// Puts everything that was appended on the disk.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn sync(&mut self) -> Result<(), JudgeError> {
        self.synced = Instant::now();
        self.unsynced = false;
        let games = &self.games;
        games
            .file
            .sync_data()
            .map_err(|e| JudgeError::io("sync", &games.path, e))
    }

    /// Reads a finished game back; none if the fixture has not been played.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(&self, fixture: &str) -> Result<Option<MatchRecord>, JudgeError> {
        self.games.read(fixture)
    }
}

impl Games {
    /// Looks at the journal in a run's folder and changes nothing: a run may be going on there.
    /// A torn last line and lines that cannot be read are passed over.
    ///
    /// # Errors
    /// When there is no journal, or another version of this program has written it.
    pub fn open(directory: &Path) -> Result<Self, JudgeError> {
        let path = directory.join(FILE_NAME);
        let failed = |e| JudgeError::io("read", &path, e);
        let file = File::open(&path).map_err(failed)?;
        let mut reader = BufReader::new(&file);
        let mut lines = HashMap::new();
        let (mut start, mut line) = (0, Vec::new());
        while reader.read_until(b'\n', &mut line).map_err(failed)? > 0 {
            if line.pop_if(|last| *last == b'\n').is_none() {
                break;
            }
            let length = line.len();
            match parse(&line) {
                Ok(record) => {
                    lines
                        .entry(record.fixture)
                        .or_insert(Span { start, length });
                }
                Err(_) => check_version(&path, &line)?,
            }
            start += length as u64 + 1;
            line.clear();
        }
        Ok(Self { path, file, lines })
    }

    /// Tells whether a fixture's game is finished.
    pub fn contains(&self, fixture: &str) -> bool {
        self.lines.contains_key(fixture)
    }

    /// Reads a finished game; none if the fixture has not been played.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(&self, fixture: &str) -> Result<Option<MatchRecord>, JudgeError> {
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

/// What a look into a journal has found.
#[derive(Debug)]
pub struct Look {
    /// The games, in the order in which they were finished.
    pub records: Vec<MatchRecord>,
    /// How many lines could not be read.
    pub damaged: usize,
}

/// Reads the finished games whose fixture ids begin with `prefix`, and changes nothing: a run
/// may be going on in the folder. A torn last line is passed over.
///
/// # Errors
/// When there is no journal, or another version of this program has written it.
pub fn look(directory: &Path, prefix: &str) -> Result<Look, JudgeError> {
    let path = directory.join(FILE_NAME);
    let failed = |e| JudgeError::io("read", &path, e);
    let mut reader = BufReader::new(File::open(&path).map_err(failed)?);
    let mut found: Vec<MatchRecord> = Vec::new();
    let mut damaged = 0;
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).map_err(failed)? > 0 {
        if line.pop_if(|last| *last == b'\n').is_none() {
            break;
        }
        match parse(&line) {
            Ok(record) if !record.fixture.starts_with(prefix) => {}
            Ok(record) if found.iter().any(|known| known.fixture == record.fixture) => {}
            Ok(record) => found.push(record),
            Err(_) => {
                check_version(&path, &line)?;
                damaged += 1;
            }
        }
        line.clear();
    }
    Ok(Look {
        records: found,
        damaged,
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
    struct Version {
        v: u32,
    }
    match serde_json::from_slice(line) {
        Ok(Version { v }) if v != record::VERSION => Err(JudgeError::input(format!(
            "{} was written by another version of judge (lines of version {v}, here {}); go on with that version, \
             or choose another folder with --out",
            path.display(),
            record::VERSION
        ))),
        _ => Ok(()),
    }
}

fn lock(directory: &Path) -> Result<File, JudgeError> {
    let path = directory.join("lock");
    let options = OpenOptions::new()
        .create(true)
        .write(true)
        .truncate(false)
        .open(&path);
    let file = options.map_err(|e| JudgeError::io("write", &path, e))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(JudgeError::input(format!(
            "another judge is working on {}; wait until it has ended, or choose another --out",
            directory.display()
        ))),
        Err(TryLockError::Error(e)) => Err(JudgeError::io("lock", &path, e)),
    }
}

/// Finds the lines, and rewrites the file without those that cannot be read.
fn repair(
    directory: &Path,
    path: &Path,
    file: &File,
) -> Result<(HashMap<String, Span>, usize), JudgeError> {
    let failed = |e| JudgeError::io("read", path, e);
    let mut reader = BufReader::new(file);
    let mut lines = HashMap::new();
    let mut bad = Vec::new();
    let mut start = 0;
    let mut torn = false;
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).map_err(failed)? > 0 {
        if line.pop_if(|last| *last == b'\n').is_none() {
            torn = true;
            break;
        }
        let length = line.len();
        if let Ok(record) = parse(&line) {
            let span = Span { start, length };
            lines.entry(record.fixture).or_insert(span);
        } else {
            check_version(path, &line)?;
            bad.push(line.clone());
        }
        start += length as u64 + 1;
        line.clear();
    }
    if bad.is_empty() {
        if torn {
            let writable = OpenOptions::new().write(true).open(path).map_err(failed)?;
            writable.set_len(start).map_err(failed)?;
        }
        return Ok((lines, 0));
    }
    set_aside(&directory.join(DAMAGED_NAME), &bad)?;
    let mut spans: Vec<(String, Span)> = lines.into_iter().collect();
    spans.sort_by_key(|(_, span)| span.start);
    let kept = rewrite(path, file, spans)?;
    Ok((kept, bad.len()))
}

fn set_aside(path: &Path, bad: &[Vec<u8>]) -> Result<(), JudgeError> {
    let failed = |e| JudgeError::io("write", path, e);
    let mut out = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .map_err(failed)?;
    for line in bad {
        out.write_all(line)
            .and_then(|()| out.write_all(b"\n"))
            .map_err(failed)?;
    }
    out.sync_data().map_err(failed)
}

fn rewrite(
    path: &Path,
    file: &File,
    spans: Vec<(String, Span)>,
) -> Result<HashMap<String, Span>, JudgeError> {
    let failed = |e| JudgeError::io("repair", path, e);
    let fresh_path = path.with_extension("jsonl.new");
    let mut fresh = File::create(&fresh_path).map_err(failed)?;
    let mut kept = HashMap::new();
    let mut start = 0;
    for (fixture, span) in spans {
        let mut line = vec![0; span.length];
        file.read_exact_at(&mut line, span.start).map_err(failed)?;
        line.push(b'\n');
        fresh.write_all(&line).map_err(failed)?;
        kept.insert(fixture, Span { start, ..span });
        start += line.len() as u64;
    }
    fresh.sync_all().map_err(failed)?;
    fs::rename(&fresh_path, path).map_err(failed)?;
    Ok(kept)
}
