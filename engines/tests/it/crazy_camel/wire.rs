//! Whatever stands on the wire is read or refused, and never panics.

use crate::support::wire::Wire;
use judge_engines::Game;
use judge_engines::crazy_camel::{Config, CrazyCamel};
use judge_engines::erased::AnyGame;
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

fn mid_game(seed: u64, plies: u32) -> (String, CrazyCamel) {
    let config = Config {
        opening_plies: plies,
        ..Config::default()
    };
    let setup = CrazyCamel::draw(&config, &mut ChaCha8Rng::seed_from_u64(seed));
    let setup = setup.expect("an opening is found");
    let text = serde_json::to_string(&setup).expect("plain data");
    (text, CrazyCamel::start(&setup).expect("valid"))
}

fn wire() -> Wire {
    let plies = [0, 1, 2, 5, 9, 9, 9, 12, 16, 20, 24];
    Wire {
        slug: "crazy-camel",
        setups: (0..)
            .zip(plies)
            .map(|(seed, plies)| mid_game(seed, plies).0)
            .collect(),
        moves: &[
            r#"{"step":"up"}"#,
            r#"{"step":"down-left"}"#,
            r#"{"camel":{"h":[2,4]}}"#,
            r#"{"camel":{"v":[0,0]}}"#,
        ],
        configs: &[
            "{}",
            r#"{"width":9,"height":9,"camels":10,"plies_max":9,"opening_plies":6}"#,
            r#"{"width":3,"height":12,"camels":0,"plies_max":40,"opening_plies":1}"#,
        ],
        words: &[
            "step",
            "camel",
            "h",
            "v",
            "up",
            "down",
            "down-left",
            "width",
            "height",
            "plies_max",
            "players",
            "position",
            "camels",
            "to_move",
            "opening_plies",
            "you",
        ],
    }
}

#[test]
fn any_move_is_played_or_refused_and_then_changes_nothing() {
    wire().survives_moves();
}

#[test]
fn any_setup_starts_a_sound_game_or_is_refused() {
    wire().survives_setups();
}

#[test]
fn any_configuration_is_completed_or_refused() {
    wire().survives_configurations();
}

#[test]
fn any_view_and_list_of_moves_leave_the_built_in_bots_standing() {
    wire().survives_views();
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
        let (_, game) = mid_game(seed, plies);
        let game: &dyn AnyGame = &game;
        let seat = game.to_move().first().expect("not over");
        for mv in game.legal_moves(seat) {
            let mut copy = game.boxed_clone();
            prop_assert_eq!(copy.play(seat, &mv), Ok(mv));
        }
    }
}
