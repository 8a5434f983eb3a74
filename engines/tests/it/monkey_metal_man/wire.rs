//! Tests that any line is read or refused, and never panics.

use crate::support::wire::Wire;
use judge_engines::Game;
use judge_engines::monkey_metal_man::{Action, Config, MonkeyMetalMan, Setup};
use proptest::prelude::*;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

#[test]
fn positions_in_the_middle_of_a_game_survive_the_wire() {
    let mut wire = Wire::of(judge_engines::game("monkey-metal-man").unwrap());
    for seed in 0..30 {
        let setup = super::cases::setup(&mut super::seeded(seed));
        let read: Setup = serde_json::from_value(setup.clone()).unwrap();
        if MonkeyMetalMan::start(&read).is_ok() {
            wire.add(setup.to_string());
        }
    }
    wire.add(a_setup().to_string());
    wire.survives_moves();
    wire.survives_setups();
}

fn a_setup() -> Value {
    let mut rng = super::seeded(3);
    let config: Config = serde_json::from_value(json!({"map": "symmetric", "side": 11})).unwrap();
    let mut setup = serde_json::to_value(MonkeyMetalMan::draw(&config, &mut rng).unwrap()).unwrap();
    setup["timer"] = json!(2);
    setup["to_move"] = json!(1);
    setup["circles_collapsed"] = json!(0);
    setup["pieces"][2]["timeouts"] = json!(1);
    setup["pieces"][3]["spotter_alive"] = json!(false);
    setup["pieces"][3]["captures"] = json!(1);
    setup
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(600)
    })]

    #[test]
    fn listed_moves_pass_the_check_and_keep_their_spelling(seed in any::<u64>()) {
        let mut rng = super::seeded(seed);
        let setup: Setup = serde_json::from_value(super::cases::setup(&mut rng)).unwrap();
        if let Ok(game) = MonkeyMetalMan::start(&setup) {
            let seat = Game::to_move(&game).first().unwrap();
            let listed = Game::legal_moves(&game, seat);
            prop_assert!(listed.len() <= 59, "{}", listed.len());
            for (i, action) in listed.iter().enumerate() {
                prop_assert!(game.check(seat, action).is_ok());
                prop_assert!(!listed[..i].contains(action));
                let text = serde_json::to_string(action).unwrap();
                let read: Action = serde_json::from_str(&text).unwrap();
                prop_assert_eq!(&read, action);
            }
        }
    }
}

#[test]
fn huge_lists_and_deep_nesting_are_no_trouble() {
    let answer = |moves: &str| {
        let piece = format!(r#"{{"direction":[1,0],"moves":{moves}}}"#);
        format!(r#"{{"Spotter":{piece},"Assasin":{piece}}}"#)
    };
    let setup = to_raw_value(&a_setup()).unwrap();
    let game = judge_engines::game("monkey-metal-man")
        .unwrap()
        .start(&setup)
        .unwrap();
    let seat = game.to_move().first().unwrap();
    let many = format!("[{}[1,0]]", "[1,0],".repeat(200_000));
    let spelling = game.boxed_clone().play(seat, &answer(&many)).unwrap();
    assert!(spelling.len() < 200, "{spelling}");
    let depth = 100_000;
    let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let cut_off = format!("[[1,0],[1,0],[1,0],[1,0],{deep}]");
    for moves in [&deep, &cut_off] {
        // The reader may give up on such depth, but only with an error.
        drop(game.boxed_clone().play(seat, &answer(moves)));
    }
}
