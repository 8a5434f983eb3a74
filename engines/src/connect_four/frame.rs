//! The picture of a position.

use super::{Board, Colour};
use crate::{Ansi, Disc, Frame, Grid, Mark, Palette, Piece, Tone};
use alloc::borrow::ToOwned;
use alloc::vec::Vec;

/// Red and yellow discs in a blue board with round holes.
pub(super) const PALETTE: Palette = Palette {
    seats: &[
        Piece::disc(Tone::new(0x00d1_3438, 0x00e0_524f), Ansi::Red)
            .rimmed(Tone::new(0x009c_2226, 0x00a8_3330)),
        Piece::disc(Tone::new(0x00f2_c230, 0x00f5_cf4a), Ansi::Yellow)
            .rimmed(Tone::new(0x00a5_7f10, 0x00bd_9722)),
    ],
    cell: Tone::new(0x002f_66b0, 0x0023_508c),
    line: Tone::new(0x0027_579a, 0x001d_4478),
    hole: Some(Tone::new(0x00f4_f7fb, 0x0012_161b)),
};

/// Draws the board. `to_move` is none once the game is over.
pub(super) fn draw(board: &Board, to_move: Option<Colour>) -> Frame {
    let (width, height) = (board.width(), board.height());
    let cells = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    // A picture's rows count from the top, the board's from the bottom.
    let disc = |(x, y)| {
        board.cell(x, height - 1 - y).map(|colour| Disc {
            x,
            y,
            seat: colour.seat().index(),
            letter: None,
            facing: None,
        })
    };
    let turn = to_move.map_or("over".to_owned(), |colour| format!("{colour} to move"));
    Frame {
        grid: Grid::Square,
        width,
        height,
        cells: ".".repeat(width * height),
        walls: Vec::new(),
        discs: cells.filter_map(disc).collect(),
        visible: Vec::new(),
        notes: vec![turn],
        marks: Colour::BOTH
            .into_iter()
            .filter_map(|colour| fours(board, colour))
            .collect(),
    }
}

/// Marks the lines of four of a colour, if it has any.
fn fours(board: &Board, colour: Colour) -> Option<Mark> {
    let (width, height) = (board.width(), board.height());
    let line = board.shape().lines_of_four(board.discs(colour));
    let cells: Vec<_> = (0..height)
        .flat_map(|y| (0..width).map(move |x| (x, y)))
        .filter(|&(x, y)| line >> (x * (height + 1) + height - 1 - y) & 1 == 1)
        .collect();
    (!cells.is_empty()).then(|| Mark {
        meaning: "four in a row".to_owned(),
        seat: Some(colour.seat().index()),
        cells,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_winning_four_are_marked_and_three_are_not() {
        let columns = |last| {
            [
                "R.....", "YR....", "YYR...", last, "R.....", "......", "......",
            ]
        };
        let board = |last| Board::parse(&columns(last)).expect("a board");
        let four = draw(&board("RYYR.."), None);
        let cells = vec![(3, 2), (2, 3), (1, 4), (0, 5)];
        let mark = |seat, cells| Mark {
            meaning: "four in a row".to_owned(),
            seat: Some(seat),
            cells,
        };
        assert_eq!(four.marks, [mark(0, cells)]);
        let three = draw(&board("RYY..."), Some(Colour::Red));
        assert_eq!(three.marks, []);
    }
}
