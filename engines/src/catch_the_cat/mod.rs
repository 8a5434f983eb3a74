//! Catch the Cat: a cat runs for the border of a hexagonal board, and a catcher blocks one cell a
//! turn.
//!
//! The rules are those of the course text "Catch the Cat". Where the text is silent:
//!
//! - The cat moves first.
//! - Border cells may be blocked.
//! - A cat sealed in a region of several cells plays on until all six neighbours are blocked.
//! - The result is also tested before the first move.
//! - A seat that gives no legal move loses.
//!
//! ```
//! use judge_engines::Game;
//! use judge_engines::catch_the_cat::{CAT, CATCHER, CatchTheCat, Point, Setup};
//!
//! let setup = Setup {
//!     side: 5,
//!     world: "0".repeat(25),
//!     cat: Point::CENTRE,
//!     to_move: CAT,
//! };
//! let mut game = CatchTheCat::start(&setup)?;
//! game.play(CAT, Point(1, 0))?;
//! game.play(CATCHER, Point(2, 0))?;
//! let refused = game.play(CAT, Point(2, 0)).expect_err("just blocked");
//! assert_eq!(refused.rule, "blocked-cell");
//! game.play(CAT, Point(1, 1))?;
//! game.play(CATCHER, Point(1, 2))?;
//! game.play(CAT, Point(2, 1))?;
//! let outcome = game.outcome().expect("over");
//! assert_eq!(outcome.reason, "the cat reached the border");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bots;
mod frame;
mod hex;
mod kit;
mod position;
mod rules;
mod setup;
mod view;

pub use hex::Point;
pub use position::{CAT, CATCHER, CatchTheCat};
pub use setup::{Config, SIDE_MAX, Setup};
pub use view::View;
