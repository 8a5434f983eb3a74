//! Whatever stands on the wire is read or refused, and never panics.

use crate::support::wire::Wire;
use judge_engines::Game;
use judge_engines::monkey_metal_man::{Action, Config, MonkeyMetalMan, Setup};
use proptest::prelude::*;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

fn wire() -> Wire {
    let drawn = |seed| {
        let setup = super::cases::setup(&mut super::seeded(seed));
        let read: Setup = serde_json::from_value(setup.clone()).unwrap();
        let game = MonkeyMetalMan::start(&read).ok()?;
        Game::to_move(&game).first().map(|_| setup.to_string())
    };
    Wire {
        slug: "monkey-metal-man",
        setups: (0..30)
            .filter_map(drawn)
            .chain([a_setup().to_string()])
            .collect(),
        moves: &[
            r#"{"Spotter":{"direction":[1,0],"moves":[[1,0],[0,1]]},"Assasin":{"direction":[0,-1],"moves":[[0,1],[0,1],[1,0],[1,0]]}}"#,
            r#"{"Spotter":{"direction":[0,1]},"Assasin":{"direction":[0,1],"moves":[]}}"#,
        ],
        configs: &[
            "{}",
            r#"{"players":2,"faults_max":1,"dead_pieces_block":true}"#,
            r#"{"map":"symmetric","side":13,"players":3,"faults_max":2,"dead_pieces_block":true,"walls_min":0.1,"walls_max":0.3,"highground_groups":2}"#,
        ],
        words: &[
            "map",
            "pieces",
            "spotter",
            "assasin",
            "spotter_direction",
            "assasin_direction",
            "spotter_alive",
            "assasin_alive",
            "faults",
            "faults_max",
            "captures",
            "lost",
            "round",
            "turn",
            "timer",
            "circles_collapsed",
            "to_move",
            "dead_pieces_block",
            "Spotter",
            "Assasin",
            "direction",
            "moves",
            "Debug",
            "side",
            "players",
            "walls_min",
            "walls_max",
            "classic",
            "symmetric",
            "highground_groups",
            "spotter location",
            "assasin location",
            "spotter alive",
            "circles collapsed",
            "playerId",
            "FFFFF",
        ],
    }
}

fn a_setup() -> Value {
    let mut rng = super::seeded(3);
    let config: Config = serde_json::from_value(json!({"map": "symmetric", "side": 11})).unwrap();
    let mut setup = serde_json::to_value(MonkeyMetalMan::draw(&config, &mut rng).unwrap()).unwrap();
    setup["timer"] = json!(2);
    setup["to_move"] = json!(1);
    setup["circles_collapsed"] = json!(0);
    setup["pieces"][2]["faults"] = json!(1);
    setup["pieces"][3]["spotter_alive"] = json!(false);
    setup["pieces"][3]["captures"] = json!(1);
    setup
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
