//! What a seat is told; both see everything.

use super::CrazyCamel;
use super::moves::Camel;
use super::setup::{Player, Setup};
use crate::{Seat, object};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// What a player sees on its turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// The player that this is told to, 0 or 1.
    pub you: Seat,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Player 0, who wants to reach the last row, and player 1, who wants to reach row 0.
    #[serde(deserialize_with = "object::pair")]
    pub players: [Player; 2],
    /// The camels on the board, in order of placement.
    pub camels: Vec<Camel>,
    /// Plies played since the setup.
    pub ply: u32,
    /// The game is drawn when `ply` reaches this.
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

    /// Returns the position as a setup with this seat to move; its plies are those left.
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
