//! Grades as a plain table, the tables of a roster's sections, and a gradebook for Canvas to import. Canvas finds
//! students by its own `ID`, then by `SIS User ID` and `SIS Login ID`, and an assignment by the number in `Title (number)`.

use super::row::GradeRow;
use super::{Export, ExportSource, Exported, homework_points, platform};
use crate::sheet::{Plain, Reader, SheetColumns, text};
use crate::submission_result::no_prize;
use model::table::Table;
use rulebook::scoring::grades::number;
use std::collections::{BTreeSet, HashMap};
use store::names::PublicNames;

pub(super) const CSV: Export = Export {
    name: "csv",
    about: "A plain table",
    file_name: "grades.csv",
    write: Ok(|source| {
        let parts = &source.run.manifest.competition.scoring.homework;
        let graded =
            |grade: &GradeRow<'_>| Some(Plain(number(grade.result.standing()?.graded?.points)));
        let mut columns = SheetColumns::<GradeRow<'_>>::new()
            .with("submission", |grade| &grade.who.submission)
            .with("id", |grade| &grade.who.id)
            .with("name", |grade| &grade.who.name)
            .with("email", |grade| &grade.who.email)
            .with("section", |grade| &grade.who.section)
            .with("rank", |grade| Some(grade.result.standing()?.rank))
            .with("total", total);
        if source.rows.iter().any(|grade| graded(grade).is_some()) {
            columns = columns.with("graded", graded);
        }
        columns = columns
            .with("prize", |grade| grade.result.standing()?.prize)
            .with("grade", |grade| grade.grade.as_deref())
            .with("disqualified", |grade| grade.result.disqualified())
            .with("not_playing", |grade| grade.result.not_playing())
            .with("too_late", |grade| grade.result.too_late())
            .with("no_prize", |grade| no_prize(grade.result.standing()?));
        for (index, part) in parts.iter().enumerate() {
            columns = columns.with(&part.name, move |grade| {
                Some(Plain(number(grade.homework.get(index)?.points()?)))
            });
        }
        if !parts.is_empty() {
            columns = columns.with("homework", |grade| {
                Some(Plain(number(homework_points(&grade.homework)?)))
            });
        }
        Ok(columns
            .with("value", |grade| grade.value.as_ref().map(Plain))
            .csv(Reader::Staff, source.rows)
            .into())
    }),
    fill: None,
    report: None,
};

fn total(grade: &GradeRow<'_>) -> Option<Plain<String>> {
    Some(Plain(number(grade.result.standing()?.total.points)))
}

/// Returns the tables by section and rank, 1 + submissions of the section ahead; `None` without sections.
pub fn sections(grades: &[GradeRow<'_>], names: &PublicNames) -> Option<Vec<u8>> {
    let place = |grade: &GradeRow<'_>| {
        let own = grade.result.standing()?.rank;
        let ahead: BTreeSet<&str> = grades
            .iter()
            .filter(|other| other.who.section == grade.who.section)
            .filter_map(|other| other.result.standing())
            .filter(|other| other.rank < own)
            .map(|other| other.entrant.as_str())
            .collect();
        Some(1 + ahead.len())
    };
    let mut rows: Vec<(&GradeRow<'_>, Option<usize>)> = grades
        .iter()
        .filter(|grade| !grade.who.section.is_empty())
        .map(|grade| (grade, place(grade)))
        .collect();
    rows.sort_by_cached_key(|(grade, place)| {
        let last = place.unwrap_or(usize::MAX);
        (grade.who.section.clone(), last, grade.shown())
    });
    let columns = SheetColumns::<(&GradeRow<'_>, Option<usize>)>::new()
        .with("section", |(grade, _)| &grade.who.section)
        .with("section_rank", |(_, rank)| *rank)
        .with("name", |(grade, _)| &grade.who.name)
        .with("id", |(grade, _)| &grade.who.id)
        .with("submission", |(grade, _)| &grade.who.submission)
        .with("public_name", |(grade, _)| {
            Some(names.of(&grade.result.standing()?.entrant))
        })
        .with("rank", |(grade, _)| Some(grade.result.standing()?.rank))
        .with("total", |(grade, _)| total(grade))
        .with("prize", |(grade, _)| grade.result.standing()?.prize)
        .with("grade", |(grade, _)| grade.grade.as_deref())
        .with("not_playing", |(grade, _)| grade.result.not_playing());
    (!rows.is_empty()).then(|| columns.csv(Reader::Staff, &rows))
}

/// Makes a gradebook with one assignment. A person without a value has an empty cell, which Canvas ignores. Ids
/// are SIS ids, and addresses are logins, except for Canvas's own numbers.
pub(super) const CANVAS: Export = Export {
    name: "canvas",
    about: "A table for Canvas",
    file_name: "grades-canvas.csv",
    write: Ok(|source| {
        let (points, note) = full_points(source);
        let is_numbered = &numbered(source);
        // The first row has the full points.
        let rows: Vec<Option<&GradeRow<'_>>> = [None]
            .into_iter()
            .chain(source.rows.iter().map(Some))
            .collect();
        let csv = SheetColumns::<Option<&GradeRow<'_>>>::new()
            .with("Student", |row| {
                row.map_or("    Points Possible".to_owned(), GradeRow::shown)
            })
            .with("ID", |row| {
                Some(&row.filter(|row| is_numbered(row))?.who.id)
            })
            .with("SIS User ID", |row| {
                Some(&row.filter(|row| !is_numbered(row))?.who.id)
            })
            .with("SIS Login ID", |row| Some(&row.as_ref()?.who.email))
            .with("Section", |row| Some(&row.as_ref()?.who.section))
            .with(text(source.title), |row| {
                row.map_or(Some(&points), |row| row.value.as_ref())
                    .map(Plain)
            })
            .csv(Reader::Staff, &rows);
        let mut made = Exported::from(csv);
        made.notes.extend(note);
        Ok(made)
    }),
    fill: Some(|source, bytes| {
        if !Table::read_file(bytes)?.row(0).contains(&"Student") {
            return Err(
                "is not a Canvas gradebook: its first line has no column Student".to_owned(),
            );
        }
        platform::put(source, bytes)
    }),
    report: None,
};

/// Returns the full points: from staff, else the competition's maximum, else the highest value, with a note.
fn full_points(source: &ExportSource<'_>) -> (String, Option<String>) {
    let scoring = &source.run.manifest.competition.scoring;
    let most = || source.value.most(scoring, source.has_marks);
    if let Some(points) = source.points_possible.or_else(most) {
        return (points.to_string(), None);
    }
    let Some(points) = source
        .rows
        .iter()
        .filter_map(|row| row.value.as_deref()?.parse().ok())
        .reduce(f64::max)
    else {
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
        source
            .run
            .manifest
            .entrants
            .iter()
            .any(|line| line.platform_named && line.name == row.who.submission)
    };
    let is_own = move |row: &GradeRow<'_>| {
        let number = row.who.submission.rsplit_once('_');
        number.is_some_and(|(_, number)| number == row.who.id) && is_named(row)
    };
    let mut named: HashMap<&str, bool> = HashMap::new();
    for row in source.rows.iter().filter(|row| is_named(row)) {
        // A submission may be of several people.
        *named.entry(&row.who.submission).or_default() |= is_own(row);
    }
    let are_all = !named.is_empty() && named.into_values().all(|is_own| is_own);
    move |row| is_own(row) || are_all && row.who.id.bytes().all(|byte| byte.is_ascii_digit())
}
