//! Writes the journal of a run or of a part, which one process may do at a time.

use crate::games::{Games, MODE, Scan, open_file};
use crate::kept::{KeptGames, LineSpan};
use crate::line::Mac;
use crate::machines::MachineLine;
use crate::manifest::Manifest;
use crate::moments::{KeptMoment, Moment};
use crate::part_games::StderrBudget;
use crate::repair::{refuse_foreign, repair};
use crate::{Keys, findings};
use model::draw::Secret;
use model::fixture::Conditions;
use model::game_id::GameId;
use model::record::MatchRecord;
use model::stderr::Stderr;
use nix::errno::Errno;
use rulebook::{IoContext, JudgeError, Result, refuse};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};
use system::files::{lock_with_retries, open_lock};
use system::run_folder::{self, JOURNAL};

/// Maximum time until finished games are on the disk, while games finish.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// The journal of a run or of a part, open for appending by this process only.
#[derive(Debug)]
pub struct Journal {
    pub(crate) games: Games,
    length: u64,
    last: Mac,
    synced: Instant,
    unsynced: bool,
    owner: Owner,
}

#[derive(Debug)]
enum Owner {
    /// A run, whose folder is locked.
    Run { _lock: File },
    /// A part, whose bots' output is in the journal, too.
    Part(StderrBudget),
}

/// The keys of a run whose journal has been opened.
#[derive(Debug)]
pub struct RunKeys {
    /// The keys.
    pub keys: Keys,
    /// Whether the run had none before.
    pub are_new: bool,
}

impl Journal {
    /// Opens the journal in a run's folder, or begins one. Drops a torn last line, and moves duplicates
    /// and foreign lines to [`DAMAGED_NAME`](crate::DAMAGED_NAME). [`Games::findings`] has the problems.
    pub fn open(directory: &Path, conditions: &Conditions) -> Result<Self> {
        Self::open_with_keys(directory, conditions).map(|(journal, _)| journal)
    }

    /// Opens the journal as [`Journal::open`] does, and also returns the keys of the run.
    pub fn open_with_keys(directory: &Path, conditions: &Conditions) -> Result<(Self, RunKeys)> {
        let lock = lock(directory)?;
        let known = Keys::find(directory)?;
        let are_new = known.is_none();
        let keys = match known {
            Some(keys) => keys,
            None if has_begun(directory)? => Keys::of_run(directory)?,
            None => Keys::make(directory, false)?,
        };
        let mut games = open_games(&directory.join(JOURNAL), &keys.journal, conditions)?;
        let end = findings::noted(directory)?;
        let mut found = games.scan::<()>(KeptGames::default(), true, None, end)?;
        if let Some((number, reason)) = &found.foreign {
            return refuse(format!(
                "line {number} of {} was written by this run, but not under these settings or not by this version of \
                 judge ({reason}); use the settings and the judge that the run was begun with (run.json has both), or \
                 choose another folder with --out",
                games.path.display()
            ));
        }
        if let Some(reason) = found.reason_if_nothing_is_valid() {
            refuse_foreign(&games, directory, &keys, reason)?;
        }
        repair(&mut games, &mut found)?;
        let journal = Self::of(games, found, Owner::Run { _lock: lock });
        Ok((journal, RunKeys { keys, are_new }))
    }

    /// Opens the journal of a part, or begins one, as [`Journal::open`] does. If the file system
    /// supports locks, no other process can append meanwhile.
    pub fn open_part(path: &Path, key: &Secret, conditions: &Conditions) -> Result<Self> {
        let mut games = open_games(path, key, conditions)?;
        // Before the scan: a repair cuts the file to the scanned content.
        lock_part(&games)?;
        let mut found = games.scan::<()>(KeptGames::default(), true, None, None)?;
        // A foreign text without a newline looks like a torn line.
        let begins = begins_like_a_journal(&games)?;
        let foreign = found.foreign.as_ref().map(|(_, reason)| &**reason);
        let wrong = foreign
            .or((!begins).then_some("it does not begin like a journal"))
            .or(found.reason_if_nothing_is_valid());
        if let Some(reason) = wrong {
            return refuse(format!(
                "{} is not the journal of this part ({reason}); choose another file with --out",
                path.display()
            ));
        }
        repair(&mut games, &mut found)?;
        // A repair has replaced the file.
        lock_part(&games)?;
        Ok(Self::of(games, found, Owner::Part(StderrBudget::default())))
    }

    fn of(mut games: Games, found: Scan, owner: Owner) -> Self {
        let (length, last) = (found.valid_bytes, found.last);
        games.fill(found);
        Self {
            length,
            games,
            last,
            synced: Instant::now(),
            unsynced: false,
            owner,
        }
    }

    /// Returns the finished games.
    pub const fn games(&self) -> &Games {
        &self.games
    }

    /// Returns whether a game is finished.
    pub fn contains(&self, game: GameId) -> bool {
        self.games.contains(game)
    }

    /// Appends a finished game. Does nothing if the journal already has the fixture.
    pub fn append(&mut self, record: &MatchRecord) -> Result {
        if self.contains(record.fixture) {
            return Ok(());
        }
        if record.id(&self.games.terms) != record.fixture {
            return refuse(format!(
                "a worker reported another game in place of game {}; rerun the same command to play it",
                record.fixture
            ));
        }
        let line = serde_json::to_vec(record).expect("plain data");
        let span = self.write(line)?;
        self.games
            .kept
            .insert(record.fixture, span, Some(&record.result()));
        Ok(())
    }

    /// A part's journal also gets the output of the game's bots on standard error, by seat.
    pub fn append_with_stderr(&mut self, record: &MatchRecord, stderr: &[Stderr]) -> Result {
        if let Owner::Part(carried) = &mut self.owner
            && !self.games.contains(record.fixture)
            && let Some(content) = carried.content(record, stderr)
        {
            self.write(content)?;
        }
        self.append(record)
    }

    /// Describes the machine that plays the next games, unless the journal already does.
    pub fn append_machine(&mut self, machine: &MachineLine) -> Result {
        let digest = machine.digest();
        if !self.games.machines.contains_key(&digest) {
            self.write(machine.content())?;
            self.games.machines.insert(digest, machine.clone());
        }
        Ok(())
    }

    /// Appends a moment.
    pub fn append_moment(&mut self, moment: &Moment) -> Result {
        let LineSpan { start, .. } = self.write(moment.content())?;
        let moment = moment.clone();
        self.games.moments.push(KeptMoment { moment, start });
        Ok(())
    }

    fn write(&mut self, mut line: Vec<u8>) -> Result<LineSpan> {
        let mac = self.games.signer.sign(&mut line, &self.last);
        let span = LineSpan::of(self.length, &line);
        line.push(b'\n');
        if let Err(error) = self.games.file.write_all(&line) {
            // Best effort: otherwise a torn last line remains, which the next run drops.
            let _ = self.games.file.set_len(self.length);
            return Err(JudgeError::io("append to", &self.games.path, error));
        }
        self.length += line.len() as u64;
        self.last = mac;
        self.unsynced = true;
        Ok(span)
    }

    /// Writes the appended lines to the disk if the last time was over a second ago.
    pub fn sync_if_due(&mut self) -> Result {
        if self.unsynced && self.synced.elapsed() >= SYNC_INTERVAL {
            self.sync()?;
        }
        Ok(())
    }

    /// Writes all appended lines to the disk.
    pub fn sync(&mut self) -> Result {
        self.synced = Instant::now();
        self.unsynced = false;
        self.games
            .file
            .sync_data()
            .or_io("sync", &self.games.path)?;
        self.check_place()
    }

    /// Records the end of the journal, so that the next run notices lines missing there.
    pub fn note_end(&self) -> Result {
        findings::note(self.directory(), &self.last)
    }

    fn directory(&self) -> &Path {
        self.games.path.parent().expect("it lies in a run's folder")
    }

    fn check_place(&self) -> Result {
        let what = match self.games.length_in_place()? {
            Some(length) if length == self.length => return Ok(()),
            Some(_) => "was changed by another program",
            None => "was removed or replaced",
        };
        refuse(format!(
            "{} {what} while the run was writing it; put it back, or rerun the same command, which plays \
             the missing games again",
            self.games.path.display()
        ))
    }
}

fn open_games(path: &Path, key: &Secret, conditions: &Conditions) -> Result<Games> {
    let mut how = OpenOptions::new();
    how.read(true).append(true).create(true).mode(MODE);
    let file = open_file(path, &how)?;
    Games::new(path.to_owned(), file, key, conditions)
}

fn begins_like_a_journal(games: &Games) -> Result<bool> {
    const BEGINNING: &[u8] = b"{\"v\":";
    let mut head = [0; BEGINNING.len()];
    let read = games
        .file
        .read_at(&mut head, 0)
        .or_io("read", &games.path)?;
    Ok(BEGINNING.starts_with(&head[..read]))
}

/// Returns whether a run has begun in a folder. If so, its keys cannot be made any more.
pub fn has_begun(directory: &Path) -> Result<bool> {
    let journal = fs::metadata(directory.join(JOURNAL));
    let has_lines = journal.is_ok_and(|journal| journal.len() > 0);
    Ok(Manifest::read(directory)?.is_some() || has_lines)
}

/// Returns whether a judge is working on a run's folder.
pub fn is_being_played(directory: &Path) -> bool {
    let path = directory.join(run_folder::LOCK);
    let file = open_file(&path, OpenOptions::new().read(true));
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Locks a run's folder for as long as the returned file is open.
pub fn lock(directory: &Path) -> Result<File> {
    let path = directory.join(run_folder::LOCK);
    let file = open_lock(&path).or_io("write", &path)?;
    match lock_with_retries(&file) {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => refuse(format!(
            "another judge is working on {}; wait until it finishes, or choose another --out",
            directory.display()
        )),
        // Without locks, a changed length of the journal reveals two judges on one run.
        Err(TryLockError::Error(e)) if has_no_locks(&e) => Ok(file),
        Err(TryLockError::Error(e)) => Err(JudgeError::io("lock", &path, e)),
    }
}

fn has_no_locks(error: &std::io::Error) -> bool {
    let without = [Errno::ENOLCK, Errno::EOPNOTSUPP, Errno::ENOSYS];
    without
        .map(|it| Some(it as i32))
        .contains(&error.raw_os_error())
}

fn lock_part(games: &Games) -> Result {
    let is_free = match lock_with_retries(&games.file) {
        // Another process's repair may have replaced the file.
        Ok(()) => games.length_in_place()?.is_some(),
        Err(TryLockError::WouldBlock) => false,
        // Not every network file system has locks. Each line is checked no matter who wrote it.
        Err(TryLockError::Error(_)) => true,
    };
    if is_free {
        return Ok(());
    }
    refuse(format!(
        "another judge is playing into {}; wait until it finishes, or choose another file with --out",
        games.path.display()
    ))
}
