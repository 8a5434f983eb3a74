//! Making room in a run's folder: programs of versions that play no more go, as what they were made
//! from is kept.

use super::program_store;
use super::versions::Store;
use error::JudgeError;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Removes the programs of a run that versions of submissions have become, but for some, by their
/// hashes. Who needs one of them again builds it again.
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
        // First the note: what has one is complete.
        let note = artifacts.join(format!("{hash}.json"));
        if note.exists() {
            fs::remove_file(&note).map_err(|e| JudgeError::io("remove", &note, e))?;
        }
        program_store::remove(&place)?;
    }
    Ok(())
}
