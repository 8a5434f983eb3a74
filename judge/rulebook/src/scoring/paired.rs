//! Two bots compared on the same initial states, whose luck affects both: only differences count.

use super::strength::{Z_95, below, float};
use engines::Outcome;
use model::points::Points;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::f64::consts::LN_2;
use std::ops::Bound::{Excluded, Unbounded};

/// Minimum number of pairs for an interval: fewer of them vary too little.
const PAIRS_MIN: u64 = 8;

/// The new bot's results minus the old bot's results, by initial state.
#[derive(Clone, Debug, Default)]
pub struct Paired {
    differences: BTreeMap<Points, u64>,
    count: u64,
    sum: f64,
    squares: f64,
    /// The sum of the mean of both results over all pairs.
    both: f64,
}

/// The games of two sides on one initial state.
#[derive(Clone, Copy, Debug, Default)]
pub struct StateScores {
    /// Number of games on the state, of either side or both.
    pub games: usize,
    /// Number of seats and sum of the scores, by side.
    pub sides: [(u64, Points); 2],
}

/// An estimate with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The observed value.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Paired {
    /// Adds the next initial state, if all its games have been played. States count in their order: otherwise
    /// the answer would depend on which game happened to end first.
    pub fn add_next(
        &mut self,
        games_each: usize,
        scores: impl Fn(u32) -> Option<StateScores>,
    ) -> bool {
        let next = u32::try_from(self.count).ok().and_then(scores);
        let Some(state) = next.filter(|state| state.games >= games_each) else {
            return false;
        };
        let [new, old] = state.sides.map(|(seats, score)| score.times(1, seats));
        self.add(new, old);
        true
    }

    /// Adds the mean results of both bots per game on one initial state.
    pub fn add(&mut self, new: Points, old: Points) {
        let difference = new - old;
        *self.differences.entry(difference).or_default() += 1;
        self.count += 1;
        self.sum += difference.as_f64();
        self.squares += difference.as_f64().powi(2);
        self.both += f64::midpoint(new.as_f64(), old.as_f64());
    }

    /// Returns the number of states added.
    pub const fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn weight(&self) -> f64 {
        float(self.count)
    }

    pub(super) fn differences(&self) -> impl Iterator<Item = (f64, f64)> {
        self.differences
            .iter()
            .map(|(value, &count)| (value.as_f64(), float(count)))
    }

    /// Returns how often a pair of games brought the new bot 0, ½, 1, 1½ and 2 points.
    pub fn pentanomial(&self) -> [u64; 5] {
        [-1.0, -0.5, 0.0, 0.5, 1.0].map(|wanted| {
            self.differences
                .iter()
                .filter(|(value, _)| (value.as_f64() - wanted).abs() < 1e-6)
                .map(|(_, count)| count)
                .sum()
        })
    }

    /// Returns the mean difference; 0 without pairs.
    pub fn mean(&self) -> f64 {
        self.sum / self.weight().max(1.0)
    }

    /// Returns the variance of the differences, with the number of pairs as the divisor.
    fn variance(&self) -> f64 {
        (self.squares / self.weight().max(1.0) - self.mean().powi(2)).max(0.0)
    }

    /// Returns the mean result of both bots. One half on an extra state keeps it away from all and nothing.
    pub(super) fn middle(&self) -> f64 {
        (self.both + 0.5) / (self.weight() + 1.0)
    }

    /// Returns whether the difference was the same on every state, so that the variance is unobserved.
    pub fn has_no_variance(&self) -> bool {
        self.differences.len() == 1
    }

    fn standard_error(&self) -> f64 {
        (self.variance() / self.weight().max(1.0)).sqrt()
    }

    /// Returns the mean difference and its 95 % interval (normal); `None` if there are too few pairs.
    pub fn estimate(&self) -> Option<Estimate> {
        let (value, error) = (self.mean(), Z_95 * self.standard_error());
        (self.count >= PAIRS_MIN).then_some(Estimate {
            value,
            low: value - error,
            high: value + error,
        })
    }

    /// Returns the number of states on which the new bot did better, and worse.
    pub fn signs(&self) -> (u64, u64) {
        let zero = Points::default();
        let better = self.differences.range((Excluded(zero), Unbounded));
        let worse = self.differences.range(..zero);
        let count = |(_, count): (&Points, &u64)| *count;
        (better.map(count).sum(), worse.map(count).sum())
    }

    /// Returns the chance that luck alone gives one bot at least the observed majority of the states without
    /// a tie: the one-sided sign test. It is exact, and valid for a number of states that was fixed before.
    pub fn sign_test_p_value(&self) -> f64 {
        let (better, worse) = self.signs();
        let (all, most) = (better + worse, better.max(worse));
        // The logarithm of the number of ways to choose 0 of all, then 1 of all, and so on.
        let mut ways = 0.0;
        let mut chance = 0.0;
        for chosen in 0..=all {
            if chosen > 0 {
                ways += (float(all - chosen + 1) / float(chosen)).ln();
            }
            if chosen >= most {
                chance += (ways - float(all) * LN_2).exp();
            }
        }
        chance.min(1.0)
    }

    /// Returns the likelihood of superiority (LOS), by the normal distribution. It is valid for a fixed
    /// number of pairs; where a test stops by itself, it is too confident.
    pub fn los(&self) -> f64 {
        below(self.mean() / self.standard_error())
    }
}

/// Returns the share of the others at the table that a seat was ahead of; a tie counts half.
pub fn places_score(outcome: &Outcome, seat: usize) -> Points {
    let places: Vec<u8> = outcome.seats.iter().map(|seat| seat.placement).collect();
    let halves = places
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != seat)
        .map(|(_, place)| match places[seat].cmp(place) {
            Ordering::Less => 2,
            Ordering::Equal => 1,
            Ordering::Greater => 0,
        });
    Points::share(halves.sum(), 2 * (places.len() - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired(rows: &[(i64, i64)]) -> Paired {
        let mut paired = Paired::default();
        for &(new, old) in rows {
            paired.add(Points::whole(new), Points::whole(old));
        }
        paired
    }

    #[test]
    fn mean_variance_and_interval_match_differences() {
        let paired = paired(&[[(3, 1), (4, 1), (1, 0), (2, 2)]; 2].concat());
        assert_eq!(paired.count(), 8);
        assert!((paired.mean() - 1.5).abs() < 1e-12);
        assert!((paired.variance() - 1.25).abs() < 1e-12);
        let estimate = paired.estimate().expect("enough");
        let error = 1.959_964 * (1.25_f64 / 8.0).sqrt();
        assert!((estimate.high - 1.5 - error).abs() < 1e-6);
        assert!((estimate.low - 1.5 + error).abs() < 1e-6);
    }

    #[test]
    fn few_pairs_lack_interval_equal_pairs_lack_superior() {
        assert_eq!(paired(&[(1, 0); 7]).estimate(), None);
        for equal in [paired(&[]), paired(&[(1, 1); 9])] {
            assert!((equal.los() - 0.5).abs() < 1e-12);
        }
        assert!(paired(&[(1, 0); 9]).los() > 0.999);
        assert!(paired(&[(1, 1), (0, 0)]).has_no_variance());
        assert!(!paired(&[(1, 1), (1, 0)]).has_no_variance());
        // z = 1.5 / sqrt(1.25 / 4) = 2.683; by the table of the normal distribution 0.99635.
        let paired = paired(&[(3, 1), (4, 1), (1, 0), (2, 2)]);
        assert!((paired.los() - 0.996_35).abs() < 1e-5);
    }

    #[test]
    fn chance_of_lucky_majority_matches_coin_flips() {
        let rows = |better: usize, worse: usize, ties: usize| {
            let (better, worse) = (vec![(1, 0); better], vec![(0, 1); worse]);
            [better, worse, vec![(1, 1); ties]].concat()
        };
        for (better, worse, ties, chance) in [
            (0, 0, 3, 1.0),
            (5, 0, 0, 1.0 / 32.0),
            (0, 5, 7, 1.0 / 32.0),
            (10, 0, 0, 1.0 / 1024.0),
            (3, 1, 0, 5.0 / 16.0),
        ] {
            let paired = paired(&rows(better, worse, ties));
            let error = (paired.sign_test_p_value() - chance).abs();
            assert!(error < 1e-12, "{better} {worse} {ties}");
            assert_eq!(paired.signs(), (better as u64, worse as u64));
        }
    }
}
