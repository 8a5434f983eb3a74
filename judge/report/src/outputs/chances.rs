//! `chances.csv`: the chance of each entrant to win against each other.

use super::output::{Made, Output, OutputSource, Scored};
use crate::sheet::{Reader, Rows, Sheet, SheetColumns, text};

pub(super) const OUTPUT: Output = Output {
    name: |_| Some("chances.csv".to_owned()),
    reader: Reader::Staff,
    made: Made::AtEnd { own: None, csv },
};

/// The rows of `chances.csv`.
enum Chances {}

impl Rows for Chances {
    /// An entrant, another one, and the chance of the first to win.
    type Row<'a> = (&'a str, &'a str, f64);
}

/// Returns a row for each two entrants of the table: the chance of one to win against the other.
/// Has no rows if games only repeat each other.
fn csv(_: &OutputSource<'_>, scored: &Scored<'_>) -> Vec<u8> {
    let table = scored.table;
    let columns = SheetColumns::<Chances>::new()
        .with("entrant", |(one, _, _)| text(one))
        .with("opponent", |(_, other, _)| text(other))
        .with("chance", |(_, _, chance)| format!("{chance:.3}"));
    let mut sheet = Sheet::new(columns);
    let names = || {
        let ranked = table.rows.iter().map(|row| &row.standing.entrant);
        let beside = table.beside.iter().map(|beside| &beside.entrant);
        ranked.chain(beside).map(String::as_str)
    };
    if let Some(strengths) = &table.strengths {
        for one in names() {
            for other in names().filter(|other| *other != one) {
                if let Some(chance) = strengths.chance(one, other) {
                    sheet.row(&(one, other, chance));
                }
            }
        }
    }
    sheet.finish()
}
