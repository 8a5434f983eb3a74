//! What a run leaves behind that is not derived. The journal is the only truth: one line for
//! every finished game, appended as games finish. Beside it lie the manifest, the names under
//! which entrants are shown, and what bots wrote for their authors.

pub mod author_log;
mod end;
mod findings;
mod games;
mod kept;
pub mod keys;
mod line;
pub mod machines;
pub mod manifest;
mod moments;
pub mod names;
mod noted;
pub mod part_games;
mod part_lines;
mod repair;
mod written;

pub use findings::{DamagedLine, Findings};
pub use games::{Games, MatchingGames, Visit, look};
pub use keys::Keys;
pub use machines::{MachineGames, MachineLine, MachineLines, UnequalMachines};
pub use moments::{Moment, MomentEntrant};
pub use part_games::Scope;
pub use part_lines::{PartLine, PartLines, Whose};
pub use repair::DAMAGED_NAME;

use self::games::{MODE, Scan, Thoroughness, open_file};
use self::kept::{Id, LineSpan};
use self::line::Mac;
use self::manifest::Manifest;
use self::repair::{beside, refuse_foreign, repair};
use self::written::Carried;
use error::JudgeError;
use nix::errno::Errno;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use system::run_folder::JOURNAL;
use words::draw::Secret;
use words::fixture::Conditions;
use words::record::MatchRecord;
use words::wrote::Wrote;

/// Where an open journal is saved when somebody has taken its file away.
pub const RESCUED_NAME: &str = "journal.rescued.jsonl";
const RESCUED_ENDING: &str = "rescued.jsonl";
/// The file that whoever works on a run has locked.
const LOCK_NAME: &str = "lock";
/// Finished games are put on the disk at least this often.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// The journal of a run or of a part of it, open for appending by this process alone.
#[derive(Debug)]
pub struct Journal {
    games: Games,
    length: u64,
    /// What the next line comes after.
    last: Mac,
    synced: Instant,
    unsynced: bool,
    owner: Owner,
}

/// What a journal is of.
#[derive(Debug)]
enum Owner {
    /// A run, whose folder is locked.
    Run { _lock: File },
    /// A part: what bots write travels with its games.
    Part(Carried),
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
    /// Opens the journal in a run's folder, or begins one. A torn last line is dropped; lines
    /// that are no games of this run, and second lines for one game, are moved to
    /// [`DAMAGED_NAME`]. What was wrong is in [`Games::findings`].
    ///
    /// # Errors
    /// When another process has the run open, the folder cannot be read and written, the keys of
    /// a run that has begun are gone, or no line is of this run.
    pub fn open(directory: &Path, conditions: &Conditions) -> Result<Self, JudgeError> {
        Self::open_with_keys(directory, conditions).map(|(journal, _)| journal)
    }

    /// Opens the journal in a run's folder as [`Journal::open`] does, and returns also the keys of
    /// the run.
    ///
    /// # Errors
    /// As there.
    pub fn open_with_keys(
        directory: &Path,
        conditions: &Conditions,
    ) -> Result<(Self, RunKeys), JudgeError> {
        let lock = lock(directory)?;
        let path = directory.join(JOURNAL);
        refuse_rescued(&path)?;
        let known = Keys::find(directory)?;
        let are_new = known.is_none();
        let keys = match known {
            Some(keys) => keys,
            None if has_begun(directory)? => Keys::of_run(directory)?,
            None => Keys::make(directory, false)?,
        };
        let mut games = open_games(&path, &keys.journal, conditions)?;
        let mut found = games.scan(Thoroughness::Records, end::noted(directory)?)?;
        if let Some((number, reason)) = &found.foreign {
            return Err(JudgeError::input(format!(
                "line {number} of {} was written by this run, but not under these settings or not by this version of \
                 judge ({reason}); use the settings and the judge that the run was begun with (run.json has both), or \
                 choose another folder with --out",
                games.path.display()
            )));
        }
        if let Some(reason) = found.all_wrong() {
            refuse_foreign(&games, directory, &keys, reason)?;
        }
        repair(&mut games, &mut found)?;
        let journal = Self::of(games, found, Owner::Run { _lock: lock });
        Ok((journal, RunKeys { keys, are_new }))
    }

    /// Opens the journal of a part at a path, or begins one. What does not belong there is moved
    /// beside it, as in [`Journal::open`]. Where the file system knows locks, nobody else plays into
    /// it meanwhile.
    ///
    /// # Errors
    /// When it cannot be read and written, no line is of this part, or another process is seen to
    /// have it open.
    pub fn open_part(
        path: &Path,
        key: &Secret,
        conditions: &Conditions,
    ) -> Result<Self, JudgeError> {
        refuse_rescued(path)?;
        let mut games = open_games(path, key, conditions)?;
        // Before it is read: a repair cuts the file to what was read.
        lock_part(&games)?;
        let mut found = games.scan(Thoroughness::Records, None)?;
        let wrong = found.foreign.as_ref().map(|(_, reason)| reason.as_str());
        if let Some(reason) = wrong.or(found.all_wrong()) {
            return Err(JudgeError::input(format!(
                "{} is not the journal of this part ({reason}); choose another file with --out",
                path.display()
            )));
        }
        repair(&mut games, &mut found)?;
        // A repair has put another file in its place.
        lock_part(&games)?;
        Ok(Self::of(games, found, Owner::Part(Carried::default())))
    }

    fn of(mut games: Games, found: Scan, owner: Owner) -> Self {
        games.kept = found.games;
        games.machines = found.machines;
        games.moments = found.moments;
        games.findings = found.findings;
        Self {
            length: found.whole,
            games,
            last: found.last,
            synced: Instant::now(),
            unsynced: false,
            owner,
        }
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
    /// When the line cannot be written whole; the journal is then as it was before. When somebody
    /// else has written into the file.
    pub fn append(&mut self, record: &MatchRecord) -> Result<(), JudgeError> {
        if self.contains(&record.fixture) {
            return Ok(());
        }
        if record.id(&self.games.terms) != record.fixture {
            return Err(JudgeError::input(format!(
                "a worker reported game {} as another one than it is; rerun the same command to play it",
                record.fixture
            )));
        }
        let id = Id::of(record.fixture.as_bytes()).expect("it is a hash");
        let line = serde_json::to_vec(record).expect("plain data");
        let span = self.write(line)?;
        self.games.kept.insert(id, span, Some(&record.result()));
        Ok(())
    }

    /// Appends a finished game as [`Journal::append`] does, in the journal of a part with what its
    /// bots wrote on standard error, by seat.
    ///
    /// # Errors
    /// As there.
    pub fn append_with_stderr(
        &mut self,
        record: &MatchRecord,
        stderr: &[Wrote],
    ) -> Result<(), JudgeError> {
        if let Owner::Part(carried) = &mut self.owner
            && !self.games.contains(&record.fixture)
            && let Some(content) = carried.content(record, stderr)
        {
            self.write(content)?;
        }
        self.append(record)
    }

    /// Describes the machine that the games after this are played on, unless the journal does so
    /// already.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn append_machine(&mut self, machine: &MachineLine) -> Result<(), JudgeError> {
        let digest = machine.digest();
        if !self.games.machines.contains_key(&digest) {
            self.write(machine.content())?;
            self.games.machines.insert(digest, machine.clone());
        }
        Ok(())
    }

    /// Signs and writes a line; returns where it stands.
    fn write(&mut self, mut line: Vec<u8>) -> Result<LineSpan, JudgeError> {
        let mac = self.games.signer.sign(&mut line, &self.last);
        let span = LineSpan::of(self.length, &line);
        line.push(b'\n');
        if let Err(error) = self.games.file.write_all(&line) {
            // Best effort: what stays behind is a torn last line, and dropped on resume.
            let _ = self.games.file.set_len(self.length);
            return Err(JudgeError::io("append to", &self.games.path, error));
        }
        self.length += line.len() as u64;
        self.last = mac;
        self.unsynced = true;
        Ok(span)
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

    /// Notes in the staff's folder where a run's journal ends, so that the next run sees when lines
    /// are gone from its end.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn note_end(&self) -> Result<(), JudgeError> {
        end::note(self.directory(), &self.last)
    }

    fn directory(&self) -> &Path {
        self.games.path.parent().expect("it lies in a run's folder")
    }

    /// Checks that the file that we write is the one that others see.
    fn check_place(&self) -> Result<(), JudgeError> {
        let failed = |e| JudgeError::io("read", &self.games.path, e);
        let open = self.games.file.metadata().map_err(failed)?;
        let is_there = self.games.is_in_place()?;
        if is_there && open.len() == self.length {
            return Ok(());
        }
        let rescued = rescued_place(&self.games.path);
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

/// Opens a journal's file, or makes it.
fn open_games(path: &Path, key: &Secret, conditions: &Conditions) -> Result<Games, JudgeError> {
    let mut how = OpenOptions::new();
    how.read(true).append(true).create(true).mode(MODE);
    let file = open_file(path, &how)?;
    Games::begin(path.to_owned(), file, key, conditions)
}

/// Returns where a journal is saved that somebody takes away: for that of a run, it is
/// [`RESCUED_NAME`].
fn rescued_place(journal: &Path) -> PathBuf {
    beside(journal, RESCUED_ENDING)
}

/// Refuses to go on where games would be lost that were saved.
fn refuse_rescued(journal: &Path) -> Result<(), JudgeError> {
    let rescued = rescued_place(journal);
    if !rescued.exists() {
        return Ok(());
    }
    let name = journal.file_name().unwrap_or_default().to_string_lossy();
    Err(JudgeError::input(format!(
        "{} has the games of a run whose journal was taken away or changed; move it to {name}, or remove it if they \
         are of no use",
        rescued.display()
    )))
}

/// Locks the journal of a part where the file system can.
fn lock_part(games: &Games) -> Result<(), JudgeError> {
    let is_free = match games.file.try_lock() {
        // A repair by somebody else may have put another file in its place.
        Ok(()) => games.is_in_place()?,
        Err(TryLockError::WouldBlock) => false,
        // Not every network file system has locks; each line is checked whoever wrote it.
        Err(TryLockError::Error(_)) => true,
    };
    if is_free {
        return Ok(());
    }
    Err(JudgeError::input(format!(
        "another judge is playing into {}; wait until it finishes, or choose another file with --out",
        games.path.display()
    )))
}

/// How much is copied at a time.
const COPY_BYTES: usize = 1 << 16;

/// Returns whether a judge is working on a run's folder.
pub fn is_being_played(directory: &Path) -> bool {
    let file = open_file(&directory.join(LOCK_NAME), OpenOptions::new().read(true));
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Returns whether a run has begun in a folder: its keys cannot be made any more.
///
/// # Errors
/// When `run.json` is damaged, or of another version.
pub fn has_begun(directory: &Path) -> Result<bool, JudgeError> {
    let journal = fs::metadata(directory.join(JOURNAL));
    let has_lines = journal.is_ok_and(|journal| journal.len() > 0);
    Ok(Manifest::read(directory)?.is_some() || has_lines)
}

/// Locks a run's folder as long as what is returned lives.
///
/// # Errors
/// When another process has it locked, or it cannot be written.
pub fn lock(directory: &Path) -> Result<File, JudgeError> {
    let path = directory.join(LOCK_NAME);
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
        // Then two judges on one run are told by the journal's length.
        Err(TryLockError::Error(e)) if has_no_locks(&e) => Ok(file),
        Err(TryLockError::Error(e)) => Err(JudgeError::io("lock", &path, e)),
    }
}

/// Returns whether the file system has no locks, as some network file systems.
fn has_no_locks(error: &std::io::Error) -> bool {
    let code = error.raw_os_error().map(Errno::from_raw);
    matches!(
        code,
        Some(Errno::ENOLCK | Errno::EOPNOTSUPP | Errno::ENOSYS)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Machine;
    use serde_json::value::RawValue;
    use std::os::unix::fs::PermissionsExt;
    use system::run_folder::STAFF;
    use words::draw::Draw;
    use words::fixture::{Fixture, Participant, Terms};
    use words::isolation::Confinement;
    use words::record::SeatRecord;
    use words::wrote::TurnMark;

    /// A run's folder with a journal of some made-up games.
    pub(super) struct Run {
        pub(super) folder: tempfile::TempDir,
        pub(super) conditions: Conditions,
        pub(super) records: Vec<MatchRecord>,
    }

    impl Run {
        pub(super) fn new(games: u32) -> Self {
            let entry = &engines::GAMES[0];
            let conditions = serde_json::json!({
                "game": entry.info.slug, "config": {}, "time": entry.info.time, "mode": "cpu",
                "backstop_ms": 1, "startup_ms": 1, "lifetime": "game", "memory_mib": 1,
            });
            let conditions: Conditions = serde_json::from_value(conditions).expect("plain data");
            let terms = Terms::new(entry, &conditions);
            let record = |state| {
                let seats = ["ann", "bob"].map(|name| Participant {
                    entrant: name.into(),
                    artifact: "a".into(),
                });
                let setup = RawValue::from_string("{}".to_owned()).expect("JSON");
                let luck = Draw::public(1, "final").state(state).luck(2);
                let fixture =
                    Fixture::new(&terms, state, seats.to_vec(), setup.into(), luck.into());
                let seat = |one| SeatRecord::of(one, 7);
                let record = serde_json::json!({
                    "v": words::record::VERSION, "fixture": fixture.id, "game": entry.info.slug,
                    "state": state, "setup": {}, "draw": fixture.luck.draw,
                    "seats": fixture.seats.iter().map(seat).collect::<Vec<_>>(),
                    "turns": [[0, [1, 2], 5, 6], [1, null, 7, 8]], "faults": [], "end": "rules",
                    "outcome": {"reason": "made up", "seats": [
                        {"result": "won", "placement": 1, "points": 1, "tie_break": 0},
                        {"result": "lost", "placement": 2, "points": 0, "tie_break": 0}]},
                });
                serde_json::from_value(record).expect("a record")
            };
            let run = Self {
                folder: tempfile::tempdir().expect("a temporary folder"),
                conditions,
                records: (0..games).map(record).collect(),
            };
            run.play();
            run
        }

        pub(super) fn open(&self) -> Result<Journal, JudgeError> {
            Journal::open(self.folder.path(), &self.conditions)
        }

        pub(super) fn path(&self) -> PathBuf {
            self.folder.path().join(JOURNAL)
        }

        /// Plays what is missing; returns what was wrong with the journal before.
        pub(super) fn play(&self) -> Findings {
            let mut journal = self.open().expect("ours");
            for record in &self.records {
                journal.append(record).expect("ours");
            }
            journal.sync().expect("ours");
            journal.note_end().expect("ours");
            journal.games().findings.clone()
        }

        /// Checks that every game is there once, as it was played.
        pub(super) fn check(&self) {
            let text = fs::read_to_string(self.path()).expect("there");
            let games = text
                .lines()
                .filter(|line| line.contains("\"fixture\""))
                .count();
            assert_eq!(games, self.records.len());
            let games = Games::open(self.folder.path(), &self.conditions).expect("ours");
            assert!(games.findings.is_empty(), "{:?}", games.findings);
            for record in &self.records {
                let read = games.read(&record.fixture).expect("ours").expect("there");
                let json =
                    |record: &MatchRecord| serde_json::to_string(record).expect("plain data");
                assert_eq!(json(&read), json(record));
                let result = games.result(&record.fixture).expect("ours").expect("there");
                assert_eq!(result, record.result());
            }
        }

        /// Tells what keys the journal has, as a run does before its first game.
        fn write_manifest(&self) {
            let keys = Keys::of_run(self.folder.path()).expect("made with the journal");
            let competition = competition::standard(&engines::GAMES[0]);
            let confinement =
                r#"{"tier":"B","landlock_version":1,"seccomp":true,"ids":null,"counter":null}"#;
            let confinement: Confinement = serde_json::from_str(confinement).expect("plain data");
            let machine = Machine::look(false, confinement);
            let manifest = Manifest::new(competition, &keys, &[], machine);
            manifest.write(self.folder.path()).expect("ours");
        }
    }

    #[test]
    fn a_changed_byte_costs_its_line_and_no_other() {
        let run = Run::new(3);
        run.write_manifest();
        let whole = fs::read(run.path()).expect("there");
        for place in 0..whole.len() {
            let mut changed = whole.clone();
            changed[place] ^= 1 << (place % 8);
            fs::write(run.path(), &changed).expect("ours");
            let games = Games::open(run.folder.path(), &run.conditions).expect("ours");
            // A newline that is gone makes one bad line of two, and the last one a torn line.
            let lost = 1 + usize::from(whole[place] == b'\n' && place + 1 < whole.len());
            assert_eq!(games.len(), run.records.len() - lost, "byte {place}");
            for record in run
                .records
                .iter()
                .filter(|record| games.contains(&record.fixture))
            {
                let result = games.result(&record.fixture).expect("ours").expect("there");
                assert_eq!(result, record.result());
            }
            // Putting it on the disk takes time.
            if place % 199 == 0 {
                assert!(!run.play().is_empty(), "byte {place}");
                run.check();
            }
        }
        let damaged = fs::read(run.folder.path().join(DAMAGED_NAME)).expect("kept");
        assert!(damaged.starts_with(b"line 1: "));
    }

    #[test]
    fn lines_that_are_doubled_missing_moved_or_blank_are_told() {
        let run = Run::new(4);
        let text = fs::read_to_string(run.path()).expect("there");
        let lines: Vec<&str> = text.lines().collect();
        let told = |lines: &[&str]| {
            fs::write(run.path(), lines.join("\n") + "\n").expect("ours");
            let findings = run.play();
            run.check();
            findings.words()
        };
        let all = &lines[..];
        assert!(told(all).is_empty());
        assert_eq!(
            told(&[all, &lines[1..2]].concat()),
            ["line 5 of the journal: it is a second line for its game"]
        );
        assert_eq!(
            told(&[&lines[..2], &[" "], &lines[2..]].concat()),
            ["line 3 of the journal: it is blank"]
        );
        assert_eq!(
            told(&[&lines[..1], &lines[2..]].concat()),
            ["lines of the journal are missing before line 2"]
        );
        assert_eq!(
            told(&lines[..3]),
            ["the journal is shorter than when the run ended"]
        );
        let moved = [lines[1], lines[0], lines[2], lines[3]];
        assert_eq!(told(&moved).len(), 3);
        // What was told is noted, and not told again.
        assert!(run.play().is_empty());
    }

    #[test]
    fn a_line_of_another_run_or_of_other_settings_is_not_believed() {
        let (run, other) = (Run::new(2), Run::new(3));
        let line = |run: &Run, number: usize| {
            let text = fs::read_to_string(run.path()).expect("there");
            text.lines().nth(number).expect("there").to_owned()
        };
        let mut text = fs::read_to_string(run.path()).expect("there");
        text.push_str(&(line(&other, 2) + "\n"));
        fs::write(run.path(), text).expect("ours");
        assert_eq!(
            run.play().words(),
            ["line 3 of the journal: its MAC does not fit"]
        );
        run.check();
        let mut changed = run.conditions.clone();
        changed.backstop_ms = 2;
        let refused = Journal::open(run.folder.path(), &changed).map(|_| ());
        let refused = refused.expect_err("other settings").to_string();
        assert!(
            refused.contains("use the settings and the judge"),
            "{refused}"
        );
        run.check();
        // Also where the run is known.
        run.write_manifest();
        assert!(Journal::open(run.folder.path(), &changed).is_err());
        run.check();
    }

    #[test]
    fn a_journal_without_its_keys_is_refused_and_left_alone() {
        let run = Run::new(2);
        let text = fs::read(run.path()).expect("there");
        let keys = run.folder.path().join(STAFF).join(keys::FILE_NAME);
        let own = fs::read(&keys).expect("there");
        fs::remove_file(&keys).expect("ours");
        let missing = run.open().map(|_| ()).expect_err("no keys").to_string();
        assert!(missing.contains("keys.json is missing"), "{missing}");
        Keys::make(run.folder.path(), true).expect("ours");
        let foreign = run.open().map(|_| ()).expect_err("other keys").to_string();
        assert!(foreign.contains("that belong together"), "{foreign}");
        assert_eq!(fs::read(run.path()).expect("there"), text);
        fs::write(&keys, own).expect("ours");
        run.check();
    }

    #[test]
    fn a_journal_that_is_taken_away_or_changed_while_a_run_writes_it_is_rescued() {
        for change in [
            (|path: &Path| fs::remove_file(path).expect("ours")) as fn(&Path),
            |path| {
                fs::write(path.with_extension("x"), "")
                    .and_then(|()| fs::rename(path.with_extension("x"), path))
                    .expect("ours");
            },
            |path| {
                let file = OpenOptions::new().append(true).open(path);
                file.expect("ours").write_all(b"more\n").expect("ours");
            },
        ] {
            let run = Run::new(2);
            let mut journal = run.open().expect("ours");
            change(&run.path());
            let told = journal
                .sync()
                .expect_err("it is not in its place")
                .to_string();
            assert!(told.contains("journal.rescued.jsonl"), "{told}");
            drop(journal);
            let refused = run.open().map(|_| ()).expect_err("games would be lost");
            assert!(
                refused.to_string().contains("move it to journal.jsonl"),
                "{refused}"
            );
            fs::rename(run.folder.path().join(RESCUED_NAME), run.path()).expect("ours");
            run.check();
        }
    }

    #[test]
    fn what_is_no_file_does_not_keep_us_waiting() {
        let run = Run::new(1);
        fs::remove_file(run.path()).expect("ours");
        let mode = nix::sys::stat::Mode::S_IRWXU;
        nix::unistd::mkfifo(&run.path(), mode).expect("ours");
        let refused = run.open().map(|_| ()).expect_err("a fifo").to_string();
        assert!(refused.contains("is not a regular file"), "{refused}");
        let read = Games::open(run.folder.path(), &run.conditions).map(|_| ());
        assert!(read.is_err());
    }

    #[test]
    fn nobody_else_may_read_the_journal() {
        let run = Run::new(1);
        let mode = fs::metadata(run.path())
            .expect("there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    /// What the bots of a game wrote.
    fn said(record: &MatchRecord) -> [Wrote; 2] {
        let marks = [TurnMark(1, 0), TurnMark(3, 2)];
        let first = Wrote::of(b"said", &marks);
        [first, Wrote::of(record.state.to_string().as_bytes(), &[])]
    }

    /// Reads what is new in the journal of a part: the numbers of the games' states, and the
    /// lines that do not fit. What bots wrote must be what they wrote.
    fn read_new(lines: &mut PartLines) -> (Vec<u32>, Vec<(usize, String)>) {
        let (mut games, mut unfit) = (Vec::new(), Vec::new());
        let read = lines.read_new(&mut |line| {
            match line {
                PartLine::Machine(machine) => assert_eq!(machine.part.as_deref(), Some("p")),
                PartLine::Game { record, stderr } => {
                    assert_eq!(stderr, said(&record));
                    games.push(record.state);
                }
                PartLine::Unfit { number, reason } => unfit.push((number, reason)),
            }
            Ok(())
        });
        read.expect("readable");
        (games, unfit)
    }

    fn machine_line() -> MachineLine {
        let confinement =
            r#"{"tier":"B","landlock_version":1,"seccomp":true,"ids":null,"counter":null}"#;
        let confinement: Confinement = serde_json::from_str(confinement).expect("plain data");
        MachineLine::look(Machine::look(false, confinement), 7, Some("p".to_owned()))
    }

    #[test]
    fn the_journal_of_a_part_is_read_while_it_grows_and_after_it_was_torn() {
        let run = Run::new(4);
        let keys = Keys::of_run(run.folder.path()).expect("made with the journal");
        let (path, key) = (run.folder.path().join("part.jsonl"), keys.part_key("p"));
        let open = || Journal::open_part(&path, &key, &run.conditions);
        let play = |journal: &mut Journal, games: std::ops::Range<usize>| {
            journal.append_machine(&machine_line()).expect("ours");
            for record in &run.records[games] {
                journal
                    .append_with_stderr(record, &said(record))
                    .expect("ours");
            }
        };
        let own = || run.records.iter().map(|record| record.fixture.as_str());
        let scope = Scope::part(own());
        part_games::note(run.folder.path(), &keys, "p", own()).expect("ours");
        let mut lines =
            PartLines::new(&path, &key, &run.conditions, scope.clone()).expect("registered");
        assert_eq!(
            read_new(&mut lines),
            (vec![], vec![]),
            "it is not there yet"
        );
        let mut journal = open().expect("ours");
        assert!(open().is_err(), "somebody plays into it");
        play(&mut journal, 0..2);
        assert_eq!(read_new(&mut lines), (vec![0, 1], vec![]));
        assert_eq!(read_new(&mut lines), (vec![], vec![]));
        play(&mut journal, 1..3);
        drop(journal);
        let whole = fs::read(&path).expect("ours");
        fs::write(&path, &whole[..whole.len() - 9]).expect("ours");
        assert_eq!(
            read_new(&mut lines),
            (vec![], vec![]),
            "the last line is torn"
        );
        play(&mut open().expect("ours"), 2..4);
        assert_eq!(read_new(&mut lines), (vec![2, 3], vec![]));
        let mut again = PartLines::new(&path, &key, &run.conditions, scope).expect("registered");
        assert_eq!(read_new(&mut again), (vec![0, 1, 2, 3], vec![]));
        // The run itself has none of these lines, and knows them by what they say.
        let found =
            PartLines::of_run(&path, &keys, &run.conditions, run.folder.path()).expect("readable");
        let Whose::Runs(mut found) = found else {
            panic!("{found:?}");
        };
        assert_eq!(read_new(&mut found).0, [0, 1, 2, 3]);
    }

    #[test]
    fn lines_of_a_part_that_are_forged_doubled_or_foreign_are_told_and_the_others_taken() {
        let run = Run::new(2);
        let keys = Keys::of_run(run.folder.path()).expect("made with the journal");
        let of_part = |name: &str, part: &str| {
            let path = run.folder.path().join(name);
            let key = keys.part_key(part);
            let mut journal = Journal::open_part(&path, &key, &run.conditions).expect("ours");
            journal.append_machine(&machine_line()).expect("ours");
            for record in &run.records {
                journal
                    .append_with_stderr(record, &said(record))
                    .expect("ours");
            }
            fs::read_to_string(path).expect("ours")
        };
        let (own, other) = (of_part("own", "p"), of_part("other", "q"));
        let own: Vec<&str> = own.lines().collect();
        let mixed = [
            own[2],
            &own[1].replace("said", "paid"),
            other.lines().last().expect("a game"),
            "",
            own[2],
            own[3],
            own[4],
            "{\"torn",
        ];
        let path = run.folder.path().join("mixed");
        fs::write(&path, mixed.join("\n")).expect("ours");
        // The line of the machine is lost, so which part it is must be known.
        let whose = || PartLines::of_run(&path, &keys, &run.conditions, run.folder.path());
        assert!(matches!(whose().expect("readable"), Whose::Others));
        let own = run.records.iter().map(|record| record.fixture.as_str());
        part_games::note(run.folder.path(), &keys, "p", own).expect("ours");
        let Whose::Runs(mut lines) = whose().expect("readable") else {
            panic!("it is of part p");
        };
        let (mut games, mut unfit) = (Vec::new(), Vec::new());
        lines
            .read_new(&mut |line| {
                match line {
                    PartLine::Game { record, stderr } => games.push((record.state, stderr.len())),
                    PartLine::Unfit { number, .. } => unfit.push(number),
                    PartLine::Machine(_) => panic!("it is lost"),
                }
                Ok(())
            })
            .expect("readable");
        assert_eq!(games, [(0, 0), (0, 0), (1, 2)]);
        assert_eq!(unfit, [2, 3, 4]);
        fs::write(&path, "name,points\nann,3\n").expect("ours");
        assert!(matches!(whose().expect("readable"), Whose::NoJournals));
        fs::write(&path, "").expect("ours");
        assert!(matches!(whose().expect("readable"), Whose::Nothing));
        let refused = Journal::open_part(
            &run.folder.path().join("other"),
            &keys.part_key("p"),
            &run.conditions,
        );
        let told = refused
            .map(|_| ())
            .expect_err("of another part")
            .to_string();
        assert!(told.contains("is not the journal of this part"), "{told}");
    }

    #[test]
    fn journals_beside_each_other_have_files_of_their_own_for_what_is_damaged() {
        let run = Run::new(2);
        let keys = Keys::of_run(run.folder.path()).expect("made with the journal");
        let key = keys.part_key("p");
        let names = ["part", "part.1", "part.2", "part.jsonl"];
        for name in names {
            let path = run.folder.path().join(name);
            let open = || Journal::open_part(&path, &key, &run.conditions).expect("ours");
            open().append(&run.records[0]).expect("ours");
            let text = fs::read_to_string(&path).expect("there");
            fs::write(&path, format!("{text}of {name}\n")).expect("ours");
            assert_eq!(open().games().findings.damaged.len(), 1);
        }
        for name in names {
            let damaged = run.folder.path().join(format!("{name}.damaged"));
            let text = fs::read_to_string(damaged).expect("there");
            assert_eq!(text.matches("of part").count(), 1, "{text}");
        }
    }

    #[test]
    fn whoever_has_a_part_can_sign_no_game_of_another_nor_numbers_that_no_game_has() {
        let run = Run::new(3);
        let keys = Keys::of_run(run.folder.path()).expect("made with the journal");
        let own = run.records[..2].iter();
        let own = own.map(|record| record.fixture.as_str());
        part_games::note(run.folder.path(), &keys, "p", own).expect("ours");
        let path = run.folder.path().join("part");
        let mut journal =
            Journal::open_part(&path, &keys.part_key("p"), &run.conditions).expect("ours");
        for record in &run.records {
            let mut record = record.clone();
            if record.state == 1 {
                record.seats[0].cpu_us = u64::MAX;
            }
            journal.append(&record).expect("ours");
        }
        let found = PartLines::of_run(&path, &keys, &run.conditions, run.folder.path());
        let Ok(Whose::Runs(mut lines)) = found else {
            panic!("{found:?}");
        };
        let (mut games, mut unfit) = (Vec::new(), Vec::new());
        let read = lines.read_new(&mut |line| {
            match line {
                PartLine::Game { record, .. } => games.push(record.state),
                PartLine::Unfit { number, reason } => unfit.push((number, reason)),
                PartLine::Machine(_) => panic!("none is described"),
            }
            Ok(())
        });
        read.expect("readable");
        assert_eq!(games, [0]);
        let wild = "cpu_us: no game can have 18446744073709551615";
        assert_eq!(unfit[0], (2, wild.to_owned()));
        assert!(unfit[1].1.contains("its part does not have this game"));
        assert_eq!(unfit.len(), 2);
    }

    #[test]
    fn machines_stay_in_the_journal_whatever_happens_to_other_lines() {
        let run = Run::new(2);
        run.write_manifest();
        let mut journal = run.open().expect("ours");
        journal.append_machine(&machine_line()).expect("ours");
        journal.append_machine(&machine_line()).expect("ours");
        journal.note_end().expect("ours");
        drop(journal);
        let text = fs::read_to_string(run.path()).expect("there");
        assert_eq!(text.lines().count(), 3, "described once");
        fs::write(run.path(), text.replacen("\"state\":0", "\"state\":9", 1)).expect("ours");
        assert_eq!(run.play().damaged.len(), 1);
        run.check();
        let games = Games::open(run.folder.path(), &run.conditions).expect("ours");
        assert_eq!(games.machines()[&machine_line().digest()], machine_line());
    }

    #[test]
    fn a_record_that_is_not_its_fixtures_is_not_appended() {
        let run = Run::new(1);
        let mut journal = run.open().expect("ours");
        let mut record = run.records[0].clone();
        record.fixture = "0".repeat(32);
        assert!(journal.append(&record).is_err());
    }
}
