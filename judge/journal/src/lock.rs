//! Who works on a run's folder or on a part's journal, alone.

use crate::games::{Games, open_file};
use error::JudgeError;
use nix::errno::Errno;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

/// The file that whoever works on a run has locked.
const LOCK_NAME: &str = "lock";
/// Returns whether a judge is working on a run's folder.
pub fn is_being_played(directory: &Path) -> bool {
    let file = open_file(&directory.join(LOCK_NAME), OpenOptions::new().read(true));
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
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

/// Locks the journal of a part where the file system can.
///
/// # Errors
/// When another process is seen to have it open.
pub(crate) fn lock_part(games: &Games) -> Result<(), JudgeError> {
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
