//! Canvas: a gradebook to import. Canvas finds students by its own `ID`, then by `SIS User ID` and
//! `SIS Login ID`, and an assignment by the number in `Title (number)`.

use super::export::{Export, ExportSource, Exported, csv};
use super::fill::Filled;
use super::platform;
use super::row::GradeRow;
use crate::sheet::text;
use model::table::Table;
use rulebook::JudgeError;
use std::collections::HashMap;

pub(super) const CANVAS: Export = Export {
    name: "canvas",
    about: "A table for Canvas",
    file_name: "grades-canvas.csv",
    write: Ok(write),
    fill: Some(put),
    report: None,
};

const POINTS_POSSIBLE: &str = "Points Possible";

/// Makes a gradebook with one assignment. A person without a value has an empty cell, which Canvas ignores. Ids
/// are SIS ids, and addresses are logins, except for Canvas's own numbers.
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
        let value = row.value.clone().unwrap_or_default();
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

/// Returns the full points: from staff, else the competition's maximum, else the highest value, with a note.
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

/// Returns who has Canvas's own number as id: Canvas has named the submission with the id at the end. If every
/// name of Canvas's fits, all other numbers are Canvas's, too.
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

fn put(source: &ExportSource<'_>, bytes: &[u8]) -> Result<Filled, String> {
    let list = Table::read_file(bytes)?;
    if !list.row(0).contains(&"Student") {
        return Err("is not a Canvas gradebook: its first line has no column Student".to_owned());
    }
    platform::put(source, bytes)
}
