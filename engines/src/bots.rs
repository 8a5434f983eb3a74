//! What the built-in bots of several games share.

use crate::{Baseline, Game, Seat};
use alloc::vec::Vec;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

impl<G: Game> Baseline<G> {
    /// The weakest bot of every game.
    pub(crate) const RANDOM: Self = Self {
        name: "random",
        summary: "plays a uniformly random legal move",
        choose: random::<G>,
    };
}

pub(crate) fn random<G: Game>(
    _seat: Seat,
    _view: &G::View,
    legal: &[G::Move],
    rng: &mut ChaCha8Rng,
) -> G::Move {
    legal.choose(rng).expect("never empty").clone()
}

/// Chooses among the moves of the greatest worth, and returns that, too.
pub(crate) fn best<M: Copy, W: Copy + Ord>(
    moves: &[M],
    worth: impl Fn(M) -> W,
    rng: &mut ChaCha8Rng,
) -> Option<(W, M)> {
    let valued: Vec<(W, M)> = moves.iter().map(|&mv| (worth(mv), mv)).collect();
    let most = valued.iter().map(|&(worth, _)| worth).max()?;
    let ties: Vec<_> = valued.into_iter().filter(|v| v.0 == most).collect();
    ties.choose(rng).copied()
}
