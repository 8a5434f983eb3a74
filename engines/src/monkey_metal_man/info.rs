//! Facts about the game that need no position.

use crate::{GameInfo, Information, Lifetime, Points, TimeControl};

pub(super) const INFO: GameInfo = GameInfo {
    slug: "monkey-metal-man",
    title: "The Monkey and the Metal Man",
    summary: "Two to four players with hidden pieces hunt each other on a map that collapses from the outside.",
    rules_version: 2,
    roles: &["player 0", "player 1", "player 2", "player 3"],
    seats_min: 2,
    // On 19×19 the ninth collapse, after round 45, leaves a single tile.
    plies_max: 45 * 4,
    information: Information::Hidden,
    points: Points::PLAIN,
    tie_break: Some(Points {
        one: "capture",
        many: "captures",
    }),
    moves_listed: false,
    time: TimeControl {
        turn_us: Some(1_000_000),
        bank_us: None,
        increment_us: 0,
        charge_start: false,
    },
    lifetime: Lifetime::Game,
};
