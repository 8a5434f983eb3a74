//! `faults.csv`: every fault of every bot, one a row.

use super::blame::opponents;
use super::sheet::{Roles, strings, text, yes_or_empty};
use crate::fault::Fault;
use crate::record::MatchResult;

pub(super) fn header() -> Vec<String> {
    strings(&[
        "game",
        "fixture",
        "state",
        "entrant",
        "seat",
        "role",
        "opponents",
        "ply",
        "phase",
        "cause",
        "detail",
        "exit",
        "line",
        "cpu_us",
        "wall_us",
        "ended_game",
    ])
}

/// Returns whether a row is about this entrant, as its cell shows the name.
pub(super) fn is_of(row: &[String], entrant: &str) -> bool {
    row[ENTRANT] == entrant
}

/// The column of the entrant.
const ENTRANT: usize = 3;

/// Makes the rows of a game, in the order in which the faults happened; `game` is its number
/// in fixture order.
pub(super) fn rows(roles: Roles, game: usize, result: &MatchResult) -> Vec<Vec<String>> {
    let row = |fault: &Fault| {
        let seat = fault.seat.index();
        let exit = fault.exit.map(|exit| exit.to_string());
        vec![
            game.to_string(),
            result.fixture.clone(),
            result.state.to_string(),
            text(&result.seats[seat].entrant),
            seat.to_string(),
            roles[seat].to_owned(),
            text(&opponents(result, fault.seat)),
            fault.ply.to_string(),
            fault.phase.name().to_owned(),
            fault.cause.name().to_owned(),
            text(&fault.detail),
            exit.unwrap_or_default(),
            text(fault.line.as_deref().unwrap_or_default()),
            fault.cpu_us.to_string(),
            fault.wall_us.to_string(),
            yes_or_empty(result.ended_by(fault)),
        ]
    };
    result.faults.iter().map(row).collect()
}
