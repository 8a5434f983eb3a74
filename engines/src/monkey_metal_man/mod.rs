//! The Monkey and the Metal Man: two to four players, each with a far-sighted spotter and
//! a fast assasin, on a map that collapses from the outside; the last one standing wins.
//!
//! Rules: the course text "The Monkey and The Metal Man", whose spelling "assasin" the wire
//! keeps; the line of sight follows its pictures (see `sight.rs`). Where the text is silent:
//!
//! - A player whose pieces are dead is skipped, also when they died earlier in the round;
//!   the round is played to its end even when one player is left. If a collapse leaves one
//!   player or none, the game is over at once.
//! - Own dead pieces do not block. (The course's original program let them block by
//!   accident; [`Setup::dead_pieces_block`] brings that back.)
//! - A forfeit makes no move, keeps the directions and counts a fault; at
//!   [`Setup::faults_max`] faults, or when the program is gone, the player's pieces are
//!   removed. Removal is no capture. A seat that is not to move can forfeit as well: the
//!   fault is counted, or the pieces are removed, and the turn stays where it is.
//! - A player's place goes by the round and turn in which it lost its last piece; a
//!   collapse comes after the round's last turn, and what happens while a seat is to move
//!   happens in that seat's turn. Equal means a shared place. Whoever has the first place
//!   has won, so a game that ends with nobody left is won by those who lasted longest:
//!   jointly by all whom the last collapse killed, or by the last whose pieces were removed.
//! - Two players sit in opposite corners (the course's players 0 and 2), three in the
//!   corners of its players 0, 1 and 2. Players are numbered by seat.
//!
//! Points are twelfths of a win, so that a win can be shared by two, three or four.
//!
//! ```
//! use judge_engines::monkey_metal_man::{Config, MonkeyMetalMan};
//! use judge_engines::rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
//! use judge_engines::{Game, Seat};
//!
//! let mut rng = ChaCha8Rng::seed_from_u64(1);
//! let setup = MonkeyMetalMan::draw(&Config::default(), &mut rng)?;
//! let mut game = MonkeyMetalMan::start(&setup)?;
//! assert_eq!(game.seats(), 4);
//!
//! // The list is a selection; each of its moves passes the check.
//! let first = Seat::new(0);
//! let legal = game.legal_moves(first);
//! game.play(first, legal[1].clone())?;
//! assert_eq!(game.to_move().first(), Some(Seat::new(1)));
//!
//! // A seat sees its own pieces and what lies in their sight.
//! let seen = game.seen(first);
//! assert!(seen.discs.iter().any(|disc| disc.seat == 0));
//! assert!(seen.discs.iter().all(|disc| disc.seat != 2), "the far corner");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod action;
mod bots;
mod ending;
mod field;
mod frame;
mod generator;
mod geometry;
mod json;
mod kit;
mod moves;
mod notation;
mod position;
mod rules;
#[cfg(test)]
mod scene;
mod setup;
mod sight;
mod view;

pub use action::{ASSASIN_STEPS_MAX, Action, Orders, SPOTTER_STEPS_MAX, Step, Steps};
pub use field::{SIDE_MAX, SIDE_MIN, Terrain};
pub use geometry::{Direction, Location};
pub use position::{COLLAPSE_TURN, Moment, MonkeyMetalMan};
pub use setup::{Config, MapKind, Player, Setup};
pub use view::{Board, Cell, Enemy, View};

use crate::{GameInfo, Information, Lifetime, Points, TimeControl};
use core::fmt;
use serde::{Deserialize, Serialize};

/// The most players.
pub const PLAYERS_MAX: usize = 4;
/// The rounds between two collapses.
pub const ROUNDS_PER_CIRCLE: u8 = 5;

/// One of a player's two pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The monkey: sees far and moves first, up to 2 steps.
    Spotter,
    /// The metal man: sees 2 tiles ahead and moves up to 4 steps.
    Assasin,
}

impl Kind {
    /// Both, in the order in which they move.
    pub const ALL: [Self; 2] = [Self::Spotter, Self::Assasin];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Spotter => "spotter",
            Self::Assasin => "assasin",
        })
    }
}

pub(crate) const INFO: GameInfo = GameInfo {
    slug: "monkey-metal-man",
    title: "The Monkey and the Metal Man",
    summary: "Two to four players with hidden pieces hunt each other on a map that collapses from the outside.",
    rules_version: 1,
    roles: &["player 0", "player 1", "player 2", "player 3"],
    seats_min: 2,
    // On 19×19 the ninth collapse, after round 45, leaves a single tile.
    plies_max: 45 * 4,
    information: Information::Hidden,
    points: Points::PLAIN,
    moves_listed: false,
    time: TimeControl {
        turn_us: Some(1_000_000),
        bank_us: None,
        increment_us: 0,
        charge_start: false,
    },
    lifetime: Lifetime::Game,
};
