//! Facts about the game that need no position.

use crate::{GameInfo, Information, Lifetime, Points, TimeControl};

pub(super) const INFO: GameInfo = GameInfo {
    slug: "catch-the-cat",
    title: "Catch the Cat",
    summary: "A cat runs for the border of a hexagonal board; the catcher blocks one cell a turn.",
    rules_version: 1,
    roles: &["cat", "catcher"],
    seats_min: 2,
    // Each catcher's turn fills one of the 21·21 cells.
    plies_max: 2 * 21 * 21,
    information: Information::Perfect,
    points: Points::PLAIN,
    tie_break: None,
    moves_listed: true,
    time: TimeControl {
        turn_us: Some(2_000_000),
        bank_us: None,
        increment_us: 0,
        charge_start: false,
    },
    lifetime: Lifetime::Turn,
};
