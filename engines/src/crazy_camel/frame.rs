use super::CrazyCamel;
use super::moves::{Camel, Direction, Move, Tile};
use super::setup::Setup;
use crate::notation::{no_move, pair};
use crate::prelude::*;
use crate::{Disc, EdgeWall, Frame, Grid, Labels, Mark, Notation, Refused};

pub(super) fn draw(game: &CrazyCamel) -> Frame {
    let turns = format!("turns: {} of at most {}", game.ply, game.plies_max);
    let picture = board(&game.setup(), turns);
    let marks = (0..2).filter_map(|player| way(&picture, player)).collect();
    Frame { marks, ..picture }
}

/// Marks a player's shortest way to its goal, without its own tile.
fn way(picture: &Frame, player: usize) -> Option<Mark> {
    let (width, height) = (picture.width, picture.height);
    let goal = [height - 1, 0][player];
    let mut steps: Vec<Option<u32>> = vec![None; width * height];
    let mut reached: Vec<(usize, usize)> = (0..width).map(|x| (x, goal)).collect();
    for &(x, y) in &reached {
        steps[y * width + x] = Some(0);
    }
    let mut next = 0;
    while let Some(&(x, y)) = reached.get(next) {
        for (x2, y2) in around(picture, (x, y)) {
            if steps[y2 * width + x2].is_none() {
                steps[y2 * width + x2] = steps[y * width + x].map(|count| count + 1);
                reached.push((x2, y2));
            }
        }
        next += 1;
    }
    let steps_at = |(x, y): (usize, usize)| steps[y * width + x];
    let mut at = (picture.discs[player].x, picture.discs[player].y);
    let mut cells = Vec::new();
    while let Some(left) = steps_at(at).and_then(|count| count.checked_sub(1)) {
        at = around(picture, at)
            .find(|&cell| steps_at(cell) == Some(left))
            .expect("the steps were counted along an open edge");
        cells.push(at);
    }
    Mark::of(
        format!("player {player}'s shortest way"),
        Some(player),
        cells,
    )
}

fn around(picture: &Frame, (x, y): (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
    let (up, left) = (y.wrapping_sub(1), x.wrapping_sub(1));
    // Each with the upper or left one of the two cells.
    let ways = [
        ((x, y + 1), (x, y), true),
        ((x, up), (x, up), true),
        ((x + 1, y), (x, y), false),
        ((left, y), (left, y), false),
    ];
    ways.into_iter()
        .filter(|&((x, y), edge, horizontal)| {
            let inside = x < picture.width && y < picture.height;
            inside && !picture.is_walled(edge, horizontal)
        })
        .map(|(cell, ..)| cell)
}

pub(super) fn of_setup(setup: &Setup) -> Frame {
    board(setup, format!("player {} to move", setup.to_move))
}

fn board(setup: &Setup, last_note: String) -> Frame {
    let (width, height) = (setup.width as usize, setup.height as usize);
    let inner = ".".repeat(width * (height - 2));
    let cells = "1".repeat(width) + &inner + &"0".repeat(width);
    let [a, b] = setup.players;
    let disc = |seat, tile| Disc::plain(column_row(tile), seat);
    let wall = |camel: &Camel| {
        let (x, y) = column_row(camel.anchor());
        let horizontal = matches!(camel, Camel::H(_));
        EdgeWall { x, y, horizontal }
    };
    Frame {
        walls: setup.camels.iter().map(wall).collect(),
        discs: vec![disc(0, a.position), disc(1, b.position)],
        notes: vec![
            format!("camels in hand: {} and {}", a.camels, b.camels),
            last_note,
        ],
        ..Frame::of_floor(Grid::Square, width, height, cells)
    }
}

fn column_row(Tile(x, y): Tile) -> (usize, usize) {
    let index = |number| usize::try_from(number).expect("on the board");
    (index(x), index(y))
}

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
        Move::Step(direction) => SHORT[direction as usize].to_owned(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;
    use crate::crazy_camel::Config;
    use rand::RngExt;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    #[test]
    fn wall_lengthens_each_players_marked_shortest_path() {
        let mut rng = ChaCha8Rng::seed_from_u64(38);
        for _ in 0..20 {
            let setup = CrazyCamel::draw(&Config::default(), &mut rng).expect("the default");
            let mut game = CrazyCamel::start(&setup).expect("drawn");
            while let Some(seat) = game.mover() {
                for (player, length) in (0..).zip(game.path_lengths()) {
                    let mark = way(&draw(&game), player).expect("not there");
                    assert_eq!(mark.cells.len(), length as usize, "{game:?}");
                    assert_eq!(mark.meaning, format!("player {player}'s shortest way"));
                }
                let moves = game.legal_moves(seat);
                let mv = moves[rng.random_range(0..moves.len())];
                game.apply_unchecked(seat, mv);
            }
        }
    }
}
