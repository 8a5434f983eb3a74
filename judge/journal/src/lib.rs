//! What a run leaves behind that is not derived. The journal is the only truth: one line for
//! every finished game, appended as games finish. Beside it lie the manifest, the names under
//! which entrants are shown, and what bots wrote for their authors.

pub mod author_log;
mod games;
pub mod manifest;
pub mod names;

pub use games::{Games, MatchingGames, look};

use self::games::{LineSpan, Scan, scan};
use error::JudgeError;
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};
use system::run_folder;
use words::record::MatchRecord;

/// Where lines go that cannot be read; their games are played again.
pub const DAMAGED_NAME: &str = "journal.damaged";
/// Finished games are put on the disk at least this often.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// The journal of one run, open for appending by this process alone.
#[derive(Debug)]
pub struct Journal {
    games: Games,
    length: u64,
    synced: Instant,
    unsynced: bool,
    _lock: File,
}

impl Journal {
    /// Opens the journal in a run's folder, or begins one. A torn last line is dropped, and
    /// lines that cannot be read are moved to [`DAMAGED_NAME`].
    ///
    /// # Errors
    /// When another process has the run open, or the folder cannot be read and written.
    pub fn open(directory: &Path) -> Result<Self, JudgeError> {
        let lock = lock(directory)?;
        let path = directory.join(run_folder::JOURNAL);
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
            games: Games {
                path,
                file,
                lines,
                damaged,
            },
            length,
            synced: Instant::now(),
            unsynced: false,
            _lock: lock,
        })
    }

    /// Returns the finished games.
    pub const fn games(&self) -> &Games {
        &self.games
    }

    /// Returns whether no game has been finished yet.
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// Returns whether a fixture's game is finished.
    pub fn contains(&self, fixture: &str) -> bool {
        self.games.contains(fixture)
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
        let span = LineSpan {
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
        self.games
            .file
            .sync_data()
            .map_err(|e| JudgeError::io("sync", &self.games.path, e))
    }

    /// Reads a finished game back; none if the fixture has not been played.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(&self, fixture: &str) -> Result<Option<MatchRecord>, JudgeError> {
        self.games.read(fixture)
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
            "another judge is working on {}; wait until it finishes, or choose another --out",
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
) -> Result<(HashMap<String, LineSpan>, usize), JudgeError> {
    let failed = |e| JudgeError::io("read", path, e);
    let Scan {
        lines,
        bad,
        whole,
        torn,
    } = scan(path, file)?;
    if bad.is_empty() {
        if torn {
            let writable = OpenOptions::new().write(true).open(path).map_err(failed)?;
            writable.set_len(whole).map_err(failed)?;
        }
        return Ok((lines, 0));
    }
    set_aside(&directory.join(DAMAGED_NAME), &bad)?;
    let mut spans: Vec<(String, LineSpan)> = lines.into_iter().collect();
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
    spans: Vec<(String, LineSpan)>,
) -> Result<HashMap<String, LineSpan>, JudgeError> {
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
        kept.insert(fixture, LineSpan { start, ..span });
        start += line.len() as u64;
    }
    fresh.sync_all().map_err(failed)?;
    fs::rename(&fresh_path, path).map_err(failed)?;
    Ok(kept)
}
