use super::{CAT, CATCHER, CatchTheCat, Point};
use crate::notation::{no_move, pair};
use crate::{Disc, Frame, Grid, Labels, Mark, Notation, Palette, Piece, Refused, Seat, Shape};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

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
        marks: way_or_wall(game).into_iter().collect(),
    }
}

/// Greatest length of a way that is marked, in steps: then the next turns decide.
const WAY_STEPS_MAX: usize = 5;

/// Marks a short way to the border, or the wall around a cat that has none.
fn way_or_wall(game: &CatchTheCat) -> Option<Mark> {
    let side = usize::try_from(game.side).expect("a positive side");
    let (meaning, seat, cells) = match game.way_to_border() {
        Ok(way) if way.len() > WAY_STEPS_MAX => return None,
        Ok(way) => ("the cat's shortest way out", CAT, way),
        Err(wall) => ("the wall around the cat", CATCHER, wall),
    };
    let column_row = |cell: Point| {
        let index = cell.index(game.side);
        (index % side, index / side)
    };
    (!cells.is_empty()).then(|| Mark {
        meaning: meaning.to_owned(),
        seat: Some(seat.index()),
        cells: cells.into_iter().map(column_row).collect(),
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;
    use crate::catch_the_cat::{CATCHER, Setup};

    #[test]
    fn escape_path_is_marked_until_cat_is_enclosed() {
        let marks = |blocked: &[Point]| {
            let mut world = vec![b'0'; 25];
            for cell in blocked {
                world[cell.index(5)] = b'1';
            }
            let setup = Setup {
                side: 5,
                world: String::from_utf8(world).expect("digits"),
                cat: Point::CENTRE,
                to_move: CAT,
            };
            let game = CatchTheCat::start(&setup).expect("a position");
            draw(&game).marks
        };
        let [way] = &marks(&[])[..] else {
            panic!("one mark")
        };
        assert_eq!(way.meaning, "the cat's shortest way out");
        assert_eq!((way.seat, &way.cells[..]), (Some(0), &[(1, 2), (0, 2)][..]));
        let around = Point::CENTRE.neighbours();
        let [wall] = &marks(&around[..])[..] else {
            panic!("one mark")
        };
        assert_eq!(wall.meaning, "the wall around the cat");
        let cells = [(1, 1), (2, 1), (1, 2), (3, 2), (1, 3), (2, 3)];
        assert_eq!((wall.seat, &wall.cells[..]), (Some(1), &cells[..]));
    }

    /// An empty board of side 5 with the cat on a shifted row.
    fn game() -> CatchTheCat {
        let setup = r#"{"side":5,"world":"0000000000000000000000000","cat":[0,1]}"#;
        let setup: Setup = serde_json::from_str(setup).expect("a setup");
        CatchTheCat::start(&setup).expect("a valid board")
    }

    #[test]
    fn cat_move_names_side_catcher_move_names_cell() {
        let game = game();
        // (seat, typed, cell)
        let rows = [
            (CAT, "w", Point(-1, 1)),
            (CAT, "NE", Point(1, 0)),
            (CAT, " sw ", Point(0, 2)),
            (CAT, "1,1", Point(1, 1)),
            (CATCHER, "-2 2", Point(-2, 2)),
        ];
        for (seat, text, cell) in rows {
            assert_eq!(read(&game, seat, text), Ok(cell), "{text}");
        }
        assert_eq!(spell(&game, CAT, Point(1, 0)), "ne");
        assert_eq!(spell(&game, CATCHER, Point(1, 0)), "1,0");
        for (seat, text) in [(CATCHER, "ne"), (CAT, "north"), (CAT, ""), (CATCHER, "1")] {
            assert!(read(&game, seat, text).is_err(), "{text}");
        }
    }
}
