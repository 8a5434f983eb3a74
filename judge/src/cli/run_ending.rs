//! The beginning and the end of a run's folder, which `run`, `split` and `merge` share: what is
//! written before the first game, and the tables and words after the last one.

use super::display::shown;
use super::jplag;
use super::prepared::Prepared;
use super::run_tell::{self, Next};
use crate::progress::{final_table, stage};
use competition::schedule;
use error::JudgeError;
use intake::Copies;
use journal::UnequalMachines;
use report::{RunFiles, Written, html, write_csvs};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use system::files::write_whole;
use system::run_folder::STAFF;

/// What was found before the first game, and is told after the last one.
pub(super) struct Found {
    copies: Vec<Copies>,
    /// Where staff find who submitted the same.
    list: PathBuf,
    /// How programs are shut in and started.
    machinery: Vec<String>,
}

/// Writes what the run is, and who submitted the same.
///
/// # Errors
/// When the run's folder cannot be written.
pub(super) fn begin(prepared: &mut Prepared) -> Result<Found, JudgeError> {
    prepared.manifest.sign(&prepared.keys);
    prepared.manifest.write(&prepared.folder)?;
    let copies = jplag::copies(&prepared.folder, &prepared.manifest)?;
    let list = prepared.folder.join(STAFF).join("copies.csv");
    write_whole(&list, &jplag::copies_csv(&copies))?;
    Ok(Found {
        copies,
        list,
        machinery: prepared.machinery.clone(),
    })
}

/// Writes what people read of a run: its tables and its page.
///
/// # Errors
/// When the journal cannot be read or the folder cannot be written.
pub(super) fn write_files(run: &RunFiles<'_>) -> Result<Written, JudgeError> {
    stage("writing the tables", || {
        let mut written = write_csvs(run)?;
        let source = page_source(run, &written);
        let read = |number: usize| run.journal.read(&run.games[number - 1]);
        let page = html::write_report(run.folder, &source, &read)?;
        written.paths.push(page);
        Ok(written)
    })
}

/// Returns what the run's page is made from.
pub(super) fn page_source<'a>(run: &RunFiles<'a>, written: &'a Written) -> html::PageSource<'a> {
    let folder = run.folder.file_name().and_then(OsStr::to_str);
    html::PageSource {
        run: folder.or(Some("")),
        competition: &run.manifest.competition,
        entrants: &run.manifest.entrants,
        draw: &run.manifest.draw,
        scheduled: run.games.len(),
        numbers: run.games.len(),
        machines: html::PageMachines::Named(&written.machines),
        table: &written.table,
        moments: &written.moments,
        live: None,
    }
}

/// Says so where games were played on machines that differ.
pub(super) fn mixed_machines(folder: &Path, written: &Written) -> Option<String> {
    let unequal = UnequalMachines::among(written.machines.values())?;
    Some(format!(
        "mixed machines: {}; clocks may have decided games, and nothing is scaled (see {})",
        unequal.words(),
        shown(&folder.join("machines.csv"))
    ))
}

/// How many games are missing, and what to type next.
pub(super) struct RunEnd {
    pub(super) missing: usize,
    pub(super) next: Next,
}

/// Says who stands where, what was odd, and where everything is; `resume` is the command that
/// plays what is missing.
///
/// # Errors
/// When the rules refuse the competition's configuration.
pub(super) fn tell(
    run: &RunFiles<'_>,
    written: &Written,
    found: Option<&Found>,
    resume: String,
) -> Result<RunEnd, JudgeError> {
    let competition = &run.manifest.competition;
    let roles = schedule::roles(competition)?;
    let table = final_table(competition, roles, &written.table, &run.manifest.entrants);
    say!("\n{table}");
    if let Some(note) = mixed_machines(run.folder, written) {
        say!(
            "{note}
"
        );
    }
    run_tell::faults(run.folder, &written.first_faults);
    if let Some(note) = run_tell::overloaded(run.folder, &written.overloaded) {
        say!("{note}\n");
    }
    run_tell::boundaries(run.folder, competition, &written.table);
    if let Some(found) = found {
        run_tell::copies(&found.list, &found.copies);
        run_tell::machinery(&found.machinery);
    }
    let missing = run.games.iter().filter(|id| !run.journal.contains(id));
    let missing = missing.count();
    let next = run_tell::next(run.folder, written, missing, resume);
    run_tell::ending(run.folder, &written.paths, missing, &next);
    Ok(RunEnd { missing, next })
}
