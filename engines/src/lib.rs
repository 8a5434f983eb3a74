//! The rules of the games: who moves, what a seat sees, what is legal, how it ends.
//!
//! Everything here is a value. The crate knows no process, thread, clock, file or
//! network; randomness is passed in. [`Game`] is what a game implements, [`GAMES`]
//! lists the games, and [`erased`] is the same rules behind JSON for callers that
//! learn the game's name at run time.

#![no_std]

#[macro_use]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod advice;
pub mod catch_the_cat;
pub mod conformance;
pub mod connect_four;
mod course;
pub mod crazy_camel;
pub mod erased;
mod frame;
mod game;
mod homework;
mod json;
pub mod monkey_metal_man;
mod notation;
pub mod object;
mod palette;
mod picture;
pub mod plain;
pub mod reversi;
mod seat;

pub use advice::Advice;
pub use course::CourseText;
pub use erased::Entry;
pub use frame::{Disc, EdgeWall, Frame, Grid};
pub use game::{
    Baseline, Blind, Calls, Choose, Forfeit, Game, GameInfo, GameResult, Information, Kit,
    Lifetime, Outcome, Points, Refused, RuleBroken, SeatOutcome, Sign, TimeControl, Turn,
};
pub use homework::{Duel, Function, Homework, Marking, Question};
pub use notation::{Labels, Notation};
pub use palette::{Ansi, Palette, Piece, Rgb, Shape, Tone};
pub use picture::{Glyph, Ink, drawing, picture, piece};
pub use seat::{SEATS_MAX, Seat, Seats};

/// Every game that can be refereed, one line each.
pub static GAMES: &[Entry] = &[
    Entry::of::<catch_the_cat::CatchTheCat>(),
    Entry::of::<reversi::Reversi>(),
    Entry::of::<crazy_camel::CrazyCamel>(),
    Entry::of::<monkey_metal_man::MonkeyMetalMan>(),
    Entry::of::<connect_four::ConnectFour>(),
];

/// Finds a game by its slug.
pub fn game(slug: &str) -> Option<&'static Entry> {
    GAMES.iter().find(|entry| entry.info.slug == slug)
}
