//! `faults.csv`: every fault of every bot, one a row.

use super::blame::opponents;
use super::sheet::{
    Reader, Roles, Rows, SheetColumns, or_empty, text, text_or_empty, yes_or_empty,
};
use words::fault::Fault;
use words::record::MatchResult;

/// A fault with the number of its game.
pub(super) struct FaultRow<'a> {
    number: usize,
    result: &'a MatchResult,
    fault: &'a Fault,
}

impl<'a> FaultRow<'a> {
    /// Returns whose fault it is.
    pub(super) fn entrant(&self) -> &'a str {
        &self.result.seats[self.fault.seat.index()].entrant
    }
}

/// The rows of `faults.csv`.
pub(super) enum FaultRows {}

impl Rows for FaultRows {
    type Row<'a> = FaultRow<'a>;
}

/// Lists the columns of `faults.csv`.
pub(super) fn columns(roles: Roles) -> SheetColumns<'static, FaultRows> {
    SheetColumns::<FaultRows>::new()
        .with("game", |row| row.number)
        .with_for(Reader::Staff, "fixture", |row| row.result.fixture.clone())
        .with("state", |row| row.result.state)
        .with("entrant", |row| text(row.entrant()))
        .with("seat", |row| row.fault.seat.index())
        .with("role", move |row| roles[row.fault.seat.index()])
        .with("opponents", |row| {
            text(&opponents(row.result, row.fault.seat))
        })
        .with("ply", |row| row.fault.ply)
        .with("phase", |row| row.fault.phase.name())
        .with("cause", |row| row.fault.cause.name())
        .with_for(Reader::Author, "detail", |row| text(&row.fault.detail))
        .with_for(Reader::Author, "exit", |row| or_empty(row.fault.exit))
        .with_for(Reader::Author, "line", |row| {
            text_or_empty(row.fault.line.as_deref())
        })
        .with("cpu_us", |row| row.fault.cpu_us)
        .with("wall_us", |row| row.fault.wall_us)
        .with("ended_game", |row| {
            yes_or_empty(row.result.ended_by(row.fault))
        })
        .with("overloaded", |row| yes_or_empty(row.result.overloaded))
}

/// Lists the faults of a game in the order in which they happened; `number` is the game's.
pub(super) fn rows(number: usize, result: &MatchResult) -> impl Iterator<Item = FaultRow<'_>> {
    result.faults.iter().map(move |fault| FaultRow {
        number,
        result,
        fault,
    })
}
