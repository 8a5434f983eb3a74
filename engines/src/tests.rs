//! Games between built-in bots, for their tests.

use crate::prelude::*;
use crate::{Game, GameResult, SeatOutcome};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// Plays games of the second built-in bot against the first, from either seat.
pub(crate) fn beats_random<G: Game>(games: u64, won_min: usize, points_min: i64) {
    for (bots, own) in [([1, 0], 0), ([0, 1], 1)] {
        let games =
            (0..games).map(|seed| play::<G>(&G::Config::default(), &bots, seed).swap_remove(own));
        let seats: Vec<SeatOutcome> = games.collect();
        let won = seats
            .iter()
            .filter(|seat| seat.result == GameResult::Won)
            .count();
        assert!(won >= won_min, "{bots:?}: {won} games won");
        let points: i64 = seats.iter().map(|seat| seat.points).sum();
        assert!(points >= points_min, "{bots:?}: {points} points");
    }
}

pub(crate) fn play<G: Game>(config: &G::Config, bots: &[usize], seed: u64) -> Vec<SeatOutcome> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let setup = G::draw(config, &mut rng).expect("allowed");
    let mut game = G::start(&setup).expect("valid");
    while let Some(seat) = game.mover() {
        let choose = G::BASELINES[bots[seat.index()]].choose;
        let mv = choose(seat, &game.view(seat), &game.legal_moves(seat), &mut rng);
        game.play(seat, mv).expect("a bot plays by the rules");
    }
    game.outcome().expect("over").seats
}
