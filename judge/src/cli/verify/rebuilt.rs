//! Comparison of a folder's files with rebuilt versions.

use super::files;
use super::inspection::Inspection;
use crate::BUILD;
use model::numbers::counted;
use report::html::{FILE_NAME, data_of};
use rulebook::JudgeError;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use system::cleanup::TemporaryFolder;
use system::foreign::ForeignFolder;

/// Compares the named files in `folder` with their rebuilt versions in `made`. Of pages by another
/// build than this, only the data is compared.
pub(super) fn compare(
    (folder, build): (&ForeignFolder, &str),
    made: &ForeignFolder,
    names: &[String],
    inspection: &mut Inspection,
) -> Result<(), JudgeError> {
    let is_page = |name: &str| name == FILE_NAME || Path::new(name).starts_with("games");
    let mut of_others = 0;
    for (what, of_pages) in [("tables", false), ("pages", true)] {
        let (mut number, mut differ) = (0, 0);
        for name in names.iter().filter(|name| is_page(name) == of_pages) {
            number += 1;
            let difference = files::compare(folder, made, name)?;
            if difference.is_some() && of_pages && build != BUILD {
                let [found, made] = [folder, made].map(|folder| files::text(folder, name));
                let (found, made) = (found?, made?);
                if data_of(&made).is_some_and(|data| data_of(&found) == Some(data)) {
                    of_others += 1;
                    continue;
                }
            }
            if let Some(difference) = difference {
                differ += 1;
                inspection.differs(format!("{name}: {difference}"));
            }
        }
        if number > 0 {
            inspection.row(what, number, "file", differ);
        }
    }
    if of_others > 0 {
        inspection.note(format!(
            "of {}, the data was compared and not the HTML around it: judge {build} wrote it, and this is {BUILD}",
            counted(of_others, "page")
        ));
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
