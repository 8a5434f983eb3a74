//! Notes for staff on marks that bring no points.

use super::homework::{Marks, points};
use super::row::GradeRow;
use super::value::numeric;
use crate::sheet::text;
use journal::manifest::EntrantLine;

/// Names entrants that the run does not have, submissions without a mark, and a value that is not a
/// number. A submission without a value needs no mark.
pub fn mark_notes(marks: &Marks, entrants: &[EntrantLine], grades: &[GradeRow]) -> Vec<String> {
    let is_known = |name: &String| entrants.iter().any(|line| line.name == *name);
    let strangers = marks.entrants().filter(|name| !is_known(name));
    let strangers =
        strangers.map(|name| format!("{}: has marks, but is no entrant of this run", text(name)));
    let row = |line: &EntrantLine| grades.iter().find(|row| row.who.submission == line.name);
    let unmarked = entrants.iter().filter_map(row).filter_map(unmarked);
    let worded = grades.iter().find_map(worded);
    strangers.chain(unmarked).chain(worded).collect()
}

fn unmarked(row: &GradeRow) -> Option<String> {
    row.value.as_ref()?;
    let without = row.homework.iter().filter(|part| part.mark.is_none());
    let names: Vec<&str> = without.map(|part| part.part.name.as_str()).collect();
    let (submission, names) = (&row.who.submission, names.join(", "));
    let note = || format!("{submission}: no mark in {names}, which counts as 0 points");
    (!names.is_empty()).then(note)
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
