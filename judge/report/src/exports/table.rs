//! Grades as a plain table, and the tables of a roster's sections.

use super::export::{Export, ExportSource, Exported};
use super::homework::{self, number};
use super::row::GradeRow;
use crate::sheet::{Plain, Reader, SheetColumns};
use crate::submission_result::no_prize;
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
    let of_graded = |grade: &GradeRow<'_>| grade.result.standing()?.graded;
    let mut columns = SheetColumns::<GradeRow<'_>>::new()
        .with("submission", |grade| &grade.who.submission)
        .with("id", |grade| &grade.who.id)
        .with("name", |grade| &grade.who.name)
        .with("email", |grade| &grade.who.email)
        .with("section", |grade| &grade.who.section)
        .with("rank", |grade| Some(grade.result.standing()?.rank))
        .with("total", total);
    if grades.iter().any(|grade| of_graded(grade).is_some()) {
        columns = columns.with("graded", move |grade| {
            of_graded(grade).map(|total| Plain(number(total.points)))
        });
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
            let points = grade.homework.get(index)?.points()?;
            Some(Plain(number(points)))
        });
    }
    if !parts.is_empty() {
        columns = columns.with("homework", |grade| {
            homework::points(&grade.homework).map(|points| Plain(number(points)))
        });
    }
    let columns = columns.with("value", |grade| grade.value.as_ref().map(Plain));
    Ok(columns.csv(Reader::Staff, grades).into())
}

fn total(grade: &GradeRow<'_>) -> Option<Plain<String>> {
    let total = &grade.result.standing()?.total;
    Some(Plain(number(total.points)))
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
    let mut rows = Vec::new();
    for mut section in by_section.into_values() {
        let ranked = section.iter().filter_map(|grade| grade.result.standing());
        let ranked: BTreeSet<(usize, &str)> =
            ranked.map(|row| (row.rank, row.entrant.as_str())).collect();
        let place = |grade: &GradeRow<'_>| {
            let own = grade.result.standing()?.rank;
            Some(1 + ranked.iter().filter(|(rank, _)| *rank < own).count())
        };
        section.sort_by_key(|grade| (place(grade).unwrap_or(usize::MAX), grade.shown()));
        rows.extend(section.iter().map(|grade| (*grade, place(grade))));
    }
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
    Some(columns.csv(Reader::Staff, &rows))
}
