//! Tests that the recorded games contain the special cases.

use crate::support::records::Golden;

#[test]
fn the_recorded_games_end_in_every_way() {
    let games = Golden::games("connect-four");
    for reason in [
        "red has four in a row",
        "yellow has four in a row",
        "the board is full",
    ] {
        assert!(games.iter().any(|g| g.outcome.reason == reason), "{reason}");
    }
}
