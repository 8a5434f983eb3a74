//! Grades as a plain table.

use super::homework::{self, MarkedPart};
use super::row::GradeRow;
use super::value::number;
use crate::prizes::no_prize;
use crate::sheet::{Rows, Sheet, SheetColumns, or_empty, text, text_or_empty};
use model::competition::HomeworkPart;

/// The rows of the table.
enum GradeSheet {}

impl Rows for GradeSheet {
    type Row<'a> = GradeRow;
}

/// Returns the table. `parts` are those of the homework; each is a column with points.
pub fn plain(grades: &[GradeRow], parts: &[HomeworkPart]) -> Vec<u8> {
    let of_graded = |grade: &GradeRow| grade.standing().and_then(|row| row.graded);
    let mut columns = SheetColumns::<GradeSheet>::new()
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
        });
    if grades.iter().any(|grade| of_graded(grade).is_some()) {
        columns = columns.with("graded", move |grade| {
            or_empty(of_graded(grade).map(|total| number(total.points)))
        });
    }
    let columns = columns
        .with("prize", |grade| {
            or_empty(grade.standing().and_then(|row| row.prize))
        })
        .with("grade", |grade| text_or_empty(grade.grade.as_deref()))
        .with("disqualified", |grade| text_or_empty(grade.disqualified()))
        .with("not_playing", |grade| text_or_empty(grade.not_playing()))
        .with("too_late", |grade| text_or_empty(grade.too_late()))
        .with("no_prize", |grade| {
            text_or_empty(grade.standing().and_then(no_prize).as_deref())
        });
    let columns =
        with_homework(columns, parts).with("value", |grade| or_empty(grade.value.as_ref()));
    let mut sheet = Sheet::new(columns);
    for grade in grades {
        sheet.row(grade);
    }
    sheet.finish()
}

/// Adds a column for the points in each part of the homework, and one for their sum.
fn with_homework<'c>(
    mut columns: SheetColumns<'c, GradeSheet>,
    parts: &[HomeworkPart],
) -> SheetColumns<'c, GradeSheet> {
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
