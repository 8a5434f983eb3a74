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
    pub(super) last: [Option<Move>; 2],
    pub(super) end: Option<End>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Four(Colour),
    Full,
    Forfeited(Colour, Forfeit),
}

impl ConnectFour {
    pub(super) const fn new(board: Board, to_move: Colour) -> Self {
        Self {
            board,
            to_move,
            last: [None; 2],
            end: None,
        }
    }

    pub(super) fn mover(&self) -> Option<Colour> {
        self.end.is_none().then_some(self.to_move)
    }

    pub(super) fn moves(&self) -> Vec<Move> {
        (0_i64..)
            .zip(0..self.board.width())
            .filter(|&(_, column)| !self.board.is_full(column))
            .map(|(number, _)| Move(number))
            .collect()
    }

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

/// A column, counted from 0 at the left. Other numbers can be read too, so that
/// [`crate::Game::check`] can explain the fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Move(pub i64);

/// Counts as [`crate::Game::perft`], with the owner of `own` to move. Nobody has four yet.
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
