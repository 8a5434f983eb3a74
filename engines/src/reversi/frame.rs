//! The picture of a position.

use super::board::{FIELDS, fields};
use super::{Board, Colour};
use crate::{Ansi, Disc, Frame, Grid, Palette, Piece, Tone};
use alloc::borrow::ToOwned;
use alloc::vec::Vec;

const RIM: Tone = Tone::new(0x0080_868d, 0x0076_7d85);

/// Black and white discs on green felt.
pub(super) const PALETTE: Palette = Palette {
    seats: &[
        Piece::disc(Tone::new(0x0023_272d, 0x000c_0e10), Ansi::Cyan).rimmed(RIM),
        Piece::disc(Tone::new(0x00fb_faf5, 0x00ec_e9df), Ansi::Yellow).rimmed(RIM),
    ],
    cell: Tone::new(0x004d_8a66, 0x0037_6b50),
    line: Tone::new(0x003f_7556, 0x0029_5340),
    hole: None,
};

/// Draws the board. `to_move` is none once the game is over.
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
