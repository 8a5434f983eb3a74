//! Removal of programs and received files from a run's folder. Programs of versions that do not play
//! any more can be built again. Files are removed where one author has too many of them, and where
//! the folder is too large; those that were never built go first.

use super::kept_files::KeptFiles;
use super::versions::Store;
use rulebook::JudgeError;
use sandbox::FOLDER_DEPTH_MAX;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use system::foreign::ForeignFolder;

/// Maximum size of one author's kept versions, in bytes: sixteen of the largest.
const AUTHOR_BYTES_MAX: u64 = 1 << 30;
/// Maximum number of one author's kept versions.
const AUTHOR_VERSIONS_MAX: usize = 1000;
/// Part of a run's folder that one author's versions may take, where it is too large.
const AUTHOR_PART: u64 = 10;

/// Removes all programs built from versions of a run's submissions, except those with a hash in
/// `kept`. A removed program is built again when it is needed.
///
/// # Errors
/// When the lists of versions cannot be read, or a program cannot be removed.
pub fn remove_programs_but(run: &Path, kept: &BTreeSet<String>) -> Result<(), JudgeError> {
    let programs = Store::of_run(run).artifacts()?;
    let artifacts = run.join("artifacts");
    for hash in programs.difference(kept) {
        let place = artifacts.join(hash);
        if place.symlink_metadata().is_err() {
            continue;
        }
        // First the note: a program with a note is complete.
        let note = artifacts.join(format!("{hash}.json"));
        if note.exists() {
            fs::remove_file(&note).map_err(|e| JudgeError::io("remove", &note, e))?;
        }
        sandbox::remove(&place)?;
    }
    Ok(())
}

/// The bounds on received files.
#[derive(Clone, Copy, Debug)]
pub struct Room<'a> {
    /// The hashes of the programs that play now.
    pub playing: &'a BTreeSet<String>,
    /// Size of the run's folder and its bound, in bytes, if it has one.
    pub held_and_max: Option<(u64, u64)>,
}

/// Received files that were removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovedVersions {
    /// An entrant of theirs; empty if no list names them any more.
    pub entrant: String,
    /// Number of versions.
    pub versions: usize,
    /// Their size on the disk, in bytes.
    pub bytes: u64,
}

/// The versions of an author that may be removed, the first to go last.
#[derive(Debug, Default)]
struct Author {
    entrant: String,
    versions: usize,
    bytes: u64,
    /// Whether a program was built from each, and its folder with its size.
    removable: Vec<(bool, PathBuf, u64)>,
    removed: Vec<(PathBuf, u64)>,
}

impl Author {
    /// Returns whether an unbuilt one can be removed.
    fn has_unbuilt(&self) -> bool {
        self.removable
            .last()
            .is_some_and(|(is_built, ..)| !is_built)
    }

    /// Removes one from the account. Returns its size.
    fn remove(&mut self) -> u64 {
        let Some((_, place, bytes)) = self.removable.pop() else {
            return 0;
        };
        self.versions -= 1;
        self.bytes -= bytes;
        self.removed.push((place, bytes));
        bytes
    }
}

/// Removes received files of versions of a run that no longer play. An author's oldest go first, and
/// before them those that were never built. Where the folder is too large, authors with much lose
/// first, and nobody with little loses a version that was built.
///
/// # Errors
/// When the lists of versions cannot be read, or files cannot be removed.
pub fn remove_versions(run: &Path, room: Room<'_>) -> Result<Vec<RemovedVersions>, JudgeError> {
    let mut authors = authors(Store::of_run(run).kept(room.playing)?);
    for author in &mut authors {
        while author.bytes > AUTHOR_BYTES_MAX || author.versions > AUTHOR_VERSIONS_MAX {
            if author.removable.is_empty() {
                break;
            }
            author.remove();
        }
    }
    let removed = |authors: &[Author]| -> u64 {
        authors
            .iter()
            .flat_map(|author| &author.removed)
            .map(|(_, bytes)| bytes)
            .sum()
    };
    if let Some((held, bytes_max)) = room.held_and_max {
        let part = bytes_max / AUTHOR_PART;
        let mut excess = held.saturating_sub(bytes_max);
        excess = excess.saturating_sub(removed(&authors));
        while excess > 0 {
            let may_lose = authors
                .iter_mut()
                .filter(|one| !one.removable.is_empty())
                .filter(|one| one.has_unbuilt() || one.bytes > part);
            let Some(author) =
                may_lose.max_by_key(|one| (one.entrant.is_empty(), one.has_unbuilt(), one.bytes))
            else {
                break;
            };
            excess = excess.saturating_sub(author.remove());
        }
    }
    let mut all = Vec::new();
    for author in authors {
        for (place, _) in &author.removed {
            sandbox::remove(place)?;
        }
        let bytes = author.removed.iter().map(|(_, bytes)| bytes).sum();
        let versions = author.removed.len();
        all.extend((versions > 0).then_some(RemovedVersions {
            entrant: author.entrant,
            versions,
            bytes,
        }));
    }
    Ok(all)
}

/// Groups kept files by their authors. Files that several versions have count once, for the first.
fn authors(kept: Vec<KeptFiles>) -> Vec<Author> {
    let needed: BTreeSet<PathBuf> = kept
        .iter()
        .filter(|one| one.is_needed)
        .map(|one| one.place.clone())
        .collect();
    let built: BTreeSet<PathBuf> = kept
        .iter()
        .filter(|one| one.is_built)
        .map(|one| one.place.clone())
        .collect();
    let mut seen = BTreeSet::new();
    let mut authors: BTreeMap<String, Author> = BTreeMap::new();
    for one in kept {
        if !seen.insert(one.place.clone()) {
            continue;
        }
        let author = authors.entry(one.entrant.clone()).or_default();
        let bytes = bytes_of(&one.place);
        author.entrant = one.entrant;
        author.versions += 1;
        author.bytes += bytes;
        if !needed.contains(&one.place) {
            let is_built = built.contains(&one.place);
            author.removable.push((is_built, one.place, bytes));
        }
    }
    let mut authors: Vec<Author> = authors.into_values().collect();
    for author in &mut authors {
        author.removable.reverse();
        // The unbuilt ones are the last, and the oldest of them is the very last.
        author.removable.sort_by_key(|(is_built, ..)| !is_built);
    }
    authors
}

/// Returns the size of a folder on the disk, in bytes; files that disappear meanwhile, and those
/// that are nested deeper than a build may nest them, count nothing.
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
