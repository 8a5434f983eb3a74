//! Moodle: the offline grading worksheet of an assignment.
//!
//! Its headings are in the language of the person who downloaded it. Moodle finds people by its
//! first column and the grade by the heading. It silently ignores grades below 0 and above the
//! maximum. A file with grades above the maximum is therefore not made.
//!
//! In an unknown language, the grade's column is recognized by its cells. The column right of it
//! has the maximum, the same number in every row.

use super::cells::Cells;
use super::fill::{Filled, Put, SheetLayout, decimal, fill, no_numbers};
use super::row::GradeRow;

/// Headings of the grade in Moodle's larger languages.
const GRADE: [&str; 14] = [
    "Grade",
    "Bewertung",
    "Note",
    "Calificación",
    "Valutazione",
    "Nota",
    "Avaliação",
    "Beoordeling",
    "Cijfer",
    "Ocena",
    "Оценка",
    "Betyg",
    "Karakter",
    "評点",
];

/// Headings of the column with words for the student. It exists if the assignment has such feedback.
const FEEDBACK: [&str; 2] = ["Feedback comments", "Feedback als Kommentar"];

/// Headings of the column that says whether a grade can be changed, each with its word for no.
const CAN_CHANGE: [(&str, &str); 2] = [
    ("Grade can be changed", "No"),
    ("Bewertung kann geändert werden", "Nein"),
];

/// Fills the column of grades, and says in the empty cells of that for feedback who is late. `column` is its heading, if that is not a known one. `maximum` is the
/// greatest grade that Moodle takes, if it is not the one in the file.
///
/// # Errors
/// When the file has no such column, and the text lists the columns; or when a value is above the
/// maximum.
pub fn fill_moodle(
    bytes: Vec<u8>,
    column: Option<&str>,
    maximum: Option<f64>,
    grades: &[GradeRow],
) -> Result<Filled, String> {
    let cells = Cells::read(bytes)?;
    let header = cells.row(0);
    let is_grade = |name: &str| match column {
        Some(column) => name.trim() == column,
        None => GRADE.contains(&name.trim()),
    };
    let columns = || 0..header.len();
    let mut hits: Vec<usize> = columns().filter(|&at| is_grade(header[at])).collect();
    if hits.is_empty() && column.is_none() {
        hits = columns()
            .filter(|&at| is_beside_maximum(&cells, at))
            .collect();
    }
    let &[value] = hits.as_slice() else {
        let what = column.map_or("a grade column that judge recognises".to_owned(), |c| {
            format!("exactly one column {c:?}")
        });
        return Err(format!(
            "does not have {what}; choose one with --column: {}",
            header.join(", ")
        ));
    };
    if value == 0 {
        return Err(format!(
            "cannot be filled: its first column {:?} identifies the people",
            header[0]
        ));
    }
    let most = |row: usize| cells.cell(row, value + 1).trim().to_owned();
    let rows: Vec<usize> = (1..cells.len()).collect();
    let place = SheetLayout {
        who: (0..value).collect(),
        value,
        feedback: columns().find(|&at| FEEDBACK.contains(&header[at].trim())),
        comma: rows.iter().any(|&row| is_with_comma(&most(row))),
        rows,
    };
    let mut filled = fill(&cells, &place, grades)?;
    if !is_grade(header[value]) {
        let heading = header[value].trim();
        filled
            .notes
            .push(format!("using {heading:?} as the grade column"));
    }
    let in_file = place.rows.first().and_then(|&row| decimal(&most(row)));
    if let Some(limit) = maximum.or(in_file) {
        refuse_beyond(&filled.put, limit)?;
    }
    let changeable = columns().find(|&at| {
        CAN_CHANGE
            .iter()
            .any(|(name, _)| header[at].trim() == *name)
    });
    let is_out = |put: &&Put| decimal(&put.value).is_some_and(|n| n < 0.0);
    let is_locked = |put: &&Put| {
        let says = changeable.map(|column| cells.cell(put.row, column).trim());
        CAN_CHANGE.iter().any(|(_, no)| says == Some(no))
    };
    let range = "it accepts grades from 0; make grades of totals with [scoring.grades] in the competition's file";
    let out = ignored(&filled.put, is_out, range);
    let locked = ignored(&filled.put, is_locked, "the grade is locked there");
    let words = in_file.and_then(|most| {
        let why = format!("but the assignment has the maximum {most}");
        no_numbers(&filled.put, &why)
    });
    filled
        .notes
        .extend(out.into_iter().chain(locked).chain(words));
    Ok(filled)
}

/// Refuses values above the maximum, with one of them as an example.
fn refuse_beyond(put: &[Put], limit: f64) -> Result<(), String> {
    let is_beyond = |put: &&Put| decimal(&put.value).is_some_and(|n| n > limit);
    let beyond: Vec<&Put> = put.iter().filter(is_beyond).collect();
    let Some(Put { who, value, .. }) = beyond.first() else {
        return Ok(());
    };
    Err(format!(
        "cannot be filled: Moodle would ignore {} of {} values, which are above the maximum {limit} (the first: {value} of {who}); \
         make grades of totals in the competition's file, with [scoring.grades], steps = [{{ at_least = 500, grade = 100 \
         }}], otherwise = 0 and disqualified = 0, and rerun the judge run command with it; or raise the assignment's maximum in Moodle and give it with --points-possible",
        beyond.len(),
        put.len()
    ))
}

/// Returns a single note on the values that Moodle will ignore, with one of them as an example.
fn ignored(put: &[Put], is_ignored: impl Fn(&&Put) -> bool, why: &str) -> Option<String> {
    let which: Vec<&Put> = put.iter().filter(is_ignored).collect();
    match which.as_slice() {
        [] => None,
        [Put { who, value, .. }] => Some(format!("{who}: Moodle will ignore {value}: {why}")),
        [Put { who, value, .. }, ..] => Some(format!(
            "Moodle will ignore {} of {} values (the first: {value} of {who}): {why}",
            which.len(),
            put.len()
        )),
    }
}

/// Returns whether a column has only grades or empty cells, and the column right of it the same
/// number above 0 in every row.
fn is_beside_maximum(cells: &Cells, column: usize) -> bool {
    let rows = || 1..cells.len();
    let number = |row: usize, column: usize| decimal(cells.cell(row, column).trim());
    let is_grade = |row: usize| {
        let cell = cells.cell(row, column).trim();
        matches!(cell, "" | "-") || decimal(cell).is_some()
    };
    let most = rows().next().and_then(|row| number(row, column + 1));
    most.is_some_and(|most| most > 0.0)
        && rows().all(|row| number(row, column + 1) == most && is_grade(row))
}

fn is_with_comma(cell: &str) -> bool {
    cell.contains(',') && decimal(cell).is_some()
}
