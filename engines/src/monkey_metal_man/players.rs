//! The number of players, and the two pieces of each.

use core::fmt;
use serde::{Deserialize, Serialize};

/// The maximum number of players.
pub const PLAYERS_MAX: usize = 4;

/// One of a player's two pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The monkey: sees far and moves first, up to 2 steps.
    Spotter,
    /// The metal man: sees 2 tiles ahead and moves up to 4 steps.
    Assasin,
}

impl Kind {
    /// Both, in the order in which they move.
    pub const ALL: [Self; 2] = [Self::Spotter, Self::Assasin];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Spotter => "spotter",
            Self::Assasin => "assasin",
        })
    }
}
