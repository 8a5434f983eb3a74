//! The state of a game: the board, whose turn it is, and how it ended.

use super::{Board, Colour, Move};
use crate::Forfeit;
use alloc::vec::Vec;

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
