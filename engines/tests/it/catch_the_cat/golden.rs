//! Recorded games under `testdata/catch_the_cat`: they replay to the same outcome, and one of
//! them picture by picture.
//!
//! `UPDATE_GOLDEN=1 cargo test -p judge-engines --test it catch_the_cat::golden` plays them anew.

use crate::support::picture::picture;
use crate::support::records::{Bout, Golden};

const GOLDEN: Golden = Golden {
    slug: "catch-the-cat",
    bouts: &[
        Bout("{}", &["random", "random"], 1),
        Bout("{}", &["shortest-path", "shortest-path"], 2),
        Bout("{}", &["shortest-path", "shortest-path"], 3),
        Bout("{}", &["random", "shortest-path"], 4),
        Bout("{}", &["shortest-path", "random"], 5),
        Bout(
            r#"{"side":9,"blocks_min":0.2,"blocks_max":0.3}"#,
            &["shortest-path", "shortest-path"],
            6,
        ),
        Bout(r#"{"side":9}"#, &["shortest-path", "shortest-path"], 6),
        Bout(
            r#"{"side":5,"blocks_min":0.6,"blocks_max":0.7}"#,
            &["random", "random"],
            7,
        ),
        Bout(r#"{"side":33}"#, &["random", "shortest-path"], 8),
    ],
    pictured: 5,
    picture,
};

#[test]
fn golden_games_replay_to_the_recorded_outcome_and_pictures() {
    let games = GOLDEN.check();
    for reason in ["the cat reached the border", "the cat is trapped"] {
        assert!(games.iter().any(|g| g.outcome.reason == reason), "{reason}");
    }
    let catcher_points = games.iter().map(|g| g.outcome.seats[1].points);
    assert!(
        catcher_points.min().is_some_and(|points| points < 0),
        "a win of more moves than the formula's base"
    );
}
