//! The information that a seat receives. Both seats see everything.

use super::CrazyCamel;
use super::moves::Camel;
use super::setup::{Player, Setup};
use crate::{Seat, object};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A player's view on its turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// The player that receives this view, 0 or 1.
    pub you: Seat,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Player 0, whose goal is the last row, and player 1, whose goal is row 0.
    #[serde(deserialize_with = "object::pair")]
    pub players: [Player; 2],
    /// The camels on the board, in order of placement.
    pub camels: Vec<Camel>,
    /// The number of plies played since the setup.
    pub ply: u32,
    /// The value of `ply` at which the game is drawn.
    pub plies_max: u32,
}

impl View {
    pub(super) fn of(game: &CrazyCamel, seat: Seat) -> Self {
        Self {
            you: seat,
            width: game.width(),
            height: game.height(),
            players: game.players(),
            camels: game.camels().to_vec(),
            ply: game.ply(),
            plies_max: game.plies_max(),
        }
    }

    /// Returns the position as a setup with this seat to move. Its plies are the remaining ones.
    pub fn setup(&self) -> Setup {
        Setup {
            width: self.width,
            height: self.height,
            plies_max: self.plies_max.saturating_sub(self.ply),
            players: self.players,
            camels: self.camels.clone(),
            to_move: u32::from(self.you != Seat::new(0)),
        }
    }
}
