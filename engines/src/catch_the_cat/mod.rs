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

mod bots;
mod frame;
mod hex;
mod kit;
mod position;
mod rules;
mod setup;

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

/// Appends the JSON of a view. `serde_json` would spend most of its time in search of escapes.
fn write(game: &CatchTheCat, out: &mut Vec<u8>) {
    let (side, Point(x, y)) = (game.side, game.cat);
    let head = format!(r#"{{"side":{side},"cat":[{x},{y}],"world":""#);
    out.extend_from_slice(head.as_bytes());
    out.extend_from_slice(&game.world);
    out.extend_from_slice(br#""}"#);
}
