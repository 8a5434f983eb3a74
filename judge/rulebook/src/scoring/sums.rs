//! The tallies of every entrant, by initial state and by opponent.

use super::{Ranked, tally};
use model::competition::Scoring;
use model::record::MatchResult;
use model::tally::Tally;
use std::collections::{BTreeMap, HashMap};

/// Parts of the totals, by initial state and by opponent at the table.
#[derive(Clone, Debug)]
pub struct Sums {
    scoring: Scoring,
    index: HashMap<String, usize>,
    count: usize,
    /// By state; the tallies of a state are by entrant.
    by_state: BTreeMap<u32, Vec<Tally>>,
    /// By the opponent's name, ranked or not; the tallies of an opponent are by entrant.
    by_opponent: BTreeMap<String, Vec<Tally>>,
}

impl Sums {
    /// Creates empty sums.
    pub fn new(scoring: &Scoring, entrants: &[Ranked]) -> Self {
        Self {
            scoring: scoring.clone(),
            index: entrants
                .iter()
                .map(|one| one.name.clone())
                .zip(0..)
                .collect(),
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
                if let Some(against) = self.by_opponent.get_mut(&opponent.entrant) {
                    against[entrant].add(&tally);
                } else {
                    let mut against = nothing();
                    against[entrant].add(&tally);
                    self.by_opponent.insert(opponent.entrant.clone(), against);
                }
            }
        }
    }

    /// Returns the tallies of each state, by entrant.
    pub(super) fn states(&self) -> impl Iterator<Item = (u32, &[Tally])> {
        self.by_state
            .iter()
            .map(|(&state, tallies)| (state, tallies.as_slice()))
    }

    /// Returns the tallies of the games with each opponent at the table, by entrant.
    pub(super) fn opponents(&self) -> impl Iterator<Item = (&str, &[Tally])> {
        self.by_opponent
            .iter()
            .map(|(name, tallies)| (name.as_str(), tallies.as_slice()))
    }

    /// Returns an entrant's tally of the games with each opponent at the table.
    pub fn against(&self, entrant: &str) -> Vec<(&str, Tally)> {
        let Some(&number) = self.index.get(entrant) else {
            return Vec::new();
        };
        self.opponents()
            .map(|(name, tallies)| (name, tallies[number]))
            .filter(|(_, tally)| tally.games > 0)
            .collect()
    }
}
