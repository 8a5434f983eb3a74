use super::{Camel, Direction, Move, Tile};
use crate::notation::{no_move, pair};
use crate::{Labels, Notation, Refused};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::string::ToString;

pub(super) const NOTATION: Notation = Notation {
    help: &[
        "a step or a jump: u, d, l or r; past the other master: ul, ur, dl or dr",
        "a camel: h x,y is below the tile x,y and its right neighbour, v x,y is",
        "on the right of the tile x,y and the one below it; as h 2,4 or short h24",
    ],
    columns: Labels::FromZero,
    rows: Labels::FromZero,
    cell: (4, 2),
};

/// The short names, in the order of [`Direction::ALL`].
const SHORT: [&str; 8] = ["u", "d", "l", "r", "ul", "ur", "dl", "dr"];

const EXPECTED: &str = "u, d, l, r, ul, ur, dl, dr, or a camel, as h 2,4 or v 0,5";

pub(super) fn spell(mv: Move) -> String {
    match mv {
        Move::Step(direction) => {
            let (_, short) = Direction::ALL
                .iter()
                .zip(SHORT)
                .find(|(one, _)| **one == direction)
                .expect("all are");
            short.to_owned()
        }
        Move::Camel(Camel::H(Tile(x, y))) => format!("h {x},{y}"),
        Move::Camel(Camel::V(Tile(x, y))) => format!("v {x},{y}"),
    }
}

pub(super) fn read(text: &str) -> Result<Move, Refused> {
    let word = text.trim().to_ascii_lowercase();
    let mut directions = Direction::ALL.into_iter().zip(SHORT);
    let named =
        directions.find(|(direction, short)| word == *short || word == direction.to_string());
    if let Some((direction, _)) = named {
        return Ok(Move::Step(direction));
    }
    let (lay, place): (fn(Tile) -> Camel, &str) =
        match (word.strip_prefix('h'), word.strip_prefix('v')) {
            (Some(place), _) => (Camel::H, place),
            (_, Some(place)) => (Camel::V, place),
            (None, None) => return Err(no_move(text, EXPECTED)),
        };
    let apart = match place.as_bytes() {
        [x @ b'0'..=b'9', y @ b'0'..=b'9'] => format!("{} {}", char::from(*x), char::from(*y)),
        _ => place.to_owned(),
    };
    let (x, y) = pair(&apart, "2,4").map_err(|_| no_move(text, EXPECTED))?;
    Ok(Move::Camel(lay(Tile(x, y))))
}
