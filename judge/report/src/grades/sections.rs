//! A table for each section of the roster, one below the other.

use super::row::GradeRow;
use super::value::number;
use crate::sheet::{Rows, Sheet, SheetColumns, or_empty, text, text_or_empty};
use std::collections::{BTreeMap, BTreeSet};
use store::names::PublicNames;

/// The rows of the tables: a person, with the rank in the section.
enum SectionRows {}

impl Rows for SectionRows {
    type Row<'a> = (&'a GradeRow, Option<usize>);
}

/// Returns the tables, by section and rank; `None` if the roster has no sections. The rank in a
/// section is 1 + the number of its submissions ahead.
pub fn sections(grades: &[GradeRow], names: &PublicNames) -> Option<Vec<u8>> {
    let mut by_section: BTreeMap<&str, Vec<&GradeRow>> = BTreeMap::new();
    for grade in grades.iter().filter(|grade| !grade.who.section.is_empty()) {
        by_section
            .entry(&grade.who.section)
            .or_default()
            .push(grade);
    }
    if by_section.is_empty() {
        return None;
    }
    let columns = SheetColumns::<SectionRows>::new()
        .with("section", |(grade, _)| text(&grade.who.section))
        .with("section_rank", |(_, rank)| or_empty(*rank))
        .with("name", |(grade, _)| text(&grade.who.name))
        .with("id", |(grade, _)| text(&grade.who.id))
        .with("submission", |(grade, _)| text(&grade.who.submission))
        .with("public_name", |(grade, _)| {
            let name = grade.standing().map(|row| names.of(&row.entrant));
            text_or_empty(name)
        })
        .with("rank", |(grade, _)| {
            or_empty(grade.standing().map(|row| row.rank))
        })
        .with("total", |(grade, _)| {
            or_empty(grade.standing().map(|row| number(row.total.points)))
        })
        .with("prize", |(grade, _)| {
            or_empty(grade.standing().and_then(|row| row.prize))
        })
        .with("grade", |(grade, _)| text_or_empty(grade.grade.as_deref()))
        .with("not_playing", |(grade, _)| {
            text_or_empty(grade.not_playing())
        });
    let mut sheet = Sheet::new(columns);
    for mut section in by_section.into_values() {
        let ranked = section.iter().filter_map(|grade| grade.standing());
        let ranked: BTreeSet<(usize, &str)> =
            ranked.map(|row| (row.rank, row.entrant.as_str())).collect();
        let place = |grade: &GradeRow| {
            let own = grade.standing()?.rank;
            Some(1 + ranked.iter().filter(|(rank, _)| *rank < own).count())
        };
        section.sort_by_key(|grade| (place(grade).unwrap_or(usize::MAX), grade.shown()));
        for grade in section {
            sheet.row(&(grade, place(grade)));
        }
    }
    Some(sheet.finish())
}
