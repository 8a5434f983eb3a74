//! Grades as a plain table.

use super::row::GradeRow;
use super::value::number;
use crate::prizes::no_prize;
use crate::sheet::{Rows, Sheet, SheetColumns, or_empty, text, text_or_empty};

/// The rows of the table.
enum GradeSheet {}

impl Rows for GradeSheet {
    type Row<'a> = GradeRow;
}

/// Returns the table.
pub fn plain(grades: &[GradeRow]) -> Vec<u8> {
    let columns = SheetColumns::<GradeSheet>::new()
        .with("submission", |grade| text(&grade.who.submission))
        .with("id", |grade| text(&grade.who.id))
        .with("name", |grade| text(&grade.who.name))
        .with("email", |grade| text(&grade.who.email))
        .with("section", |grade| text(&grade.who.section))
        .with("rank", |grade| {
            or_empty(grade.standing().map(|row| row.rank))
        })
        .with("total", |grade| {
            or_empty(grade.standing().map(|row| number(row.total.points)))
        })
        .with("prize", |grade| {
            or_empty(grade.standing().and_then(|row| row.prize))
        })
        .with("grade", |grade| text_or_empty(grade.grade.as_deref()))
        .with("disqualified", |grade| text_or_empty(grade.disqualified()))
        .with("not_playing", |grade| text_or_empty(grade.not_playing()))
        .with("too_late", |grade| text_or_empty(grade.too_late()))
        .with("no_prize", |grade| {
            text_or_empty(grade.standing().and_then(no_prize).as_deref())
        })
        .with("value", |grade| or_empty(grade.value.as_ref()));
    let mut sheet = Sheet::new(columns);
    for grade in grades {
        sheet.row(grade);
    }
    sheet.finish()
}
