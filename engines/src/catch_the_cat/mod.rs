//! Catch the Cat: a cat runs for the border of a hexagonal board, a catcher blocks one
//! cell a turn.
//!
//! Rules: the course text "Catch the Cat". Where it is silent: the cat moves first; border
//! cells may be blocked; a cat sealed in a region of several cells plays on until all six
//! neighbours are blocked; the result is also tested before the first move; a seat that
//! gives no legal move loses.
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
mod notation;
mod rules;
mod setup;
mod view;

pub use hex::Point;
pub use rules::CatchTheCat;
pub use setup::{Config, SIDE_MAX, Setup};
pub use view::View;

use crate::{GameInfo, Information, Lifetime, Points};
use crate::{Seat, TimeControl};

/// The seat that runs.
pub const CAT: Seat = Seat::new(0);
/// The seat that blocks.
pub const CATCHER: Seat = Seat::new(1);

pub(crate) const INFO: GameInfo = GameInfo {
    slug: "catch-the-cat",
    title: "Catch the Cat",
    summary: "A cat runs for the border of a hexagonal board; the catcher blocks one cell a turn.",
    rules_version: 1,
    roles: &["cat", "catcher"],
    seats_min: 2,
    // Each catcher's turn fills one of the 21·21 cells.
    plies_max: 2 * 21 * 21,
    information: Information::Perfect,
    points: Points::PLAIN,
    moves_listed: true,
    time: TimeControl {
        turn_us: Some(2_000_000),
        bank_us: None,
        increment_us: 0,
        charge_start: false,
    },
    lifetime: Lifetime::Turn,
};
