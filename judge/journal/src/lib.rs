//! What a run leaves behind that is not derived. The journal is the only truth: one line for
//! every finished game, appended as games finish. Beside it lie the manifest, the names under
//! which entrants are shown, and what bots wrote for their authors.

pub mod author_log;
mod findings;
mod games;
pub mod keys;
mod line;
pub mod manifest;
pub mod names;
mod repair;

pub use findings::{DamagedLine, Findings};
pub use games::{Games, MatchingGames, look};
pub use keys::Keys;
pub use repair::DAMAGED_NAME;

use self::games::{LineSpan, MODE, Thoroughness, open_file};
use self::line::Mac;
use self::repair::{refuse_foreign, repair};
use error::JudgeError;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use system::files::write_private;
use system::run_folder::{JOURNAL, STAFF};
use words::fixture::Conditions;
use words::record::MatchRecord;

/// Where an open journal is saved when somebody has taken its file away.
pub const RESCUED_NAME: &str = "journal.rescued.jsonl";
/// Where the last line is noted that a run has written, in the staff's folder.
const END_NAME: &str = "journal-end.json";
/// Finished games are put on the disk at least this often.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// The journal of one run, open for appending by this process alone.
#[derive(Debug)]
pub struct Journal {
    games: Games,
    keys: Keys,
    length: u64,
    /// What the next line comes after.
    last: Mac,
    synced: Instant,
    unsynced: bool,
    _lock: File,
}

/// The last line that a run has written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JournalEnd {
    mac: String,
}

impl Journal {
    /// Opens the journal in a run's folder, or begins one. A torn last line is dropped; lines
    /// that are no games of this run, and second lines for one game, are moved to
    /// [`DAMAGED_NAME`]. What was wrong is in [`Games::findings`].
    ///
    /// # Errors
    /// When another process has the run open, the folder cannot be read and written, the keys of
    /// a run that has begun are gone, or no line is of this run.
    pub fn open(directory: &Path, conditions: &Conditions) -> Result<Self, JudgeError> {
        let lock = lock(directory)?;
        let path = directory.join(JOURNAL);
        let length = fs::metadata(&path).map_or(0, |file| file.len());
        let keys = match Keys::find(directory)? {
            Some(keys) => keys,
            None if length > 0 => Keys::of_run(directory)?,
            None => Keys::make(directory, false)?,
        };
        let mut how = OpenOptions::new();
        how.read(true).append(true).create(true).mode(MODE);
        let file = open_file(&path, &how)?;
        let mut games = Games::begin(path, file, &keys, conditions)?;
        let mut found = games.scan(Thoroughness::Records, noted_end(directory)?)?;
        if found.lines.is_empty()
            && let Some(first) = found.findings.damaged.first()
        {
            refuse_foreign(&games, directory, &keys, &first.reason)?;
        }
        repair(&mut games, directory, &mut found)?;
        games.lines = found.lines;
        games.findings = found.findings;
        Ok(Self {
            length: found.whole,
            games,
            keys,
            last: found.last,
            synced: Instant::now(),
            unsynced: false,
            _lock: lock,
        })
    }

    /// Returns the finished games.
    pub const fn games(&self) -> &Games {
        &self.games
    }

    /// Returns the keys of the run.
    pub const fn keys(&self) -> &Keys {
        &self.keys
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
    /// When the line cannot be written whole; the journal is then as it was before. When somebody
    /// else has written into the file.
    pub fn append(&mut self, record: &MatchRecord) -> Result<(), JudgeError> {
        if self.contains(&record.fixture) {
            return Ok(());
        }
        let mut line = serde_json::to_vec(record).expect("plain data");
        let mac = self.games.signer.sign(&mut line, &self.last);
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
        self.last = mac;
        self.games.lines.insert(record.fixture.clone(), span);
        self.unsynced = true;
        Ok(())
    }

    /// Puts what was appended on the disk if that has not been done for a second.
    ///
    /// # Errors
    /// As [`Journal::sync`].
    pub fn sync_if_due(&mut self) -> Result<(), JudgeError> {
        if self.unsynced && self.synced.elapsed() >= SYNC_INTERVAL {
            self.sync()?;
        }
        Ok(())
    }

    /// Puts everything that was appended on the disk.
    ///
    /// # Errors
    /// When the disk refuses, or the file is not in its place any more or has been changed by
    /// somebody else; what was in it is then in [`RESCUED_NAME`].
    pub fn sync(&mut self) -> Result<(), JudgeError> {
        self.synced = Instant::now();
        self.unsynced = false;
        self.games
            .file
            .sync_data()
            .map_err(|e| JudgeError::io("sync", &self.games.path, e))?;
        self.check_place()
    }

    /// Notes in the staff's folder where the journal ends, so that the next run sees when lines
    /// are gone from its end.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn note_end(&self) -> Result<(), JudgeError> {
        let mac = String::from_utf8_lossy(&self.last).into_owned();
        let text = serde_json::to_vec(&JournalEnd { mac }).expect("plain data");
        write_private(&end_path(self.directory()), &text)
    }

    fn directory(&self) -> &Path {
        self.games.path.parent().expect("it lies in a run's folder")
    }

    /// Checks that the file that we write is the one that others see.
    fn check_place(&self) -> Result<(), JudgeError> {
        let failed = |e| JudgeError::io("read", &self.games.path, e);
        let open = self.games.file.metadata().map_err(failed)?;
        let there = fs::metadata(&self.games.path).ok();
        let is_there =
            there.is_some_and(|there| (there.dev(), there.ino()) == (open.dev(), open.ino()));
        if is_there && open.len() == self.length {
            return Ok(());
        }
        let rescued = self.directory().join(RESCUED_NAME);
        self.copy_to(&rescued)?;
        let what = if is_there {
            "was changed by another program"
        } else {
            "was removed or replaced"
        };
        Err(JudgeError::input(format!(
            "{} {what} while the run was writing it; the games as the run knows them are in {}. \
             Move that file to the place of the journal and rerun the same command",
            self.games.path.display(),
            rescued.display()
        )))
    }

    fn copy_to(&self, path: &Path) -> Result<(), JudgeError> {
        let failed = |e| JudgeError::io("write", path, e);
        let mut how = OpenOptions::new();
        how.write(true).create(true).truncate(true).mode(MODE);
        let mut copy = how.open(path).map_err(failed)?;
        let mut buffer = vec![0; COPY_BYTES];
        let mut at = 0;
        while at < self.length {
            let bytes = (self.length - at).min(COPY_BYTES as u64);
            let part = &mut buffer[..usize::try_from(bytes).expect("a small part")];
            let read = self.games.file.read_at(part, at).map_err(failed)?;
            if read == 0 {
                break;
            }
            copy.write_all(&part[..read]).map_err(failed)?;
            at += read as u64;
        }
        copy.sync_all().map_err(failed)
    }

    /// Reads a finished game back; none if the fixture has not been played.
    ///
    /// # Errors
    /// When the file cannot be read, or the line has been changed.
    pub fn read(&self, fixture: &str) -> Result<Option<MatchRecord>, JudgeError> {
        self.games.read(fixture)
    }
}

/// How much is copied at a time.
const COPY_BYTES: usize = 1 << 16;

fn end_path(directory: &Path) -> PathBuf {
    directory.join(STAFF).join(END_NAME)
}

/// Returns the MAC of the line that was the last one when a run ended; none where that is not
/// known.
fn noted_end(directory: &Path) -> Result<Option<Mac>, JudgeError> {
    let path = end_path(directory);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(JudgeError::io("read", &path, e)),
    };
    let end = serde_json::from_slice::<JournalEnd>(&text).ok();
    Ok(end.and_then(|end| end.mac.into_bytes().try_into().ok()))
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
