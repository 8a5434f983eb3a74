//! Recorded games under `testdata/reversi`: they replay to the same outcome, and one of them
//! picture by picture.
//!
//! `UPDATE_GOLDEN=1 cargo test -p judge-engines --test it reversi::golden` plays them anew.

use crate::support::picture::picture;
use crate::support::records::{Bout, Golden, Record};
use judge_engines::GameResult;

/// Among the games are a draw, a player without a disc left after 12 plies, one with 13
/// passes, and one that ends with empty fields.
const GOLDEN: Golden = Golden {
    slug: "reversi",
    bouts: &[
        Bout("{}", &["random", "random"], 8),
        Bout("{}", &["random", "random"], 1561),
        Bout("{}", &["mobility", "random"], 5),
        Bout("{}", &["random", "mobility"], 27),
        Bout("{}", &["mobility", "mobility"], 5),
        Bout(r#"{"opening_plies":9}"#, &["mobility", "mobility"], 6),
        Bout(r#"{"opening_plies":40}"#, &["random", "mobility"], 7),
    ],
    pictured: 2,
    picture,
};

#[test]
fn golden_games_replay_to_the_recorded_outcome_and_pictures() {
    let games = GOLDEN.check();
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
    let turns = &games[GOLDEN.pictured].turns;
    assert!(turns.iter().any(|(_, mv)| mv.get() == "\"pass\""), "a pass");
}
