//! Facts about the game that need no position.

use crate::{GameInfo, Information, Lifetime, Points, TimeControl};

pub(super) const INFO: GameInfo = GameInfo {
    slug: "reversi",
    title: "Reversi",
    summary: "Two players fill an 8×8 board; discs caught in a line change colour.",
    rules_version: 1,
    roles: &["black", "white"],
    seats_min: 2,
    // Holds for every setup: a move needs two discs on the board, so at most 62 fields are filled.
    // A move that fills a field follows every pass.
    plies_max: 2 * 62,
    information: Information::Perfect,
    points: Points::PLAIN,
    tie_break: None,
    moves_listed: true,
    time: TimeControl {
        turn_us: None,
        bank_us: Some(300_000_000),
        increment_us: 0,
        charge_start: true,
    },
    lifetime: Lifetime::Game,
};
