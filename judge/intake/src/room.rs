//! Removal of programs from a run's folder. Programs of versions that do not play any more are
//! removed; their sources are kept.

use super::program_store;
use super::versions::Store;
use error::JudgeError;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

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
        program_store::remove(&place)?;
    }
    Ok(())
}
