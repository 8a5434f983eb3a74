//! Hostile input: whatever comes as a setup, a move or a configuration, nothing panics.

use engines::monkey_metal_man::{Action, Config, MonkeyMetalMan, Setup};
use engines::{Entry, Forfeit, Game, Seat};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use rand::seq::IndexedRandom;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

fn entry() -> &'static Entry {
    engines::game("monkey-metal-man").unwrap()
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Any JSON, with a liking for the words and numbers of this game.
fn any_json() -> impl Strategy<Value = Value> {
    let words = select(vec![
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
        "FFFFF",
        "WOF",
        "",
        "\u{0}",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2_i64..32).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        select(vec![i64::MIN, i64::MAX, -1, 255, 256]).prop_map(Value::from),
        Just(Value::from(u64::MAX)),
        any::<f64>().prop_map(Value::from),
        words.clone().prop_map(Value::from),
        Just(json!([1, 0])),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        let key = words.clone().prop_map(str::to_owned);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map(key, inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// A valid value with some of its places replaced, removed or doubled.
fn mutated(valid: Value) -> impl Strategy<Value = Value> {
    let change = (any::<Index>(), 0..3_u8, any_json());
    prop::collection::vec(change, 1..4).prop_map(move |changes| {
        let mut value = valid.clone();
        for (place, how, other) in changes {
            let mut places = Vec::new();
            list_places(&value, String::new(), &mut places);
            let place = place.get(&places);
            mutate(&mut value, place, how, other);
        }
        value
    })
}

fn list_places(value: &Value, here: String, places: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                list_places(item, format!("{here}/{i}"), places);
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                list_places(item, format!("{here}/{key}"), places);
            }
        }
        _ => {}
    }
    places.push(here);
}

fn mutate(value: &mut Value, place: &str, how: u8, other: Value) {
    let Some((parent, key)) = place.rsplit_once('/') else {
        *value = other;
        return;
    };
    match value.pointer_mut(parent) {
        Some(Value::Array(items)) => {
            let i: usize = key.parse().unwrap();
            match how {
                0 => items[i] = other,
                1 => drop(items.remove(i)),
                _ => items.insert(i, items[i].clone()),
            }
        }
        Some(Value::Object(map)) => match how {
            0 => drop(map.insert(key.to_owned(), other)),
            1 => drop(map.remove(key)),
            _ => drop(map.insert(format!("{key}_"), other)),
        },
        _ => {}
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

fn an_answer() -> Value {
    json!({
        "Spotter": {"direction": [1, 0], "moves": [[1, 0], [0, 1]]},
        "Assasin": {"direction": [0, -1], "moves": [[0, 1], [0, 1], [1, 0], [1, 0]]},
    })
}

/// Starts from a setup, and if that is valid, looks at everything and plays a little.
fn try_setup(setup: &RawValue) {
    let Ok(mut game) = entry().start(setup) else {
        return;
    };
    let mut rng = super::seeded(1);
    for ply in 0..12 {
        let Some(seat) = game.to_move().first() else {
            assert!(game.outcome().is_some());
            return;
        };
        for seat in 0..game.seats() {
            game.write_view(Seat::new(seat), &mut Vec::new());
        }
        game.frame();
        let answer = game.legal_moves(seat).choose(&mut rng).unwrap().clone();
        game.play(seat, &answer).unwrap();
        if ply % 3 == 2 {
            game.forfeit(Seat::new(ply % 8), Forfeit::Time);
        }
    }
}

fn try_answer(answer: &str) {
    let setup = to_raw_value(&a_setup()).unwrap();
    let mut game = entry().start(&setup).unwrap();
    let seat = game.to_move().first().unwrap();
    if let Ok(spelling) = game.play(seat, answer) {
        let read: Action = serde_json::from_str(&spelling).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), spelling);
    }
}

/// Completes a configuration, and if that is allowed, draws and starts.
fn try_config(settings: &str) {
    if let Ok(config) = entry().configure(settings) {
        let setup = entry().draw(&config, 5).unwrap();
        entry().start(&setup).expect("a drawn setup is valid");
    }
}

proptest! {
    #![proptest_config(cases(3_000))]

    #[test]
    fn no_json_as_a_setup_panics(json in any_json()) {
        try_setup(&to_raw_value(&json).unwrap());
    }

    #[test]
    fn no_mutated_setup_panics(json in mutated(a_setup())) {
        try_setup(&to_raw_value(&json).unwrap());
    }

    #[test]
    fn no_json_as_a_move_panics(json in any_json()) {
        try_answer(&json.to_string());
    }

    #[test]
    fn no_mutated_move_panics(json in mutated(an_answer())) {
        try_answer(&json.to_string());
    }

    #[test]
    fn no_text_as_a_move_panics(text in ".{0,60}") {
        try_answer(&text);
    }

    #[test]
    fn no_json_as_a_configuration_panics(json in any_json()) {
        try_config(&json.to_string());
    }
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn no_mutated_configuration_panics(
        json in mutated(json!({
            "map": "symmetric", "side": 13, "players": 3, "faults_max": 2,
            "dead_pieces_block": true, "walls_min": 0.1, "walls_max": 0.3,
            "highground_groups": 2,
        }))
    ) {
        try_config(&json.to_string());
    }

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
    let game = entry().start(&setup).unwrap();
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
