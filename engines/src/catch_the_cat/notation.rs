//! Moves as people type them.

use super::{CAT, CatchTheCat, Point};
use crate::notation::{no_move, pair};
use crate::{Labels, Notation, Refused, Seat};
use alloc::borrow::ToOwned;
use alloc::string::String;

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

    /// An empty board of side 5 with the cat on a shifted row.
    fn game() -> CatchTheCat {
        let setup = r#"{"side":5,"world":"0000000000000000000000000","cat":[0,1]}"#;
        let setup: Setup = serde_json::from_str(setup).expect("a setup");
        CatchTheCat::start(&setup).expect("a valid board")
    }

    #[test]
    fn the_cat_goes_to_a_side_and_the_catcher_blocks_a_cell() {
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
