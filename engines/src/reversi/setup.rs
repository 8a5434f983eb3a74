use super::{Board, Colour, Reversi};
use crate::Refused;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// The maximum number of random plies before a game. A third of the fields stays empty for play.
pub const OPENING_PLIES_MAX: u32 = 40;

/// The maximum share of one side's discs in a drawn state. Every first move leads to four fifths.
const DISCS_SHARE_MAX: (u32, u32) = (4, 5);

/// At worst (after three plies) one opening in seven is lopsided.
const DRAWS_MAX: u32 = 1000;

/// The settings that a competition may vary.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The number of random plies before a game, at most [`OPENING_PLIES_MAX`]; the course has 0.
    pub opening_plies: u32,
}

/// An initial state with any board, on which the game may be over.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The board.
    pub board: Board,
    /// The side to move. It may be one that must pass.
    pub to_move: Colour,
}

/// Draws a state. Each opening ply is uniform over the legal moves, and a forced pass is a ply.
/// Draws again if the game is then over, may end with the next move, or is lopsided.
pub(super) fn draw(config: &Config, rng: &mut ChaCha8Rng) -> Result<Setup, Refused> {
    let plies = config.opening_plies;
    if plies > OPENING_PLIES_MAX {
        return Err(Refused(format!(
            "opening_plies {plies} is not allowed: it is at most {OPENING_PLIES_MAX}"
        )));
    }
    (0..DRAWS_MAX)
        .find_map(|_| opening(plies, rng))
        .ok_or_else(|| {
            Refused(format!(
                "none of {DRAWS_MAX} openings of {plies} plies is balanced"
            ))
        })
}

fn opening(plies: u32, rng: &mut ChaCha8Rng) -> Option<Setup> {
    let mut game = Reversi::new(Board::START, Colour::Black);
    for _ in 0..plies {
        let colour = game.mover()?;
        let legal = game.moves(colour);
        let mv = *legal.choose(rng).expect("a pass at least");
        game.advance(colour, mv);
    }
    let to_move = game.mover()?;
    let board = game.board;
    (is_balanced(&board) && !ends_at_once(&game)).then_some(Setup { board, to_move })
}

fn ends_at_once(game: &Reversi) -> bool {
    let colour = game.mover().expect("the game is not over");
    game.moves(colour).into_iter().any(|mv| {
        let mut next = game.clone();
        next.advance(colour, mv);
        next.mover().is_none()
    })
}

fn is_balanced(board: &Board) -> bool {
    let [black, white] = [Colour::Black, Colour::White].map(|colour| board.count(colour));
    let (share, whole) = DISCS_SHARE_MAX;
    black.max(white) * whole <= (black + white) * share
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;
    use alloc::string::ToString;
    use rand_chacha::rand_core::SeedableRng;

    fn drawn(opening_plies: u32, seed: u64) -> Result<Setup, Refused> {
        let config = Config { opening_plies };
        draw(&config, &mut ChaCha8Rng::seed_from_u64(seed))
    }

    #[test]
    fn no_opening_ends_with_first_move() {
        // With these seeds, an opening that can end at once comes up and is drawn again.
        for seed in [956, 2300, 2509] {
            let game = Reversi::start(&drawn(8, seed).expect("allowed")).expect("valid");
            assert!(!ends_at_once(&game), "seed {seed}");
        }
    }

    #[test]
    fn zero_opening_plies_start_from_course_board() {
        for seed in 0..20 {
            let setup = drawn(0, seed).expect("allowed");
            assert_eq!(setup.to_move, Colour::Black);
            assert_eq!(
                setup.board.to_string(),
                "...........................WB......BW..........................."
            );
        }
    }

    #[test]
    fn drawn_states_are_neither_over_nor_lopsided() {
        for plies in 1..=OPENING_PLIES_MAX {
            for seed in 0..50 {
                let setup = drawn(plies, seed).expect("allowed");
                let game = Reversi::start(&setup).expect("valid");
                assert!(!game.to_move().is_empty(), "{setup:?} is over");
                let [black, white] =
                    [Colour::Black, Colour::White].map(|colour| setup.board.count(colour));
                assert!(black + white <= 4 + plies);
                let most = black.max(white);
                assert!(5 * most <= 4 * (black + white), "{black} to {white}");
            }
        }
    }
}
