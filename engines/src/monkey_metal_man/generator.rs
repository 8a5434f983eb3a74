//! Initial states: the course's map, and drawn maps.

use super::field::{Direction, Field, Location, SIDE_MAX};
use super::setup::{Config, MapKind, Player, Setup, check_timeouts_max};
use super::{PLAYERS_MAX, ROUNDS_PER_CIRCLE};
use crate::Refused;
use crate::complaint::refuse;
use crate::game::{check_fractions, part};
use crate::prelude::*;
use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;

const CLASSIC: [&str; 19] = [
    "FFFWFFFFFWFFFFFWFFF",
    "FFFWFFFWWWWWFFFWFFF",
    "FFFFFFFFFWFFFFFFFFF",
    "WWWWFFFFFWFFFFFWWWW",
    "FFFFFFFWFFFWFFFFFFF",
    "FFFFFFWFFFFFWFFWWFF",
    "FFFFFWFFFFFFFWFFWWF",
    "WWFFWFFFFFFFFFWFFWF",
    "FWWFFFFFFFFFFFFFFFF",
    "FFWWWFWFFOFFWWWWWFF",
    "FFFFFFFFFFFFFFFFWWF",
    "FFFFWFFFFFFFFFWFFWF",
    "FFWFFWFFFFFFFWFFFFF",
    "FFWWFFWFFFFFWFFFFFF",
    "FFFFFFFWFFFWFFFFFFF",
    "WWWWFFFFFWFFFFFWWWW",
    "FFFFFFFFFWFFFFFFFFF",
    "FFFWFFFWWWWWFFFWFFF",
    "FFFWFFFFFWFFFFFWFFF",
];

const DRAWN_SIDE_MIN: usize = 11;
/// More would leave no room to run.
const WALLS_FRACTION_MAX: f64 = 0.35;
/// More would leave no reason to climb.
const HIGHGROUND_GROUPS_MAX: usize = 5;
/// In tiles.
const WALL_LENGTH_MAX: usize = 4;
const ATTEMPTS_MAX: usize = 100;

/// The classic state needs no randomness.
pub(super) fn draw(config: &Config, rng: &mut ChaCha8Rng) -> Result<Setup, Refused> {
    check(config)?;
    let map = match config.map {
        MapKind::Classic => CLASSIC.map(str::to_owned).to_vec(),
        MapKind::Symmetric => draw_map(config, rng)?,
    };
    let corners: &[usize] = match config.players {
        2 => &[0, 2],
        3 => &[0, 1, 2],
        _ => &[0, 1, 2, 3],
    };
    Ok(Setup {
        pieces: corners.iter().map(|&c| corner(c, map.len())).collect(),
        map,
        timeouts_max: config.timeouts_max,
        strict: config.strict,
        dead_pieces_block: config.dead_pieces_block,
        to_move: 0,
        timer: ROUNDS_PER_CIRCLE,
        circles_collapsed: 0,
    })
}

fn check(config: &Config) -> Result<(), Refused> {
    let Config {
        side,
        players,
        walls_min,
        walls_max,
        ..
    } = *config;
    check_timeouts_max(config.timeouts_max)?;
    if !(2..=PLAYERS_MAX).contains(&players) {
        return refuse(format!(
            "players {players} is not allowed: a game has 2 to {PLAYERS_MAX}"
        ));
    }
    if !(DRAWN_SIDE_MIN..=SIDE_MAX).contains(&side) || side.is_multiple_of(2) {
        return refuse(format!(
            "side {side} is not allowed: a side is odd, from {DRAWN_SIDE_MIN} to {SIDE_MAX}"
        ));
    }
    if config.map == MapKind::Classic {
        if side != CLASSIC.len() {
            return refuse(format!(
                "side {side} is not allowed: the classic map has side {}",
                CLASSIC.len()
            ));
        }
        check_nothing_drawn(config)?;
    }
    check_fractions("walls", walls_min, walls_max, WALLS_FRACTION_MAX)?;
    if config.highground_groups > HIGHGROUND_GROUPS_MAX {
        return refuse(format!(
            "highground_groups {} is not allowed: at most {HIGHGROUND_GROUPS_MAX}",
            config.highground_groups
        ));
    }
    Ok(())
}

/// Refuses settings that would change nothing on the classic map.
fn check_nothing_drawn(config: &Config) -> Result<(), Refused> {
    let default = Config::default();
    #[expect(clippy::float_cmp, reason = "left out, it is the very default")]
    let name = if config.walls_min != default.walls_min {
        "walls_min"
    } else if config.walls_max != default.walls_max {
        "walls_max"
    } else if config.highground_groups != default.highground_groups {
        "highground_groups"
    } else {
        return Ok(());
    };
    refuse(format!(
        "{name} is for drawn maps: leave it out, or set map to \"symmetric\""
    ))
}

/// Rotates the start of corner 0 by quarter turns. Corners count clockwise from the upper left.
fn corner(turns: usize, side: usize) -> Player {
    let direction = [
        Direction::Down,
        Direction::Left,
        Direction::Up,
        Direction::Right,
    ][turns];
    let last = u8::try_from(side - 1).expect("at most SIDE_MAX");
    let start = |column| {
        (0..turns).fold(Location(0, column), |Location(row, column), _| {
            Location(column, last - row)
        })
    };
    Player {
        spotter: start(0),
        assasin: start(1),
        spotter_direction: direction,
        assasin_direction: direction,
        spotter_alive: true,
        assasin_alive: true,
        timeouts: 0,
        captures: 0,
        lost: None,
    }
}

/// A map with four-fold symmetry, whose free tiles are all connected.
struct Sketch {
    rows: Vec<Vec<u8>>,
}

/// Draws highground, in the centre and in groups of four, and then straight pieces of wall, until
/// their number reaches one drawn between the bounds. A wall that would cut off a free tile, or
/// lies next to a start, is left out; single tiles fill the number up.
fn draw_map(config: &Config, rng: &mut ChaCha8Rng) -> Result<Vec<String>, Refused> {
    let side = config.side;
    let groups = walls(side, config.walls_min)..=walls(side, config.walls_max);
    let wanted = rng.random_range(groups);
    for _ in 0..ATTEMPTS_MAX {
        let mut sketch = Sketch::open(side);
        let mut quarter = sketch.quarter();
        quarter.shuffle(rng);
        for &(row, column) in quarter.iter().take(config.highground_groups) {
            sketch.set(row, column, b'O');
        }
        let mut missing = wanted;
        for _ in 0..quarter.len() {
            let &(row, column) = quarter.choose(rng).expect("not empty");
            let length = rng.random_range(1..=WALL_LENGTH_MAX);
            let upright = rng.random();
            for i in 0..length {
                let (down, right) = if upright { (i, 0) } else { (0, i) };
                missing -= usize::from(missing > 0 && sketch.wall(row + down, column + right));
            }
        }
        for (row, column) in quarter {
            missing -= usize::from(missing > 0 && sketch.wall(row, column));
        }
        if missing == 0 {
            return Ok(sketch.to_map());
        }
    }
    refuse("no map with so many walls was found; lower walls_max")
}

/// Counts groups of four walls.
fn walls(side: usize, fraction: f64) -> usize {
    part(side * side, fraction) / 4
}

impl Sketch {
    fn open(side: usize) -> Self {
        let mut rows = vec![vec![b'F'; side]; side];
        rows[side / 2][side / 2] = b'O';
        Self { rows }
    }

    fn side(&self) -> usize {
        self.rows.len()
    }

    /// Lists one tile of each group of four, except at the starts.
    fn quarter(&self) -> Vec<(usize, usize)> {
        let half = self.side() / 2;
        (0..half)
            .flat_map(|row| (0..=half).map(move |column| (row, column)))
            .filter(|&(r, c)| !self.at_a_start(r, c))
            .collect()
    }

    /// The starts are the 2×2 tiles of each corner.
    fn at_a_start(&self, row: usize, column: usize) -> bool {
        let last = self.side() - 1;
        row.min(last - row) <= 1 && column.min(last - column) <= 1
    }

    fn set(&mut self, row: usize, column: usize, letter: u8) {
        let last = self.side() - 1;
        let (mut row, mut column) = (row, column);
        for _ in 0..4 {
            self.rows[row][column] = letter;
            (row, column) = (column, last - row);
        }
    }

    /// Builds a wall and its rotations on free tiles, unless that breaks the map.
    fn wall(&mut self, row: usize, column: usize) -> bool {
        let on_board = row < self.side() && column < self.side();
        if !on_board || self.rows[row][column] != b'F' || self.at_a_start(row, column) {
            return false;
        }
        self.set(row, column, b'W');
        let field = Field::parse(&self.to_map()).expect("an odd square");
        let connected = field.is_connected_from(Location(0, 0));
        if !connected {
            self.set(row, column, b'F');
        }
        connected
    }

    fn to_map(&self) -> Vec<String> {
        self.rows
            .iter()
            .cloned()
            .map(|row| String::from_utf8(row).expect("ASCII letters"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::MonkeyMetalMan;
    use super::*;
    use crate::Game;
    use rand_chacha::rand_core::SeedableRng;

    fn drawn(config: &Config, seed: u64) -> Setup {
        draw(config, &mut ChaCha8Rng::seed_from_u64(seed)).expect("allowed")
    }

    fn count(map: &[String], letter: char) -> usize {
        map.iter()
            .flat_map(|row| row.chars())
            .filter(|&c| c == letter)
            .count()
    }

    #[test]
    fn the_starts_are_those_of_the_rules() {
        let setup = drawn(&Config::default(), 0);
        let starts: Vec<_> = (setup.pieces.iter())
            .map(|p| (p.spotter, p.assasin, p.spotter_direction))
            .collect();
        let expected = [
            (Location(0, 0), Location(0, 1), Direction::Down),
            (Location(0, 18), Location(1, 18), Direction::Left),
            (Location(18, 18), Location(18, 17), Direction::Up),
            (Location(18, 0), Location(17, 0), Direction::Right),
        ];
        assert_eq!(starts, expected);
        for (players, corners) in [(2, vec![0, 2]), (3, vec![0, 1, 2])] {
            let config = Config {
                players,
                ..Config::default()
            };
            let fewer = drawn(&config, 0);
            let corners: Vec<_> = corners.iter().map(|&i| setup.pieces[i].clone()).collect();
            assert_eq!(fewer.pieces, corners);
        }
    }

    #[test]
    fn drawn_maps_are_symmetric_connected_and_dense_enough() {
        for side in (11..=31).step_by(2) {
            for seed in 0..12 {
                // The crowded ones are the hard ones.
                let (walls_min, walls_max) = if seed % 2 == 0 {
                    (0.15, 0.25)
                } else {
                    (0.35, 0.35)
                };
                let config = Config {
                    map: MapKind::Symmetric,
                    side,
                    walls_min,
                    walls_max,
                    highground_groups: 2,
                    ..Config::default()
                };
                let setup = drawn(&config, seed);
                MonkeyMetalMan::start(&setup).expect("a drawn setup is valid");
                let turned = (0..side).map(|row| {
                    let from_below = setup.map.iter().rev();
                    from_below.map(|line| &line[row..=row]).collect::<String>()
                });
                assert_eq!(setup.map, turned.collect::<Vec<_>>());
                let field = Field::parse(&setup.map).expect("a map");
                assert!(field.is_connected_from(Location(0, 0)));
                assert_eq!(count(&setup.map, 'O'), 9);
                let groups = walls(side, walls_min)..=walls(side, walls_max);
                assert!(groups.contains(&(count(&setup.map, 'W') / 4)));
            }
        }
    }
}
