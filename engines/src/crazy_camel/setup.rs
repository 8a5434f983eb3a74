use super::maze::{SIDE_MAX, SIDE_MIN};
use super::moves::{Camel, Tile, misplaced};
use crate::Refused;
use crate::complaint::refuse;
use crate::prelude::*;
use serde::{Deserialize, Serialize};

/// The maximum number of camels in one hand.
pub const CAMELS_MAX: u32 = 64;
/// The maximum ply cap.
pub const PLIES_MAX: u32 = 10_000;
/// The maximum number of random plies before a game.
pub const OPENING_PLIES_MAX: u32 = 32;

/// The settings that a competition may vary.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The number of columns, from [`SIDE_MIN`] to [`SIDE_MAX`].
    pub width: u32,
    /// The number of rows, from [`SIDE_MIN`] to [`SIDE_MAX`].
    pub height: u32,
    /// The number of camels that each player starts with, at most [`CAMELS_MAX`].
    pub camels: u32,
    /// The number of plies after which the game is drawn, from 1 to [`PLIES_MAX`].
    pub plies_max: u32,
    /// The number of random plies before the game, at most [`OPENING_PLIES_MAX`]; the course has 0.
    pub opening_plies: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            width: 7,
            height: 7,
            camels: 8,
            plies_max: 128,
            opening_plies: 0,
        }
    }
}

/// A position from which a game starts: any position that is not over.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The number of plies, from here, after which the game is drawn.
    pub plies_max: u32,
    /// Player 0, whose goal is the last row, and player 1, whose goal is row 0.
    pub players: [Player; 2],
    /// The camels on the board, in order of placement.
    pub camels: Vec<Camel>,
    /// The player to move, 0 or 1.
    pub to_move: u32,
}

/// One player of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Player {
    /// The master's tile.
    pub position: Tile,
    /// Camels in hand.
    pub camels: u32,
}

impl Setup {
    /// Returns the course's start for a configuration, without a random opening.
    pub fn fixed(config: &Config) -> Self {
        let column = number(config.width / 2);
        Self {
            width: config.width,
            height: config.height,
            plies_max: config.plies_max,
            players: [0, goal_row(0, config.height)].map(|row| Player {
                position: Tile(column, row),
                camels: config.camels,
            }),
            camels: Vec::new(),
            to_move: 0,
        }
    }

    /// Returns whether the player who is not to move is on its goal row (the course's `has_won`).
    pub fn has_won(&self) -> bool {
        let mover = usize::from(self.to_move == 0);
        self.players[mover].position.1 == goal_row(mover, self.height)
    }
}

fn number(side: u32) -> i8 {
    i8::try_from(side).unwrap_or(i8::MAX)
}

pub(super) fn goal_row(player: usize, height: u32) -> i8 {
    if player == 0 { number(height - 1) } else { 0 }
}

pub(super) fn check_config(config: &Config) -> Result<(), Refused> {
    check_board(config.width, config.height, config.plies_max)?;
    check_hand("each player", config.camels)?;
    let plies = config.opening_plies;
    if plies > OPENING_PLIES_MAX {
        return refuse(format!(
            "opening_plies {plies} is not allowed: at most {OPENING_PLIES_MAX}"
        ));
    }
    Ok(())
}

fn check_board(width: u32, height: u32, plies_max: u32) -> Result<(), Refused> {
    for (name, value) in [("width", width), ("height", height)] {
        if !(SIDE_MIN..=SIDE_MAX).contains(&value) {
            return refuse(format!(
                "{name} {value} is not allowed: a board has {SIDE_MIN} to {SIDE_MAX} columns \
                 and as many rows"
            ));
        }
    }
    if !(1..=PLIES_MAX).contains(&plies_max) {
        return refuse(format!(
            "plies_max {plies_max} is not allowed: 1 to {PLIES_MAX}"
        ));
    }
    Ok(())
}

fn check_hand(who: &str, camels: u32) -> Result<(), Refused> {
    if camels > CAMELS_MAX {
        return refuse(format!(
            "{who} has {camels} camels in hand: at most {CAMELS_MAX}"
        ));
    }
    Ok(())
}

/// Checks everything except the paths, which need the board.
pub(super) fn check(setup: &Setup) -> Result<(), Refused> {
    let &Setup {
        width,
        height,
        plies_max,
        players,
        ref camels,
        to_move,
    } = setup;
    check_board(width, height, plies_max)?;
    for (player, Player { position, camels }) in players.into_iter().enumerate() {
        check_hand(&format!("player {player}"), camels)?;
        let Tile(x, y) = position;
        if !(0..number(width)).contains(&x) || !(0..number(height)).contains(&y) {
            return refuse(format!(
                "player {player} stands at {position}, off the {width}×{height} board"
            ));
        }
        if y == goal_row(player, height) {
            return refuse(format!(
                "player {player} stands at {position}, on its goal row: the game is over"
            ));
        }
    }
    let [a, b] = players.map(|player| player.position);
    if a == b {
        return refuse(format!("both masters stand at {a}"));
    }
    let room = (width - 1) * (height - 1);
    if camels.len() > room as usize {
        return refuse(format!(
            "{} camels lie on the board: at most {room} fit on {width}×{height}",
            camels.len()
        ));
    }
    for (index, &camel) in camels.iter().enumerate() {
        if let Some((_, reason)) = misplaced(camel, &camels[..index], (width, height)) {
            return refuse(format!("{camel} cannot lie on the board: {reason}"));
        }
    }
    if to_move > 1 {
        return refuse(format!("to_move is {to_move}; a player is 0 or 1"));
    }
    Ok(())
}
