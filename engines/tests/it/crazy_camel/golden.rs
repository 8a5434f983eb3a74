//! Tests that the recorded games contain the special cases.

use crate::support::records::Golden;

#[test]
fn the_recorded_games_end_in_every_way() {
    let games = Golden::games("crazy-camel");
    for reason in [
        "player 0 reached the bottom row",
        "player 1 reached the top row",
        "nobody arrived by ply 40",
    ] {
        assert!(games.iter().any(|g| g.outcome.reason == reason), "{reason}");
    }
}
