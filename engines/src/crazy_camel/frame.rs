//! The picture of a position.

use super::CrazyCamel;
use super::moves::{Camel, Tile};
use crate::{Disc, EdgeWall, Frame, Grid};

pub(super) fn draw(game: &CrazyCamel) -> Frame {
    let width = game.width() as usize;
    let height = game.height() as usize;
    let inner = ".".repeat(width * (height - 2));
    let [a, b] = game.players();
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
        walls: game.camels().iter().map(|&camel| wall(camel)).collect(),
        discs: vec![disc(0, a.position), disc(1, b.position)],
        visible: Vec::new(),
        notes: vec![
            format!("camels in hand: {} and {}", a.camels, b.camels),
            format!("ply {} of at most {}", game.ply(), game.plies_max()),
        ],
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
