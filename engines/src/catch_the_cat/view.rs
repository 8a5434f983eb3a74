//! What a seat is told; both seats see the same.

use super::Point;
use serde::{Deserialize, Serialize};

/// What both the cat and the catcher see.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Cells per row and rows.
    pub side: i32,
    /// Where the cat stands.
    pub cat: Point,
    /// One character a cell, row by row from the upper left: `1` blocked, `0` free.
    /// The cell (x,y) stands at (y + side/2) · side + (x + side/2), from 0.
    pub world: String,
}

impl View {
    /// Tells whether a cell is on the board and not blocked.
    pub fn is_free(&self, cell: Point) -> bool {
        cell.inside(self.side) && self.world.as_bytes()[cell.index(self.side)] == b'0'
    }
}
