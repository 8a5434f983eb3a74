//! Entrants with the same submission. Staff judge what that means.

use intake::{Compared, Copies, KeptSubmissions, find_copies};
use model::entrant::Blame;
use rulebook::JudgeError;
use std::path::Path;
use store::manifest::{EntrantLine, Manifest};

/// Reads the files and programs of all entrants, as the run keeps them.
///
/// # Errors
/// When a list of versions cannot be read.
pub fn compared(run: &Path, lines: &[EntrantLine]) -> Result<Vec<Compared>, JudgeError> {
    let kept = KeptSubmissions::of_run(run);
    let mut all = Vec::new();
    for line in lines {
        // A withdrawn submission is nobody's; it may exist under another name.
        let is_there = line.blame != Some(Blame::Withdrawn);
        let Some(number) = line.version.filter(|_| is_there) else {
            continue;
        };
        if let Some(files) = kept.files(&line.name, number)? {
            all.push(Compared {
                entrant: line.name.clone(),
                artifact: line.artifact.clone(),
                files,
            });
        }
    }
    Ok(all)
}

/// Finds the entrants of a run with the same program or the same sources.
///
/// # Errors
/// When the run's files cannot be read.
pub fn copies(run: &Path, manifest: &Manifest) -> Result<Vec<Copies>, JudgeError> {
    let rules = rulebook::rules::of(&manifest.competition.conditions)?;
    Ok(find_copies(&*rules, &compared(run, &manifest.entrants)?))
}

/// Writes the entrants with the same submission as a table.
pub(crate) fn copies_csv(copies: &[Copies]) -> Vec<u8> {
    let rows = copies.iter().map(|one| (&*one.entrants, one.same.words()));
    report::copies_csv(rows)
}
