//! One watch at most goes on in a run's folder. The lock of the journal is another one: it is held
//! only while something is built or played, so that reports can be made between.

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
pub(super) fn lock(run: &Path) -> Result<File, JudgeError> {
    let path = run.join(FILE_NAME);
    let failed = |e| JudgeError::io("lock", &path, e);
    let options = OpenOptions::new()
        .create(true)
        .read(true)
        .write(true)
        .truncate(false)
        .open(&path);
    let mut file = options.map_err(failed)?;
    match file.try_lock() {
        // Without locks, nobody can tell.
        Ok(()) | Err(TryLockError::Error(_)) => {}
        Err(TryLockError::WouldBlock) => {
            let mut other = String::new();
            // Whoever it is, it is another one.
            let _ = file.read_to_string(&mut other);
            return Err(JudgeError::input(format!(
                "another judge run --watch goes on in {} (process {}); end that one first, or choose another --out",
                run.display(),
                other.trim()
            )));
        }
    }
    file.set_len(0).map_err(failed)?;
    writeln!(file, "{}", std::process::id()).map_err(failed)?;
    Ok(file)
}
