//! Simulated matches; the benchmark `sprt` plays the same.

use model::points::Points;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rulebook::scoring::{Accepted, Paired, Sprt, Unit, score};

/// The features of a game besides the strengths of its two bots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Model {
    /// The first seat's score beyond the mean of both seats.
    pub(crate) first_seat: f64,
    /// The share of drawn games.
    pub(crate) draws: f64,
}

/// A match that has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    pub(crate) accepted: Option<Accepted>,
    pub(crate) pairs: u64,
}

impl Model {
    /// Plays a game of a bot with this expected score; returns its score.
    fn game(self, wins: f64, rng: &mut ChaCha8Rng) -> Points {
        let luck = rng.random::<f64>();
        // Draws take equally from wins and losses, which keeps the expected score.
        let half = self.draws / 2.0;
        let (won, lost) = ((wins - half).max(0.0), (1.0 - wins - half).max(0.0));
        if luck < won {
            Points::whole(1)
        } else if luck < 1.0 - lost {
            Points::share(1, 2)
        } else {
            Points::default()
        }
    }

    /// Plays both games of a pair; returns the mean score of the bot that is better by `elo`.
    pub(crate) fn pair(self, elo: f64, rng: &mut ChaCha8Rng) -> Points {
        let mut sum = self.game(score(elo) + self.first_seat, rng);
        sum += self.game(score(elo) - self.first_seat, rng);
        sum.times(1, 2)
    }
}

/// Plays pairs until the test accepts a hypothesis, or until `pairs_max` pairs.
pub(crate) fn play(
    sprt: &Sprt,
    pairs_max: u64,
    rng: &mut ChaCha8Rng,
    mut pair: impl FnMut(&mut ChaCha8Rng) -> (Points, Points),
) -> Ended {
    let mut paired = Paired::default();
    loop {
        let accepted = sprt.accepted(sprt.llr(&paired));
        if accepted.is_some() || paired.count() == pairs_max {
            return Ended {
                accepted,
                pairs: paired.count(),
            };
        }
        let (new, old) = pair(rng);
        paired.add(new, old);
    }
}

/// A test of two bots that play each other, as in `judge match`.
pub(crate) fn direct(null: f64, alternative: f64) -> Sprt {
    Sprt {
        unit: Unit::Elo,
        null,
        alternative,
        alpha: 0.05,
        beta: 0.05,
    }
}

/// Plays a match of two bots that play each other.
pub(crate) fn play_direct(
    sprt: &Sprt,
    model: Model,
    elo: f64,
    pairs_max: u64,
    rng: &mut ChaCha8Rng,
) -> Ended {
    play(sprt, pairs_max, rng, |rng| {
        let new = model.pair(elo, rng);
        (new, Points::whole(1) - new)
    })
}
