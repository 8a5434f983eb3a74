//! The places in a run's folder that more than one part of the judge knows.

use crate::files::{make_private_folder, remove_unfinished};
use error::JudgeError;
use std::path::{Path, PathBuf};

/// The manifest's name in a run's folder.
pub const MANIFEST: &str = "run.json";
/// The journal's name in a run's folder.
pub const JOURNAL: &str = "journal.jsonl";
/// The name of the folder in a run's folder that is for staff only.
pub const STAFF: &str = "staff";

/// The name of the folder in a run's folder with its part files.
pub const PARTS: &str = "parts";

/// Makes the folder for what programs have written. Nobody else may look into it: bots could
/// leave a number for their next game in how long their text is.
///
/// # Errors
/// When it cannot be made.
pub fn logs(run: &Path) -> Result<PathBuf, JudgeError> {
    let folder = run.join("logs");
    make_private_folder(&folder)?;
    Ok(folder)
}

/// The folders of a run that files of ours are written into.
const WRITTEN: [&str; 9] = [
    "",
    "artifacts",
    "logs",
    "logs/build",
    "logs/check",
    "logs/stderr",
    "staff",
    "staff/parts",
    "versions",
];

/// Removes the files that were being written when an earlier process was killed. Nobody else may
/// be changing the run.
pub fn clean(run: &Path) {
    for folder in WRITTEN {
        remove_unfinished(&run.join(folder));
    }
}
