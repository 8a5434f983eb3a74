//! What a seat is told; both seats see the same.

use super::{CatchTheCat, Point, setup};
use crate::Refused;
use alloc::string::String;
use alloc::vec::Vec;
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
    /// Checks a view that was read from somewhere; what a game returns is sound.
    ///
    /// # Errors
    /// When it is no board, or the cat cannot stand where it does.
    pub fn check(&self) -> Result<(), Refused> {
        setup::check_board(self.side, &self.world, self.cat)
    }

    /// Tells whether a cell is on the board and not blocked; the view is sound.
    pub fn is_free(&self, cell: Point) -> bool {
        cell.inside(self.side) && self.world.as_bytes()[cell.index(self.side)] == b'0'
    }
}

/// Appends the JSON of a view. The world needs no escapes, and looking for some is most of
/// what `serde_json` would spend.
pub(super) fn write(game: &CatchTheCat, out: &mut Vec<u8>) {
    let (side, Point(x, y)) = (game.side, game.cat);
    let head = format!(r#"{{"side":{side},"cat":[{x},{y}],"world":""#);
    out.extend_from_slice(head.as_bytes());
    out.extend_from_slice(&game.world);
    out.extend_from_slice(br#""}"#);
}
