//! Canvas: a gradebook to import. Canvas finds students by its own `ID`, then by `SIS User ID` and
//! `SIS Login ID`, and an assignment by the number in `Title (number)`.

use super::cells::Cells;
use super::fill::{Filled, SheetLayout, fill};
use super::row::GradeRow;
use crate::sheet::{Rows, Sheet, SheetColumns, or_empty, text};

/// Canvas's label before the points of each assignment.
const POINTS_POSSIBLE: &str = "Points Possible";

/// The rows of a gradebook.
enum Gradebook {}

impl Rows for Gradebook {
    /// A student; `None` for the row with the points of each assignment.
    type Row<'a> = Option<&'a GradeRow>;
}

/// Returns a gradebook with one assignment for all people. A person without a value has an empty
/// cell, which Canvas ignores. The roster's ids serve as SIS ids and its addresses as logins,
/// because only Canvas knows its own numbers.
pub fn canvas(grades: &[GradeRow], title: &str, points_possible: &str) -> Vec<u8> {
    let columns = SheetColumns::<Gradebook>::new()
        .with("Student", |row| match row {
            Some(grade) => text(grade.shown()),
            None => format!("    {POINTS_POSSIBLE}"),
        })
        .with("ID", |_| String::new())
        .with("SIS User ID", |row| {
            or_empty(row.map(|grade| text(&grade.who.id)))
        })
        .with("SIS Login ID", |row| {
            or_empty(row.map(|grade| text(&grade.who.email)))
        })
        .with("Section", |row| {
            or_empty(row.map(|grade| text(&grade.who.section)))
        })
        .with(text(title), |row| match row {
            Some(grade) => or_empty(grade.value.as_ref()),
            None => points_possible.to_owned(),
        });
    let mut sheet = Sheet::new(columns);
    sheet.row(&None);
    for grade in grades {
        sheet.row(&Some(grade));
    }
    sheet.finish()
}

/// Fills the column of an assignment in a gradebook that Canvas has exported. `column` is its
/// heading, or the title or the number in the heading.
///
/// # Errors
/// When the file is not a gradebook or has no such column; the text lists the columns.
pub fn fill_canvas(bytes: Vec<u8>, column: &str, grades: &[GradeRow]) -> Result<Filled, String> {
    let cells = Cells::read(bytes)?;
    let header = cells.row(0);
    let about_people = |name: &str| {
        let known = [
            "Student",
            "ID",
            "SIS User ID",
            "SIS Login ID",
            "Integration ID",
        ];
        known.contains(&name.trim())
    };
    if !header.iter().any(|name| name.trim() == "Student") {
        return Err("is not a Canvas gradebook: its first line has no column Student".to_owned());
    }
    let section = header.iter().position(|name| name.trim() == "Section");
    let assignments: Vec<usize> = (section.map_or(0, |at| at + 1)..header.len()).collect();
    let hits: Vec<usize> = assignments
        .iter()
        .copied()
        .filter(|&at| is_called(header[at], column))
        .collect();
    let [value] = hits.as_slice() else {
        let there: Vec<&str> = assignments.iter().map(|&at| header[at]).collect();
        let count = hits.len();
        return Err(format!(
            "has {count} columns {column:?}; choose one with --column: {}",
            there.join(", ")
        ));
    };
    let is_person = |row: &usize| {
        let first = cells.cell(*row, 0).trim();
        !first.is_empty() && !first.contains(POINTS_POSSIBLE) && first != "Student, Test"
    };
    let place = SheetLayout {
        who: (0..header.len())
            .filter(|&at| about_people(header[at]))
            .collect(),
        value: *value,
        rows: (1..cells.len()).filter(is_person).collect(),
        comma: false,
    };
    let points = (1..cells.len()).find(|&row| cells.cell(row, 0).contains(POINTS_POSSIBLE));
    if points.is_some_and(|row| cells.cell(row, *value).contains("read only")) {
        return Err(format!(
            "cannot be filled: Canvas computes {:?} itself",
            header[*value]
        ));
    }
    fill(&cells, &place, grades)
}

/// Returns whether a heading, such as `Contest (4711)`, matches the requested column.
fn is_called(heading: &str, column: &str) -> bool {
    let heading = heading.trim();
    let parts = heading
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once(" ("));
    heading == column || parts.is_some_and(|(title, number)| title == column || number == column)
}
