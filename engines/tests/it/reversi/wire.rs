//! Whatever comes over the wire: nothing panics, and the lists agree with the checks.

use crate::support::wire::Wire;
use judge_engines::reversi::{Board, Colour, Move, Reversi, Setup, View};
use judge_engines::{Game, Turn};
use proptest::collection::vec;
use proptest::prelude::*;

fn wire() -> Wire {
    let boards = [
        (
            "...........................WB......BW...........................",
            "black",
        ),
        (
            "BW..............................................................",
            "white",
        ),
        (
            ".................BBB.......WBW.....WBW....BWWWB....W.W..........",
            "black",
        ),
    ];
    let setup = |(board, to_move)| format!(r#"{{"board":"{board}","to_move":"{to_move}"}}"#);
    Wire {
        slug: "reversi",
        setups: boards.map(setup).into(),
        moves: &["\"pass\"", "19", "26"],
        configs: &["{}", r#"{"opening_plies":12}"#],
        words: &[
            "board",
            "to_move",
            "black",
            "white",
            "opening_plies",
            "pass",
            "you",
            "last",
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
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(1000)
    })]

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
