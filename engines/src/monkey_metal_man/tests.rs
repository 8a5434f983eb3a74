//! Positions from pictures, for tests.

use super::action::{Action, Orders};
use super::setup::{Player, Setup};
use super::{Direction, Location, MonkeyMetalMan, ROUNDS_PER_CIRCLE};
use crate::Game;
use crate::prelude::*;

/// The letters of each player's spotter and assasin in a picture.
const LETTERS: [[char; 2]; 4] = [['S', 'A'], ['T', 'B'], ['U', 'C'], ['V', 'D']];

/// Makes the setup of a picture. `.` is free, `#` a wall, `^` highground. The pieces of players 0
/// to 3 are S and A, T and B, U and C, V and D. All look down.
///
/// A piece that is not in the picture is dead, at (0,0). The last letter determines the number of
/// players, at least two.
pub(super) fn scene(picture: &[&str]) -> Setup {
    let find = |letter: char| {
        let row = picture.iter().position(|row| row.contains(letter))?;
        let column = picture[row].find(letter)?;
        let coordinate = |i: usize| u8::try_from(i).expect("a small picture");
        Some(Location(coordinate(row), coordinate(column)))
    };
    let players = LETTERS.map(|letters| {
        let [spotter, assasin] = letters.map(find);
        Player {
            spotter: spotter.unwrap_or(Location(0, 0)),
            assasin: assasin.unwrap_or(Location(0, 0)),
            spotter_direction: Direction::Down,
            assasin_direction: Direction::Down,
            spotter_alive: spotter.is_some(),
            assasin_alive: assasin.is_some(),
            timeouts: 0,
            captures: 0,
            lost: None,
        }
    });
    let last = players
        .iter()
        .rposition(|p| p.spotter_alive || p.assasin_alive);
    let map = picture.iter().map(|row| {
        let tile = |tile| ['W', 'O', 'F']["#^".find(tile).unwrap_or(2)];
        row.chars().map(tile).collect()
    });
    Setup {
        map: map.collect(),
        pieces: players[..=last.unwrap_or(1).max(1)].to_vec(),
        timeouts_max: 3,
        strict: false,
        dead_pieces_block: false,
        to_move: 0,
        timer: ROUNDS_PER_CIRCLE,
        circles_collapsed: 0,
    }
}

/// Starts a game from a picture.
pub(super) fn position(picture: &[&str]) -> MonkeyMetalMan {
    MonkeyMetalMan::start(&scene(picture)).expect("a valid picture")
}

/// Makes an answer whose pieces look down. The moves are given as letters (U, D, L, R).
pub(super) fn action(spotter: &str, assasin: &str) -> Action {
    let steps = |letters: &str| -> Vec<Direction> {
        let index = |letter| "UDLR".find(letter).expect("a direction");
        letters
            .chars()
            .map(|letter| Direction::ALL[index(letter)])
            .collect()
    };
    Action {
        spotter: Orders::new(Direction::Down, &steps(spotter)),
        assasin: Orders::new(Direction::Down, &steps(assasin)),
    }
}

/// Plays an answer of the player to move.
pub(super) fn play(game: &mut MonkeyMetalMan, spotter: &str, assasin: &str) {
    let seat = game.to_move().first().expect("not over");
    let action = action(spotter, assasin);
    game.check(seat, &action).expect("legal");
    game.apply_unchecked(seat, action);
}
