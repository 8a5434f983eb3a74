//! Tests that the recorded games contain the special cases.

use crate::support::records::Golden;

#[test]
fn the_recorded_games_end_in_every_way() {
    let games = Golden::games("catch-the-cat");
    for reason in ["the cat reached the border", "the cat is trapped"] {
        assert!(games.iter().any(|g| g.outcome.reason == reason), "{reason}");
    }
    let catcher_points = games.iter().map(|g| g.outcome.seats[1].points);
    assert!(
        catcher_points.min().is_some_and(|points| points < 0),
        "a win of more moves than the formula's base"
    );
}
