//! The state of a game: the board, whose turn it is, and where a disc may be placed.

use super::board::{FIELDS, fields};
use super::{Board, Colour, Move};
use crate::{Forfeit, RuleBroken};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A position of Reversi.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reversi {
    pub(super) board: Board,
    pub(super) to_move: Colour,
    /// The fields on which the side to move may place a disc; empty when it must pass.
    legal: u64,
    /// Each seat's last move.
    pub(super) last: [Option<Move>; 2],
    pub(super) end: Option<End>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Neither side can move. The discs decide.
    Counted,
    /// One side gave no legal move.
    Forfeited(Colour, Forfeit),
}

impl Reversi {
    /// Makes a position from a board and the colour to move. The game may be over on this board.
    pub(super) fn new(board: Board, to_move: Colour) -> Self {
        let mut game = Self {
            board,
            to_move,
            legal: 0,
            last: [None; 2],
            end: None,
        };
        game.give_turn_to(to_move);
        game
    }

    /// Returns the board.
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the colour that owes a move, or none once the game is over.
    pub(super) fn mover(&self) -> Option<Colour> {
        self.end.is_none().then_some(self.to_move)
    }

    /// Lists the moves of a colour, at least a pass.
    pub(super) fn moves(&self, colour: Colour) -> Vec<Move> {
        match self.legal(colour) {
            0 => vec![Move::Pass],
            legal => fields(legal)
                .map(|field| Move::Place(field.into()))
                .collect(),
        }
    }

    /// Plays a legal move.
    pub(super) fn advance(&mut self, colour: Colour, mv: Move) {
        if let Move::Place(field) = mv {
            let field = on_board(field).expect("checked by Game::check");
            self.board = self.board.after(colour, field);
        }
        self.last[colour.seat().index()] = Some(mv);
        self.give_turn_to(colour.other());
    }

    /// Returns the fields on which a colour may place a disc.
    fn legal(&self, colour: Colour) -> u64 {
        if colour == self.to_move {
            self.legal
        } else {
            self.board.moves(colour)
        }
    }

    /// Gives the turn to a colour, or ends the game when neither side can move.
    fn give_turn_to(&mut self, colour: Colour) {
        self.to_move = colour;
        self.legal = self.board.moves(colour);
        if self.legal == 0 && self.board.moves(colour.other()) == 0 {
            self.end = Some(End::Counted);
        }
    }

    pub(super) fn check_place(&self, colour: Colour, field: i64) -> Result<(), RuleBroken> {
        let broken = |rule, why: &str| {
            let message = format!("{colour} cannot play on field {field}: {why}");
            Err(RuleBroken::new(rule, message))
        };
        let Some(index) = on_board(field) else {
            return broken("outside", "the fields are 0 to 63");
        };
        let legal = self.legal(colour);
        if legal == 0 {
            broken("must-pass", "it has no legal move and has to pass")
        } else if self.board.empty() >> index & 1 == 0 {
            broken("occupied", "there is a disc already")
        } else if legal >> index & 1 == 0 {
            broken("flips-nothing", "no disc would change its colour")
        } else {
            Ok(())
        }
    }

    pub(super) fn check_pass(&self, colour: Colour) -> Result<(), RuleBroken> {
        let legal = self.legal(colour);
        if legal == 0 {
            return Ok(());
        }
        let listed: Vec<String> = fields(legal).map(|field| field.to_string()).collect();
        Err(RuleBroken::new(
            "may-not-pass",
            format!(
                "{colour} cannot pass: it has a legal move ({})",
                listed.join(", ")
            ),
        ))
    }
}

/// Returns the number of a field if it is on the board.
fn on_board(field: i64) -> Option<u32> {
    let field = u32::try_from(field).ok()?;
    ((field as usize) < FIELDS).then_some(field)
}
