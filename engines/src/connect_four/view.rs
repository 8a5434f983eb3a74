//! The information that a seat receives.

use super::{Board, Colour, Move};
use serde::{Deserialize, Serialize};

/// A player's view.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// The board.
    pub board: Board,
    /// The colour of this seat.
    pub you: Colour,
    /// The opponent's last move; null before it has made one.
    pub last: Option<Move>,
}
