//! Two compared on the same initial states: what one got on each of them beside what the other
//! did. Luck of a state falls on both, so that only the differences count.

use super::normal::{Z_95, below};
use std::collections::BTreeMap;
use words::points::Points;

/// With fewer pairs no interval is told: few of them vary less than they should.
const PAIRS_MIN: u64 = 8;

/// What one, the new one, got on each initial state beyond what the other did, the old one.
#[derive(Clone, Debug, Default)]
pub struct Paired {
    /// How often each difference came.
    differences: BTreeMap<Points, u64>,
    count: u64,
    sum: f64,
    squares: f64,
    /// What both got, on average, added up.
    both: f64,
}

/// An estimate with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// What was observed.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Paired {
    /// Adds what both got in a game on one initial state, on average.
    pub fn add(&mut self, new: Points, old: Points) {
        let difference = new - old;
        *self.differences.entry(difference).or_default() += 1;
        self.count += 1;
        self.sum += difference.as_f64();
        self.squares += difference.as_f64().powi(2);
        self.both += f64::midpoint(new.as_f64(), old.as_f64());
    }

    /// Returns how many states were added.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the same as a number for statistics.
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    pub(super) fn weight(&self) -> f64 {
        self.count as f64
    }

    /// Returns each difference with how often it came.
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    pub(super) fn differences(&self) -> impl Iterator<Item = (f64, f64)> {
        let differences = self.differences.iter();
        differences.map(|(value, &count)| (value.as_f64(), count as f64))
    }

    /// Returns the mean difference; 0 where nothing was added.
    pub fn mean(&self) -> f64 {
        self.sum / self.weight().max(1.0)
    }

    /// Returns the variance of the differences, with the number of pairs as the divisor.
    pub fn variance(&self) -> f64 {
        (self.squares / self.weight().max(1.0) - self.mean().powi(2)).max(0.0)
    }

    /// Returns what both got in a game, on average, as if they had got one half on one state more:
    /// so that they have won neither all nor nothing.
    pub(super) fn middle(&self) -> f64 {
        (self.both + 0.5) / (self.weight() + 1.0)
    }

    /// Returns whether there was the same difference on every state: then nothing is observed of how
    /// much it varies, and an interval would have no width, however few the pairs are.
    pub fn is_alike(&self) -> bool {
        self.differences.len() == 1
    }

    fn standard_error(&self) -> f64 {
        (self.variance() / self.weight().max(1.0)).sqrt()
    }

    /// Returns the mean difference and its 95 % interval, by the normal distribution; none of too
    /// few pairs.
    pub fn estimate(&self) -> Option<Estimate> {
        let (value, error) = (self.mean(), Z_95 * self.standard_error());
        (self.count >= PAIRS_MIN).then_some(Estimate {
            value,
            low: value - error,
            high: value + error,
        })
    }

    /// Returns the likelihood of superiority (LOS), by the normal distribution: the share of it
    /// that lies above no difference. It is told for a fixed number of pairs; where a test stops
    /// by itself, it is too sure.
    pub fn superiority(&self) -> f64 {
        below(self.mean() / self.standard_error())
    }
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
    fn mean_variance_and_interval_are_those_of_the_differences() {
        let paired = paired(&[
            (3, 1),
            (4, 1),
            (1, 0),
            (2, 2),
            (3, 1),
            (4, 1),
            (1, 0),
            (2, 2),
        ]);
        assert_eq!(paired.count(), 8);
        assert!((paired.mean() - 1.5).abs() < 1e-12);
        assert!((paired.variance() - 1.25).abs() < 1e-12);
        let estimate = paired.estimate().expect("enough");
        let error = 1.959_964 * (1.25_f64 / 8.0).sqrt();
        assert!((estimate.high - 1.5 - error).abs() < 1e-6);
        assert!((estimate.low - 1.5 + error).abs() < 1e-6);
    }

    #[test]
    fn few_pairs_have_no_interval_and_equal_ones_no_superior() {
        assert_eq!(paired(&[(1, 0); 7]).estimate(), None);
        for equal in [paired(&[]), paired(&[(1, 1); 9])] {
            assert!((equal.superiority() - 0.5).abs() < 1e-12);
        }
        assert!(paired(&[(1, 0); 9]).superiority() > 0.999);
        assert!(paired(&[(1, 1), (0, 0)]).is_alike());
        assert!(!paired(&[(1, 1), (1, 0)]).is_alike());
    }

    #[test]
    fn the_likelihood_of_superiority_is_that_of_the_mean() {
        // z = 1.5 / sqrt(1.25 / 4) = 2.683; by the table of the normal distribution 0.99635.
        let paired = paired(&[(3, 1), (4, 1), (1, 0), (2, 2)]);
        assert!((paired.superiority() - 0.996_35).abs() < 1e-5);
    }
}
