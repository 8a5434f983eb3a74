//! Connect Four: two players drop discs into the columns of an upright board, and the first with
//! four in a row wins.
//!
//! The rules are those of the game published by Milton Bradley in 1974, which leave open which
//! colour begins: red does. The board has 7 columns by 6 rows unless a competition sets another
//! size. A full board without four in a row is a draw. A seat that gives no legal move loses.

mod board;
mod bots;
mod frame;
mod rules;

pub use board::{Board, Colour, SIDE_MAX, SIDE_MIN};

use crate::Forfeit;
use serde::{Deserialize, Serialize};

/// The maximum number of random plies before a game, besides a third of the cells.
pub const OPENING_PLIES_MAX: usize = 16;

/// The settings that a competition may vary.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The number of columns, [`SIDE_MIN`] to [`SIDE_MAX`].
    pub width: usize,
    /// The number of rows, [`SIDE_MIN`] to [`SIDE_MAX`].
    pub height: usize,
    /// The number of random plies before a game, within [`OPENING_PLIES_MAX`].
    pub opening_plies: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            width: 7,
            height: 6,
            opening_plies: 0,
        }
    }
}

/// An initial state: any position that is not over. Red moves first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The board.
    pub board: Board,
}

/// A column, counted from 0 at the left. Other numbers can be read too, so that
/// [`crate::Game::check`] can explain the fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Move(pub i64);

/// A player's view.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// The board.
    pub board: Board,
    /// The colour of this seat.
    pub you: Colour,
    /// The opponent's last move; null before it has made one.
    pub last: Option<Move>,
}

/// A position of Connect Four. The default is an empty board of 7 by 6.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConnectFour {
    board: Board,
    to_move: Colour,
    last: [Option<Move>; 2],
    end: Option<End>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Four(Colour),
    Full,
    Forfeited(Colour, Forfeit),
}
