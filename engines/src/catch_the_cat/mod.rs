//! Catch the Cat: a cat runs for the border of a hexagonal board, and a catcher blocks one cell a
//! turn.
//!
//! The rules are those of the course text "Catch the Cat". Where the text is silent:
//!
//! - The cat moves first.
//! - Border cells may be blocked.
//! - A cat sealed in a region of several cells plays on until all six neighbours are blocked.
//! - The result is also tested before the first move.
//! - A seat that gives no legal move loses.
//!
//! ```
//! use judge_engines::Game;
//! use judge_engines::catch_the_cat::{CAT, CATCHER, CatchTheCat, Point, Setup};
//!
//! let setup = Setup {
//!     side: 5,
//!     world: "0".repeat(25),
//!     cat: Point::CENTRE,
//!     to_move: CAT,
//! };
//! let mut game = CatchTheCat::start(&setup)?;
//! game.play(CAT, Point(1, 0))?;
//! game.play(CATCHER, Point(2, 0))?;
//! let refused = game.play(CAT, Point(2, 0)).expect_err("just blocked");
//! assert_eq!(refused.rule, "blocked-cell");
//! game.play(CAT, Point(1, 1))?;
//! game.play(CATCHER, Point(1, 2))?;
//! game.play(CAT, Point(2, 1))?;
//! let outcome = game.outcome().expect("over");
//! assert_eq!(outcome.reason, "the cat reached the border");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bots;
mod frame;
mod hex;
mod kit;
mod position;
mod rules;
mod setup;

use crate::Refused;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

pub use hex::Point;
pub use position::{CAT, CATCHER, CatchTheCat};
pub use setup::{Config, SIDE_MAX, Setup};

/// The view of both the cat and the catcher.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// The number of cells per row and of rows.
    pub side: i32,
    /// The cat's cell.
    pub cat: Point,
    /// One character a cell, row by row from the upper left: `1` blocked, `0` free. The cell (x,y)
    /// has the index (y + side/2) · side + (x + side/2), from 0.
    pub world: String,
}

impl View {
    /// Checks a view from an unknown source. The views of a game are valid.
    pub fn check(&self) -> Result<(), Refused> {
        setup::check_board(self.side, &self.world, self.cat)
    }

    /// Returns whether a cell is on the board and not blocked. The view must be valid.
    pub fn is_free(&self, cell: Point) -> bool {
        cell.inside(self.side) && self.world.as_bytes()[cell.index(self.side)] == b'0'
    }
}

/// Appends the JSON of a view. The world needs no escapes, and `serde_json` would spend most of its
/// time in search of some.
fn write(game: &CatchTheCat, out: &mut Vec<u8>) {
    let (side, Point(x, y)) = (game.side, game.cat);
    let head = format!(r#"{{"side":{side},"cat":[{x},{y}],"world":""#);
    out.extend_from_slice(head.as_bytes());
    out.extend_from_slice(&game.world);
    out.extend_from_slice(br#""}"#);
}
