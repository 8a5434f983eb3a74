//! The picture of a position.

use super::board::{FIELDS, fields};
use super::{Board, Colour};
use crate::{Disc, Frame, Grid};
use alloc::borrow::ToOwned;
use alloc::vec::Vec;

/// Draws the board; `to_move` is absent once the game is over.
pub(super) fn draw(board: &Board, to_move: Option<Colour>) -> Frame {
    let discs = [Colour::Black, Colour::White]
        .into_iter()
        .flat_map(|colour| {
            fields(board.discs(colour)).map(move |field| Disc {
                x: field as usize % 8,
                y: field as usize / 8,
                seat: colour.seat().index(),
                letter: None,
                facing: None,
            })
        });
    let turn = match to_move {
        Some(colour) if board.moves(colour) == 0 => format!("{colour} must pass"),
        Some(colour) => format!("{colour} to move"),
        None => "over".to_owned(),
    };
    Frame {
        grid: Grid::Square,
        width: 8,
        height: 8,
        cells: ".".repeat(FIELDS),
        walls: Vec::new(),
        discs: discs.collect(),
        visible: Vec::new(),
        notes: vec![
            format!(
                "black {}, white {}",
                board.count(Colour::Black),
                board.count(Colour::White)
            ),
            turn,
        ],
    }
}
