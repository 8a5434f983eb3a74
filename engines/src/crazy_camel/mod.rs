//! Crazy Camel: two masters walk to opposite sides of a board and lay camels in each other's way.
//! The game is known as Quoridor elsewhere; here it has 7×7 tiles and 8 walls for each player.
//!
//! The rules are those of the course text "Crazy Camel Competition". Where the text is silent or
//! contradicts itself:
//!
//! - Player 0 starts at the top and moves first.
//! - A master may be passed diagonally if a camel *or the edge of the board* is straight behind it.
//!   The text's rules section says so; its task section says only "camel".
//! - Camels may touch end to end and as a T.
//! - The text knows no draw. A game that reaches the ply cap is worth 0 to both, unless that very
//!   ply wins.
//! - A seat that gives no legal move loses.
//!
//! Boards have 3×3 to 11×11 tiles, because a set of tiles is a machine word of at most 128 bits.

mod bots;
mod frame;
mod illegal;
mod kit;
mod maze;
mod moves;
mod notation;
mod pieces;
mod position;
mod rules;
mod setup;

use crate::{GameInfo, Information, Lifetime, Points, TimeControl};

pub use maze::{SIDE_MAX, SIDE_MIN};
pub use moves::{Camel, Direction, Move, Tile, camels_intersect};
pub use rules::OPENING_LEAD_MAX;

pub use position::{CrazyCamel, View};
pub use setup::{CAMELS_MAX, Config, OPENING_PLIES_MAX, PLIES_MAX, Player, Setup};

const INFO: GameInfo = GameInfo {
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
