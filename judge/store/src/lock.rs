//! Locks on a run's folder and on a part's journal, so that only one process works on each.

use crate::games::{Games, open_file};
use nix::errno::Errno;
use rulebook::JudgeError;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use system::files::{lock_with_retries, open_lock};
use system::run_folder;

/// Returns whether a judge is working on a run's folder.
pub fn is_being_played(directory: &Path) -> bool {
    let file = open_file(
        &directory.join(run_folder::LOCK),
        OpenOptions::new().read(true),
    );
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Locks a run's folder for as long as the returned file is open.
///
/// # Errors
/// When another process has it locked, or it cannot be written.
pub fn lock(directory: &Path) -> Result<File, JudgeError> {
    let path = directory.join(run_folder::LOCK);
    let file = open_lock(&path).map_err(|e| JudgeError::io("write", &path, e))?;
    match lock_with_retries(&file) {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(JudgeError::input(format!(
            "another judge is working on {}; wait until it finishes, or choose another --out",
            directory.display()
        ))),
        // Without locks, a changed length of the journal reveals two judges on one run.
        Err(TryLockError::Error(e)) if has_no_locks(&e) => Ok(file),
        Err(TryLockError::Error(e)) => Err(JudgeError::io("lock", &path, e)),
    }
}

/// Returns whether the file system supports no locks, like some network file systems.
fn has_no_locks(error: &std::io::Error) -> bool {
    let code = error.raw_os_error().map(Errno::from_raw);
    matches!(
        code,
        Some(Errno::ENOLCK | Errno::EOPNOTSUPP | Errno::ENOSYS)
    )
}

/// Locks the journal of a part if the file system supports locks.
///
/// # Errors
/// When another process visibly has it open.
pub(crate) fn lock_part(games: &Games) -> Result<(), JudgeError> {
    let is_free = match lock_with_retries(&games.file) {
        // Another process's repair may have replaced the file.
        Ok(()) => games.is_in_place()?,
        Err(TryLockError::WouldBlock) => false,
        // Not every network file system has locks. Each line is checked no matter who wrote it.
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
