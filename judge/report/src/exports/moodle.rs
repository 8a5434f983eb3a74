//! Moodle: the offline grading worksheet of an assignment.
//!
//! Its headings are in the language of the person who downloaded it. Moodle finds people by its
//! first column and the grade by the heading. It silently ignores grades below 0 and above the
//! maximum, which is in the column right of the grade. A file with grades above it is therefore not
//! made.

use super::cells::Cells;
use super::export::{Export, ExportSource, Fill};
use super::fill::{Filled, Put, SheetLayout, decimal, fill};

pub(super) const MOODLE: Export = Export {
    name: "moodle",
    about: "Moodle's grading worksheet; needs --fill",
    file_name: "grades-moodle.csv",
    write: Err(
        "Moodle accepts grades only in its own worksheet: download it (Submissions, \"Download grading worksheet\") and pass it with --fill",
    ),
    fill: Some(Fill {
        is_of: |_| true,
        put,
    }),
    report: None,
};

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

/// Fills the column of grades, and says in the empty cells of that for feedback who is late. The
/// requested column is its heading, if that is not a known one. The full points are the greatest
/// grade that Moodle takes, if it is not the one in the file.
fn put(source: &ExportSource<'_>, bytes: Vec<u8>) -> Result<Filled, String> {
    let column = source.column;
    let cells = Cells::read(bytes)?;
    let header = cells.row(0);
    let is_grade = |name: &str| match column {
        Some(column) => name.trim() == column,
        None => GRADE.contains(&name.trim()),
    };
    let columns = || 0..header.len();
    let hits: Vec<usize> = columns().filter(|&at| is_grade(header[at])).collect();
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
    let mut filled = fill(&cells, &place, source.rows)?;
    let in_file = place.rows.first().and_then(|&row| decimal(&most(row)));
    if let Some(limit) = source.points_possible.or(in_file) {
        let what = format!("above the maximum {limit}, which Moodle would ignore");
        if let Some(beyond) =
            filled.some(|put| decimal(&put.value).is_some_and(|n| n > limit), &what)
        {
            return Err(format!(
                "cannot be filled: it would get {beyond}; make grades of totals in the competition's file, with \
                 [scoring.grades], steps = [{{ at_least = 500, grade = 100 }}], otherwise = 0 and disqualified = 0, and rerun \
                 the judge run command with it; or raise the assignment's maximum in Moodle and give it with --points-possible"
            ));
        }
    }
    let is_locked = |put: &Put| {
        CAN_CHANGE.iter().any(|(name, no)| {
            columns().any(|at| header[at].trim() == *name && cells.cell(put.row, at).trim() == *no)
        })
    };
    let below = filled.some(
        |put| decimal(&put.value).is_some_and(|n| n < 0.0),
        "below 0, which Moodle will ignore",
    );
    let locked = filled.some(
        is_locked,
        "locked in the worksheet, which Moodle will ignore",
    );
    let below = below.map(|some| {
        format!("{some}; make grades of totals with [scoring.grades] in the competition's file")
    });
    let ignored = below.into_iter().chain(locked);
    filled
        .notes
        .extend(ignored.map(|some| format!("note: {some}")));
    if let Some(most) = in_file {
        filled.note_words(&format!("but the assignment has the maximum {most}"));
    }
    Ok(filled)
}

fn is_with_comma(cell: &str) -> bool {
    cell.contains(',') && decimal(cell).is_some()
}
