//! Tests that the lists agree with the checks after any opening.

use judge_engines::Game;
use judge_engines::crazy_camel::{Config, CrazyCamel};
use judge_engines::erased::AnyGame;
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

fn mid_game(seed: u64, plies: u32) -> CrazyCamel {
    let config = Config {
        opening_plies: plies,
        ..Config::default()
    };
    let setup = CrazyCamel::draw(&config, &mut ChaCha8Rng::seed_from_u64(seed));
    let setup = setup.expect("an opening is found");
    CrazyCamel::start(&setup).expect("valid")
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(2_000)
    })]

    #[test]
    fn every_legal_move_passes_the_check_and_keeps_its_spelling(
        seed in 0u64..1_000, plies in 0u32..=32,
    ) {
        let game = mid_game(seed, plies);
        let game: &dyn AnyGame = &game;
        let seat = game.to_move().first().expect("not over");
        for mv in game.legal_moves(seat) {
            let mut copy = game.boxed_clone();
            prop_assert_eq!(copy.play(seat, &mv), Ok(mv));
        }
    }
}
