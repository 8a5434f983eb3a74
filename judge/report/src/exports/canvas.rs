//! Canvas: a gradebook to import. Canvas finds students by its own `ID`, then by `SIS User ID` and
//! `SIS Login ID`, and an assignment by the number in `Title (number)`.

use super::cells::Cells;
use super::export::{Export, ExportSource, Exported, Fill, csv};
use super::fill::{Filled, Put, SheetLayout, decimal, fill};
use super::row::GradeRow;
use crate::sheet::{or_empty, text};
use rulebook::JudgeError;
use std::collections::HashMap;

pub(super) const CANVAS: Export = Export {
    name: "canvas",
    about: "A table for Canvas",
    file_name: "grades-canvas.csv",
    write: Ok(write),
    fill: Some(Fill {
        is_of: |bytes| Cells::read(bytes).is_ok_and(|cells| has_students(&cells)),
        put,
    }),
    report: None,
};

/// Canvas's label before the points of each assignment.
const POINTS_POSSIBLE: &str = "Points Possible";

/// Makes a gradebook with one assignment for all people. A person without a value has an empty
/// cell, which Canvas ignores. The roster's ids serve as SIS ids and its addresses as logins, except
/// for Canvas's own numbers.
#[expect(clippy::unnecessary_wraps, reason = "other formats read games")]
fn write(source: &ExportSource<'_>) -> Result<Exported, JudgeError> {
    let (points, note) = full_points(source);
    let is_numbered = numbered(source);
    let title = text(source.title);
    let heads = [
        "Student",
        "ID",
        "SIS User ID",
        "SIS Login ID",
        "Section",
        &title,
    ];
    let mut rows = vec![heads.map(str::to_owned)];
    let mut full = [const { String::new() }; 6];
    full[0] = format!("    {POINTS_POSSIBLE}");
    full[5] = points;
    rows.push(full);
    rows.extend(source.rows.iter().map(|row| {
        let who = &row.who;
        let mut ids = [text(&who.id), String::new()];
        if !is_numbered(row) {
            ids.swap(0, 1);
        }
        let [id, sis_id] = ids;
        let value = or_empty(row.value.as_ref());
        [
            text(&row.shown()),
            id,
            sis_id,
            text(&who.email),
            text(&who.section),
            value,
        ]
    }));
    let mut made = Exported::from(csv(rows));
    made.notes.extend(note);
    Ok(made)
}

/// Returns the points of a perfect result: those that staff have given, else the competition's
/// maximum. Without either, it is the highest value, with a note.
fn full_points(source: &ExportSource<'_>) -> (String, Option<String>) {
    let most = || {
        source
            .value
            .most(&source.run.manifest.competition.scoring, source.has_marks)
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

/// Returns who has Canvas's own number as id, because the gradebook has no SIS id for them. Canvas
/// has named their submissions with the id at the end. If every name of Canvas's fits, all other
/// numbers are Canvas's, too.
fn numbered<'a>(source: &'a ExportSource<'_>) -> impl Fn(&GradeRow<'_>) -> bool + 'a {
    let is_named = |row: &GradeRow<'_>| {
        let mut entrants = source.run.manifest.entrants.iter();
        entrants.any(|line| line.platform_named && line.name == row.who.submission)
    };
    let is_own = move |row: &GradeRow<'_>| {
        let number = row
            .who
            .submission
            .rsplit_once('_')
            .map(|(_, number)| number);
        number == Some(&row.who.id) && is_named(row)
    };
    let mut named: HashMap<&str, bool> = HashMap::new();
    for row in source.rows.iter().filter(|row| is_named(row)) {
        // A submission may be of several people.
        *named.entry(&row.who.submission).or_default() |= is_own(row);
    }
    let are_all = !named.is_empty() && named.into_values().all(|is_own| is_own);
    move |row| is_own(row) || are_all && row.who.id.bytes().all(|byte| byte.is_ascii_digit())
}

/// Fills the column of an assignment in a gradebook that Canvas has exported. The requested column
/// is its heading, or the title or the number in the heading. Without it, the column is that of the
/// title, or else the only assignment, if that is empty.
fn put(source: &ExportSource<'_>, bytes: &[u8]) -> Result<Filled, String> {
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
        head: 0,
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
