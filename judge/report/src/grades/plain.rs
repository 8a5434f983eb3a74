//! Grades as a plain table.

use super::row::GradeRow;
use super::value::number;
use crate::sheet::{Rows, Sheet, SheetColumns, or_empty, text, text_or_empty};

/// The rows of the table.
enum GradeSheet {}

impl Rows for GradeSheet {
    type Row<'a> = GradeRow;
}

/// Makes the table.
pub fn plain(grades: &[GradeRow]) -> Vec<u8> {
    let columns = SheetColumns::<GradeSheet>::new()
        .with("submission", |grade| text(&grade.who.submission))
        .with("id", |grade| text(&grade.who.id))
        .with("name", |grade| text(&grade.who.name))
        .with("email", |grade| text(&grade.who.email))
        .with("section", |grade| text(&grade.who.section))
        .with("rank", |grade| {
            or_empty(grade.standing.as_ref().map(|row| row.rank))
        })
        .with("total", |grade| {
            let standing = grade.standing.as_ref();
            or_empty(standing.map(|row| number(row.total.points)))
        })
        .with("prize", |grade| {
            or_empty(grade.standing.as_ref().and_then(|row| row.prize))
        })
        .with("grade", |grade| {
            let standing = grade.standing.as_ref();
            text_or_empty(standing.and_then(|row| row.grade.as_deref()))
        })
        .with("disqualified", |grade| {
            let standing = grade.standing.as_ref();
            let disqualified = standing.and_then(|row| row.disqualified.as_deref());
            text_or_empty(grade.removed.as_deref().or(disqualified))
        })
        .with("value", |grade| or_empty(grade.value.as_ref()));
    let mut sheet = Sheet::new(columns);
    for grade in grades {
        sheet.row(grade);
    }
    sheet.finish()
}
