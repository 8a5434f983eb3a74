use super::{CAT, CATCHER, Point};
use crate::complaint::refuse;
use crate::game::{check_fractions, part};
use crate::prelude::*;
use crate::{Refused, Seat, plain};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// The maximum side of a board.
pub const SIDE_MAX: i32 = 101;

/// The settings that a competition may vary.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The number of cells per row and of rows: 4k+1, from 5 to [`SIDE_MAX`].
    pub side: i32,
    /// The minimum number of blocked cells, as a fraction of all cells (rounded down).
    pub blocks_min: f64,
    /// The maximum number of blocked cells, as a fraction of all cells (rounded down).
    pub blocks_max: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            side: 21,
            blocks_min: 0.05,
            blocks_max: 0.10,
        }
    }
}

/// An initial state: any position. By default the cat is at (0,0) and to move, as in the course.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The number of cells per row and of rows.
    pub side: i32,
    /// One character a cell, row by row from the upper left: `1` blocked, `0` free.
    pub world: String,
    /// The cat's cell.
    #[serde(default, skip_serializing_if = "plain::is_default")]
    pub cat: Point,
    /// The seat that moves first; by default the cat.
    #[serde(default, skip_serializing_if = "plain::is_default")]
    pub to_move: Seat,
}

/// More would leave no room to run.
const BLOCKS_FRACTION_MAX: f64 = 0.9;
/// At [`BLOCKS_FRACTION_MAX`] half of the boards trap the cat: so many in a row never do.
const DRAWS_MAX: u32 = 1000;

fn check_side(side: i32) -> Result<usize, Refused> {
    if (5..=SIDE_MAX).contains(&side) && side % 4 == 1 {
        return Ok(side.unsigned_abs().pow(2) as usize);
    }
    refuse(format!(
        "side {side} is not allowed: a side is 5, 9, 13, … (4k+1), at most {SIDE_MAX}"
    ))
}

pub(super) fn check(setup: &Setup) -> Result<(), Refused> {
    let Setup {
        side,
        world,
        cat,
        to_move,
    } = setup;
    if ![CAT, CATCHER].contains(to_move) {
        return refuse(format!(
            "{to_move} cannot move first: there are {CAT} (the cat) and {CATCHER} (the catcher)"
        ));
    }
    let cells = check_side(*side)?;
    if world.len() != cells {
        return refuse(format!(
            "world has {} characters; a board of side {side} has {cells} cells",
            world.len()
        ));
    }
    if let Some(other) = world.chars().find(|c| !matches!(c, '0' | '1')) {
        return refuse(format!(
            "world contains {other:?}; a cell is '0' (free) or '1' (blocked)"
        ));
    }
    if !cat.inside(*side) {
        let reach = side / 2;
        return refuse(format!(
            "the cat's cell {cat} lies outside the board (x and y go from -{reach} to {reach})"
        ));
    }
    if world.as_bytes()[cat.index(*side)] == b'1' {
        return refuse(format!("the cat's cell {cat} is blocked"));
    }
    Ok(())
}

pub(super) fn draw(config: &Config, rng: &mut ChaCha8Rng) -> Result<Setup, Refused> {
    let Config {
        side,
        blocks_min,
        blocks_max,
    } = *config;
    let cells = check_side(side)?;
    check_fractions("blocks", blocks_min, blocks_max, BLOCKS_FRACTION_MAX)?;
    let centre = Point::CENTRE.index(side);
    let mut free: Vec<usize> = (0..cells).filter(|&cell| cell != centre).collect();
    for _ in 0..DRAWS_MAX {
        let count = rng.random_range(part(cells, blocks_min)..=part(cells, blocks_max));
        let mut world = vec![b'0'; cells];
        let (chosen, _) = free.partial_shuffle(rng, count);
        for &mut cell in chosen {
            world[cell] = b'1';
        }
        if Point::CENTRE
            .neighbours()
            .into_iter()
            .any(|cell| world[cell.index(side)] == b'0')
        {
            let world = String::from_utf8(world).expect("ASCII digits");
            return Ok(Setup {
                side,
                world,
                cat: Point::CENTRE,
                to_move: CAT,
            });
        }
    }
    refuse(format!(
        "no open board found with blocks_min {blocks_min} and blocks_max {blocks_max}: choose less"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng;

    #[test]
    fn drawn_states_respect_bounds_and_never_trap_cat() {
        let mut counts = Vec::new();
        for seed in 0..500 {
            let setup = draw(&Config::default(), &mut ChaCha8Rng::seed_from_u64(seed))
                .expect("the default is allowed");
            check(&setup).expect("a drawn state is valid");
            counts.push(setup.world.bytes().filter(|&c| c == b'1').count());
        }
        assert_eq!(counts.iter().min(), Some(&22), "floor(0.05 * 441)");
        assert_eq!(counts.iter().max(), Some(&44), "floor(0.10 * 441)");
    }

    #[test]
    fn drawn_cat_is_central_and_moves_first() {
        for side in [5, 21, 45] {
            let config = Config {
                side,
                ..Config::default()
            };
            let setup = draw(&config, &mut ChaCha8Rng::seed_from_u64(7)).expect("allowed");
            assert_eq!((setup.cat, setup.to_move), (Point::CENTRE, CAT));
        }
    }

    #[test]
    fn crowded_board_is_redrawn_until_cat_can_move() {
        let config = Config {
            side: 5,
            blocks_min: 0.8,
            blocks_max: 0.8,
        };
        for seed in 0..50 {
            let setup = draw(&config, &mut ChaCha8Rng::seed_from_u64(seed)).expect("allowed");
            let game = <super::super::CatchTheCat as crate::Game>::start(&setup).expect("valid");
            assert!(!crate::Game::to_move(&game).is_empty());
        }
    }
}
