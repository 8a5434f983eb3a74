//! Connect Four: two players drop discs into the columns of an upright board, and the first with
//! four in a row wins.
//!
//! The rules are those of the game published by Milton Bradley in 1974. The board has 7 columns by
//! 6 rows unless a competition sets another size. Red, the first seat, moves first; the published
//! rules leave open which colour begins. A full board without four in a row is a draw. A seat that
//! gives no legal move loses.
//!
//! ```
//! use judge_engines::connect_four::{ConnectFour, Move, RED, YELLOW};
//! use judge_engines::{Game, GameResult};
//!
//! let mut game = ConnectFour::default();
//! for column in [3, 0, 3, 0, 3, 0, 3] {
//!     let seat = game.to_move().first().expect("not over");
//!     game.play(seat, Move(column))?;
//! }
//! let outcome = game.outcome().expect("four in a column");
//! assert_eq!(outcome.reason, "red has four in a row");
//! assert_eq!(outcome.seats[RED.index()].result, GameResult::Won);
//! assert_eq!(outcome.seats[YELLOW.index()].result, GameResult::Lost);
//! # Ok::<(), judge_engines::RuleBroken>(())
//! ```

mod board;
mod bots;
mod frame;
mod position;
mod rules;
mod setup;

pub use board::{Board, Colour, RED, SIDE_MAX, SIDE_MIN, YELLOW};
pub use position::{ConnectFour, Move, View};
pub use setup::{Config, OPENING_PLIES_MAX, Setup};
