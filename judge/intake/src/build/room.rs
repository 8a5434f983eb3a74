//! Removal of programs, and of received files of an author or a run with too many of them.

use crate::who::versions::{CONTENT_NAME, KeptSubmissions, VersionLog};
use nix::sys::statvfs::statvfs;
use rulebook::{IoContext, JudgeError, Result};
use sandbox::FOLDER_DEPTH_MAX;
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use system::files::if_there;
use system::foreign::ForeignFolder;

/// Maximum size of one author's kept versions, in bytes: sixteen of the largest.
const AUTHOR_BYTES_MAX: u64 = 1 << 30;
const AUTHOR_VERSIONS_MAX: usize = 1000;
/// Number of working versions that may play again: in time, late, and where an extension ends.
const AGAIN_MAX: usize = 3;

/// Removes the programs of versions but those in `kept`. They are built again when needed.
pub fn remove_programs_but(run: &Path, kept: &BTreeSet<String>) -> Result {
    let lists = KeptSubmissions::of_run(run).logs()?.into_iter();
    let versions = lists.flat_map(|(_, list)| list.versions);
    let programs: BTreeSet<String> = versions.filter_map(|one| one.artifact).collect();
    let artifacts = run.join("artifacts");
    for hash in programs.difference(kept) {
        let place = artifacts.join(hash);
        if place.symlink_metadata().is_err() {
            continue;
        }
        // First the note: a program with a note is complete.
        let note = artifacts.join(format!("{hash}.json"));
        if_there(fs::remove_file(&note)).or_io("remove", &note)?;
        sandbox::remove(&place)?;
    }
    Ok(())
}

/// Received files that were removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemovedVersions {
    /// An entrant of theirs; empty if no list names them any more.
    pub entrant: String,
    /// Number of versions.
    pub versions: usize,
    /// Their size on the disk, in bytes.
    pub bytes: u64,
}

#[derive(Debug, Default)]
struct Author {
    versions: usize,
    bytes: u64,
    /// Folders that may be removed, with their sizes; the oldest is the last.
    removable: Vec<(PathBuf, u64)>,
    removed: RemovedVersions,
}

impl Author {
    fn add(&mut self, place: PathBuf, is_needed: bool) {
        let bytes = bytes_of(&place);
        self.versions += 1;
        self.bytes += bytes;
        if !is_needed {
            self.removable.push((place, bytes));
        }
    }

    fn remove(&mut self) -> Result<bool> {
        let Some((place, bytes)) = self.removable.pop() else {
            return Ok(false);
        };
        sandbox::remove(&place)?;
        self.versions -= 1;
        self.bytes -= bytes;
        self.removed.versions += 1;
        self.removed.bytes += bytes;
        Ok(true)
    }
}

/// Removes received files of versions that do not play, the oldest of an author first: where one has
/// too much, and where the folder has `excess` bytes too many, of the author with most. `playing`
/// are the hashes of the programs that play now.
pub fn remove_versions(
    run: &Path,
    playing: &BTreeSet<String>,
    excess: u64,
) -> Result<Vec<RemovedVersions>> {
    let mut authors = authors(&KeptSubmissions::of_run(run), playing)?;
    for author in &mut authors {
        let is_over =
            |one: &Author| one.bytes > AUTHOR_BYTES_MAX || one.versions > AUTHOR_VERSIONS_MAX;
        while is_over(author) && author.remove()? {}
    }
    while authors.iter().map(|one| one.removed.bytes).sum::<u64>() < excess {
        let is_nobodys = |one: &Author| one.removed.entrant.is_empty() && !one.removable.is_empty();
        let most = authors
            .iter_mut()
            .max_by_key(|one| (is_nobodys(one), one.bytes));
        if !most.map_or(Ok(false), Author::remove)? {
            break;
        }
    }
    let removed = authors.into_iter().map(|author| author.removed);
    Ok(removed.filter(|removed| removed.versions > 0).collect())
}

fn authors(store: &KeptSubmissions, playing: &BTreeSet<String>) -> Result<Vec<Author>> {
    let lists = store.logs()?;
    let content = store.folder.join(CONTENT_NAME);
    let mut needed: HashSet<&str> = HashSet::new();
    for (_, VersionLog { versions, .. }) in &lists {
        let mut again = AGAIN_MAX;
        for (age, one) in versions.iter().rev().enumerate() {
            let is_again = one.works == Some(true) && again > 0;
            again -= usize::from(is_again);
            let plays = || (one.artifact.as_ref()).is_some_and(|one| playing.contains(one));
            if age == 0 || is_again || plays() {
                needed.insert(&one.hash);
            }
        }
    }
    let mut seen: HashSet<&str> = HashSet::new();
    let mut authors = Vec::new();
    for (_, VersionLog { entrant, versions }) in &lists {
        let mut author = Author::default();
        author.removed.entrant.clone_from(entrant);
        for version in versions.iter().filter(|one| seen.insert(&one.hash)) {
            let place = content.join(&version.hash);
            if place.exists() {
                author.add(place, needed.contains(version.hash.as_str()));
            }
        }
        author.removable.reverse();
        authors.push(author);
    }
    // A damaged list may have named the others.
    if names_in(&store.folder)?.len() == lists.len() + 1 {
        let mut nobody = Author::default();
        let is_listed = |name: &OsString| name.to_str().is_some_and(|hash| seen.contains(hash));
        for name in names_in(&content)? {
            if !is_listed(&name) {
                nobody.add(content.join(name), false);
            }
        }
        authors.push(nobody);
    }
    Ok(authors)
}

fn names_in(folder: &Path) -> Result<Vec<OsString>> {
    if_there(ForeignFolder::open(folder).and_then(|one| one.names()?.collect()))
        .map(Option::unwrap_or_default)
        .or_io("read", folder)
}

/// Returns the size of a folder on the disk, in bytes, as deep as a build may nest it.
pub fn bytes_of(folder: &Path) -> u64 {
    let mut bytes = 0;
    if let Ok(folder) = ForeignFolder::open(folder) {
        folder.each_below(FOLDER_DEPTH_MAX, &mut |found| {
            bytes += found.map_or(0, |facts| facts.disk_bytes);
            true
        });
    }
    bytes
}

/// Minimum free space after a build, in bytes. A compiler without space removes its output.
const FREE_BYTES_MIN: u64 = 128 << 20;

/// Ignores the compiler's output, which may be the submission's own words.
pub(crate) fn check(folder: &Path) -> Result {
    let system = statvfs(folder).or_io("check the free disk space of", folder)?;
    let free_bytes = system
        .blocks_available()
        .saturating_mul(system.fragment_size());
    if is_full(free_bytes, system.files(), system.files_available()) {
        let full = ErrorKind::StorageFull.into();
        return Err(JudgeError::io("build in", folder, full));
    }
    Ok(())
}

fn is_full(free_bytes: u64, files: u64, free_files: u64) -> bool {
    // Some file systems do not count files, and report a total of 0.
    free_bytes < FREE_BYTES_MIN || (files > 0 && free_files == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disk_is_full_without_bytes_or_inodes() {
        assert!(is_full(1 << 20, 1000, 500));
        assert!(is_full(1 << 40, 1000, 0));
        assert!(!is_full(1 << 40, 1000, 500));
        assert!(!is_full(1 << 40, 0, 0), "files are not counted");
    }

    #[test]
    fn missing_folder_is_not_reported_as_full_disk() {
        let missing = check(Path::new("/no/such/folder")).expect_err("it is not there");
        assert!(missing.to_string().contains("/no/such/folder"), "{missing}");
    }
}
