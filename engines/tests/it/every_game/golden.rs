//! Tests that recorded games replay, and contain the special cases; see `support/records.rs`.

use crate::support::records::{Golden, Record};
use judge_engines::{GAMES, GameResult};

#[test]
fn recorded_games_replay_to_same_outcomes_and_pictures() {
    for entry in GAMES {
        Golden::of(entry).check();
    }
}

#[test]
fn the_recorded_games_end_in_every_way() {
    for (slug, reasons) in [
        (
            "catch-the-cat",
            "the cat reached the border|the cat is trapped",
        ),
        (
            "connect-four",
            "red has four in a row|yellow has four in a row|the board is full",
        ),
        (
            "crazy-camel",
            "player 0 reached the bottom row|player 1 reached the top row|nobody arrived by ply 40",
        ),
        (
            "reversi",
            "the board is full|neither side can move|black has no disc left|white has no disc left",
        ),
    ] {
        let games = Golden::games(slug);
        for reason in reasons.split('|') {
            assert!(
                games.iter().any(|g| g.outcome.reason == reason),
                "{slug}: {reason}"
            );
        }
    }
    let cats = Golden::games("catch-the-cat");
    let points = cats.iter().map(|game| game.outcome.seats[1].points).min();
    assert!(
        points < Some(0),
        "a win of more moves than the formula's base"
    );
    let reversi = Golden::games("reversi");
    let is_drawn = |game: &Record| game.outcome.seats[0].result == GameResult::Drawn;
    assert!(reversi.iter().any(is_drawn), "a draw");
    let mut moves = reversi.iter().flat_map(|game| &game.turns);
    assert!(moves.any(|(_, mv)| mv.get() == "\"pass\""), "a pass");
}
