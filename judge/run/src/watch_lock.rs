//! One watch at most goes on in a run's folder, and nobody else plays there meanwhile. The lock of
//! the journal is another one: a watch holds it only while something is built or played, so that
//! reports can be made between.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]

use error::JudgeError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::Path;

/// The file's name in a run's folder.
const FILE_NAME: &str = "watch.lock";

/// Locks a run's folder for one watch, as long as what is returned lives.
///
/// # Errors
/// When another watch goes on there, or the folder cannot be written.
pub(crate) fn lock(run: &Path) -> Result<File, JudgeError> {
    let path = run.join(FILE_NAME);
    let failed = |e| JudgeError::io("lock", &path, e);
    let options = OpenOptions::new()
        .create(true)
        .read(true)
        .write(true)
        .truncate(false)
        .open(&path);
    let mut file = options.map_err(failed)?;
    if let Some(process) = holder(&mut file) {
        return Err(JudgeError::input(format!(
            "another judge run --watch goes on in {} (process {process}); end that one first, or choose another --out",
            run.display(),
        )));
    }
    file.set_len(0).map_err(failed)?;
    writeln!(file, "{}", std::process::id()).map_err(failed)?;
    Ok(file)
}

/// Checks that no watch goes on in a run's folder: whoever played there besides would play what is
/// not due yet, and take what is still being copied.
///
/// # Errors
/// When one goes on there.
pub(crate) fn refuse_beside(run: &Path) -> Result<(), JudgeError> {
    watcher(run).map_or(Ok(()), |process| {
        Err(JudgeError::input(format!(
            "judge run --watch goes on in {} (process {process}) and plays there itself; end it first, or choose another run",
            run.display(),
        )))
    })
}

/// Returns the process that watches a run, if one does.
pub fn watcher(run: &Path) -> Option<String> {
    // Where there is no such file, or it cannot be read, there is no watch of ours.
    let mut file = File::open(run.join(FILE_NAME)).ok()?;
    holder(&mut file)
}

/// Locks the file, or returns which process has it locked. Where there are no locks, nobody can tell.
fn holder(file: &mut File) -> Option<String> {
    let Err(TryLockError::WouldBlock) = file.try_lock() else {
        return None;
    };
    let mut other = String::new();
    // Whoever it is, it is another one.
    let _ = file.read_to_string(&mut other);
    Some(other.trim().to_owned())
}
