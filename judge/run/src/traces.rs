//! Files that a run leaves if it does not begin: none, or its programs.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]

use std::fs;
use std::path::{Path, PathBuf};
use system::run_folder;

/// The files made before the first game, in a folder that was empty. Dropping this removes them.
pub(crate) struct Traces {
    folder: PathBuf,
    /// Folders that did not exist, the innermost first.
    made: Vec<PathBuf>,
    /// Whether nothing but programs was in the folder when this process locked it.
    is_ours: bool,
    /// Each is under the hash of everything that it was made from, and a later run uses them.
    keeps_programs: bool,
}

const LOCKED: [&str; 3] = [run_folder::JOURNAL, run_folder::STAFF, run_folder::LOCK];

/// Other files made before the first game of a run; the lock is removed last.
const BEFORE_GAMES: [&str; 5] = [
    "logs",
    run_folder::STAFF,
    run_folder::VERSIONS,
    run_folder::JOURNAL,
    run_folder::LOCK,
];

impl Traces {
    /// Returns the traces of making a run's folder, before it is made.
    pub(crate) fn of(folder: PathBuf) -> Self {
        let made = folder
            .ancestors()
            .take_while(|one| !one.as_os_str().is_empty() && !one.exists());
        Self {
            made: made.map(Path::to_owned).collect(),
            folder,
            is_ours: false,
            keeps_programs: false,
        }
    }

    /// The run is locked, and stays locked while this lives. Earlier keys stay, and all next to
    /// them.
    pub(crate) fn locked(mut self, has_made_keys: bool) -> Self {
        let mut others = fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| {
                let name = entry.file_name();
                name != run_folder::ARTIFACTS && !LOCKED.iter().any(|known| name == *known)
            });
        let journal = fs::metadata(self.folder.join(run_folder::JOURNAL));
        let is_empty = others.next().is_none() && journal.is_ok_and(|it| it.len() == 0);
        self.is_ours = is_empty && has_made_keys;
        // The programs of an earlier plan.
        self.keeps_programs = self.folder.join(run_folder::ARTIFACTS).exists();
        self
    }

    pub(crate) fn keep_programs(&mut self) {
        self.keeps_programs = true;
    }

    /// Returns whether everything in the run's folder is removed afterwards, except programs.
    pub(crate) const fn is_all(&self) -> bool {
        self.is_ours
    }

    pub(crate) fn keep(&mut self) {
        self.is_ours = false;
        self.made.clear();
    }
}

impl Drop for Traces {
    /// Best effort. Removes nothing of a run that has begun.
    fn drop(&mut self) {
        let length = fs::metadata(self.folder.join(run_folder::JOURNAL)).map_or(0, |it| it.len());
        let has_begun = length > 0 || self.folder.join(run_folder::MANIFEST).exists();
        if self.is_ours && !has_begun {
            for name in (!self.keeps_programs)
                .then_some(run_folder::ARTIFACTS)
                .into_iter()
                .chain(BEFORE_GAMES)
            {
                let path = self.folder.join(name);
                let _ = if path.is_dir() {
                    fs::remove_dir_all(path)
                } else {
                    fs::remove_file(path)
                };
            }
        }
        // Folders with new files of somebody else stay.
        for folder in &self.made {
            let _ = fs::remove_dir(folder);
        }
    }
}
