//! The tally of one game for one seat, and the sums of each entrant by initial state and opponent.

use super::{Ranked, numbers_of};
use engines::{GameResult, Outcome};
use model::competition::{PointsRule, Scoring};
use model::points::Points;
use model::record::MatchResult;
use model::tally::Tally;
use std::collections::{BTreeMap, HashMap};

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

/// Parts of the totals, by initial state and by opponent at the table.
#[derive(Clone, Debug)]
pub struct Sums {
    scoring: Scoring,
    index: HashMap<String, usize>,
    count: usize,
    /// By state; the tallies of a state are by entrant.
    pub(super) by_state: BTreeMap<u32, Vec<Tally>>,
    /// By the opponent's name, ranked or not; the tallies of an opponent are by entrant.
    pub(super) by_opponent: BTreeMap<String, Vec<Tally>>,
}

impl Sums {
    /// Creates empty sums.
    pub fn new(scoring: &Scoring, entrants: &[Ranked]) -> Self {
        Self {
            scoring: scoring.clone(),
            index: numbers_of(entrants),
            count: entrants.len(),
            by_state: BTreeMap::new(),
            by_opponent: BTreeMap::new(),
        }
    }

    /// Adds a game.
    pub fn add(&mut self, game: &MatchResult) {
        let nothing = || vec![Tally::default(); self.count];
        for (seat, participant) in game.seats.iter().enumerate() {
            let Some(&entrant) = self.index.get(&participant.entrant) else {
                continue;
            };
            let tally = tally(&self.scoring, game, seat);
            self.by_state.entry(game.state).or_insert_with(nothing)[entrant].add(&tally);
            for (other, opponent) in game.seats.iter().enumerate() {
                let before = &game.seats[..other];
                let is_new = !before.iter().any(|one| one.entrant == opponent.entrant);
                if opponent.entrant == participant.entrant || !is_new {
                    continue;
                }
                self.by_opponent
                    .entry(opponent.entrant.clone())
                    .or_insert_with(nothing)[entrant]
                    .add(&tally);
            }
        }
    }

    /// Returns an entrant's tally of the games with each opponent at the table.
    pub fn against(&self, entrant: &str) -> Vec<(&str, Tally)> {
        let Some(&number) = self.index.get(entrant) else {
            return Vec::new();
        };
        self.by_opponent
            .iter()
            .map(|(name, tallies)| (name.as_str(), tallies[number]))
            .filter(|(_, tally)| tally.games > 0)
            .collect()
    }
}
