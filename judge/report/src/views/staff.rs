//! The staff's view: the run's own tables, the people behind each entrant, and the public names. It
//! also has a table for each section of the roster.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]

use super::folder::ViewFolder;
use super::page;
use super::played::{Extent, PlayedRun};
use crate::exports::{GradeValue, grade_rows, people_of_run, sections};
use crate::sheet::{Rows, Sheet, SheetColumns, text, text_or_empty, yes_or_empty};
use rulebook::JudgeError;
use std::fs;
use std::path::Path;
use store::manifest::EntrantLine;
use store::names::PublicNames;
use system::run_folder::STAFF;

/// The rows of `names.csv`.
enum Names {}

impl Rows for Names {
    type Row<'a> = EntrantLine;
}

pub(super) fn write(
    run: &PlayedRun<'_>,
    names: &PublicNames,
    extent: Extent<'_>,
    folder: &mut ViewFolder<'_>,
) -> Result<(), JudgeError> {
    for place in [run.folder.to_owned(), run.folder.join(STAFF)] {
        copy_tables(&place, folder)?;
    }
    let columns = SheetColumns::<Names>::new()
        .with("entrant", |line| text(&line.name))
        .with("public_name", |line| text(names.of(&line.name)))
        .with("nickname", |line| text_or_empty(names.nickname(&line.name)))
        .with("anonymous", |line| yes_or_empty(line.anonymous));
    let mut sheet = Sheet::new(columns);
    for line in &run.manifest.entrants {
        sheet.row(line);
    }
    folder.file("names.csv", &sheet.finish())?;
    let table = run.table()?;
    let (scoring, people) = (
        &run.manifest.competition.scoring,
        people_of_run(run.folder)?,
    );
    let usual = GradeValue::usual(scoring);
    let grades = grade_rows(scoring, &run.manifest.entrants, &table, people, usual, None);
    if let Some(sections) = sections(&grades, names) {
        folder.file("sections.csv", &sections)?;
    }
    page::staff(run, &table, extent, folder)
}

fn copy_tables(from: &Path, folder: &mut ViewFolder<'_>) -> Result<(), JudgeError> {
    let failed = |e| JudgeError::io("read", from, e);
    let mut names = Vec::new();
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        if Path::new(&name)
            .extension()
            .is_some_and(|ending| ending == "csv")
        {
            names.push(name);
        }
    }
    names.sort();
    for name in names {
        let path = from.join(&name);
        fs::copy(&path, folder.place(&name)?).map_err(|e| JudgeError::io("copy", &path, e))?;
    }
    Ok(())
}
