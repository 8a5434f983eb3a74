//! Reversi: two players fill an 8 by 8 board, and discs caught in a line change colour.
//!
//! The rules are those of the course text "An Artificial Intelligence for Reversi". Where the text
//! is silent:
//!
//! - A seat without a legal move is asked all the same and must answer with a pass.
//! - The game ends as soon as neither side has a move. No pass is asked for then.
//! - A seat that gives no legal move, for whatever reason, gets -64 points and the other one 64.
//!
//! There is one deviation. Before Black's first turn, the text gives it a pass as "the opponent's
//! last move". Here [`View::last`] is null, so that a pass in it is always a move of the game.

mod board;
mod bots;
mod frame;
mod kit;
mod position;
mod rules;
mod setup;

pub use board::{BLACK, Board, Colour, FIELDS, WHITE};
pub use position::{Move, Reversi, View};
pub use setup::{Config, OPENING_PLIES_MAX, Setup};
