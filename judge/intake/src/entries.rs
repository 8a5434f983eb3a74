//! The entries of a folder that may be submissions.

use super::mistyped::did_you_mean_path;
use super::names;
use error::JudgeError;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use system::foreign::{ForeignFolder, Kind};

/// The most entries of a folder of submissions.
const ENTRIES_MAX: usize = 100_000;

/// Lists what lies in a folder of submissions, sorted, without hidden files and what file managers
/// leave behind. Where that is too much, whoever has put most there is left out, and so on.
pub(super) fn list(folder: &ForeignFolder) -> Result<Vec<OsString>, JudgeError> {
    names_of(folder, ENTRIES_MAX).map_err(|e| unreadable(folder.path(), &e))
}

fn names_of(folder: &ForeignFolder, names_max: usize) -> io::Result<Vec<OsString>> {
    let visible = || {
        let names = folder.names()?;
        io::Result::Ok(names.filter(|name| name.as_ref().map_or(true, |name| is_visible(name))))
    };
    let names = visible()?.take(names_max + 1);
    let mut names = names.collect::<io::Result<Vec<_>>>()?;
    if names.len() > names_max {
        names.clear();
        let owner = |name: &OsString| folder.facts_of(name).map_or(0, |facts| facts.owner);
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for name in visible()? {
            *counts.entry(owner(&name?)).or_default() += 1;
        }
        let mut counts: Vec<(usize, u32)> = counts.into_iter().map(|(user, n)| (n, user)).collect();
        counts.sort_unstable();
        let mut room = names_max;
        let fits = |(count, _): &&(usize, u32)| {
            let left = room.checked_sub(*count);
            room = left.unwrap_or(0);
            left.is_some()
        };
        let taken: Vec<u32> = counts
            .iter()
            .take_while(fits)
            .map(|(_, user)| *user)
            .collect();
        if taken.is_empty() {
            return Err(io::Error::other(format!(
                "it has more than {names_max} entries"
            )));
        }
        // Others may be adding to it.
        for name in visible()? {
            let name = name?;
            if names.len() < names_max && taken.contains(&owner(&name)) {
                names.push(name);
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use nix::unistd::geteuid;
    use std::fs;
    use std::os::unix::fs::chown;

    #[test]
    fn nobody_crowds_out_the_others() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let list = |most: usize| {
            let folder = ForeignFolder::open(folder.path()).expect("there");
            names_of(&folder, most).map(|names| names.len())
        };
        for number in 0..9 {
            fs::write(folder.path().join(format!(".hidden {number}")), "").expect("ours");
        }
        for name in ["ann", "bob"] {
            fs::write(folder.path().join(name), "").expect("ours");
        }
        assert_eq!(list(2).expect("what is hidden does not count"), 2);
        list(1).expect_err("all is one user's");
        if geteuid().is_root() {
            for number in 0..4 {
                let place = folder.path().join(format!("eve {number}"));
                fs::write(&place, "").expect("ours");
                chown(place, Some(65_534), None).expect("we are root");
            }
            assert_eq!(list(6).expect("all fit"), 6);
            assert_eq!(list(5).expect("eve is left out"), 2);
        }
    }
}
