//! The rules of board games for bots: whose turn it is, the view of a seat, the legal moves, the
//! reasons against illegal ones, and the end of a game.
//!
//! Everything here is a value. The crate is `no_std` (with `alloc`), so it can name no process,
//! thread, clock, file or network. Randomness is passed in. Every game implements [`Game`], and
//! [`GAMES`] lists the games. [`erased`] puts the same rules behind JSON, for callers that learn
//! the game's name at run time.
//!
//! # By name
//!
//! [`game`] finds a game at run time. Setups, moves and views are then JSON, in the form that bots
//! receive. Every game has built-in bots to play against.
//!
//! ```
//! use judge_engines::Seat;
//! use serde_json::value::RawValue;
//!
//! let entry = judge_engines::game("connect-four").expect("registered");
//! let config = entry.configure(r#"{"opening_plies":4}"#)?;
//! let mut game = entry.start(&entry.draw(&config, 2024)?)?;
//!
//! let seat = game.to_move().first().expect("not over");
//! let mut view = Vec::new();
//! game.write_view(seat, &mut view);
//! let view: Box<RawValue> = serde_json::from_slice(&view)?;
//! let mut legal = Vec::new();
//! game.write_legal_moves(seat, &mut legal);
//! let legal: Box<RawValue> = serde_json::from_slice(&legal)?;
//!
//! let mv = entry.choose("threats", seat, &view, &legal, 1)?;
//! game.play(seat, &mv).expect("a built-in bot plays by the rules");
//! assert_eq!(game.to_move().first(), Some(Seat::new(1)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Game::perft`] counts the positions some plies ahead, to compare two implementations of rules.

#![no_std]

#[macro_use]
extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod catch_the_cat;
mod complaint;
pub mod connect_four;
pub mod crazy_camel;
pub mod erased;
mod frame;
mod game;
mod in_words;
mod kit;
pub mod monkey_metal_man;
mod notation;
mod picture;
pub mod plain;
pub mod quote;
pub mod reversi;
mod seat;
#[cfg(test)]
mod tests;

/// The names of the standard library's prelude that `alloc` has.
mod prelude {
    pub(crate) use alloc::borrow::ToOwned;
    pub(crate) use alloc::boxed::Box;
    pub(crate) use alloc::string::{String, ToString};
    pub(crate) use alloc::vec::Vec;
}

pub use complaint::{Refused, RuleBroken};
pub use erased::Entry;
pub use frame::{
    Ansi, Better, Disc, EdgeWall, Frame, Grid, Mark, Measure, Palette, Piece, Rgb, Shape, Tone,
};
pub use game::{
    Baseline, Forfeit, Game, GameInfo, GameResult, Information, Lifetime, Outcome, Points,
    SeatOutcome, TimeControl,
};
pub use in_words::in_words;
pub use kit::{
    Advice, Blind, Calls, CourseText, Duel, Function, Homework, Kit, Marking, Question, Sign,
};
pub use notation::{Labels, Notation};
pub use picture::{Glyph, Ink, drawing, picture, piece};
/// The generator that setups are drawn with.
pub use rand_chacha;
pub use seat::{SEATS_MAX, Seat, Seats};

/// Every game that can be refereed, one line each.
pub static GAMES: &[Entry] = &[
    Entry::of::<catch_the_cat::CatchTheCat>(),
    Entry::of::<reversi::Reversi>(),
    Entry::of::<crazy_camel::CrazyCamel>(),
    Entry::of::<monkey_metal_man::MonkeyMetalMan>(),
    Entry::of::<connect_four::ConnectFour>(),
];

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Finds a game by its slug.
pub fn game(slug: &str) -> Option<&'static Entry> {
    GAMES.iter().find(|entry| entry.info.slug == slug)
}
