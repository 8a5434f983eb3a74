//! Writing files so that nothing half-written stays.

use crate::error::JudgeError;
use std::io::Write;
use std::path::Path;

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
    std::fs::create_dir_all(path).map_err(|e| JudgeError::io("make the folder", path, e))
}
