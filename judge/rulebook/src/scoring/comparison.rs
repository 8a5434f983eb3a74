//! Results of two sides on the same initial states, counted in the order of the states.

use super::{Accepted, Paired, Sprt, StateScores, Unit, places_score, tally};
use engines::Seat;
use model::competition::Scoring;
use model::points::Points;
use model::record::MatchResult;
use model::tally::Tally;
use std::collections::{BTreeMap, HashSet};

/// Results of two sides on the same states. A state counts when its games and those of all states before it are played.
pub struct Comparison {
    /// The new side and the old side.
    pub names: [String; 2],
    /// The test that decides.
    pub test: Sprt,
    scoring: Scoring,
    games_each: usize,
    states: u32,
    /// Results of the states that do not count yet, by the state's number.
    waiting: BTreeMap<u32, StateGames>,
    /// The scores of both sides, state by state.
    pub paired: Paired,
    /// The totals of both sides.
    pub totals: [SideTotals; 2],
    /// The different games that count: the new side's seats, and the digest of the moves.
    distinct: HashSet<(Vec<bool>, u64)>,
    /// Number of games that count.
    pub games: usize,
    /// The logarithm of the likelihood ratio.
    pub llr: f64,
    /// The accepted hypothesis, if the test has decided.
    pub accepted: Option<Accepted>,
}

/// The answer of a match about the new side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It is better.
    Better,
    /// It is worse.
    Worse,
    /// It is not worse by the first bound or more.
    NotWorse,
    /// There is no sign that it is better by the second bound or more.
    NoSign,
}

/// Totals of one side.
#[derive(Clone, Copy, Default)]
pub struct SideTotals {
    pub tally: Tally,
    /// Sum of the shares of the others at the table that it was ahead of; a tie counts half.
    pub score: Points,
    /// Games ended by one of its faults.
    pub forfeits: u64,
}

#[derive(Default)]
struct StateGames {
    sides: [SideTotals; 2],
    games: Vec<(Vec<bool>, u64)>,
}

impl SideTotals {
    fn add(&mut self, other: &Self) {
        self.tally.add(&other.tally);
        self.score += other.score;
        self.forfeits += other.forfeits;
    }
}

impl StateGames {
    fn scores(&self) -> StateScores {
        StateScores {
            games: self.games.len(),
            sides: self.sides.map(|side| (side.tally.games, side.score)),
        }
    }
}

impl Comparison {
    /// Starts without games of the new and the old side; each of `states` states has `games_each` games.
    pub fn new(
        names: [String; 2],
        test: Sprt,
        scoring: Scoring,
        games_each: usize,
        states: u32,
    ) -> Self {
        Self {
            names,
            test,
            scoring,
            games_each,
            states,
            waiting: BTreeMap::new(),
            paired: Paired::default(),
            totals: <[SideTotals; 2]>::default(),
            distinct: HashSet::new(),
            games: 0,
            llr: 0.0,
            accepted: None,
        }
    }

    /// Returns the number of states that count.
    pub fn counted(&self) -> u32 {
        u32::try_from(self.paired.count()).expect("as many as there are states")
    }

    /// Returns whether the test has decided, or no games are left.
    pub fn is_over(&self) -> bool {
        self.accepted.is_some() || self.counted() == self.states
    }

    /// Returns what is known about the two sides. Once all games are played, the sign test may decide where the
    /// sequential test has not; by mistake in at most `alpha` of the matches, next to the mistakes of the other.
    pub fn finding(&self) -> Option<Finding> {
        let test = self.test;
        Some(match self.accepted {
            Some(Accepted::Alternative) if test.null < 0.0 => Finding::NotWorse,
            Some(Accepted::Alternative) => Finding::Better,
            Some(Accepted::Null) if test.alternative <= 0.0 => Finding::Worse,
            Some(Accepted::Null) => Finding::NoSign,
            None if self.is_over()
                && test.null.abs() < f64::EPSILON
                && self.paired.sign_test_p_value() <= test.alpha =>
            {
                // Many small gains and a few large losses are no gain.
                let mean = self.paired.mean();
                match self.paired.signs() {
                    (better, worse) if better > worse && mean > 0.0 => Finding::Better,
                    (better, worse) if worse > better && mean < 0.0 => Finding::Worse,
                    _ => return None,
                }
            }
            None => return None,
        })
    }

    /// Returns whether the two sides play each other.
    pub const fn is_direct(&self) -> bool {
        matches!(self.test.unit, Unit::Elo)
    }

    /// Returns the number of different games among those that count.
    pub fn distinct(&self) -> usize {
        self.distinct.len()
    }

    /// Adds a game, and counts every state that can be counted now, until the test has decided.
    pub fn add(&mut self, game: &MatchResult) {
        let state = self.waiting.entry(game.state).or_default();
        let is_new = game.seats.iter().map(|seat| seat.entrant == self.names[0]);
        state.games.push((is_new.collect(), game.transcript));
        for (seat, participant) in game.seats.iter().enumerate() {
            let is_own = |name: &String| *name == participant.entrant;
            let Some(side) = self.names.iter().position(is_own) else {
                continue;
            };
            let is_charged = |charged: Seat| charged.index() == seat;
            state.sides[side].add(&SideTotals {
                tally: tally(&self.scoring, game, seat),
                score: places_score(&game.outcome, seat),
                forfeits: game.end.charged().is_some_and(is_charged).into(),
            });
        }
        while !self.is_over() && self.count_next() {}
    }

    fn count_next(&mut self) -> bool {
        let next = self.counted();
        let scores = |state| self.waiting.get(&state).map(StateGames::scores);
        if !self.paired.add_next(self.games_each, scores) {
            return false;
        }
        let state = self.waiting.remove(&next).expect("it has games");
        for (total, side) in self.totals.iter_mut().zip(&state.sides) {
            total.add(side);
        }
        self.games += state.games.len();
        self.distinct.extend(state.games);
        self.llr = self.test.llr(&self.paired);
        self.accepted = self.test.accepted(self.llr);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::record::MatchRecord;
    use serde_json::json;

    /// A game on a state between these entrants, from the best place to the last one.
    fn game(state: u32, places: &[(&str, u8)], forfeits: Option<usize>) -> MatchResult {
        let seats = places.iter().map(|(name, _)| {
            json!({"entrant": name, "artifact": "", "seed": 0, "cpu_us": 0, "off_turn_us": 0,
                   "wall_us": 0, "uncharged_us": 0, "startup_wall_us": 0})
        });
        let outcomes = places.iter().map(|(_, place)| {
            json!({"result": if *place == 1 { "won" } else { "lost" }, "placement": place,
                   "points": 10 - i64::from(*place), "tie_break": 0})
        });
        let fault = |seat| {
            json!({"seat": seat, "ply": 0, "phase": "turn", "cause": "crash", "detail": "",
                   "cpu_us": 0, "wall_us": 0})
        };
        let record = json!({
            "v": model::FORMAT, "fixture": "0".repeat(32), "game": "g", "state": state,
            "setup": {"state": state}, "draw": "", "seats": seats.collect::<Vec<_>>(), "turns": [],
            "faults": forfeits.map(fault).into_iter().collect::<Vec<_>>(),
            "end": forfeits.map_or(json!("rules"), |seat| json!({"fault": {"cause": "crash", "seat": seat}})),
            "outcome": {"reason": "", "seats": outcomes.collect::<Vec<_>>()},
        });
        let record: MatchRecord = serde_json::from_value(record).expect("a record");
        record.result()
    }

    fn comparison(unit: Unit, games_each: usize, states: u32) -> Comparison {
        let test = Sprt {
            unit,
            null: 0.0,
            alternative: 30.0,
            alpha: 0.05,
            beta: 0.05,
        };
        let names = ["n", "o"].map(str::to_owned);
        Comparison::new(names, test, Scoring::plain(), games_each, states)
    }

    #[test]
    fn only_whole_pairs_count_in_state_order() {
        let mut two = comparison(Unit::Elo, 2, 9);
        two.add(&game(1, &[("n", 1), ("o", 2)], None));
        two.add(&game(1, &[("o", 2), ("n", 1)], None));
        two.add(&game(0, &[("n", 1), ("o", 1)], None));
        assert_eq!((two.counted(), two.games), (0, 0), "state 0 is not whole");
        two.add(&game(0, &[("o", 1), ("n", 2)], Some(1)));
        assert_eq!((two.counted(), two.games, two.distinct()), (2, 4, 4));
        let scores = two.totals.map(|side| side.score.to_string());
        assert_eq!(scores, ["2.500000", "1.500000"]);
        assert_eq!(two.totals.map(|side| side.forfeits), [1, 0]);
        assert!((two.paired.mean() - 0.25).abs() < 1e-9);
    }

    #[test]
    fn pairs_that_all_ended_alike_tell_no_interval() {
        let mut two = comparison(Unit::Elo, 2, 9);
        for state in 0..8 {
            two.add(&game(state, &[("n", 1), ("o", 2)], None));
            two.add(&game(state, &[("o", 1), ("n", 2)], None));
        }
        assert!(two.paired.has_no_variance());
    }

    #[test]
    fn ten_of_ten_games_decide_eight_do_not() {
        for (lost, finding) in [(5, Some(Finding::Worse)), (4, None)] {
            let mut two = comparison(Unit::Elo, 2, 5);
            for state in 0..5 {
                let [best, last] = if state < lost { ["o", "n"] } else { ["n", "o"] };
                let places = [(best, 1), (last, 2)];
                two.add(&game(state, &places, None));
                assert_eq!(two.finding(), None, "more games come");
                two.add(&game(state, &places, None));
            }
            assert_eq!((two.accepted, two.finding()), (None, finding));
        }
    }

    #[test]
    fn verdict_is_independent_of_game_end_order() {
        let states = 400;
        let games: Vec<MatchResult> = (0..states)
            .flat_map(|state| {
                let lost = 1 + u8::from(state % 3 > 0);
                let second = [("o", lost), ("n", 3 - lost)];
                [[("n", 1), ("o", 2)], second].map(|places| game(state, &places, None))
            })
            .collect();
        let ended = |games: &mut dyn Iterator<Item = &MatchResult>| {
            let mut two = comparison(Unit::Elo, 2, states);
            games.for_each(|game| two.add(game));
            (two.accepted, two.counted(), two.games)
        };
        let there = ended(&mut games.iter());
        assert_eq!(there.0, Some(Accepted::Alternative));
        assert!(there.1 < states);
        assert_eq!(there, ended(&mut games.iter().rev()));
    }

    #[test]
    fn four_seat_score_is_share_of_opponents_beaten() {
        let table = [("x", 2), ("n", 1), ("x", 2), ("x", 4)];
        let outcome = game(0, &table, None).outcome;
        let scores = [1, 0].map(|seat| places_score(&outcome, seat).to_string());
        assert_eq!(scores, ["1", "0.500000"]);
        let mut four = comparison(Unit::EloAgainstOthers, 2, 3);
        four.add(&game(0, &table, None));
        four.add(&game(0, &[("x", 1), ("o", 4), ("x", 2), ("x", 3)], None));
        assert_eq!(four.counted(), 1);
        assert!((four.paired.mean() - 1.0).abs() < 1e-9);
    }
}
