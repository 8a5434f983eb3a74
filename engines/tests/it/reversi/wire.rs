//! Tests of Reversi's lists and views. On any board the lists agree with the checks, and views
//! survive the protocol.

use judge_engines::reversi::{Board, Colour, Move, Reversi, Setup, View};
use judge_engines::{Game, Turn};
use proptest::collection::vec;
use proptest::prelude::*;

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
            next.apply_unchecked(seat, Turn::Played(mv));
            let view = next.view(seat);
            let text = serde_json::to_string(&view).expect("plain data");
            prop_assert_eq!(serde_json::from_str::<View>(&text).expect("readable"), view);
        }
    }
}
