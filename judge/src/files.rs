//! Writing files so that nothing half-written stays.

use crate::error::JudgeError;
use std::fs::{self, File, FileTimes};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Writes a file whole: into a temporary file beside it, then by renaming that.
///
/// # Errors
/// When the folder cannot be written; the old file is then untouched.
pub fn write_whole(path: &Path, content: &[u8]) -> Result<(), JudgeError> {
    let failed = |e| JudgeError::io("write", path, e);
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".new-")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .tempfile_in(folder)
        .map_err(failed)?;
    file.write_all(content).map_err(failed)?;
    file.as_file().sync_data().map_err(failed)?;
    file.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}

/// Makes a folder and those above it.
///
/// # Errors
/// When that is not allowed.
pub fn make_folder(path: &Path) -> Result<(), JudgeError> {
    fs::create_dir_all(path).map_err(|e| JudgeError::io("make the folder", path, e))
}

/// A time that nobody here lives to see.
const NEVER: Duration = Duration::from_secs(4_102_444_800); // the year 2100

/// Makes the files and folders below a folder keep their times however they are read: the system
/// notes when something was read only if it was not read since it was changed, and these say
/// that they are read in the far future. Else a program could leave itself a message by reading.
///
/// # Errors
/// When the system refuses.
pub fn hide_reading(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            hide_reading(&entry.path())?;
        } else if entry.file_type()?.is_file() {
            set_read_never(&entry.path())?;
        }
    }
    set_read_never(folder)
}

fn set_read_never(path: &Path) -> io::Result<()> {
    let never = SystemTime::UNIX_EPOCH + NEVER;
    File::open(path)?.set_times(FileTimes::new().set_accessed(never))
}
