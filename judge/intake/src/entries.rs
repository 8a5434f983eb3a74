//! The entries of a folder that may be submissions.

use super::mistyped::unreadable_words;
use super::names;
use rulebook::JudgeError;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use system::foreign::{ForeignFolder, Kind};

/// Maximum number of entries of a folder of submissions.
const ENTRIES_MAX: usize = 100_000;

/// Lists the entries of a folder of submissions, sorted, without hidden files and those that file
/// managers leave behind.
pub(super) fn list(folder: &ForeignFolder) -> Result<Vec<OsString>, JudgeError> {
    names_of(folder, ENTRIES_MAX).map_err(|e| unreadable(folder.path(), &e))
}

fn names_of(folder: &ForeignFolder, names_max: usize) -> io::Result<Vec<OsString>> {
    let names = folder.names()?;
    let names = names.filter(|name| name.as_ref().map_or(true, |name| is_visible(name)));
    let mut names = names.take(names_max + 1).collect::<io::Result<Vec<_>>>()?;
    if names.len() > names_max {
        return Err(io::Error::other(format!(
            "it has more than {names_max} entries; split it into several folders"
        )));
    }
    names.sort();
    Ok(names)
}

/// Returns whether an entry may be a submission by its name.
fn is_visible(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    !name.starts_with('.') && !names::is_junk(&name)
}

/// Returns whether an entry is a folder, and not a link to one.
pub(super) fn is_folder(folder: &ForeignFolder, name: &OsStr) -> bool {
    let facts = folder.facts_of(name);
    facts.is_ok_and(|facts| facts.kind == Kind::Folder)
}

pub(super) fn unreadable(folder: &Path, error: &io::Error) -> JudgeError {
    JudgeError::input(format!(
        "{} {}; give a folder with a folder, zip or program for each submission",
        folder.display(),
        unreadable_words(folder, error)
    ))
}

/// Returns the last part of a path.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_hidden_is_no_entry() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in [".hidden", "ann", "bob"] {
            fs::write(folder.path().join(name), "").expect("ours");
        }
        let folder = ForeignFolder::open(folder.path()).expect("there");
        assert_eq!(names_of(&folder, 2).expect("they fit"), ["ann", "bob"]);
        names_of(&folder, 1).expect_err("too many");
    }
}
