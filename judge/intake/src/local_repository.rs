//! Checks of a git repository on this machine, before git reads it with the rights of the judge's
//! user: no other user can lead git elsewhere from it, and what git reads whole is short.

use std::fs::symlink_metadata;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use system::files::read_bounded;
use system::foreign::{ForeignFolder, Kind};
use system::strangers::{may_be_added_to, strangers_entry, strangers_folder, strangers_link};

/// Checks that no other user can lead git elsewhere from a path. Returns the folder, or `None` if
/// it does not exist.
///
/// # Errors
/// When there is such a user; in plain words.
pub(super) fn check_path(path: &Path) -> Result<Option<PathBuf>, String> {
    check_links(path)?;
    if let Ok(folder) = path.canonicalize() {
        check_folders(&folder)?;
        check_inside(&folder)?;
        return Ok(Some(folder));
    }
    // No other user may make a repository where one is missing.
    let mut above = path.ancestors().skip(1);
    if let Some(above) = above.find_map(|one| one.canonicalize().ok()) {
        check_folders(&above)?;
        let is_open = may_be_added_to(&above);
        let found = is_open.map(|is_open| is_open.then(|| above.clone()));
        refuse_strangers(&above, found)?;
    }
    // Git takes a repository beside it, too.
    check_inside(path)?;
    Ok(None)
}

/// Checks the repository that git finds for a folder: there, or in a folder above.
///
/// # Errors
/// As [`check_path`].
pub(super) fn check_above(folder: &Path) -> Result<(), String> {
    let is_found =
        |place: &&Path| symlink_metadata(place.join(GIT_FOLDER)).is_ok() || is_repository(place);
    let found = folder.ancestors().find(is_found);
    found.map_or(Ok(()), |place| check_path(place).map(drop))
}

/// Refuses a repository if another user may replace a part of its path, for example with a link
/// that leads anywhere. That is possible even between this check and git's reading.
///
/// # Errors
/// When there is such a user; in plain words.
fn check_folders(folder: &Path) -> Result<(), String> {
    refuse_strangers(folder, strangers_folder(folder))
}

/// Refuses a repository in which another user may change files that git reads. Links,
/// `objects/info/alternates` and configuration lead git anywhere, with the rights of the judge's
/// user.
///
/// # Errors
/// When there is such a user; in plain words.
fn check_inside(folder: &Path) -> Result<(), String> {
    // Without a slash at its end.
    let mut beside = folder.components().collect::<PathBuf>().into_os_string();
    beside.push(GIT_FOLDER);
    for place in [folder.to_owned(), PathBuf::from(beside)] {
        let inner = place.join(GIT_FOLDER);
        if inner.is_file() {
            return Err(format!(
                "{} is a file that leads git to another folder; name that folder",
                inner.display()
            ));
        }
        refuse_strangers(&inner, strangers_entry(&inner, GIT_ENTRIES_MAX))?;
        refuse_elsewhere(&inner)?;
        // Git skips a folder that is no repository, and searches no further than the first
        // repository.
        if is_repository(&inner) {
            return refuse_long(&inner);
        }
        refuse_strangers(&place, strangers_entry(&place, GIT_ENTRIES_MAX))?;
        refuse_elsewhere(&place)?;
        if is_repository(&place) {
            return refuse_long(&place);
        }
    }
    Ok(())
}

/// Returns whether git takes a folder as a repository.
fn is_repository(folder: &Path) -> bool {
    let parts = ["HEAD", "objects", "refs"];
    parts.into_iter().all(|name| folder.join(name).exists())
}

/// Refuses a git folder whose own files lead git to folders that are not checked:
/// gitrepository-layout(5) and git-config(1).
///
/// # Errors
/// When there is such a file, or it cannot be read; in plain words.
fn refuse_elsewhere(git_folder: &Path) -> Result<(), String> {
    let read = |name: &str| {
        let path = git_folder.join(name);
        match read_bounded(&path, GIT_FILE_BYTES_MAX) {
            Ok(text) => Ok((path, text)),
            Err(e) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&e.kind()) => {
                Ok((path, Vec::new()))
            }
            Err(e) => Err(unreadable_path(&path, &e)),
        }
    };
    for name in LEAD_ELSEWHERE {
        let (path, text) = read(name)?;
        if !text.trim_ascii().is_empty() {
            return Err(format!(
                "{} leads git to another folder; name a repository that contains all its files, as `git clone --no-local` makes it",
                path.display()
            ));
        }
    }
    for name in CONFIGURATIONS {
        let (path, text) = read(name)?;
        let text = text.to_ascii_lowercase();
        if text.windows(INCLUDE.len()).any(|part| part == INCLUDE) {
            return Err(format!(
                "{} includes other files; copy their settings into it and remove the include",
                path.display()
            ));
        }
    }
    Ok(())
}

/// Refuses a git folder whose files that git reads whole are long together. A file with holes costs
/// its author nothing, and git reads each of its bytes whenever it is asked.
///
/// # Errors
/// When they are too long, or their lengths cannot be read; in plain words.
fn refuse_long(git_folder: &Path) -> Result<(), String> {
    let failed = |e: io::Error| unreadable_path(git_folder, &e);
    let mut left = WHOLE_BYTES_MAX;
    let mut next = vec![(ForeignFolder::open(git_folder).map_err(failed)?, true)];
    while let Some((folder, is_top)) = next.pop() {
        for name in folder.sorted_names(GIT_ENTRIES_MAX).map_err(failed)? {
            let facts = match folder.facts_of(&name) {
                // Git is writing there.
                Err(e) if e.kind() == ErrorKind::NotFound => continue,
                facts => facts.map_err(failed)?,
            };
            match facts.kind {
                Kind::Folder if !is_top || READ_WHOLE.iter().any(|whole| name == *whole) => {
                    next.push((folder.folder(&name).map_err(failed)?, false));
                }
                Kind::File if !is_top || name != INDEX => {
                    left = left.checked_sub(facts.bytes).ok_or_else(|| {
                        format!(
                            "{} is too long for git to read: its branches, tags and settings may have {} MiB together; \
                             remove it, or run `git pack-refs --all`",
                            folder.path().join(&name).display(),
                            WHOLE_BYTES_MAX >> 20
                        )
                    })?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn refuse_strangers(looked_at: &Path, found: io::Result<Option<PathBuf>>) -> Result<(), String> {
    match found {
        Ok(None) => Ok(()),
        Ok(Some(place)) if place.is_symlink() => Err(format!(
            "{} is a link, and may lead anywhere; clone the repository into a folder of your own",
            place.display()
        )),
        Ok(Some(place)) => Err(format!(
            "another user can change {}, so judge will not read it with your rights; clone the repository into a \
             folder of your own, or give the address of a git server",
            place.display()
        )),
        Err(error) => Err(unreadable_path(looked_at, &error)),
    }
}

fn unreadable_path(path: &Path, error: &io::Error) -> String {
    format!("cannot read {}: {error}; check the path", path.display())
}

/// Name of git's own folder in a working folder, or ending of a repository's name.
const GIT_FOLDER: &str = ".git";

/// Maximum number of files and folders of a repository on this machine; `git gc` packs them.
const GIT_ENTRIES_MAX: usize = 100_000;

/// Maximum size of one of its files that is read here, in bytes.
const GIT_FILE_BYTES_MAX: u64 = 1 << 20;

/// Maximum size of the files that git reads whole, in bytes: room for 100,000 branches and tags.
const WHOLE_BYTES_MAX: u64 = 16 << 20;

/// Folders in a git folder whose files git reads whole, as it does those beside them.
const READ_WHOLE: [&str; 4] = ["info", "refs", "reftable", "worktrees"];

/// The list of the files of a working folder, which grows with it. No step here reads it.
const INDEX: &str = "index";

/// Files in a git folder that contain paths of other repositories.
const LEAD_ELSEWHERE: [&str; 3] = [
    "commondir",
    "objects/info/alternates",
    "objects/info/http-alternates",
];

/// The files of a repository's configuration.
const CONFIGURATIONS: [&str; 2] = ["config", "config.worktree"];

/// Beginning of a section that includes other files: `[include]` and `[includeIf …]`.
const INCLUDE: &[u8] = b"[include";

/// Endings that git appends to a path when it looks for a repository.
const LOOKED_FOR: [&str; 4] = ["", "/.git", ".git", ".git/.git"];

/// Refuses a repository on this machine whose path contains another user's link. Git would follow
/// the link with the rights of the judge's user.
///
/// # Errors
/// When there is such a link; in plain words.
fn check_links(path: &Path) -> Result<(), String> {
    for ending in LOOKED_FOR {
        let mut place = path.as_os_str().to_owned();
        place.push(ending);
        let place = PathBuf::from(place);
        match strangers_link(&place) {
            Ok(None) => {}
            Ok(Some(link)) => {
                return Err(format!(
                    "{} is a link that another user made, and it may lead anywhere; name the repository's own folder",
                    link.display()
                ));
            }
            Err(error) => return Err(unreadable_path(&place, &error)),
        }
    }
    Ok(())
}
