//! Tests that any line is read or refused, and never panics.

use crate::support::wire::Wire;
use judge_engines::Game as _;
use judge_engines::monkey_metal_man::{Config, MonkeyMetalMan};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

#[test]
fn mid_game_positions_survive_wire() {
    let mut wire = Wire::of(judge_engines::game("monkey-metal-man").unwrap());
    for seed in 0..30 {
        let setup = super::cases::setup(&mut super::seeded(seed));
        if super::start(setup.clone()).is_some() {
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
