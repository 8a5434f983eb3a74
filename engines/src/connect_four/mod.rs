//! Connect Four: two players drop discs into the columns of an upright board, and the first with
//! four in a row wins.
//!
//! The rules are those of the game published by Milton Bradley in 1974, which leave open which
//! colour begins: red does. The board has 7 columns by 6 rows unless a competition sets another
//! size. A full board without four in a row is a draw. A seat that gives no legal move loses.

mod board;
mod bots;
mod frame;
mod rules;

pub use board::{Board, Colour, RED, SIDE_MAX, SIDE_MIN, YELLOW};
pub use rules::{Config, ConnectFour, Move, OPENING_PLIES_MAX, Setup, View};
