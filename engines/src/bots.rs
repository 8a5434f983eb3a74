//! Parts that the built-in bots of several games share.

use crate::{Baseline, Game, Seat};
use alloc::vec::Vec;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
#[cfg(test)]
use {crate::SeatOutcome, rand_chacha::rand_core::SeedableRng};

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

#[cfg(test)]
pub(crate) fn play<G: Game>(config: &G::Config, bots: &[usize], seed: u64) -> Vec<SeatOutcome> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let setup = G::draw(config, &mut rng).expect("allowed");
    let mut game = G::start(&setup).expect("valid");
    while let Some(seat) = game.to_move().first() {
        let choose = G::BASELINES[bots[seat.index()]].choose;
        let mv = choose(seat, &game.view(seat), &game.legal_moves(seat), &mut rng);
        game.play(seat, mv).expect("a bot plays by the rules");
    }
    game.outcome().expect("over").seats
}
