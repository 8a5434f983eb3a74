//! The entries of a folder that may be submissions.

use super::mistyped::did_you_mean_path;
use super::names;
use error::JudgeError;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use system::foreign::{ForeignFolder, Kind};

/// The most entries of a folder of submissions.
const ENTRIES_MAX: usize = 100_000;

/// Lists what lies in a folder of submissions, sorted, without hidden files and what file managers
/// leave behind.
pub(super) fn list(folder: &ForeignFolder) -> Result<Vec<OsString>, JudgeError> {
    let mut names =
        (folder.sorted_names(ENTRIES_MAX)).map_err(|e| unreadable(folder.path(), &e))?;
    names.retain(|name| {
        let name = name.to_string_lossy();
        !name.starts_with('.') && !names::is_junk(&name)
    });
    Ok(names)
}

/// Returns whether an entry is a folder, and not a link to one.
pub(super) fn is_folder(folder: &ForeignFolder, name: &OsStr) -> bool {
    let facts = folder.facts_of(name);
    facts.is_ok_and(|facts| facts.kind == Kind::Folder)
}

pub(super) fn unreadable(folder: &Path, error: &io::Error) -> JudgeError {
    JudgeError::input(format!(
        "cannot read the submissions folder {}: {error}; give a folder with a folder, zip or program for each submission{}",
        folder.display(),
        did_you_mean_path(folder)
    ))
}

/// Returns the last part of a path.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
