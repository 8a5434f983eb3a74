//! The tally of one game for one seat.

use engines::{GameResult, Outcome};
use model::competition::{PointsRule, Scoring};
use model::points::Points;
use model::record::MatchResult;
use model::tally::Tally;
use std::ops::RangeInclusive;

/// Returns the tally of a game for the seat with this index.
pub fn tally(scoring: &Scoring, game: &MatchResult, seat: usize) -> Tally {
    let outcome = game.outcome.seats[seat];
    let cpu_us = game.seats[seat].cpu_us;
    let is = |result| u64::from(outcome.result == result);
    let cpu_cost = scoring.cpu_cost(cpu_us);
    let faults = game
        .faults
        .iter()
        .filter(|f| f.seat.index() == seat)
        .count() as u64;
    // Seats move in turn, from seat 0 on.
    let has_played = game.end.charged().is_none() || game.plies > seat;
    Tally {
        games: 1,
        wins: is(GameResult::Won),
        draws: is(GameResult::Drawn),
        losses: is(GameResult::Lost),
        points: points(scoring.points, &game.outcome, seat) - cpu_cost,
        cpu_cost,
        places: outcome.placement.into(),
        tie_break: outcome.tie_break,
        cpu_us,
        faults,
        faultless: u64::from(has_played && faults == 0),
    }
}

/// Returns the most points that two entrants can be apart in a game.
///
/// `range` is the least and the most of the game's own formula. The clock charges nobody more CPU
/// time than the bank, if there is one.
pub fn points_apart_max(scoring: &Scoring, range: &RangeInclusive<i64>, bank_us: u64) -> Points {
    let mut apart = match scoring.points {
        PointsRule::Game => Points::whole(range.end() - range.start()),
        PointsRule::Win | PointsRule::WinDraw => Points::whole(1),
    };
    apart += scoring.cpu_cost(bank_us);
    apart
}

/// Returns the points for the result, without those for CPU time.
pub fn points(rule: PointsRule, outcome: &Outcome, seat: usize) -> Points {
    let won = |seat: &&engines::SeatOutcome| seat.result == GameResult::Won;
    let winners = outcome.seats.iter().filter(won).count();
    match (rule, outcome.seats[seat].result) {
        (PointsRule::Game, _) => Points::whole(outcome.seats[seat].points),
        (PointsRule::Win | PointsRule::WinDraw, GameResult::Won) => Points::share(1, winners),
        (PointsRule::WinDraw, GameResult::Drawn) => Points::share(1, 2),
        (PointsRule::Win, GameResult::Drawn)
        | (PointsRule::Win | PointsRule::WinDraw, GameResult::Lost) => Points::default(),
    }
}
