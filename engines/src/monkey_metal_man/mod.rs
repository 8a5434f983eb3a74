//! The Monkey and the Metal Man: the last player left on a map that collapses from the outside
//! wins. Two to four players each have a far-sighted spotter and a fast assasin.
//!
//! The rules, with the spelling "assasin", are those of the course text "The Monkey and The Metal
//! Man", and the line of sight those of its pictures (see `sight.rs`). Where the text is silent:
//!
//! - A player whose pieces are dead is skipped, even if they died earlier in the same round. The
//!   round is played to its end even if one player is left. If a collapse leaves one player or
//!   none, the game is over at once.
//! - A player's own dead pieces do not block. (In the course's original program they blocked by
//!   accident; [`Setup::dead_pieces_block`] restores that.)
//! - A step `[0,0]` stays and is used up, as in the course's original program.
//! - Any other step or direction outside the four is a bad order. Its piece makes no move and keeps
//!   its direction, and the other piece carries out its own orders.
//! - A forfeit makes no move and keeps the directions. At [`Setup::timeouts_max`] time-outs, or
//!   when the program has ended, the player's pieces are removed. Removal is no capture.
//! - A seat that is not to move can forfeit as well. The time-out is counted, or the pieces are
//!   removed, and the turn does not change.
//! - Under [`Setup::strict`], `[0,0]` is a bad order, a bad order is a forfeit, and every fault
//!   counts like a time-out. This is a strict reading of the text's list of four directions.
//! - A player's place depends on the round and turn in which it lost its last piece. A collapse
//!   comes after the round's last turn. Any other event belongs to the turn of the seat that is to
//!   move. Equal moments share a place.
//! - All players in the first place have won. If nobody is left, those who lasted longest win:
//!   jointly all whom the last collapse killed, or the last whose pieces were removed.
//! - Two players sit in opposite corners (the course's players 0 and 2), three in the corners of
//!   its players 0, 1 and 2. Players are numbered by seat.
//!
//! Points are twelfths of a win, so that two, three or four players can share a win.

mod action;
mod bots;
mod field;
mod frame;
mod generator;
mod position;
mod rules;
mod setup;
mod sight;
mod view;

use crate::kit::solved;
use crate::{Advice, Blind, Calls, Homework, Kit, Sign};
use core::fmt;
use serde::{Deserialize, Serialize};

pub use action::{ASSASIN_STEPS_MAX, Action, Orders, SPOTTER_STEPS_MAX, Step, Steps};
pub use field::{Direction, Location, SIDE_MAX, SIDE_MIN, Terrain};
pub use position::{COLLAPSE_TURN, Moment, MonkeyMetalMan, ROUNDS_PER_CIRCLE};
pub use setup::{Config, MapKind, Player, Setup};
pub use view::{Board, Cell, Enemy, View};

/// The maximum number of players.
pub const PLAYERS_MAX: usize = 4;

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

    const fn other(self) -> Self {
        Self::ALL[1 - self as usize]
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["spotter", "assasin"][*self as usize])
    }
}

const KITS: &[Kit] = &[Kit {
    language: "python",
    sign: Sign::Text {
        ending: "py",
        has: &["class ", "def step"],
        // A program that speaks the protocol itself must say that it is ready.
        lacks: &["\"ready\"", "'ready'"],
    },
    files: &[
        ("judge_cage.py", include_str!("../kit/judge_cage.py")),
        ("judge_kit.py", include_str!("kit/python/judge_kit.py")),
        ("judge_check.py", include_str!("kit/python/judge_check.py")),
    ],
    calls: Calls {
        start: None,
        turn: &["step"],
        before_first: &["__init__"],
    },
    blind: Blind::NOWHERE,
    libraries: &["numpy"],
    hints: &[],
    advice: Advice {
        answer: "step returns {\"Spotter\": {\"direction\": [r, c], \"moves\": [[r, c], …]}, \"Assasin\": {…}}, where each [r, c] is one of [-1, 0], [1, 0], [0, -1] and [0, 1]; a move may also be [0, 0], which stays",
        time: "step is not told how much is left: compare time.process_time() with what it was when step began",
        chance: "if it draws random numbers: the module random is seeded for every game, so draw from it without a seed of your own (numpy.random is not seeded)",
    },
    project: &[],
    starter: &[("bot.py", include_str!("kit/python/starter/bot.py"))],
    // The course has no exercises besides the bot itself.
    solved: solved(&[("bot.py", include_str!("kit/python/starter/bot.py"))]),
    homework: Homework::NONE,
}];
