//! Where a run is kept: the folder that was chosen, or one named after game and class.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]

use super::display::shown;
use super::past_run::view_in;
use engines::Entry;
use error::JudgeError;
use journal::manifest::Manifest;
use std::fs;
use std::path::{Path, PathBuf};
use system::files::make_folder;
use system::run_folder;
use words::competition::Competition;

/// What was said about the run's folder, and where the submissions are.
#[derive(Clone, Copy)]
pub(super) struct RunLocation<'a> {
    pub(super) out: Option<&'a Path>,
    pub(super) submissions: &'a [PathBuf],
}

/// Where runs are kept whose folder was not chosen.
pub(super) const RESULTS: &str = "results";

/// What stands between the places of submissions in `run.json`.
const BETWEEN_PLACES: &str = ", ";

impl RunLocation<'_> {
    /// Returns the run's folder, or the one that it will be in.
    pub(super) fn results(&self) -> &Path {
        self.out.unwrap_or_else(|| Path::new(RESULTS))
    }

    /// Returns the places of the submissions as `run.json` keeps them.
    pub(super) fn submissions_name(&self) -> Option<String> {
        let all = self.submissions.iter();
        let all: Vec<String> = all.map(|path| path.display().to_string()).collect();
        (!all.is_empty()).then(|| all.join(BETWEEN_PLACES))
    }

    /// Returns where the submissions really are.
    fn real_submissions(&self) -> impl Iterator<Item = PathBuf> {
        self.submissions
            .iter()
            .filter_map(|path| path.canonicalize().ok())
    }

    /// Names the run's folder after the game, and after the submissions' folders where they are
    /// called otherwise: another class has its own results.
    pub(super) fn default_folder(&self, entry: &Entry) -> PathBuf {
        let mut name = entry.info.slug.to_owned();
        for real in self.real_submissions() {
            let own = real.file_name().map(|own| own.to_string_lossy());
            let own = own.map(|own| words::entrants_folder::part_of_name(&own));
            if let Some(own) = own.filter(|own| own != entry.info.slug) {
                name = format!("{name}-{own}");
            }
        }
        Path::new(RESULTS).join(name)
    }

    /// Checks, where the run's folder was not chosen, that what is in it came from the same
    /// submissions: folders of equal names may hold different classes.
    fn admits(&self, old: &Manifest, folder: &Path) -> Result<(), JudgeError> {
        let (Some(before), None) = (&old.submissions, self.out) else {
            return Ok(());
        };
        let real = |name: &str| Path::new(name).canonicalize().ok();
        let then = || before.split(BETWEEN_PLACES).map(real);
        let is_same = self.submissions_name().as_ref() == Some(before)
            || then().eq(self.submissions.iter().map(|path| path.canonicalize().ok()))
                && then().all(|place| place.is_some());
        if is_same {
            return Ok(());
        }
        let folder = shown(folder);
        Err(JudgeError::input(format!(
            "{folder} holds a run of the submissions in {before}; choose a new folder for this run \
             with --out, or continue that run with --out {folder}"
        )))
    }

    /// Checks that the run in a folder, if games have been played there, may be continued;
    /// returns what it is, if it is known.
    ///
    /// # Errors
    /// When `run.json` is damaged, or the run is another one.
    pub(super) fn admits_again(
        &self,
        competition: &Competition,
        folder: &Path,
    ) -> Result<Option<Manifest>, JudgeError> {
        let Some(old) = Manifest::read(folder)? else {
            return Ok(None);
        };
        let journal = fs::metadata(folder.join(run_folder::JOURNAL));
        if journal.is_ok_and(|journal| journal.len() > 0) {
            old.admits(competition, folder)?;
            self.admits(&old, folder)?;
        }
        Ok(Some(old))
    }

    /// Returns the folder of the run, which need not be there.
    pub(super) fn chosen(&self, entry: &Entry) -> PathBuf {
        let default = || self.default_folder(entry);
        self.out.map_or_else(default, Path::to_owned)
    }

    /// Returns what making the run's folder will leave, before that is made.
    pub(super) fn traces(&self, entry: &Entry) -> Traces {
        let folder = self.chosen(entry);
        let all = folder.ancestors();
        let made = all.take_while(|one| !one.as_os_str().is_empty() && !one.exists());
        Traces {
            made: made.map(Path::to_owned).collect(),
            folder,
            is_ours: false,
            keeps_programs: false,
        }
    }

    /// Makes the run's folder; returns its absolute path.
    ///
    /// # Errors
    /// When it cannot serve.
    pub(super) fn folder(&self, entry: &Entry) -> Result<PathBuf, JudgeError> {
        let folder = self.chosen(entry);
        let refused = |reason: &str| {
            let folder = folder.display();
            JudgeError::input(format!(
                "cannot use {folder} for the results: {reason}; choose another folder with --out"
            ))
        };
        make_folder(&folder).map_err(|e| refused(&e.to_string()))?;
        // Bots run in folders of their own, so every path that they need is absolute.
        let folder = folder.canonicalize().map_err(|e| refused(&e.to_string()))?;
        if folder.to_str().is_none() {
            return Err(refused("its name is not UTF-8"));
        }
        if self
            .real_submissions()
            .any(|submissions| submissions == folder)
        {
            return Err(refused("it is the submissions' folder"));
        }
        if let Some((view, _)) = view_in(&folder) {
            let view = view.name();
            return Err(refused(&format!("it is the {view} view of a run")));
        }
        Ok(folder)
    }
}

/// What is made for a run before its first game, where nothing was before; it goes when this is
/// dropped.
pub(super) struct Traces {
    folder: PathBuf,
    /// Folders that were not there, the innermost one first.
    made: Vec<PathBuf>,
    /// Nothing but programs was in the folder when this process had locked it.
    is_ours: bool,
    /// The programs stay: each lies under the hash of what it was made from, and a run takes them.
    keeps_programs: bool,
}

/// What is there of a run as soon as it is locked.
const LOCKED: [&str; 3] = [run_folder::JOURNAL, run_folder::STAFF, "lock"];

/// Where the programs are.
const PROGRAMS: &str = "artifacts";

/// What else is made before the first game of a run; the lock goes last.
const BEFORE_GAMES: [&str; 5] = [
    "logs",
    run_folder::STAFF,
    "versions",
    run_folder::JOURNAL,
    "lock",
];

impl Traces {
    /// Takes what will be made in the folder as ours, if nothing is there yet; the run is locked,
    /// and stays so as long as this lives. Keys that were there before stay, and all beside them.
    pub(super) fn locked(mut self, has_made_keys: bool) -> Self {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut others = entries.filter(|entry| {
            let name = entry.file_name();
            name != PROGRAMS && !LOCKED.iter().any(|known| name == *known)
        });
        let journal = fs::metadata(self.folder.join(run_folder::JOURNAL));
        let is_empty = others.next().is_none() && journal.is_ok_and(|it| it.len() == 0);
        self.is_ours = is_empty && has_made_keys;
        // What an earlier plan has left.
        self.keeps_programs = self.folder.join(PROGRAMS).exists();
        self
    }

    /// Lets the programs stay.
    pub(super) fn keep_programs(&mut self) {
        self.keeps_programs = true;
    }

    /// Returns whether everything in the run's folder goes again, but for programs.
    pub(super) const fn is_all(&self) -> bool {
        self.is_ours
    }

    /// Lets everything stay.
    pub(super) fn keep(mut self) {
        self.is_ours = false;
        self.made.clear();
    }
}

impl Drop for Traces {
    /// Best effort. Only what is made before the first game is removed, and nothing of a run that
    /// has begun.
    fn drop(&mut self) {
        let length = fs::metadata(self.folder.join(run_folder::JOURNAL)).map_or(0, |it| it.len());
        let has_begun = length > 0 || self.folder.join(run_folder::MANIFEST).exists();
        if self.is_ours && !has_begun {
            let programs = (!self.keeps_programs).then_some(PROGRAMS);
            for name in programs.into_iter().chain(BEFORE_GAMES) {
                let path = self.folder.join(name);
                let _ = if path.is_dir() {
                    fs::remove_dir_all(path)
                } else {
                    fs::remove_file(path)
                };
            }
        }
        // Those in which somebody has begun something stay.
        for folder in &self.made {
            let _ = fs::remove_dir(folder);
        }
    }
}
