use super::{Board, Colour, Move};
use crate::notation::no_move;
use crate::prelude::*;
use crate::{Ansi, Disc, Frame, Grid, Labels, Mark, Notation, Palette, Piece, Refused, Tone};

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
        let colour = board.cell(x, height - 1 - y)?;
        Some(Disc::plain((x, y), colour.seat().index()))
    };
    let turn = to_move.map_or("over".to_owned(), |colour| format!("{colour} to move"));
    Frame {
        discs: cells.filter_map(disc).collect(),
        notes: vec![turn],
        marks: Colour::BOTH
            .into_iter()
            .filter_map(|colour| fours(board, colour))
            .collect(),
        ..Frame::of_floor(Grid::Square, width, height, ".".repeat(width * height))
    }
}

fn fours(board: &Board, colour: Colour) -> Option<Mark> {
    let (width, height) = (board.width(), board.height());
    let line = board.shape().lines_of_four(board.discs(colour));
    let cells = (0..height)
        .flat_map(|y| (0..width).map(move |x| (x, y)))
        .filter(|&(x, y)| line >> (x * (height + 1) + height - 1 - y) & 1 == 1)
        .collect();
    Mark::of("four in a row", Some(colour.seat().index()), cells)
}

pub(super) const NOTATION: Notation = Notation {
    help: &["a column by its letter, as d, or by its number from 0, as 3"],
    columns: Labels::Letters,
    rows: Labels::FromOneBackwards,
    cell: (4, 2),
};

pub(super) fn spell(mv: Move) -> String {
    match u8::try_from(mv.0) {
        Ok(column @ 0..26) => char::from(b'a' + column).to_string(),
        _ => mv.0.to_string(),
    }
}

pub(super) fn read(width: usize, text: &str) -> Result<Move, Refused> {
    let word = text.trim().to_ascii_lowercase();
    if let [column @ b'a'..=b'z'] = *word.as_bytes()
        && usize::from(column - b'a') < width
    {
        return Ok(Move(i64::from(column - b'a')));
    }
    word.parse().map(Move).map_err(|_| {
        let last = spell(Move(i64::try_from(width).unwrap_or(i64::MAX) - 1));
        no_move(
            text,
            &format!("a column from a to {last}, or its number from 0"),
        )
    })
}
