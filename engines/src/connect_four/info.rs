//! Facts about the game that need no position.

use crate::{GameInfo, Information, Lifetime, Points, TimeControl};

pub(super) const INFO: GameInfo = GameInfo {
    slug: "connect-four",
    title: "Connect Four",
    summary: "Two players drop discs into an upright board of 7×6; four in a row win.",
    rules_version: 1,
    roles: &["red", "yellow"],
    seats_min: 2,
    // Each ply fills one of the 7·6 cells.
    plies_max: 7 * 6,
    information: Information::Perfect,
    points: Points::PLAIN,
    tie_break: None,
    moves_listed: true,
    time: TimeControl {
        turn_us: None,
        bank_us: Some(10_000_000),
        increment_us: 100_000,
        charge_start: true,
    },
    lifetime: Lifetime::Game,
};
