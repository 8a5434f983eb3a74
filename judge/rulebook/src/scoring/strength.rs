//! Win probabilities by Bradley and Terry (1952), for display only; no ranking uses them.

use model::record::MatchResult;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

/// Results between any two entrants, from which strengths are fitted. A draw is half a win. In
/// games for more than two, the entrant with the better place has won against the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Encounters {
    numbers: HashMap<String, usize>,
    /// By the lower and the higher number of the two.
    pairs: BTreeMap<(usize, usize), PairWins>,
    seats: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct PairWins {
    games: f64,
    /// Wins of the entrant with the lower number.
    wins: f64,
}

/// Fitted strengths.
#[derive(Clone, Debug)]
pub struct Strengths {
    numbers: HashMap<String, usize>,
    fitted: Vec<f64>,
    ratings: Vec<Rating>,
}

/// A strength on the scale of Elo (1978, *The Rating of Chessplayers*). 400 more points are ten
/// times the strength, and 0 is the mean of all entrants with games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The rating that fits the results best.
    pub elo: f64,
    /// The lower end of its 95 % interval; `None` for an entrant that won nothing, which bounds it nowhere.
    pub low: Option<f64>,
    /// The upper end; `None` for an entrant that won everything.
    pub high: Option<f64>,
}

/// Number of games assumed for every entrant against an imaginary average player, half of them won.
/// They give a finite strength to an entrant that won or lost all games.
const PRIOR_GAMES: f64 = 1.0;
/// The fit ends when no strength changes by more than this share of itself.
const PRECISION: f64 = 1e-9;
const ROUNDS_MAX: usize = 10_000;

/// Maximum number of entrants with intervals, which take a second then. Time grows with the third power.
const INTERVALS_MAX: usize = 1000;

impl Encounters {
    pub(super) fn add(&mut self, game: &MatchResult) {
        self.seats = game.seats.len();
        let seats: Vec<(usize, u8)> = (game.seats.iter().zip(&game.outcome.seats))
            .map(|(seat, outcome)| (self.number(&seat.entrant), outcome.placement))
            .collect();
        for (at, &(one, place)) in seats.iter().enumerate() {
            for &(other, other_place) in &seats[at + 1..] {
                let won = match place.cmp(&other_place) {
                    Ordering::Less => 1.0,
                    Ordering::Equal => 0.5,
                    Ordering::Greater => 0.0,
                };
                self.count(one, other, won);
            }
        }
    }

    fn number(&mut self, name: &str) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(name.to_owned()).or_insert(next)
    }

    /// Ignores games of an entrant with itself, which prove nothing.
    fn count(&mut self, one: usize, other: usize, won: f64) {
        if one == other {
            return;
        }
        let (key, won) = if one < other {
            ((one, other), won)
        } else {
            ((other, one), 1.0 - won)
        };
        let pair = self.pairs.entry(key).or_default();
        pair.games += 1.0;
        pair.wins += won;
    }

    /// Sums the games and wins of each entrant.
    fn totals(&self) -> Vec<PairWins> {
        let mut totals = vec![PairWins::default(); self.numbers.len()];
        for (&(one, other), pair) in &self.pairs {
            for (entrant, wins) in [(one, pair.wins), (other, pair.games - pair.wins)] {
                totals[entrant].games += pair.games;
                totals[entrant].wins += wins;
            }
        }
        totals
    }

    /// Fits strengths by minorisation and maximisation (Hunter 2004, *MM algorithms for
    /// generalized Bradley–Terry models*, Annals of Statistics 32): each becomes the wins
    /// divided by the sum of games / (own + other strength), until nothing changes.
    pub(super) fn fit(&self) -> Strengths {
        let totals = self.totals();
        let mut fitted = vec![1.0_f64; totals.len()];
        for _ in 0..ROUNDS_MAX {
            let mut divisors: Vec<f64> = fitted
                .iter()
                .map(|strength| PRIOR_GAMES / (strength + 1.0))
                .collect();
            for (&(one, other), pair) in &self.pairs {
                let share = pair.games / (fitted[one] + fitted[other]);
                divisors[one] += share;
                divisors[other] += share;
            }
            let mut change = 0.0_f64;
            for ((strength, total), divisor) in fitted.iter_mut().zip(&totals).zip(divisors) {
                let fresh = (PRIOR_GAMES / 2.0 + total.wins) / divisor;
                change = change.max((fresh - *strength).abs() / *strength);
                *strength = fresh;
            }
            if change < PRECISION {
                break;
            }
        }
        Strengths {
            numbers: self.numbers.clone(),
            ratings: self.ratings(&fitted, &totals),
            fitted,
        }
    }

    /// Rates all entrants. Intervals assume that games are independent. A game for more than two says less
    /// than its pairs would as separate games: it counts as one game of each entrant, so intervals are rather too wide.
    fn ratings(&self, strengths: &[f64], totals: &[PairWins]) -> Vec<Rating> {
        let count = strengths.len();
        let scale = 400.0 / std::f64::consts::LN_10;
        let logarithms = || strengths.iter().map(|strength| strength.ln());
        let mean = logarithms().sum::<f64>() / float(count as u64);
        let variances = (count <= INTERVALS_MAX).then(|| self.variances(strengths));
        let rating = |(number, (logarithm, total)): (usize, (f64, &PairWins))| {
            let elo = scale * (logarithm - mean);
            let off = variances
                .as_ref()
                .map(|variances| Z_95 * scale * variances[number].sqrt());
            Rating {
                elo,
                low: off.filter(|_| total.wins > 0.0).map(|off| elo - off),
                high: off
                    .filter(|_| total.wins < total.games)
                    .map(|off| elo + off),
            }
        };
        logarithms().zip(totals).enumerate().map(rating).collect()
    }

    /// Returns the variance of the logarithm of each strength less the mean of all. The information about
    /// the logarithms is p(1 − p) for each game won with chance p.
    fn variances(&self, strengths: &[f64]) -> Vec<f64> {
        let of_game = |one: f64, other: f64| one * other / (one + other).powi(2);
        let weight = 1.0 / float(self.seats.saturating_sub(1).max(1) as u64);
        let own = strengths
            .iter()
            .map(|&strength| PRIOR_GAMES * of_game(strength, 1.0));
        let between = self.pairs.iter().map(|(&(one, other), pair)| {
            let information = weight * pair.games * of_game(strengths[one], strengths[other]);
            (one, other, information)
        });
        variances(&own.collect::<Vec<_>>(), between)
    }
}

impl Strengths {
    /// Returns the chance of one to win against the other, a draw as half a win; `None` if one has no games.
    pub fn chance(&self, one: &str, other: &str) -> Option<f64> {
        let strength = |name: &str| Some(self.fitted[*self.numbers.get(name)?]);
        let (one, other) = (strength(one)?, strength(other)?);
        Some(one / (one + other))
    }

    /// Returns an entrant's rating; `None` without games.
    pub fn rating(&self, name: &str) -> Option<Rating> {
        Some(self.ratings[*self.numbers.get(name)?])
    }
}

/// Returns the variance of each parameter's difference from the mean of all. `own` is the information about
/// each alone, and needs to be positive; `between` is that about the difference of two.
fn variances(own: &[f64], between: impl Iterator<Item = (usize, usize, f64)>) -> Vec<f64> {
    let count = own.len();
    // The lower triangle of the matrix, row by row.
    let mut rows: Vec<Vec<f64>> = (1..=count).map(|length| vec![0.0; length]).collect();
    for (one, other, information) in between {
        rows[one][one] += information;
        rows[other][other] += information;
        rows[one.max(other)][one.min(other)] -= information;
    }
    for (row, information) in rows.iter_mut().zip(own) {
        *row.last_mut().expect("as long as its number") += information;
    }
    factorise(&mut rows);
    let mean = solve(&rows, 0, &vec![1.0 / float(count as u64); count]);
    let variance = |one: usize| {
        let mut unit = vec![0.0; count];
        unit[one] = 1.0;
        solve(&rows, one, &unit)
            .iter()
            .zip(&mean)
            .map(|(own, mean)| (own - mean).powi(2))
            .sum()
    };
    (0..count).map(variance).collect()
}

/// Replaces a lower triangle of a matrix by its Cholesky factor.
fn factorise(rows: &mut [Vec<f64>]) {
    for row in 0..rows.len() {
        let (above, from) = rows.split_at_mut(row);
        let own = &mut from[0];
        for (column, other) in above.iter().enumerate() {
            let known: f64 = own[..column].iter().zip(other).map(|(a, b)| a * b).sum();
            own[column] = (own[column] - known) / other[column];
        }
        let known: f64 = own[..row].iter().map(|value| value * value).sum();
        own[row] = (own[row] - known).sqrt();
    }
}

/// Solves Lx = `right`, which is zero before `first`, for a lower triangle L.
fn solve(triangle: &[Vec<f64>], first: usize, right: &[f64]) -> Vec<f64> {
    let mut solution = vec![0.0; right.len()];
    for (row, factors) in triangle.iter().enumerate().skip(first) {
        let known: f64 = factors[first..row]
            .iter()
            .zip(&solution[first..row])
            .map(|(factor, value)| factor * value)
            .sum();
        solution[row] = (right[row] - known) / factors[row];
    }
    solution
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
pub(super) fn float(count: u64) -> f64 {
    count as f64
}

/// The middle 95 % of the standard normal distribution is between minus and plus this point.
pub(super) const Z_95: f64 = 1.959_963_984_540_054;

const PARTS: u32 = 200;
/// Number of standard deviations beyond which no visible share of the distribution is left.
const FAR: f64 = 8.0;

/// Returns the share of the standard normal distribution below `z`, by Simpson's rule to ten digits.
pub(super) fn below(z: f64) -> f64 {
    if z.is_nan() {
        return 0.5;
    }
    let z = z.clamp(-FAR, FAR);
    let density = |x: f64| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let step = z / f64::from(PARTS);
    let inner = (1..PARTS).map(|part| {
        let weight = if part % 2 == 1 { 4.0 } else { 2.0 };
        weight * density(step * f64::from(part))
    });
    let sum = density(0.0) + inner.sum::<f64>() + density(z);
    0.5 + sum * step / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    fn encounters(results: &[(&str, &str, f64)]) -> Encounters {
        let mut encounters = Encounters::default();
        for &(one, other, won) in results {
            let pair = (encounters.number(one), encounters.number(other));
            encounters.count(pair.0, pair.1, won);
        }
        encounters
    }

    #[test]
    fn draw_is_half_win_and_chances_stay_uncertain() {
        let fitted = encounters(&[("a", "b", 0.5), ("b", "a", 0.5)]).fit();
        assert_eq!(fitted.chance("a", "b"), Some(0.5));
        let fitted = encounters(&[("a", "b", 1.0); 10]).fit();
        let chance = fitted.chance("a", "b").expect("both have played");
        assert!((0.9..1.0).contains(&chance), "{chance}");
        assert_eq!(fitted.chance("a", "nobody"), None);
        let results = [
            ("a", "b", 1.0),
            ("a", "b", 0.0),
            ("a", "b", 1.0),
            ("b", "c", 1.0),
        ];
        let fitted = encounters(&results).fit();
        let [apart, met] = ["a", "b"].map(|one| fitted.chance(one, "c"));
        assert!(apart > met, "a and c have no common games");
    }

    #[test]
    fn rating_difference_matches_winning_chance_with_zero_mean() {
        let mut results = vec![("a", "b", 1.0); 300];
        results.extend([("a", "b", 0.0); 100]);
        let fitted = encounters(&results).fit();
        let [a, b] = ["a", "b"].map(|name| fitted.rating(name).expect("rated"));
        let chance = fitted.chance("a", "b").expect("both have played");
        let apart = crate::scoring::sprt::elo(chance);
        assert!((a.elo - b.elo - apart).abs() < 1e-6 && (a.elo + b.elo).abs() < 1e-6);
        // 400 games with p = 3/4: the logarithm of the odds has the error 1 / sqrt(400 · 3/16),
        // which is 20.06 of Elo; each is half the difference from the mean.
        let half = (a.high.expect("it lost") - a.low.expect("it won")) / 2.0;
        assert!((half - Z_95 * 20.06 / 2.0).abs() < 0.2, "{half}");
        assert_eq!(fitted.rating("nobody"), None);
    }

    #[test]
    fn all_won_or_lost_leaves_rating_one_unbounded() {
        let results = [
            ("a", "b", 1.0),
            ("b", "c", 1.0),
            ("a", "c", 1.0),
            ("b", "c", 0.5),
        ];
        let fitted = encounters(&results).fit();
        let bounds = |name| {
            let rating = fitted.rating(name).expect("rated");
            assert!(rating.elo.is_finite());
            (rating.low.is_some(), rating.high.is_some())
        };
        assert_eq!(bounds("a"), (true, false));
        assert_eq!(bounds("b"), (true, true));
        assert_eq!(bounds("c"), (true, true), "a draw is half a win");
        let fitted = encounters(&results[..3]).fit();
        assert_eq!(fitted.rating("c").expect("rated").low, None);
    }

    #[test]
    fn nineteen_of_twenty_intervals_hold_the_truth() {
        let strengths = [
            ("a", 4.0_f64),
            ("b", 2.0),
            ("c", 1.5),
            ("d", 1.0),
            ("e", 0.5),
        ];
        let mean = strengths.iter().map(|(_, it)| it.log10()).sum::<f64>() / 5.0;
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let mut inside = 0;
        for _ in 0..400 {
            let mut results = Vec::new();
            for (at, &(one, own)) in strengths.iter().enumerate() {
                for &(other, its) in &strengths[at + 1..] {
                    for _ in 0..30 {
                        let won = rng.random::<f64>() < own / (own + its);
                        results.push((one, other, f64::from(u8::from(won))));
                    }
                }
            }
            let fitted = encounters(&results).fit();
            for (name, strength) in strengths {
                let rating = fitted.rating(name).expect("rated");
                let truth = 400.0 * (strength.log10() - mean);
                let low = rating.low.unwrap_or(f64::NEG_INFINITY);
                let high = rating.high.unwrap_or(f64::INFINITY);
                inside += u32::from((low..=high).contains(&truth));
            }
        }
        // 2000 intervals, four standard errors of a share of 0.95.
        assert!((1861..=1939).contains(&inside), "{inside}");
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn variances_of_two_match_manual_inverse() {
        // ((w + a, -w), (-w, w + a)) has the inverse ((w + a, w), (w, w + a)) / (a(2w + a)), so
        // half the difference of the two has the variance 1 / (2(2w + a)).
        let (w, a) = (3.0, 0.5);
        for variance in variances(&[a; 2], [(1, 0, w)].into_iter()) {
            near(variance, 1.0 / (2.0 * (2.0 * w + a)));
        }
    }

    #[test]
    fn more_information_gives_smaller_variance_in_any_order() {
        let variances_by = |[much, some, little]: [usize; 3]| {
            let between = [(much, some, 9.0), (much, little, 1.0)];
            let variances = variances(&[0.25; 3], between.into_iter());
            [much, some, little].map(|one| variances[one])
        };
        let found = variances_by([0, 1, 2]);
        assert!(found[0] < found[1] && found[1] < found[2], "{found:?}");
        for order in [[2, 0, 1], [1, 2, 0]] {
            for (one, other) in variances_by(order).into_iter().zip(found) {
                near(one, other);
            }
        }
    }

    #[test]
    fn the_parts_below_are_those_of_the_tables() {
        // Abramowitz and Stegun 1964, table 26.1.
        for (z, part) in [
            (0.0, 0.5),
            (0.5, 0.691_462_461_274),
            (1.0, 0.841_344_746_069),
            (1.64, 0.949_497_416_526),
            (3.0, 0.998_650_101_968),
        ] {
            assert!((below(z) - part).abs() < 1e-10, "{z}");
            assert!((below(-z) - (1.0 - part)).abs() < 1e-10, "-{z}");
        }
        assert!((below(Z_95) - 0.975).abs() < 1e-10);
        for (z, part) in [(f64::INFINITY, 1.0), (f64::NAN, 0.5)] {
            assert!((below(z) - part).abs() < 1e-10, "{z}");
        }
    }
}
