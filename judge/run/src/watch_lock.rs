//! The lock on a run's folder for one watch. The journal's is free at times, so reports can run.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]

use rulebook::JudgeError;
use std::fs::{File, TryLockError};
use std::io::{Read, Write};
use std::path::Path;
use system::files::{lock_with_retries, open_lock};
use system::run_folder::WATCH_LOCK;

pub(crate) fn lock(run: &Path) -> Result<File, JudgeError> {
    let path = run.join(WATCH_LOCK);
    let failed = |e| JudgeError::io("lock", &path, e);
    let mut file = open_lock(&path).map_err(failed)?;
    if let Some(process) = holder(&mut file, lock_with_retries) {
        return Err(JudgeError::input(format!(
            "another judge run --watch is running in {} (process {process}); end it first, or choose another --out",
            run.display(),
        )));
    }
    file.set_len(0).map_err(failed)?;
    writeln!(file, "{}", std::process::id()).map_err(failed)?;
    Ok(file)
}

/// Another process would play games that are not due yet, and take files that are being copied.
pub(crate) fn refuse_beside(run: &Path) -> Result<(), JudgeError> {
    watcher(run).map_or(Ok(()), |process| {
        Err(JudgeError::input(format!(
            "judge run --watch is running in {} (process {process}) and plays there itself; end it first, or choose another run",
            run.display(),
        )))
    })
}

/// Returns the process that watches a run, if one does.
pub fn watcher(run: &Path) -> Option<String> {
    // Without a readable file there is no watch of ours.
    let mut file = File::open(run.join(WATCH_LOCK)).ok()?;
    holder(&mut file, File::try_lock)
}

/// Returns the process that has locked it. On a file system without locks, always `None`.
fn holder(file: &mut File, lock: impl FnOnce(&File) -> Result<(), TryLockError>) -> Option<String> {
    let Err(TryLockError::WouldBlock) = lock(file) else {
        return None;
    };
    let mut other = String::new();
    // Even without its number, it is another process.
    let _ = file.read_to_string(&mut other);
    Some(other.trim().to_owned())
}
