//! Initial states: the course's start, or random plies from it.

use super::CrazyCamel;
use super::moves::Move;
use super::setup::{self, Config, PLIES_MAX, Setup};
use crate::Refused;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The maximum difference between the lengths of the two paths after a random opening, in steps.
pub const OPENING_LEAD_MAX: u32 = 2;

/// The maximum number of openings to draw before the configuration is refused.
const OPENINGS_MAX: u32 = 1_000;

/// Draws the initial state.
pub(super) fn draw(config: &Config, rng: &mut ChaCha8Rng) -> Result<Setup, Refused> {
    setup::check_config(config)?;
    let fixed = Setup::fixed(config);
    if config.opening_plies == 0 {
        return Ok(fixed);
    }
    let long = Setup {
        plies_max: PLIES_MAX,
        ..fixed
    };
    for _ in 0..OPENINGS_MAX {
        let drawn = opening(CrazyCamel::new(&long)?, config.opening_plies, rng);
        if let Some(game) = drawn.filter(is_open) {
            return Ok(Setup {
                plies_max: config.plies_max,
                ..game.setup()
            });
        }
    }
    Err(Refused(format!(
        "no even opening of {} plies found on {}×{}: choose fewer opening_plies",
        config.opening_plies, config.width, config.height
    )))
}

/// Plays random legal plies that do not win. Returns none if every ply wins.
fn opening(mut game: CrazyCamel, plies: u32, rng: &mut ChaCha8Rng) -> Option<CrazyCamel> {
    for _ in 0..plies {
        let seat = game.mover().expect("nobody has won");
        let mut legal = game.moves(seat);
        loop {
            if legal.is_empty() {
                return None;
            }
            let mut next = game.clone();
            let mv = legal.swap_remove(rng.random_range(..legal.len()));
            next.advance(seat, mv);
            if next.mover().is_some() {
                game = next;
                break;
            }
        }
    }
    Some(game)
}

/// Returns whether both players still have chances. The paths are about equally long, and neither
/// player could win at once, whichever is to move.
fn is_open(game: &CrazyCamel) -> bool {
    let [a, b] = game.path_lengths();
    let setup = game.setup();
    let turned = Setup {
        to_move: 1 - setup.to_move,
        ..setup
    };
    let turned = CrazyCamel::new(&turned).expect("the same position");
    a.abs_diff(b) <= OPENING_LEAD_MAX && !wins_at_once(game) && !wins_at_once(&turned)
}

fn wins_at_once(game: &CrazyCamel) -> bool {
    let seat = game.mover().expect("nobody has won");
    game.moves(seat).into_iter().any(|mv| {
        let mut next = game.clone();
        next.advance(seat, mv);
        matches!(mv, Move::Step(_)) && next.mover().is_none()
    })
}
