//! The picture of a position.

use super::{CAT, CatchTheCat};
use crate::{Disc, Frame, Grid, Palette, Piece, Shape};
use alloc::vec::Vec;

/// The one piece is a cat.
pub(super) const PALETTE: Palette = Palette {
    seats: &[
        Piece {
            shape: Shape::Cat,
            ..Palette::PLAIN.seats[0]
        },
        Palette::PLAIN.seats[1],
    ],
    ..Palette::PLAIN
};

pub(super) fn draw(game: &CatchTheCat) -> Frame {
    let side = usize::try_from(game.side).expect("a positive side");
    let at = game.cat.index(game.side);
    let border = |i: usize| {
        let (x, y) = (i % side, i / side);
        x == 0 || y == 0 || x == side - 1 || y == side - 1
    };
    let cells = game.world.iter().enumerate().map(|(i, cell)| match cell {
        b'1' => '#',
        _ if border(i) => '*',
        _ => '.',
    });
    Frame {
        grid: Grid::Hex,
        width: side,
        height: side,
        cells: cells.collect(),
        walls: Vec::new(),
        discs: vec![Disc {
            x: at % side,
            y: at / side,
            seat: CAT.index(),
            letter: None,
            facing: None,
        }],
        visible: Vec::new(),
        notes: vec![format!(
            "moves: cat {}, catcher {}",
            game.moves[0], game.moves[1]
        )],
    }
}
