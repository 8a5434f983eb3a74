//! The place of a run: the chosen folder, or one named after game and class; and its lock for one
//! watch. The journal's is free at times, so reports can run.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]

use crate::commands::shown;
use crate::past_run::view_in;
use crate::spec::{RunKind, RunSpec};
use model::competition::Competition;
use model::entrants_folder::part_of_name;
use rulebook::rules::Rules;
use rulebook::{IoContext, JudgeError, Result, refuse};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use store::manifest::Manifest;
use system::files::{lock_with_retries, make_folder, open_lock};
use system::foreign::ForeignFolder;
use system::run_folder::{self, WATCH_LOCK};

/// The folder of runs without a chosen folder.
pub const RESULTS: &str = "results";

/// Separator of the places of submissions in `run.json`.
const BETWEEN_PLACES: &str = ", ";

impl RunSpec {
    pub(crate) fn submissions_name(&self) -> Option<String> {
        let all: Vec<String> = self
            .all_places()
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        (!all.is_empty()).then(|| all.join(BETWEEN_PLACES))
    }

    /// Folders of equal names may hold different classes. Without submissions, all entrants of the
    /// run would be withdrawn.
    fn admits(&self, old: &Manifest, folder: &Path) -> Result {
        let Some(before) = &old.submissions else {
            return Ok(());
        };
        let places = self.all_places();
        if places.is_empty() {
            return refuse(format!(
                "{} holds a run of the submissions in {before}; name them too, or choose a new folder for this run with \
                 --out",
                shown(folder)
            ));
        }
        if self.out.is_some() {
            return Ok(());
        }
        let then = || {
            before
                .split(BETWEEN_PLACES)
                .map(|name: &str| Path::new(name).canonicalize().ok())
        };
        let is_same = self.submissions_name().as_ref() == Some(before)
            || then().eq(places.iter().map(|path| path.canonicalize().ok()))
                && then().all(|place| place.is_some());
        if is_same {
            return Ok(());
        }
        let folder = shown(folder);
        refuse(format!(
            "{folder} holds a run of the submissions in {before}; choose a new folder for this run \
             with --out, or continue that run with --out {folder}"
        ))
    }

    /// Returns the manifest of the run that was there, if any.
    pub(crate) fn admits_again(
        &self,
        competition: &Competition,
        folder: &Path,
    ) -> Result<Option<Manifest>> {
        let Some(old) = Manifest::read(folder)? else {
            return Ok(None);
        };
        let journal = fs::metadata(folder.join(run_folder::JOURNAL));
        if journal.is_ok_and(|journal| journal.len() > 0) {
            self.admits(&old, folder)
                .and_then(|()| old.admits(competition, folder))
                .map_err(|reason| old.damaged_or(reason, folder))?;
        }
        Ok(Some(old))
    }

    pub(crate) fn chosen(&self, rules: &dyn Rules) -> PathBuf {
        let default = || default_folder(Path::new(""), &self.all_places(), rules);
        self.out.clone().unwrap_or_else(default)
    }

    /// Makes the run's folder; returns its absolute path.
    pub fn folder(&self, rules: &dyn Rules) -> Result<PathBuf> {
        let folder = self.chosen(rules);
        if !matches!(self.kind, RunKind::Compared | RunKind::FromPast) {
            self.staff().admit(&folder)?;
        }
        let refused = |reason: &str| {
            let folder = folder.display();
            JudgeError::input(format!(
                "cannot use {folder} for the results: {reason}; choose another folder with --out"
            ))
        };
        make_folder(&folder).map_err(|error| {
            // A full disk is no wrong input.
            if error.is_of_one_place() {
                refused(&error.to_string())
            } else {
                error
            }
        })?;
        // Bots run in folders of their own, so every path that they need is absolute.
        let folder = folder.canonicalize().map_err(|e| refused(&e.to_string()))?;
        if folder.to_str().is_none() {
            return Err(refused("its name is not UTF-8"));
        }
        if real(&self.all_places()).any(|place| place == folder) {
            return Err(refused("it is the folder of the submissions"));
        }
        if let Some((view, _)) = view_in(&folder) {
            let view = view.name();
            return Err(refused(&format!("it is the {view} view of a run")));
        }
        let other = other_file(&folder).map_err(|e| refused(&e.to_string()))?;
        if let Some(file) = other {
            return Err(refused(&format!("it has other files, such as {file}")));
        }
        Ok(folder)
    }
}

/// Files that show that a folder is a run's: a run makes one of them before any other file.
const MARKS_OF_RUNS: [&str; 4] = [
    run_folder::MANIFEST,
    run_folder::JOURNAL,
    run_folder::LOCK,
    WATCH_LOCK,
];

/// Programs of `judge plan`, versions of `judge regrade`, and what file systems make at their top.
const BEFORE_RUNS: [&str; 3] = [run_folder::ARTIFACTS, run_folder::VERSIONS, "lost+found"];

/// A new run might overwrite it. Hidden files are of tools and file systems, and a run writes none.
fn other_file(folder: &Path) -> io::Result<Option<String>> {
    if MARKS_OF_RUNS.iter().any(|name| folder.join(name).exists()) {
        return Ok(None);
    }
    for name in ForeignFolder::open(folder)?.names()? {
        let name = name?.to_string_lossy().into_owned();
        let is_ours = match name.as_str() {
            run_folder::STAFF => folder.join(&name).join(store::keys::FILE_NAME).exists(),
            name => name.starts_with('.') || BEFORE_RUNS.contains(&name),
        };
        if !is_ours {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

fn real(submissions: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    submissions
        .iter()
        .filter_map(|path| path.canonicalize().ok())
}

/// Names a run's folder in `within` after the game, and the places if they have other names.
pub fn default_folder(within: &Path, submissions: &[PathBuf], rules: &dyn Rules) -> PathBuf {
    let slug = rules.info().slug;
    let name = real(submissions)
        .filter_map(|place| part_of_place(&place))
        .filter(|part| part != slug)
        .fold(slug.to_owned(), |name, part| format!("{name}-{part}"));
    within.join(RESULTS).join(name)
}

/// Returns the part of a folder's name that is made of a place; a file's ending is not in it.
fn part_of_place(place: &Path) -> Option<String> {
    let name = if place.is_file() {
        place.file_stem()
    } else {
        place.file_name()
    }?
    .to_string_lossy();
    let part = slug_of(&name);
    Some(part_of_name(if part.is_empty() { &name } else { &part }))
}

/// With a single hyphen in place of everything between letters and digits.
fn slug_of(name: &str) -> String {
    name.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect::<Vec<_>>()
        .join("-")
}

pub(crate) fn target_of(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    let real = |above: &Path| Some((above.canonicalize().ok()?, above.to_owned()));
    Ok(match path.ancestors().find_map(real) {
        Some((real, above)) => real.join(path.strip_prefix(above).unwrap_or(Path::new(""))),
        None => path,
    })
}

pub(crate) fn lock(run: &Path) -> Result<File> {
    let path = run.join(WATCH_LOCK);
    let mut file = open_lock(&path).or_io("lock", &path)?;
    if let Some(process) = holder(&mut file, lock_with_retries) {
        return refuse(format!(
            "another judge run --watch is running in {} (process {process}); end it first, or choose another --out",
            run.display(),
        ));
    }
    file.set_len(0).or_io("lock", &path)?;
    writeln!(file, "{}", std::process::id()).or_io("lock", &path)?;
    Ok(file)
}

/// Another process would play games that are not due yet, and take files that are being copied.
pub(crate) fn refuse_beside(run: &Path) -> Result {
    watcher(run).map_or(Ok(()), |process| {
        refuse(format!(
            "judge run --watch is running in {} (process {process}) and plays there itself; end it first, or choose another run",
            run.display(),
        ))
    })
}

/// Returns the process that watches a run, if one does.
pub fn watcher(run: &Path) -> Option<String> {
    // Without a readable file there is no watch of ours.
    let mut file = File::open(run.join(WATCH_LOCK)).ok()?;
    holder(&mut file, File::try_lock)
}

/// Returns the process that has locked it. On a file system without locks, always `None`.
fn holder(file: &mut File, lock: impl FnOnce(&File) -> Result<(), TryLockError>) -> Option<String> {
    let Err(TryLockError::WouldBlock) = lock(file) else {
        return None;
    };
    let mut other = String::new();
    // Even without its number, it is another process.
    let _ = file.read_to_string(&mut other);
    Some(other.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::slice;

    #[test]
    fn a_place_becomes_a_slug() {
        for (name, slug) in [
            ("Assignment 3-12345", "assignment-3-12345"),
            ("class-a", "class-a"),
            ("My_Class (2026).v1", "my-class-2026-v1"),
            ("Übung 1", "übung-1"),
            ("???", ""),
        ] {
            assert_eq!(slug_of(name), slug);
        }
    }

    #[test]
    fn a_folder_with_other_files_gets_no_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let found_with = |name: &str| {
            fs::write(folder.path().join(name), "").expect("writable");
            other_file(folder.path()).expect("readable")
        };
        assert_eq!(found_with(".gitkeep"), None);
        let staff = folder.path().join(run_folder::STAFF);
        fs::create_dir(&staff).expect("writable");
        assert_eq!(found_with(".hidden").as_deref(), Some(run_folder::STAFF));
        fs::write(staff.join(store::keys::FILE_NAME), "").expect("writable");
        assert_eq!(found_with(".hidden"), None);
        assert_eq!(found_with("thesis.tex").as_deref(), Some("thesis.tex"));
        assert_eq!(found_with(run_folder::JOURNAL), None);
    }

    #[test]
    fn a_new_run_is_named_after_its_places() {
        let within = tempfile::tempdir().expect("a folder");
        let zip = within.path().join("Assignment 3-12345.zip");
        fs::write(&zip, "").expect("writable");
        let game = rulebook::rules::find("catch-the-cat").expect("registered");
        let folder = default_folder(within.path(), slice::from_ref(&zip), &*game);
        let expected = within
            .path()
            .join("results/catch-the-cat-assignment-3-12345");
        assert_eq!(folder, expected);
    }
}
