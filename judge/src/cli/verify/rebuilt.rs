//! Comparison of a folder's files with rebuilt versions.

use super::files;
use super::inspection::Inspection;
use report::html::FILE_NAME;
use rulebook::JudgeError;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use system::cleanup::TemporaryFolder;
use system::foreign::ForeignFolder;

/// Compares the named files in `folder` with their rebuilt versions in `made`.
pub(super) fn compare(
    folder: &ForeignFolder,
    made: &ForeignFolder,
    names: &[String],
    inspection: &mut Inspection,
) -> Result<(), JudgeError> {
    let is_page = |name: &str| name == FILE_NAME || Path::new(name).starts_with("games");
    for (what, of_pages) in [("tables", false), ("pages", true)] {
        let (mut number, mut differ) = (0, 0);
        for name in names.iter().filter(|name| is_page(name) == of_pages) {
            number += 1;
            let difference = files::compare(folder, made, name)?;
            if let Some(difference) = difference {
                differ += 1;
                inspection.differs(format!("{name}: {difference}"));
            }
        }
        if number > 0 {
            inspection.row(what, number, "file", differ);
        }
    }
    Ok(())
}

/// Reports that files cannot be rebuilt. This is a difference, unless the machine is at fault.
pub(super) fn failed(error: JudgeError, inspection: &mut Inspection) -> Result<(), JudgeError> {
    match error {
        JudgeError::Input(_) | JudgeError::Rules { .. } | JudgeError::Format { .. } => {
            inspection.differs(format!("tables and pages cannot be made again: {error}"));
            Ok(())
        }
        _ => Err(error),
    }
}

/// Opens the folder of rebuilt files.
///
/// # Errors
/// When the system refuses.
pub(super) fn open(made: &Path) -> Result<ForeignFolder, JudgeError> {
    ForeignFolder::open(made).map_err(|e| JudgeError::io("read", made, e))
}

/// Makes a folder for rebuilt files.
///
/// # Errors
/// When the system refuses.
pub(super) fn temporary_folder() -> Result<TemporaryFolder, JudgeError> {
    let private = Permissions::from_mode(0o700);
    TemporaryFolder::new("verify", private)
        .map_err(|e| JudgeError::io("make a folder in", std::env::temp_dir(), e))
}
