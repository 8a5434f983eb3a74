//! The sequential probability ratio test of Wald (1945) on pairs of games: are there enough games
//! to say that one bot is better than the other? It has the generalised form, in which the unknown
//! part of the distribution is fitted to the observations.
//!
//! The logarithm of the ratio is that of Van den Bergh, *Comments on normalized Elo* (section 1;
//! <https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>) and *GSPRT approximation*
//! (<https://www.cantate.be/Fishtest/GSPRT_approximation.pdf>), which fishtest and fastchess use
//! for pentanomial results. For two bots that play each other it is the same number: a pair's
//! difference is twice its score, less one. The same likelihoods test differences against third
//! parties.

use super::paired::{Estimate, Paired};

/// The hypotheses of a test and its error rates.
#[derive(Clone, Copy, Debug)]
pub struct Sprt {
    /// The unit of the hypotheses.
    pub unit: Unit,
    /// The first hypothesis: the new bot is better by this difference, which may be negative.
    pub null: f64,
    /// The second hypothesis, greater than the first, and less than the greatest possible difference.
    pub alternative: f64,
    /// How often the test may accept the second hypothesis where the first is true.
    pub alpha: f64,
    /// How often the test may accept the first hypothesis where the second is true.
    pub beta: f64,
}

/// The unit of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Logistic Elo of two bots that play each other.
    Elo,
    /// The difference of two bots' logistic Elo, from their scores against the same opponents, counted from the
    /// middle of the two. Counted from the old bot's score, the luck of that score would count twice.
    EloAgainstOthers,
}

/// The hypothesis that a test has accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// [`Sprt::null`].
    Null,
    /// [`Sprt::alternative`].
    Alternative,
}

/// The weight of a result that has not occurred, as in fishtest and fastchess: it must not be impossible.
const SELDOM: f64 = 1e-3;

/// Maximum number of steps to solve an equation, and the share of its bracket at which it counts as solved.
const STEPS_MAX: usize = 200;
const PRECISION: f64 = 1e-13;

impl Sprt {
    /// Returns the bounds of the logarithm between which the test accepts no hypothesis (Wald 1945).
    pub fn bounds(&self) -> (f64, f64) {
        let lower = self.beta / (1.0 - self.alpha);
        let upper = (1.0 - self.beta) / self.alpha;
        (lower.ln(), upper.ln())
    }

    /// Returns the hypothesis that the test accepts at this value of the logarithm, if any.
    pub fn accepted(&self, llr: f64) -> Option<Accepted> {
        let (lower, upper) = self.bounds();
        if llr >= upper {
            return Some(Accepted::Alternative);
        }
        (llr <= lower).then_some(Accepted::Null)
    }

    /// Returns the logarithm of the generalised likelihood ratio of the second hypothesis to the first.
    pub fn llr(&self, paired: &Paired) -> f64 {
        let means = [self.null, self.alternative].map(|gain| self.unit.mean_of(gain, paired));
        let cells = cells(paired);
        let [null, alternative] = means.map(|mean| (mean, tilt(&cells, mean)));
        cells
            .iter()
            .map(|&(value, weight)| {
                let log = |(mean, tilt): (f64, f64)| (tilt * (value - mean)).ln_1p();
                weight * (log(null) - log(alternative))
            })
            .sum()
    }
}

impl Unit {
    /// Returns by how much the new bot is better, with its 95 % interval; `None` if there are too few pairs.
    /// Elo is infinite if a bot has won or lost everything.
    pub fn estimate(self, paired: &Paired) -> Option<Estimate> {
        let gain = |mean: f64| self.gain_of(mean, paired);
        paired.estimate().map(|estimate| Estimate {
            value: gain(estimate.value),
            low: gain(estimate.low),
            high: gain(estimate.high),
        })
    }

    fn mean_of(self, gain: f64, paired: &Paired) -> f64 {
        match self {
            Self::Elo => score(gain) - score(-gain),
            Self::EloAgainstOthers => {
                let middle = elo(paired.middle());
                score(middle + gain / 2.0) - score(middle - gain / 2.0)
            }
        }
    }

    fn gain_of(self, mean: f64, paired: &Paired) -> f64 {
        match self {
            Self::Elo => elo(f64::midpoint(mean, 1.0)),
            Self::EloAgainstOthers => {
                let middle = paired.middle();
                elo(middle + mean / 2.0) - elo(middle - mean / 2.0)
            }
        }
    }
}

fn cells(paired: &Paired) -> Vec<(f64, f64)> {
    let mut cells: Vec<(f64, f64)> = paired.differences().collect();
    for end in [-1.0, -0.5, 0.0, 0.5, 1.0] {
        if !cells.iter().any(|(value, _)| value.total_cmp(&end).is_eq()) {
            cells.push((end, SELDOM));
        }
    }
    cells
}

/// Returns the expected score of a bot that is better by `elo` (Elo 1978; logistic, as chess servers count).
pub fn score(elo: f64) -> f64 {
    1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0))
}

/// Returns the Elo difference of a bot that wins this share of its games.
pub fn elo(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    400.0 * (score / (1.0 - score)).log10()
}

/// Solves Σ wᵢ·(aᵢ − mean) / (1 + θ·(aᵢ − mean)) = 0 for θ.
///
/// The solution gives the most likely distribution with this mean: each weight divided by 1 + θ·(aᵢ
/// − mean) (Van den Bergh, proposition 1.1). The left side falls from +∞ to −∞ between its poles.
/// The mean must be strictly between the least and the greatest value.
fn tilt(cells: &[(f64, f64)], mean: f64) -> f64 {
    let values = || cells.iter().map(|cell| cell.0);
    let least = values().fold(f64::INFINITY, f64::min);
    let most = values().fold(f64::NEG_INFINITY, f64::max);
    let (mut low, mut high) = (-1.0 / (most - mean), -1.0 / (least - mean));
    let mut tilt = 0.0;
    for _ in 0..STEPS_MAX {
        let (mut value, mut slope) = (0.0, 0.0);
        for &(at, weight) in cells {
            let term = (at - mean) / (1.0 + tilt * (at - mean));
            value += weight * term;
            slope -= weight * term * term;
        }
        if value > 0.0 {
            low = tilt;
        } else {
            high = tilt;
        }
        // Newton's step, if it stays inside the bracket.
        let newton = tilt - value / slope;
        let next = if low < newton && newton < high {
            newton
        } else {
            f64::midpoint(low, high)
        };
        let change = (next - tilt).abs();
        tilt = next;
        if change <= PRECISION * (high - low).max(1.0) {
            break;
        }
    }
    tilt
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::points::Points;

    fn sprt(null: f64, alternative: f64) -> Sprt {
        Sprt {
            unit: Unit::Elo,
            null,
            alternative,
            alpha: 0.05,
            beta: 0.05,
        }
    }

    /// Pairs of games by their score, from both lost to both won.
    fn pentanomial(counts: [u64; 5]) -> Paired {
        let mut paired = Paired::default();
        for (quarters, count) in (0..).zip(counts) {
            let (new, old) = (Points::share(quarters, 4), Points::share(4 - quarters, 4));
            (0..count).for_each(|_| paired.add(new, old));
        }
        paired
    }

    fn near(found: f64, expected: f64, within: f64) {
        let error = (found - expected).abs();
        assert!(error <= within, "{found}, not {expected}");
    }

    #[test]
    fn recorded_pairs_match_llr_of_published_calculators() {
        // The value that fastchess expects (app/tests/sprt_test.cpp, "logistic pentanomial", to 1
        // %), and the one that a server with fishtest's statistics shows for one of its tests
        // ("Logistic (exact)").
        for (counts, [null, alternative], expected, within) in [
            ([223, 9863, 21_279, 10_037, 246], [0.5, 2.5], -3.07, 0.03),
            ([871, 26_175, 55_983, 26_678, 821], [0.0, 2.0], -4.98, 0.05),
            ([13, 37, 50, 25, 3], [0.0, 2.716], -0.537_72, 2e-4),
        ] {
            let llr = sprt(null, alternative).llr(&pentanomial(counts));
            near(llr, expected, within);
        }
    }

    #[test]
    fn exchanging_the_two_turns_the_logarithm_round() {
        let there = pentanomial([20, 61, 133, 90, 31]);
        let back = pentanomial([31, 90, 133, 61, 20]);
        let llr = sprt(-3.0, 12.0).llr(&there);
        near(sprt(-12.0, 3.0).llr(&back), -llr, 1e-9);
    }

    #[test]
    fn no_pairs_or_one_result_decide_nothing() {
        assert!(sprt(0.0, 30.0).llr(&Paired::default()).abs() < 0.01);
        for (counts, pairs) in [
            ([0, 0, 1, 0, 0], 10),
            ([0, 0, 0, 0, 1], 20),
            ([1, 0, 0, 0, 0], 20),
        ] {
            let many = pentanomial(counts.map(|count| count * pairs));
            assert_eq!(sprt(0.0, 30.0).accepted(sprt(0.0, 30.0).llr(&many)), None);
        }
    }

    #[test]
    fn sprt_bounds_are_walds_and_match_accepted_hypothesis() {
        let sprt = sprt(0.0, 30.0);
        let (lower, upper) = sprt.bounds();
        near(lower, -2.944, 1e-3);
        near(upper, 2.944, 1e-3);
        assert_eq!(sprt.accepted(upper), Some(Accepted::Alternative));
        assert_eq!(sprt.accepted(lower), Some(Accepted::Null));
        assert_eq!(sprt.accepted(0.0), None);
    }

    #[test]
    fn elo_error_and_superiority_match_fastchess() {
        // app/tests/elo_test.cpp, "EloPentanomial": Elo, error and LOS in percent.
        for (counts, elo, error, los) in [
            ([34, 54, 63, 64, 75], 55.58, 27.65, 100.0),
            ([332, 433, 498, 333, 334], -8.64, 10.33, 5.05),
        ] {
            let paired = pentanomial(counts);
            let estimate = Unit::Elo.estimate(&paired).expect("enough pairs");
            near(estimate.value, elo, 0.01 * elo.abs());
            near((estimate.high - estimate.low) / 2.0, error, 0.01 * error);
            near(100.0 * paired.los(), los, 0.05);
        }
    }

    #[test]
    fn perfect_score_is_infinite_elo_and_conversions_invert() {
        let estimate = Unit::Elo.estimate(&pentanomial([0, 0, 0, 0, 20]));
        let estimate = estimate.expect("enough pairs");
        assert!(estimate.value.is_infinite() && estimate.value > 0.0);
        for gain in [-300.0, -1.0, 0.0, 25.0, 700.0] {
            near(elo(score(gain)), gain, 1e-9);
        }
        near(score(400.0), 10.0 / 11.0, 1e-12);
    }

    #[test]
    fn gain_against_others_counts_from_both_scores() {
        // The old bot wins a fifth of its games, and the new bot two fifths.
        let mut paired = Paired::default();
        for number in 0..1000 {
            let (new, old) = (number % 5 < 2, number % 5 == 3);
            paired.add(Points::whole(i64::from(new)), Points::whole(i64::from(old)));
        }
        let sprt = Sprt {
            unit: Unit::EloAgainstOthers,
            ..sprt(0.0, 30.0)
        };
        let estimate = sprt.unit.estimate(&paired).expect("enough pairs");
        near(estimate.value, elo(0.4) - elo(0.2), 1.0);
        let is_near = estimate.low > 120.0 && estimate.high < 220.0;
        assert!(is_near, "{estimate:?}");
        let accepted = sprt.accepted(sprt.llr(&paired));
        assert_eq!(accepted, Some(Accepted::Alternative));
    }
}
