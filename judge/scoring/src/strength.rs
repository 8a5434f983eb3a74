//! Win probabilities by the model of Bradley and Terry (1952): the chance of one against
//! another is its share of the strengths of the two. For display only; nothing is ranked by it.

use std::collections::{BTreeMap, HashMap};
use words::record::MatchResult;

/// Results between any two, from which strengths are fitted. Draws are half wins; in games
/// for more than two, whoever has the better place has won against the other.
#[derive(Clone, Debug, Default)]
pub struct Encounters {
    numbers: HashMap<String, usize>,
    /// By the lower and the higher number.
    pairs: BTreeMap<(usize, usize), PairWins>,
}

#[derive(Clone, Copy, Debug, Default)]
struct PairWins {
    games: f64,
    /// Wins of the one with the lower number.
    wins: f64,
}

/// Fitted strengths.
#[derive(Clone, Debug)]
pub struct Strengths {
    numbers: HashMap<String, usize>,
    strengths: Vec<f64>,
}

/// Games that everybody is taken to have played against an imaginary average player, half of
/// them won, so that who won or lost all games has a finite strength too.
const PRIOR_GAMES: f64 = 1.0;
/// The fit ends when no strength changes by more than this part of itself …
const PRECISION: f64 = 1e-9;
/// … or after so many rounds.
const ROUNDS_MAX: usize = 10_000;

impl Encounters {
    /// Adds a game.
    pub fn add(&mut self, game: &MatchResult) {
        let numbers: Vec<usize> = game
            .seats
            .iter()
            .map(|seat| self.number(&seat.entrant))
            .collect();
        let places = game.outcome.seats.iter().map(|seat| seat.placement);
        let seats: Vec<(usize, u8)> = numbers.into_iter().zip(places).collect();
        for (at, &(one, place)) in seats.iter().enumerate() {
            for &(other, other_place) in &seats[at + 1..] {
                let won = match place.cmp(&other_place) {
                    std::cmp::Ordering::Less => 1.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Greater => 0.0,
                };
                self.count(one, other, won);
            }
        }
    }

    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.numbers.len();
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// Counts a game that `one` won so much of; who meets itself proves nothing.
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

    /// Fits strengths by minorisation and maximisation (Hunter 2004, *MM algorithms for
    /// generalized Bradley–Terry models*, Annals of Statistics 32): each becomes the wins
    /// divided by the sum of games / (own + other strength), until nothing changes.
    pub fn fit(&self) -> Strengths {
        let count = self.numbers.len();
        let mut wins = vec![PRIOR_GAMES / 2.0; count];
        for (&(one, other), pair) in &self.pairs {
            wins[one] += pair.wins;
            wins[other] += pair.games - pair.wins;
        }
        let mut strengths = vec![1.0_f64; count];
        for _ in 0..ROUNDS_MAX {
            let mut divisors: Vec<f64> = strengths
                .iter()
                .map(|strength| PRIOR_GAMES / (strength + 1.0))
                .collect();
            for (&(one, other), pair) in &self.pairs {
                let share = pair.games / (strengths[one] + strengths[other]);
                divisors[one] += share;
                divisors[other] += share;
            }
            let fresh: Vec<f64> = wins.iter().zip(&divisors).map(|(w, d)| w / d).collect();
            let pairs = fresh.iter().zip(&strengths);
            let change = pairs
                .map(|(new, old)| (new - old).abs() / old)
                .fold(0.0, f64::max);
            strengths = fresh;
            if change < PRECISION {
                break;
            }
        }
        Strengths {
            numbers: self.numbers.clone(),
            strengths,
        }
    }
}

impl Strengths {
    /// Returns the chance that one wins against another, with a draw as half a win; none for
    /// somebody without games.
    pub fn chance(&self, one: &str, other: &str) -> Option<f64> {
        let strength = |name: &str| Some(self.strengths[*self.numbers.get(name)?]);
        let (one, other) = (strength(one)?, strength(other)?);
        Some(one / (one + other))
    }
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
    fn known_strengths_are_found_again() {
        let strengths = [("a", 8.0), ("b", 4.0), ("c", 2.0), ("d", 1.0), ("e", 0.5)];
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut results = Vec::new();
        for (at, &(one, own)) in strengths.iter().enumerate() {
            for &(other, its) in &strengths[at + 1..] {
                for _ in 0..2000 {
                    let won = rng.random::<f64>() < own / (own + its);
                    results.push((one, other, f64::from(u8::from(won))));
                }
            }
        }
        let fitted = encounters(&results).fit();
        for &(one, own) in &strengths {
            for &(other, its) in &strengths {
                let chance = fitted.chance(one, other).expect("both have played");
                // Four standard errors of a share of 2000 games.
                assert!(
                    (chance - own / (own + its)).abs() < 0.045,
                    "{one} {other}: {chance}"
                );
            }
        }
    }

    #[test]
    fn a_draw_is_half_a_win_and_who_always_won_is_not_certain_to() {
        let fitted = encounters(&[("a", "b", 0.5), ("b", "a", 0.5)]).fit();
        assert_eq!(fitted.chance("a", "b"), Some(0.5));
        let fitted = encounters(&[("a", "b", 1.0); 10]).fit();
        let chance = fitted.chance("a", "b").expect("both have played");
        assert!((0.9..1.0).contains(&chance), "{chance}");
        assert_eq!(fitted.chance("a", "nobody"), None);
    }

    #[test]
    fn a_chance_is_found_for_two_who_never_met() {
        let fitted = encounters(&[
            ("a", "b", 1.0),
            ("a", "b", 0.0),
            ("a", "b", 1.0),
            ("b", "c", 1.0),
        ])
        .fit();
        assert!(fitted.chance("a", "c") > fitted.chance("b", "c"));
    }
}
