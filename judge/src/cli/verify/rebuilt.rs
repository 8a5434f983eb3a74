//! Comparison of a folder's files with rebuilt versions.

use super::files;
use super::inspection::Inspection;
use error::JudgeError;
use journal::manifest::Manifest;
use report::html::FILE_NAME;
use report::{SUMS_NAME, View, changed_outputs, later_outputs};
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

/// Lists the outputs that a run's folder has in the form of an older version of judge.
pub(super) fn of_older_form(
    folder: &ForeignFolder,
    manifest: &Manifest,
    inspection: &mut Inspection,
) -> Result<Vec<String>, JudgeError> {
    let mut names = Vec::new();
    for (name, header) in changed_outputs(manifest)? {
        if files::is_there(folder, &name) && files::begins_with(folder, &name, header)? {
            inspection.note(format!(
                "{name} is not compared: it has the form of older versions of judge"
            ));
            names.push(name);
        }
    }
    Ok(names)
}

/// Longer than the first line of `games.csv` in any view.
const HEAD_BYTES_MAX: u64 = 4096;

/// Removes `games.csv` from the names of a view's files if it has the uncharged times, which older
/// versions of judge published.
pub(super) fn leave_out_older_games(
    folder: &ForeignFolder,
    names: &mut Vec<String>,
    inspection: &mut Inspection,
) -> Result<(), JudgeError> {
    const NAME: &str = "games.csv";
    if !names.iter().any(|name| name == NAME) || !files::is_there(folder, NAME) {
        return Ok(());
    }
    let start = files::start(folder, NAME, HEAD_BYTES_MAX)?;
    let head = start.split(|&byte| byte == b'\n').next();
    let head = String::from_utf8_lossy(head.unwrap_or_default());
    if head.contains("uncharged_us") {
        inspection.note(format!(
            "{NAME} is not compared: it has the form of older versions of judge"
        ));
        // The sums have been compared with the files.
        names.retain(|name| ![NAME, SUMS_NAME].contains(&name.as_str()));
    }
    Ok(())
}

/// Lists the outputs that a folder lacks because an older version of judge did not write them.
pub(super) fn lacking(
    folder: &ForeignFolder,
    (manifest, view): (&Manifest, View),
    inspection: &mut Inspection,
) -> Result<Vec<String>, JudgeError> {
    let mut names = later_outputs(manifest, view)?;
    names.retain(|name| !files::is_there(folder, name));
    if !names.is_empty() {
        inspection.note(format!(
            "missing, as in folders of older versions of judge: {}",
            names.join(", ")
        ));
    }
    Ok(names)
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
