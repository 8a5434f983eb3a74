use super::CrazyCamel;
use super::moves::{Camel, Tile};
use super::setup::{Player, Setup};
use crate::{Disc, EdgeWall, Frame, Grid, Mark};
use alloc::string::String;
use alloc::vec::Vec;

pub(super) fn draw(game: &CrazyCamel) -> Frame {
    let notes = vec![
        hands(&game.players()),
        format!("turns: {} of at most {}", game.ply, game.plies_max),
    ];
    let picture = board(game.width, game.height, &game.camels, game.players(), notes);
    let marks = (0..2)
        .map(|player| way(&picture, player))
        .filter(|mark| !mark.cells.is_empty())
        .collect();
    Frame { marks, ..picture }
}

/// Marks a player's shortest way to its goal, without its own tile.
fn way(picture: &Frame, player: usize) -> Mark {
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
            .into_iter()
            .find(|&cell| steps_at(cell) == Some(left))
            .expect("the steps were counted along an open edge");
        cells.push(at);
    }
    Mark {
        meaning: format!("player {player}'s shortest way"),
        seat: Some(player),
        cells,
    }
}

fn around(picture: &Frame, (x, y): (usize, usize)) -> Vec<(usize, usize)> {
    let (width, height) = (picture.width, picture.height);
    let is_open = |x, y, horizontal| !picture.is_walled((x, y), horizontal);
    let mut cells = Vec::new();
    if y + 1 < height && is_open(x, y, true) {
        cells.push((x, y + 1));
    }
    if y > 0 && is_open(x, y - 1, true) {
        cells.push((x, y - 1));
    }
    if x + 1 < width && is_open(x, y, false) {
        cells.push((x + 1, y));
    }
    if x > 0 && is_open(x - 1, y, false) {
        cells.push((x - 1, y));
    }
    cells
}

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
    let cells = "1".repeat(width) + &inner + &"0".repeat(width);
    let disc = |seat, tile| Disc::plain(column_row(tile), seat);
    Frame {
        walls: camels.iter().map(|&camel| wall(camel)).collect(),
        discs: vec![disc(0, a.position), disc(1, b.position)],
        notes,
        ..Frame::of_floor(Grid::Square, width, height, cells)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crazy_camel::Config;
    use crate::{Game, Turn};
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
                    let mark = way(&draw(&game), player);
                    assert_eq!(mark.cells.len(), length as usize, "{game:?}");
                    assert_eq!(mark.meaning, format!("player {player}'s shortest way"));
                }
                let moves = game.moves(seat);
                let mv = moves[rng.random_range(0..moves.len())];
                game.apply_unchecked(seat, Turn::Played(mv));
            }
        }
    }
}
