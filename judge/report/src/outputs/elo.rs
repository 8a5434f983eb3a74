//! `elo.csv`: the strength of every entrant on Elo's scale. It ranks nobody.

use super::output::{Made, Output, OutputSource, Scored};
use crate::sheet::{Reader, Rows, Sheet, SheetColumns, or_empty, text};
use rulebook::scoring::Rating;

pub(super) const OUTPUT: Output = Output {
    name: |_| Some("elo.csv".to_owned()),
    reader: Reader::Public,
    made: Made::AtEnd {
        own: Some("elo.csv"),
        csv,
    },
};

/// The rows of `elo.csv`.
enum Ratings {}

impl Rows for Ratings {
    /// An entrant, its rating and its games.
    type Row<'a> = (&'a str, Rating, u64);
}

/// Returns a row for each entrant, in the order of the table. Has no rows if games only repeat each
/// other.
fn csv(_: &OutputSource<'_>, scored: &Scored<'_>) -> Vec<u8> {
    let table = scored.table;
    let ranked = table
        .rows
        .iter()
        .map(|row| &row.standing)
        .map(|row| (&row.entrant, &row.total));
    let beside = table.beside.iter().map(|row| (&row.entrant, &row.total));
    let mut sheet = Sheet::new(
        SheetColumns::<Ratings>::new()
            .with("entrant", |(entrant, _, _)| text(entrant))
            .with("elo", |(_, rating, _)| whole(rating.elo))
            .with("elo_low", |(_, rating, _)| or_empty(rating.low.map(whole)))
            .with("elo_high", |(_, rating, _)| {
                or_empty(rating.high.map(whole))
            })
            .with("games", |(_, _, games)| *games),
    );
    for (entrant, total) in ranked.chain(beside) {
        let strengths = table.strengths.as_ref();
        if let Some(rating) = strengths.and_then(|strengths| strengths.rating(entrant)) {
            sheet.row(&(entrant, rating, total.games));
        }
    }
    sheet.finish()
}

/// Formats a rating as a whole number, without a sign for zero.
fn whole(elo: f64) -> String {
    format!("{:.0}", elo.round() + 0.0)
}
