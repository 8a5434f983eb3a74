//! Paths in a run's folder that several parts of the judge know.

use crate::files::{make_private_folder, remove_unfinished};
use rulebook::JudgeError;
use std::path::{Path, PathBuf};

/// The manifest's name in a run's folder.
pub const MANIFEST: &str = "run.json";
/// The journal's name in a run's folder.
pub const JOURNAL: &str = "journal.jsonl";
/// The name of the folder for staff only, in a run's folder.
pub const STAFF: &str = "staff";

/// The name of the folder with programs, in a run's folder.
pub const ARTIFACTS: &str = "artifacts";
/// The name of the lock of a run's folder.
pub const LOCK: &str = "lock";
/// The name of the lock of a watch, in a run's folder.
pub const WATCH_LOCK: &str = "watch.lock";

/// The name of the folder with received versions, in a run's folder.
pub const VERSIONS: &str = "versions";

/// The name of the folder with part files, in a run's folder.
pub const PARTS: &str = "parts";

/// Makes the folder for the output of programs. It is private: otherwise a bot could leave a number
/// for its next game in the length of its output.
pub fn logs(run: &Path) -> Result<PathBuf, JudgeError> {
    let folder = run.join("logs");
    make_private_folder(&folder)?;
    Ok(folder)
}

/// The folders of a run into which the judge writes files.
const WRITTEN: [&str; 9] = [
    "",
    ARTIFACTS,
    "logs",
    "logs/build",
    "logs/check",
    "logs/stderr",
    "staff",
    "staff/parts",
    VERSIONS,
];

/// Removes the files that an earlier process was writing when it was killed. No other process may
/// be changing the run.
pub fn clean(run: &Path) {
    for folder in WRITTEN {
        remove_unfinished(&run.join(folder));
    }
}
