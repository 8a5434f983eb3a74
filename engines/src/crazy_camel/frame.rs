//! The picture of a position.

use super::CrazyCamel;
use super::moves::{Camel, Tile};
use super::setup::{Player, Setup};
use crate::{Disc, EdgeWall, Frame, Grid};
use alloc::string::String;
use alloc::vec::Vec;

pub(super) fn draw(game: &CrazyCamel) -> Frame {
    let notes = vec![
        hands(&game.players()),
        format!("turns: {} of at most {}", game.ply(), game.plies_max()),
    ];
    board(
        game.width(),
        game.height(),
        game.camels(),
        game.players(),
        notes,
    )
}

/// Draws a position, which may be over or against the rules.
pub(super) fn of_setup(setup: &Setup) -> Frame {
    let notes = vec![
        hands(&setup.players),
        format!("player {} to move", setup.to_move),
    ];
    board(
        setup.width,
        setup.height,
        &setup.camels,
        setup.players,
        notes,
    )
}

fn hands([a, b]: &[Player; 2]) -> String {
    format!("camels in hand: {} and {}", a.camels, b.camels)
}

fn board(
    width: u32,
    height: u32,
    camels: &[Camel],
    [a, b]: [Player; 2],
    notes: Vec<String>,
) -> Frame {
    let (width, height) = (width as usize, height as usize);
    let inner = ".".repeat(width * (height - 2));
    let disc = |seat, tile| {
        let (x, y) = column_row(tile);
        Disc {
            x,
            y,
            seat,
            letter: None,
            facing: None,
        }
    };
    Frame {
        grid: Grid::Square,
        width,
        height,
        cells: "1".repeat(width) + &inner + &"0".repeat(width),
        walls: camels.iter().map(|&camel| wall(camel)).collect(),
        discs: vec![disc(0, a.position), disc(1, b.position)],
        visible: Vec::new(),
        notes,
    }
}

fn wall(camel: Camel) -> EdgeWall {
    let (x, y) = column_row(camel.anchor());
    EdgeWall {
        x,
        y,
        horizontal: matches!(camel, Camel::H(_)),
    }
}

fn column_row(Tile(x, y): Tile) -> (usize, usize) {
    let index = |number| usize::try_from(number).expect("on the board");
    (index(x), index(y))
}
