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

/// Makes a folder that nobody else may look into.
///
/// # Errors
/// When that is not allowed.
pub fn make_private_folder(path: &Path) -> Result<(), JudgeError> {
    make_folder(path)?;
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(path, private).map_err(|e| JudgeError::io("close", path, e))
}

/// Puts every file and folder below a folder, and the folder itself, on the disk.
///
/// # Errors
/// When they cannot be read or the disk refuses.
pub fn sync_tree(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            sync_tree(&entry.path())?;
        } else if kind.is_file() {
            std::fs::File::open(entry.path())?.sync_all()?;
        }
    }
    std::fs::File::open(folder)?.sync_all()
}
