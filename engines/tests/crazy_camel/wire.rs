//! Whatever stands on the wire is read or refused, and never panics.

use engines::crazy_camel::{Config, CrazyCamel, Setup};
use engines::erased::AnyGame;
use engines::{Entry, Game};
use proptest::prelude::*;
use proptest::sample::select;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::value::RawValue;
use serde_json::{Value, json};

fn entry() -> &'static Entry {
    engines::game("crazy-camel").expect("registered")
}

/// A number as a hostile bot might write it.
fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-2i64..12).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        select(vec![i64::MIN, i64::MAX, i64::MAX - 1, -1]).prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(|n| json!(n)),
    ]
}

/// Any JSON, with this game's words in it.
fn any_json() -> impl Strategy<Value = Value> {
    let words = vec![
        "step",
        "camel",
        "h",
        "v",
        "up",
        "down-left",
        "width",
        "height",
        "plies_max",
        "players",
        "position",
        "camels",
        "to_move",
        "opening_plies",
        "x",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number(),
        select(words.clone()).prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 8, move |inner| {
        let key = select(words.clone()).prop_map(str::to_owned);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::hash_map(key, inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Replaces what stands at the `place`-th of all places in a value.
fn mutate(value: &mut Value, place: &mut usize, by: &Value) {
    if *place == 0 {
        *value = by.clone();
    }
    *place = place.wrapping_sub(1);
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| mutate(item, place, by)),
        Value::Object(map) => map.values_mut().for_each(|item| mutate(item, place, by)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn mid_game(seed: u64, plies: u32) -> Box<dyn AnyGame> {
    let config = Config {
        opening_plies: plies,
        ..Config::default()
    };
    let setup = CrazyCamel::draw(&config, &mut ChaCha8Rng::seed_from_u64(seed));
    let setup = setup.expect("an opening is found");
    Box::new(CrazyCamel::start(&setup).expect("valid"))
}

fn raw(value: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).expect("plain data")
}

/// Starts a game from whatever this is, and plays on if it may be started.
fn try_setup(setup: &Value) {
    let Ok(mut game) = entry().start(&raw(setup)) else {
        return;
    };
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..6 {
        let Some(seat) = game.to_move().first() else {
            break;
        };
        let legal = game.legal_moves(seat);
        let mv = legal.choose(&mut rng).expect("there is a legal move");
        game.play(seat, mv).expect("a listed move is legal");
        game.frame();
    }
}

/// Plays whatever this is; a refusal leaves the position as it was.
fn try_move(game: &mut Box<dyn AnyGame>, text: &str) {
    let seat = game.to_move().first().expect("not over");
    let mut before = Vec::new();
    game.write_view(seat, &mut before);
    let listed = game.legal_moves(seat);
    if let Ok(spelled) = game.play(seat, text) {
        assert!(listed.contains(&spelled), "{spelled} is not listed");
        return;
    }
    let mut after = Vec::new();
    game.write_view(seat, &mut after);
    assert_eq!(before, after, "{text} changed the position");
}

fn valid_setup() -> Value {
    let drawn = mid_game_setup();
    serde_json::to_value(drawn).expect("plain data")
}

fn mid_game_setup() -> Setup {
    let config = Config {
        opening_plies: 9,
        ..Config::default()
    };
    CrazyCamel::draw(&config, &mut ChaCha8Rng::seed_from_u64(3)).expect("an opening is found")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_text_as_a_move_panics(text in ".{0,60}", seed in 0u64..20, plies in 0u32..24) {
        try_move(&mut mid_game(seed, plies), &text);
    }

    #[test]
    fn no_json_as_a_move_panics(value in any_json(), seed in 0u64..20, plies in 0u32..24) {
        try_move(&mut mid_game(seed, plies), &value.to_string());
    }

    #[test]
    fn no_camel_anywhere_panics(
        x in number(), y in number(), lie in select(vec!["h", "v", "H"]), seed in 0u64..20,
    ) {
        let mv = json!({"camel": {lie: [x, y]}});
        try_move(&mut mid_game(seed, 12), &mv.to_string());
    }

    #[test]
    fn no_json_as_a_setup_or_configuration_panics(value in any_json()) {
        try_setup(&value);
        let _ = entry().configure(&value.to_string());
    }

    #[test]
    fn no_mutated_setup_panics(
        changes in prop::collection::vec((0usize..60, any_json()), 1..4),
        numbers in prop::collection::vec((0usize..60, number()), 0..3),
    ) {
        let mut setup = valid_setup();
        for (mut place, by) in changes.into_iter().take(1).chain(numbers) {
            mutate(&mut setup, &mut place, &by);
        }
        try_setup(&setup);
    }

    #[test]
    fn no_mutated_setup_of_numbers_panics(
        numbers in prop::collection::vec((0usize..60, -1i64..12), 1..5),
    ) {
        let mut setup = valid_setup();
        for (place, number) in numbers {
            let mut place = place;
            mutate(&mut setup, &mut place, &json!(number));
        }
        try_setup(&setup);
    }

    #[test]
    fn no_mutated_configuration_panics(place in 0usize..6, by in any_json(), n in 0u32..40) {
        let mut config = json!({
            "width": n % 13, "height": n % 11 + 2, "camels": n, "plies_max": 9, "opening_plies": n,
        });
        let _ = entry().configure(&config.to_string());
        let mut place = place;
        mutate(&mut config, &mut place, &by);
        let _ = entry().configure(&config.to_string());
    }

    #[test]
    fn every_legal_move_passes_the_check_and_keeps_its_spelling(
        seed in 0u64..1_000, plies in 0u32..=32,
    ) {
        let game = mid_game(seed, plies);
        let seat = game.to_move().first().expect("not over");
        for mv in game.legal_moves(seat) {
            let mut copy = game.boxed_clone();
            prop_assert_eq!(copy.play(seat, &mv), Ok(mv));
        }
    }
}
