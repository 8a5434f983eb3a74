//! What a run that does not begin leaves behind: nothing, or its programs.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]

use std::fs;
use std::path::{Path, PathBuf};
use system::run_folder;

/// What is made for a run before its first game, where nothing was before; it goes when this is
/// dropped.
pub(crate) struct Traces {
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
    /// Returns what making a run's folder will leave, before that is made.
    pub(crate) fn of(folder: PathBuf) -> Self {
        let all = folder.ancestors();
        let made = all.take_while(|one| !one.as_os_str().is_empty() && !one.exists());
        Self {
            made: made.map(Path::to_owned).collect(),
            folder,
            is_ours: false,
            keeps_programs: false,
        }
    }

    /// Takes what will be made in the folder as ours, if nothing is there yet; the run is locked,
    /// and stays so as long as this lives. Keys that were there before stay, and all beside them.
    pub(crate) fn locked(mut self, has_made_keys: bool) -> Self {
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
    pub(crate) fn keep_programs(&mut self) {
        self.keeps_programs = true;
    }

    /// Returns whether everything in the run's folder goes again, but for programs.
    pub(crate) const fn is_all(&self) -> bool {
        self.is_ours
    }

    /// Lets everything stay.
    pub(crate) fn keep(mut self) {
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
