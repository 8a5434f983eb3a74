//! Recorded games under `testdata/crazy_camel`: they replay to the same outcome, and one of
//! them picture by picture.
//!
//! `UPDATE_GOLDEN=1 cargo test -p judge-engines --test it crazy_camel::golden` plays them anew.

use crate::support::picture::picture;
use crate::support::records::{Bout, Golden};

const GOLDEN: Golden = Golden {
    slug: "crazy-camel",
    bouts: &[
        Bout("{}", &["random", "random"], 1),
        Bout("{}", &["shortest-path", "shortest-path"], 2),
        Bout(r#"{"opening_plies":6}"#, &["shortest-path", "random"], 3),
        Bout(
            r#"{"width":9,"height":9,"camels":10}"#,
            &["random", "shortest-path"],
            4,
        ),
        Bout(
            r#"{"opening_plies":9}"#,
            &["shortest-path", "shortest-path"],
            5,
        ),
        Bout(
            r#"{"width":5,"height":4,"camels":3}"#,
            &["random", "random"],
            6,
        ),
        Bout(
            r#"{"width":11,"height":11,"plies_max":40}"#,
            &["random", "random"],
            7,
        ),
    ],
    pictured: 1,
    picture,
};

#[test]
fn the_recorded_games_replay_to_the_same_outcomes_and_pictures() {
    let games = GOLDEN.check();
    for reason in [
        "player 0 reached the bottom row",
        "player 1 reached the top row",
        "nobody arrived by ply 40",
    ] {
        assert!(games.iter().any(|g| g.outcome.reason == reason), "{reason}");
    }
}
