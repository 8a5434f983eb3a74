//! Grades as a plain table.

use super::GradeRow;
use super::value::number;
use crate::sheet::{Sheet, strings, text};

/// Makes the table.
pub fn plain(grades: &[GradeRow]) -> Vec<u8> {
    let mut sheet = Sheet::new(&strings(&[
        "submission",
        "id",
        "name",
        "email",
        "section",
        "rank",
        "total",
        "prize",
        "grade",
        "disqualified",
        "value",
    ]));
    for grade in grades {
        let who = &grade.who;
        let mut row: Vec<String> = [
            &who.submission,
            &who.id,
            &who.name,
            &who.email,
            &who.section,
        ]
        .map(|cell| text(cell))
        .into();
        let standing = grade.standing.as_ref();
        let cell = |cell: Option<String>| cell.unwrap_or_default();
        row.push(cell(standing.map(|row| row.rank.to_string())));
        row.push(cell(standing.map(|row| number(row.total.points))));
        row.push(cell(standing.and_then(|row| Some(row.prize?.to_string()))));
        row.push(cell(
            standing.and_then(|row| Some(text(row.grade.as_ref()?))),
        ));
        let disqualified = standing.and_then(|row| row.disqualified.clone());
        row.push(text(&cell(grade.removed.clone().or(disqualified))));
        row.push(cell(grade.value.clone()));
        sheet.row(&row);
    }
    sheet.finish()
}
