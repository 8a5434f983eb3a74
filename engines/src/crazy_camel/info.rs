//! Facts about the game that need no position.

use crate::{GameInfo, Information, Lifetime, Points, TimeControl};

pub(super) const INFO: GameInfo = GameInfo {
    slug: "crazy-camel",
    title: "Crazy Camel",
    summary: "Two masters cross the board and lay camels in each other's way: Quoridor on 7×7 with 8 walls each.",
    rules_version: 1,
    roles: &["player 0", "player 1"],
    seats_min: 2,
    plies_max: 128,
    information: Information::Perfect,
    points: Points::PLAIN,
    tie_break: None,
    moves_listed: true,
    time: TimeControl {
        turn_us: None,
        bank_us: Some(10_000_000),
        increment_us: 1_000_000,
        charge_start: true,
    },
    lifetime: Lifetime::Game,
};
