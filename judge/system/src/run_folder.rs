//! Paths in a run's folder that several parts of the judge know.

use crate::files::{make_private_folder, remove_unfinished};
use rulebook::Result;
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

/// The folder for programs' output. It is private: a length could tell a bot's next game a number.
pub fn logs(run: &Path) -> Result<PathBuf> {
    let folder = run.join("logs");
    make_private_folder(&folder)?;
    Ok(folder)
}

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

/// Removes half-written files of a killed process. Nobody else may be changing the run.
pub fn clean(run: &Path) {
    for folder in WRITTEN {
        remove_unfinished(&run.join(folder));
    }
}
