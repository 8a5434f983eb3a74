use super::{CAT, CATCHER, CatchTheCat, Point};
use crate::notation::{no_move, pair};
use crate::prelude::*;
use crate::{Disc, Frame, Grid, Labels, Mark, Notation, Palette, Piece, Refused, Seat, Shape};

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
    let at = game.cat.column_row(game.side).expect("on the board");
    let cells = game.world.iter().enumerate().map(|(i, cell)| match cell {
        b'1' => '#',
        _ if Point::from_index(i, game.side).on_border(game.side) => '*',
        _ => '.',
    });
    Frame {
        discs: vec![Disc::plain(at, CAT.index())],
        notes: vec![format!(
            "moves: cat {}, catcher {}",
            game.moves[0], game.moves[1]
        )],
        marks: way_or_wall(game).into_iter().collect(),
        ..Frame::of_floor(Grid::Hex, side, side, cells.collect())
    }
}

/// Greatest length of a way that is marked, in steps: then the next turns decide.
const WAY_STEPS_MAX: usize = 5;

fn way_or_wall(game: &CatchTheCat) -> Option<Mark> {
    let (meaning, seat, cells) = match game.way_to_border() {
        Ok(way) if way.len() > WAY_STEPS_MAX => return None,
        Ok(way) => ("the cat's shortest way out", CAT, way),
        Err(wall) => ("the wall around the cat", CATCHER, wall),
    };
    let cells = cells.iter().filter_map(|cell| cell.column_row(game.side));
    Mark::of(meaning, Some(seat.index()), cells.collect())
}

pub(super) const NOTATION: Notation = Notation {
    help: &[
        "cat: the side to go to: w, e, nw, ne, sw or se; or the cell, as 1,0",
        "catcher: the cell to block: x,y as the margins name them, as -3,2",
    ],
    columns: Labels::Centred,
    rows: Labels::Centred,
    cell: (2, 1),
};

/// The sides in the order of [`Point::neighbours`].
const SIDES: [&str; 6] = ["w", "e", "nw", "ne", "sw", "se"];

pub(super) fn spell(game: &CatchTheCat, seat: Seat, to: Point) -> String {
    let neighbours = game.cat.neighbours();
    let side = neighbours.iter().position(|&cell| cell == to);
    match side.filter(|_| seat == CAT) {
        Some(side) => SIDES[side].to_owned(),
        None => format!("{},{}", to.0, to.1),
    }
}

pub(super) fn read(game: &CatchTheCat, seat: Seat, text: &str) -> Result<Point, Refused> {
    let word = text.trim().to_ascii_lowercase();
    let side = SIDES.iter().position(|side| *side == word);
    match side.filter(|_| seat == CAT) {
        Some(side) => Ok(game.cat.neighbours()[side]),
        None if seat == CAT && word.starts_with(char::is_alphabetic) => {
            Err(no_move(text, "w, e, nw, ne, sw, se or a cell, as 1,0"))
        }
        None => pair(text, "-3,2").map(|(x, y)| Point(x, y)),
    }
}
