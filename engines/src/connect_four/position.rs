//! The state of a game, what a seat sees of it, the move that changes it, and perft.

use super::board::Shape;
use super::{Board, Colour};
use crate::Forfeit;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A position of Connect Four. The default is an empty board of 7 by 6.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectFour {
    pub(super) board: Board,
    pub(super) to_move: Colour,
    /// Each seat's last move.
    pub(super) last: [Option<Move>; 2],
    pub(super) end: Option<End>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// One side has four in a row.
    Four(Colour),
    /// Nobody has four in a row, and there is no room left.
    Full,
    /// One side gave no legal move.
    Forfeited(Colour, Forfeit),
}

impl ConnectFour {
    /// Makes a position from a board and the colour to move. The game is not over.
    pub(super) const fn new(board: Board, to_move: Colour) -> Self {
        Self {
            board,
            to_move,
            last: [None; 2],
            end: None,
        }
    }

    /// Returns the board.
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the colour that owes a move, or none once the game is over.
    pub(super) fn mover(&self) -> Option<Colour> {
        self.end.is_none().then_some(self.to_move)
    }

    /// Lists the columns that are not full.
    pub(super) fn moves(&self) -> Vec<Move> {
        (0_i64..)
            .zip(0..self.board.width())
            .filter(|&(_, column)| !self.board.is_full(column))
            .map(|(number, _)| Move(number))
            .collect()
    }

    /// Plays a legal move.
    pub(super) fn advance(&mut self, colour: Colour, mv: Move) {
        let column = self.column(mv).expect("checked by Game::check");
        self.board.drop_disc(colour, column);
        self.last[colour.seat().index()] = Some(mv);
        self.to_move = colour.other();
        if self.board.has_four(colour) {
            self.end = Some(End::Four(colour));
        } else if self.board.landings() == 0 {
            self.end = Some(End::Full);
        }
    }

    /// Returns the column that a move names, if the board has it.
    pub(super) fn column(&self, mv: Move) -> Option<usize> {
        let column = usize::try_from(mv.0).ok();
        column.filter(|&column| column < self.board.width())
    }
}

impl Default for ConnectFour {
    fn default() -> Self {
        Self::new(Board::default(), Colour::Red)
    }
}

/// A column, counted from 0 at the left; a number in JSON.
///
/// Numbers that are no column can be read too, so that [`crate::Game::check`] can explain the
/// fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Move(pub i64);

/// Counts the positions `depth` plies ahead of a game that is not over, in which the owner of `own`
/// is to move. A game that is over earlier counts as one.
///
/// The last ply is counted without being played. It adds one leaf for each move.
pub(super) fn perft(shape: &Shape, own: u128, other: u128, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut landings = shape.landings(own | other);
    if landings == 0 {
        return 1;
    }
    if depth == 1 {
        return landings.count_ones().into();
    }
    let mut leaves = 0;
    while landings != 0 {
        let placed = own | landings & landings.wrapping_neg();
        leaves += if shape.has_four(placed) {
            1
        } else {
            perft(shape, other, placed, depth - 1)
        };
        landings &= landings - 1;
    }
    leaves
}

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
