use super::{Board, Colour, ConnectFour};
use crate::Refused;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// The maximum number of random plies before a game, besides a third of the cells.
pub const OPENING_PLIES_MAX: usize = 16;

/// At worst one opening in ten is kept.
const DRAWS_MAX: u32 = 1000;

/// The settings that a competition may vary.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The number of columns, [`super::SIDE_MIN`] to [`super::SIDE_MAX`].
    pub width: usize,
    /// The number of rows, [`super::SIDE_MIN`] to [`super::SIDE_MAX`].
    pub height: usize,
    /// The number of random plies before a game, within [`OPENING_PLIES_MAX`].
    pub opening_plies: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            width: 7,
            height: 6,
            opening_plies: 0,
        }
    }
}

/// An initial state: any position that is not over. Red moves first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The board.
    pub board: Board,
}

pub(super) fn to_move(board: &Board) -> Result<Colour, Refused> {
    let [red, yellow] = Colour::BOTH.map(|colour| board.count(colour));
    let colour = match red.checked_sub(yellow) {
        Some(0) => Colour::Red,
        Some(1) => Colour::Yellow,
        _ => {
            return Err(Refused(format!(
                "red has {red} discs and yellow {yellow}: red moves first, so it has as many \
                 as yellow or one more"
            )));
        }
    };
    if let Some(winner) = Colour::BOTH.into_iter().find(|&one| board.has_four(one)) {
        return Err(Refused(format!(
            "the game is over: {winner} has four in a row"
        )));
    }
    if board.landings() == 0 {
        return Err(Refused::because("the game is over: the board is full"));
    }
    Ok(colour)
}

/// Draws random plies until the game is not over and nobody could win with one disc.
pub(super) fn draw(config: &Config, rng: &mut ChaCha8Rng) -> Result<Setup, Refused> {
    let Config {
        width,
        height,
        opening_plies: plies,
    } = *config;
    let empty = Board::empty(width, height).map_err(Refused)?;
    let plies_max = OPENING_PLIES_MAX.min(width * height / 3);
    if plies > plies_max {
        return Err(Refused(format!(
            "opening_plies {plies} is not allowed: on {width} by {height} it is at most {plies_max}"
        )));
    }
    (0..DRAWS_MAX)
        .find_map(|_| opening(empty, plies, rng))
        .ok_or_else(|| {
            Refused(format!(
                "none of {DRAWS_MAX} openings of {plies} plies is quiet"
            ))
        })
}

fn opening(empty: Board, plies: usize, rng: &mut ChaCha8Rng) -> Option<Setup> {
    let mut game = ConnectFour::new(empty, Colour::Red);
    for _ in 0..plies {
        let colour = game.mover()?;
        let mv = *game.moves().choose(rng)?;
        game.advance(colour, mv);
    }
    let board = game.board;
    (game.mover().is_some() && is_quiet(&board)).then_some(Setup { board })
}

fn is_quiet(board: &Board) -> bool {
    let mut dropped = (0..board.width())
        .filter(|&column| !board.is_full(column))
        .flat_map(|column| Colour::BOTH.map(|colour| (column, colour)));
    !dropped.any(|(column, colour)| {
        let mut next = *board;
        next.drop_disc(colour, column);
        next.has_four(colour)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng;

    fn drawn(config: &Config, seed: u64) -> Result<Setup, Refused> {
        draw(config, &mut ChaCha8Rng::seed_from_u64(seed))
    }

    #[test]
    fn without_opening_plies_the_board_is_empty() {
        let setup = drawn(&Config::default(), 1).expect("allowed");
        assert_eq!(setup.board, Board::default());
    }

    #[test]
    fn drawn_states_have_plies_and_no_immediate_win() {
        for (width, height) in [(4, 4), (7, 6), (10, 4), (4, 10), (10, 10)] {
            for opening_plies in 0..=OPENING_PLIES_MAX.min(width * height / 3) {
                let config = Config {
                    width,
                    height,
                    opening_plies,
                };
                for seed in 0..20 {
                    let Setup { board } = drawn(&config, seed).expect("allowed");
                    let discs = board.count(Colour::Red) + board.count(Colour::Yellow);
                    assert_eq!(discs as usize, opening_plies);
                    assert!(is_quiet(&board), "{board}");
                    assert!(to_move(&board).is_ok());
                }
            }
        }
    }
}
