//! Grades as a plain table, and the tables of a roster's sections.

use super::export::{Export, ExportSource, Exported};
use super::homework::{self, MarkedPart, number};
use super::row::GradeRow;
use crate::sheet::{Reader, SheetColumns, or_empty, text, text_or_empty};
use crate::submission_result::no_prize;
use model::competition::HomeworkPart;
use rulebook::JudgeError;
use std::collections::{BTreeMap, BTreeSet};
use store::names::PublicNames;

pub(super) const CSV: Export = Export {
    name: "csv",
    about: "A plain table",
    file_name: "grades.csv",
    write: Ok(write),
    fill: None,
    report: None,
};

#[expect(clippy::unnecessary_wraps, reason = "other formats read games")]
fn write(source: &ExportSource<'_>) -> Result<Exported, JudgeError> {
    let (grades, parts) = (
        source.rows,
        &source.run.manifest.competition.scoring.homework,
    );
    let of_graded = |grade: &GradeRow<'_>| grade.came_to.standing().and_then(|row| row.graded);
    let mut columns = SheetColumns::<&GradeRow<'_>>::new()
        .with("submission", |grade| text(&grade.who.submission))
        .with("id", |grade| text(&grade.who.id))
        .with("name", |grade| text(&grade.who.name))
        .with("email", |grade| text(&grade.who.email))
        .with("section", |grade| text(&grade.who.section))
        .with("rank", |grade| {
            or_empty(grade.came_to.standing().map(|row| row.rank))
        })
        .with("total", |grade| {
            or_empty(grade.came_to.standing().map(|row| number(row.total.points)))
        });
    if grades.iter().any(|grade| of_graded(grade).is_some()) {
        columns = columns.with("graded", move |grade| {
            or_empty(of_graded(grade).map(|total| number(total.points)))
        });
    }
    let columns = columns
        .with("prize", |grade| {
            or_empty(grade.came_to.standing().and_then(|row| row.prize))
        })
        .with("grade", |grade| text_or_empty(grade.grade.as_deref()))
        .with("disqualified", |grade| {
            text_or_empty(grade.came_to.disqualified())
        })
        .with("not_playing", |grade| {
            text_or_empty(grade.came_to.not_playing())
        })
        .with("too_late", |grade| text_or_empty(grade.came_to.too_late()))
        .with("no_prize", |grade| {
            text_or_empty(grade.came_to.standing().and_then(no_prize).as_deref())
        });
    let columns =
        with_homework(columns, parts).with("value", |grade| or_empty(grade.value.as_ref()));
    Ok(columns.csv(Reader::Staff, grades).into())
}

fn with_homework<'c>(
    mut columns: SheetColumns<'c, &'c GradeRow<'c>>,
    parts: &[HomeworkPart],
) -> SheetColumns<'c, &'c GradeRow<'c>> {
    if parts.is_empty() {
        return columns;
    }
    for (index, part) in parts.iter().enumerate() {
        columns = columns.with(&part.name, move |grade| {
            or_empty(
                grade
                    .homework
                    .get(index)
                    .and_then(MarkedPart::points)
                    .map(number),
            )
        });
    }
    columns.with("homework", |grade| {
        or_empty(homework::points(&grade.homework).map(number))
    })
}

/// Returns the tables by section and rank, 1 + submissions of the section ahead; `None` without sections.
pub fn sections(grades: &[GradeRow<'_>], names: &PublicNames) -> Option<Vec<u8>> {
    let mut by_section: BTreeMap<&str, Vec<&GradeRow<'_>>> = BTreeMap::new();
    for grade in grades.iter().filter(|grade| !grade.who.section.is_empty()) {
        by_section
            .entry(&grade.who.section)
            .or_default()
            .push(grade);
    }
    if by_section.is_empty() {
        return None;
    }
    let columns = SheetColumns::<(&GradeRow<'_>, Option<usize>)>::new()
        .with("section", |(grade, _)| text(&grade.who.section))
        .with("section_rank", |(_, rank)| or_empty(*rank))
        .with("name", |(grade, _)| text(&grade.who.name))
        .with("id", |(grade, _)| text(&grade.who.id))
        .with("submission", |(grade, _)| text(&grade.who.submission))
        .with("public_name", |(grade, _)| {
            let name = grade.came_to.standing().map(|row| names.of(&row.entrant));
            text_or_empty(name)
        })
        .with("rank", |(grade, _)| {
            or_empty(grade.came_to.standing().map(|row| row.rank))
        })
        .with("total", |(grade, _)| {
            or_empty(grade.came_to.standing().map(|row| number(row.total.points)))
        })
        .with("prize", |(grade, _)| {
            or_empty(grade.came_to.standing().and_then(|row| row.prize))
        })
        .with("grade", |(grade, _)| text_or_empty(grade.grade.as_deref()))
        .with("not_playing", |(grade, _)| {
            text_or_empty(grade.came_to.not_playing())
        });
    let mut rows = Vec::new();
    for mut section in by_section.into_values() {
        let ranked = section.iter().filter_map(|grade| grade.came_to.standing());
        let ranked: BTreeSet<(usize, &str)> =
            ranked.map(|row| (row.rank, row.entrant.as_str())).collect();
        let place = |grade: &GradeRow<'_>| {
            let own = grade.came_to.standing()?.rank;
            Some(1 + ranked.iter().filter(|(rank, _)| *rank < own).count())
        };
        section.sort_by_key(|grade| (place(grade).unwrap_or(usize::MAX), grade.shown()));
        rows.extend(section.iter().map(|grade| (*grade, place(grade))));
    }
    Some(columns.csv(Reader::Staff, rows))
}
