//! Canvas: a gradebook to import. Canvas finds students by its own `ID`, then by `SIS User ID` and
//! `SIS Login ID`, and an assignment by the number in `Title (number)`.

use super::export::{Export, ExportSource, Exported, Fill};
use super::fill::{Cells, Filled, Put, SheetLayout, decimal, fill};
use super::row::GradeRow;
use crate::sheet::{Rows, Sheet, SheetColumns, or_empty, text};
use rulebook::JudgeError;

pub(super) const CANVAS: Export = Export {
    name: "canvas",
    about: "A table for Canvas",
    file_name: "grades-canvas.csv",
    write: Ok(write),
    fill: Some(Fill {
        is_of: |bytes| Cells::read(bytes.to_vec()).is_ok_and(|cells| has_students(&cells)),
        put,
    }),
    report: None,
};

/// Canvas's label before the points of each assignment.
const POINTS_POSSIBLE: &str = "Points Possible";

/// The rows of a gradebook.
enum Gradebook {}

impl Rows for Gradebook {
    /// A student; `None` for the row with the points of each assignment.
    type Row<'a> = Option<&'a GradeRow>;
}

/// Makes a gradebook with one assignment for all people. A person without a value has an empty
/// cell, which Canvas ignores. The roster's ids serve as SIS ids and its addresses as logins, except
/// for Canvas's own numbers.
#[expect(clippy::unnecessary_wraps, reason = "other formats read games")]
fn write(source: &ExportSource<'_>) -> Result<Exported, JudgeError> {
    let grades = source.rows;
    let is_named = |name: &str| {
        let mut entrants = source.manifest.entrants.iter();
        entrants.any(|entrant| entrant.platform_named && entrant.name == name)
    };
    let (points_possible, note) = full_points(source);
    let numbered = Numbered::of(grades, &is_named);
    let ids = |row: Option<&GradeRow>| {
        let id = row.map(|grade| text(&grade.who.id)).unwrap_or_default();
        if row.is_some_and(|grade| numbered.has(grade)) {
            [id, String::new()]
        } else {
            [String::new(), id]
        }
    };
    let columns = SheetColumns::<Gradebook>::new()
        .with("Student", |row| match row {
            Some(grade) => text(&grade.shown()),
            None => format!("    {POINTS_POSSIBLE}"),
        })
        .with("ID", |row| ids(*row)[0].clone())
        .with("SIS User ID", |row| ids(*row)[1].clone())
        .with("SIS Login ID", |row| {
            or_empty(row.map(|grade| text(&grade.who.email)))
        })
        .with("Section", |row| {
            or_empty(row.map(|grade| text(&grade.who.section)))
        })
        .with(text(source.title), |row| match row {
            Some(grade) => or_empty(grade.value.as_ref()),
            None => points_possible.clone(),
        });
    let mut sheet = Sheet::new(columns);
    sheet.row(&None);
    for grade in grades {
        sheet.row(&Some(grade));
    }
    let mut made = Exported::from(sheet.finish());
    made.notes.extend(note);
    Ok(made)
}

/// Returns the points of a perfect result: those that staff have given, else the competition's
/// maximum. Without either, it is the highest value, with a note.
fn full_points(source: &ExportSource<'_>) -> (String, Option<String>) {
    let most = || {
        source
            .value
            .most(&source.manifest.competition.scoring, source.has_marks)
    };
    if let Some(points) = source.points_possible.or_else(most) {
        return (points.to_string(), None);
    }
    let values = source
        .rows
        .iter()
        .filter_map(|row| row.value.as_deref()?.parse().ok());
    let Some(points) = values.reduce(f64::max) else {
        return (String::new(), None);
    };
    let note = format!(
        "note: Points Possible is {points}, the highest {} of this run; set the full points with --points-possible",
        source.value.name()
    );
    (points.to_string(), Some(note))
}

/// The people whose id is Canvas's own number, because the gradebook has no SIS id for them.
struct Numbered<'a> {
    is_named: &'a (dyn Fn(&str) -> bool + Sync),
    /// Whether each name of a submission fits this.
    are_all: bool,
}

impl<'a> Numbered<'a> {
    fn of(grades: &[GradeRow], is_named: &'a (dyn Fn(&str) -> bool + Sync)) -> Self {
        let own = Self {
            is_named,
            are_all: false,
        };
        let is_shown = |submission: &str| {
            grades
                .iter()
                .any(|grade| grade.who.submission == submission && own.is_own(grade))
        };
        let mut named = grades.iter().map(|grade| grade.who.submission.as_str());
        let are_some = named.clone().any(is_shown);
        let are_all = are_some && named.all(|one| !is_named(one) || is_shown(one));
        Self { are_all, ..own }
    }

    /// Returns whether Canvas's name for the person's submission ends with the id.
    fn is_own(&self, grade: &GradeRow) -> bool {
        let submission = &grade.who.submission;
        let number = submission.rsplit_once('_').map(|(_, number)| number);
        number == Some(&grade.who.id) && (self.is_named)(submission)
    }

    fn has(&self, grade: &GradeRow) -> bool {
        let is_number = grade.who.id.bytes().all(|byte| byte.is_ascii_digit());
        self.is_own(grade) || self.are_all && is_number
    }
}

/// Fills the column of an assignment in a gradebook that Canvas has exported. The requested column
/// is its heading, or the title or the number in the heading. Without it, the column is that of the
/// title, or else the only assignment, if that is empty.
fn put(source: &ExportSource<'_>, bytes: Vec<u8>) -> Result<Filled, String> {
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
    if !has_students(&cells) {
        return Err("is not a Canvas gradebook: its first line has no column Student".to_owned());
    }
    let is_person = |row: &usize| {
        let first = cells.cell(*row, 0).trim();
        !first.is_empty() && !first.contains(POINTS_POSSIBLE) && first != "Student, Test"
    };
    let rows: Vec<usize> = (1..cells.len()).filter(is_person).collect();
    let points = (1..cells.len()).find(|&row| cells.cell(row, 0).contains(POINTS_POSSIBLE));
    let value = column_to_fill(&cells, &rows, points, source)?;
    let place = SheetLayout {
        who: (0..header.len())
            .filter(|&at| about_people(header[at]))
            .collect(),
        value,
        rows,
        comma: false,
        feedback: None,
    };
    let mut filled = fill(&cells, &place, source.rows)?;
    let possible = points.and_then(|row| decimal(cells.cell(row, value)));
    let is_above =
        |put: &Put| decimal(&put.value).is_some_and(|n| possible.is_some_and(|most| n > most));
    let above = filled.some(is_above, "above Points Possible, which Canvas accepts");
    filled.notes.extend(above.map(|above| format!(
        "note: {above}; for smaller ones, make grades with [scoring.grades] in the competition's file and rerun the \
         judge run command with it"
    )));
    if possible.is_some() {
        filled.note_words("which Canvas accepts only where grades are letters");
    }
    Ok(filled)
}

/// Returns the column of an assignment: that with the name, or without a name that of the title, or
/// else the only one, if it is empty. `rows` are those of people, and `points` is that of Points
/// Possible.
///
/// # Errors
/// When there is no such column, or Canvas computes it.
fn column_to_fill(
    cells: &Cells,
    rows: &[usize],
    points: Option<usize>,
    source: &ExportSource<'_>,
) -> Result<usize, String> {
    let name = source.column;
    let header = cells.row(0);
    let assignments = header
        .iter()
        .position(|name| name.trim() == "Section")
        .map_or(0, |at| at + 1)..header.len();
    let is_computed =
        |at: usize| points.is_some_and(|row| cells.cell(row, at).contains("read only"));
    let open: Vec<usize> = assignments.clone().filter(|&at| !is_computed(at)).collect();
    let wanted = name.unwrap_or(source.title);
    let named: Vec<usize> = assignments
        .filter(|&at| is_called(header[at], wanted))
        .collect();
    let is_empty = |at: usize| {
        rows.iter()
            .all(|&row| cells.cell(row, at).trim().is_empty())
    };
    match (named.as_slice(), open.as_slice()) {
        ([one], _) if is_computed(*one) => Err(format!(
            "cannot be filled: Canvas computes {:?} itself",
            header[*one]
        )),
        ([one], _) => Ok(*one),
        ([], [only]) if name.is_none() && is_empty(*only) => Ok(*only),
        ([], [only]) if name.is_none() => Err(format!(
            "has no column {wanted:?}, and its only assignment has values already; to replace them: --column {:?}",
            header[*only]
        )),
        _ => {
            let there: Vec<&str> = open.iter().map(|&at| header[at]).collect();
            let found = match named.len() {
                0 => "no column".to_owned(),
                several => format!("{several} columns"),
            };
            Err(format!(
                "has {found} {wanted:?}; choose one with --column: {}",
                there.join(", ")
            ))
        }
    }
}

fn has_students(cells: &Cells) -> bool {
    cells.row(0).iter().any(|name| name.trim() == "Student")
}

/// Returns whether a heading, such as `Contest (4711)`, matches the requested column.
fn is_called(heading: &str, column: &str) -> bool {
    let heading = heading.trim();
    let parts = heading
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once(" ("));
    heading == column || parts.is_some_and(|(title, number)| title == column || number == column)
}
