//! The entries of a folder that may be submissions.

use super::mistyped::unreadable_words;
use super::names;
use rulebook::JudgeError;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use system::foreign::{ForeignFolder, Kind, Owner};

/// Maximum number of entries of a folder of submissions.
const ENTRIES_MAX: usize = 100_000;

/// Lists the entries of a folder of submissions, sorted, without hidden files and those that file
/// managers leave behind. If there are too many, it leaves out the entries of the owner with the
/// most, then of the next, and so on.
pub(super) fn list(folder: &ForeignFolder) -> Result<Vec<OsString>, JudgeError> {
    list_and_tell(folder).map(|(names, _)| names)
}

/// Lists the same entries, and returns a message that names the owners left out, if any.
pub(super) fn list_and_tell(
    folder: &ForeignFolder,
) -> Result<(Vec<OsString>, Option<String>), JudgeError> {
    names_of(folder, ENTRIES_MAX).map_err(|e| unreadable(folder.path(), &e))
}

fn names_of(
    folder: &ForeignFolder,
    names_max: usize,
) -> io::Result<(Vec<OsString>, Option<String>)> {
    let names = visible(folder)?.take(names_max + 1);
    let mut names = names.collect::<io::Result<Vec<_>>>()?;
    let mut told = None;
    if names.len() > names_max {
        let left_out = owners_left_out(folder, names_max)?;
        let users = left_out.iter().filter_map(|owner| match owner {
            Owner::System(user) | Owner::Person(user) => Some(user.to_string()),
            Owner::Staff | Owner::Unknown => None,
        });
        let users: Vec<String> = users.collect();
        told = Some(format!(
            "there are more than {names_max} entries; left out those of the users with most, by number: {}",
            users.join(", ")
        ));
        names.clear();
        for name in visible(folder)? {
            let name = name?;
            // Others may be adding to it.
            if names.len() < names_max && !left_out.contains(&folder.owner_of(&name)) {
                names.push(name);
            }
        }
    }
    names.sort();
    Ok((names, told))
}

/// Lists the names that may be submissions.
fn visible(folder: &ForeignFolder) -> io::Result<impl Iterator<Item = io::Result<OsString>>> {
    let names = folder.names()?;
    Ok(names.filter(|name| name.as_ref().map_or(true, |name| is_visible(name))))
}

/// Returns the owners with the most entries, such that at most `names_max` entries of others
/// remain.
///
/// # Errors
/// When the folder cannot be read, or staff's entries alone are too many.
fn owners_left_out(folder: &ForeignFolder, names_max: usize) -> io::Result<Vec<Owner>> {
    let (mut all, mut counts) = (0_usize, BTreeMap::<Owner, usize>::new());
    for name in visible(folder)? {
        all += 1;
        let owner = folder.owner_of(&name?);
        if matches!(owner, Owner::System(_) | Owner::Person(_)) {
            *counts.entry(owner).or_default() += 1;
        }
    }
    let mut counts: Vec<(usize, Owner)> = counts.into_iter().map(|(who, n)| (n, who)).collect();
    counts.sort_unstable();
    let mut left_out = Vec::new();
    while all > names_max {
        let Some((count, owner)) = counts.pop() else {
            return Err(io::Error::other(format!(
                "it has more than {names_max} entries; split it into several folders"
            )));
        };
        all -= count;
        left_out.push(owner);
    }
    Ok(left_out)
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
    use nix::unistd::geteuid;
    use std::fs;
    use std::os::unix::fs::chown;

    #[test]
    fn nobody_crowds_out_the_others() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let list = |most: usize| {
            let folder = ForeignFolder::open(folder.path()).expect("there");
            names_of(&folder, most).map(|(names, _)| names.len())
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
                chown(place, Some(54_321), None).expect("we are root");
            }
            assert_eq!(list(6).expect("all fit"), 6);
            assert_eq!(list(5).expect("eve is left out"), 2);
        }
    }
}
