//! Whatever comes over the wire: nothing panics, and the lists agree with the checks.

use engines::reversi::{Board, Colour, Move, Reversi, Setup, View};
use engines::{Entry, Game, Seat, Turn};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::value::RawValue;

fn entry() -> &'static Entry {
    engines::game("reversi").expect("registered")
}

fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(1000)
    }
}

const SETUPS: [&str; 2] = [
    r#"{"board":"...........................WB......BW...........................","to_move":"black"}"#,
    r#"{"board":"BW..............................................................","to_move":"white"}"#,
];

/// Any JSON, with numbers and words that a move might hold more often than others.
fn any_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|b| b.to_string()),
        (-70_i64..70).prop_map(|n| n.to_string()),
        any::<i64>().prop_map(|n| n.to_string()),
        any::<u64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_map(|n| format!("{n:e}")),
        "[0-9]{1,60}",
        Just("\"pass\"".to_owned()),
        "\\PC{0,70}".prop_map(|s| serde_json::to_string(&s).expect("a string")),
        "[.BW]{60,68}".prop_map(|s| format!("{s:?}")),
    ];
    leaf.prop_recursive(3, 30, 6, |inner| {
        let name = prop_oneof!["board", "to_move", "opening_plies", "[a-z]{0,8}"];
        let field = (name, inner.clone()).prop_map(|(name, value)| format!("{name:?}:{value}"));
        prop_oneof![
            vec(inner, 0..6).prop_map(|list| format!("[{}]", list.join(","))),
            vec(field, 0..6).prop_map(|fields| format!("{{{}}}", fields.join(","))),
        ]
    })
}

/// A valid text with a few characters changed, put in or taken out.
fn mutated(valid: &'static [&'static str]) -> impl Strategy<Value = String> {
    let change = (
        any::<prop::sample::Index>(),
        0_u8..3,
        prop_oneof![Just('B'), Just('"'), Just('9'), Just('-'), any::<char>()],
    );
    (prop::sample::select(valid), vec(change, 0..4)).prop_map(|(text, changes)| {
        let mut text: Vec<char> = text.chars().collect();
        for (at, what, new) in changes {
            let at = at.index(text.len() + 1);
            match what {
                0 if at < text.len() => text[at] = new,
                1 if at < text.len() => drop(text.remove(at)),
                _ => text.insert(at, new),
            }
        }
        text.into_iter().collect()
    })
}

/// Starts from a text if it is a setup.
fn started(text: &str) -> Option<Box<dyn engines::erased::AnyGame>> {
    let raw: Box<RawValue> = serde_json::from_str(text).ok()?;
    entry().start(&raw).ok()
}

fn position() -> impl Strategy<Value = (Reversi, Colour)> {
    let field = prop_oneof![Just('.'), Just('B'), Just('W')];
    (vec(field, 64), any::<bool>()).prop_map(|(board, black)| {
        let to_move = if black { Colour::Black } else { Colour::White };
        let board = Board::parse(&String::from_iter(board)).expect("a board");
        let game = Reversi::start(&Setup { board, to_move }).expect("every board is allowed");
        (game, to_move)
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_move_is_played_or_refused_and_then_changes_nothing(
        text in prop_oneof![any_json(), mutated(&["\"pass\"", "19", "26"]), "\\PC{0,40}"],
    ) {
        for setup in SETUPS {
            let mut game = started(setup).expect("valid");
            let seat = game.to_move().first().expect("not over");
            let before = format!("{game:?}");
            let listed = game.legal_moves(seat);
            if let Ok(spelled) = game.play(seat, &text) {
                prop_assert!(listed.contains(&spelled));
            } else {
                prop_assert_eq!(format!("{game:?}"), before);
            }
        }
    }

    #[test]
    fn any_setup_starts_a_sound_game_or_is_refused(
        text in prop_oneof![any_json(), mutated(&SETUPS)],
    ) {
        if let Some(mut game) = started(&text) {
            game.frame();
            prop_assert_eq!(game.to_move().is_empty(), game.outcome().is_some());
            if let Some(seat) = game.to_move().first() {
                let first = game.legal_moves(seat).remove(0);
                prop_assert!(game.play(seat, &first).is_ok());
            }
        }
    }

    #[test]
    fn any_configuration_is_completed_or_refused(
        text in prop_oneof![any_json(), mutated(&["{}", r#"{"opening_plies":12}"#])],
    ) {
        if let Ok(full) = entry().configure(&text) {
            prop_assert!(entry().draw(&full, 1).is_ok());
        }
    }

    #[test]
    fn any_view_and_list_of_moves_leave_the_built_in_bots_standing(
        board in "[.BW]{64}", moves in vec(any_json(), 0..5), seed in any::<u64>(),
    ) {
        let view = format!(r#"{{"board":"{board}","you":"white","last":null}}"#);
        let [view, moves] = [view, format!("[{}]", moves.join(","))]
            .map(|text| serde_json::from_str::<Box<RawValue>>(&text));
        if let (Ok(view), Ok(moves)) = (view, moves) {
            for (name, _) in entry().baselines() {
                if let Ok(mv) = entry().choose(name, Seat::new(1), &view, &moves, seed) {
                    prop_assert!(serde_json::from_str::<Move>(&mv).is_ok());
                }
            }
        }
    }

    #[test]
    fn the_listed_moves_are_those_that_pass_the_check_and_survive_json(
        (game, to_move) in position(), far in any::<i64>(),
    ) {
        let seat = to_move.seat();
        if game.to_move().is_empty() {
            return Ok(());
        }
        let listed = game.legal_moves(seat);
        let all = (-2..66).chain([far]).map(Move::Place).chain([Move::Pass]);
        for mv in all {
            prop_assert_eq!(listed.contains(&mv), game.check(seat, &mv).is_ok(), "{:?}", mv);
        }
        for mv in listed {
            let text = serde_json::to_string(&mv).expect("plain data");
            prop_assert_eq!(serde_json::from_str::<Move>(&text).expect("readable"), mv);
            let mut next = game.clone();
            next.apply(seat, Turn::Played(mv));
            let view = next.view(seat);
            let text = serde_json::to_string(&view).expect("plain data");
            prop_assert_eq!(serde_json::from_str::<View>(&text).expect("readable"), view);
        }
    }
}
