//! The winners and the places of a game.

use super::position::{COLLAPSE_TURN, Moment, MonkeyMetalMan, Team};
use crate::{GameResult, Outcome, SeatOutcome};
use alloc::string::String;
use alloc::string::ToString;
use alloc::vec::Vec;

/// The points of a win, which joint winners share: twelve twelfths.
pub(super) const WIN_POINTS: i64 = 12;

/// Returns the result of a game that is over.
pub(super) fn outcome(game: &MonkeyMetalMan) -> Outcome {
    let teams = &game.teams;
    let placements: Vec<usize> = teams
        .iter()
        .map(|team| {
            teams
                .iter()
                .filter(|other| lasted(other) > lasted(team))
                .count()
                + 1
        })
        .collect();
    let winners: Vec<usize> = (0..teams.len()).filter(|&i| placements[i] == 1).collect();
    let share = WIN_POINTS / i64::try_from(winners.len()).expect("at most four");
    let seats = teams.iter().zip(&placements).map(|(team, &placement)| {
        let won = placement == 1;
        SeatOutcome {
            result: if won {
                GameResult::Won
            } else {
                GameResult::Lost
            },
            placement: u8::try_from(placement).expect("at most four"),
            points: if won { share } else { 0 },
            tie_break: team.captures.into(),
        }
    });
    Outcome {
        seats: seats.collect(),
        reason: reason(teams[winners[0]].lost, &winners).into(),
    }
}

/// Returns a key that orders teams by how long they lasted, the living last.
fn lasted(team: &Team) -> (bool, Option<Moment>) {
    (team.alive(), team.lost)
}

/// Returns the reason for the end in words. `end` is the moment when the winners lost their last
/// piece.
fn reason(end: Option<Moment>, winners: &[usize]) -> String {
    let names = match winners {
        [one] => format!("player {one}"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(ToString::to_string).collect();
            format!("players {} and {last}", first.join(", "))
        }
        [] => unreachable!("somebody has the first place"),
    };
    match end {
        None => format!("{names} is the last one standing"),
        Some(moment) if moment.turn == COLLAPSE_TURN => {
            format!("the collapse killed all who were left: {names}")
        }
        Some(_) => format!("nobody is left; removed last: {names}"),
    }
}
