//! Notes for staff on marks that bring no points, and on those that are missing.

use super::homework::{Marks, points};
use super::row::GradeRow;
use super::value::numeric;
use crate::sheet::text;
use std::collections::BTreeSet;
use store::manifest::EntrantLine;

/// Names entrants that the run does not have, and people without a value because of missing marks.
/// It also names a value that is not a number.
pub fn mark_notes(marks: &Marks, entrants: &[EntrantLine], grades: &[GradeRow]) -> Vec<String> {
    let is_known = |name: &String| entrants.iter().any(|line| line.name == *name);
    let strangers = marks.entrants().filter(|name| !is_known(name));
    let strangers =
        strangers.map(|name| format!("{}: has marks, but is no entrant of this run", text(name)));
    let listed: BTreeSet<&String> = marks.entrants().collect();
    let unmarked = grades
        .iter()
        .filter(|row| row.is_unmarked)
        .map(|row| unmarked(row, listed.contains(&row.who.submission)));
    let worded = grades.iter().find_map(worded);
    strangers.chain(unmarked).chain(worded).collect()
}

fn unmarked(row: &GradeRow, is_listed: bool) -> String {
    if !is_listed {
        return format!(
            "{}: no value, because the table of marks has no row for {}; check the class again, and export again",
            row.shown(),
            text(&row.who.submission)
        );
    }
    let names: Vec<&str> = row
        .homework
        .iter()
        .filter(|part| part.mark.is_none())
        .map(|part| part.part.name.as_str())
        .collect();
    format!(
        "{}: no value, because judge check did not get to {}",
        row.shown(),
        names.join(", ")
    )
}

fn worded(row: &GradeRow) -> Option<String> {
    let value = row.value.as_deref()?;
    let is_worded = numeric(value).is_none() && points(&row.homework).is_some();
    let note = || {
        format!(
            "note: points for homework are added to numbers only, and not to a value such as {value:?}"
        )
    };
    is_worded.then(note)
}
