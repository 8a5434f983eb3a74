//! Tests that the recorded games contain the special cases.

use crate::support::records::{Golden, Record};
use judge_engines::GameResult;

#[test]
fn the_recorded_games_end_in_every_way() {
    let games = Golden::games("reversi");
    for reason in [
        "the board is full",
        "neither side can move",
        "black has no disc left",
        "white has no disc left",
    ] {
        assert!(games.iter().any(|g| g.outcome.reason == reason), "{reason}");
    }
    let drawn = |game: &Record| game.outcome.seats[0].result == GameResult::Drawn;
    assert!(games.iter().any(drawn), "a draw");
    let mut moves = games.iter().flat_map(|game| &game.turns);
    assert!(moves.any(|(_, mv)| mv.get() == "\"pass\""), "a pass");
}
