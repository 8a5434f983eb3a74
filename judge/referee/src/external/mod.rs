//! Rules that a program serves by the referee protocol (`protocol.md`, "The referee as a service").
//! The judge is its client: [`open`] makes [`rulebook::rules::Rules`] of a [`Server`].
//!
//! The crate knows lines and JSON. Who starts the program, and how it is confined and timed, is the
//! caller's. Whatever the program does wrong is a [`rulebook::JudgeError::Game`] and nobody's fault.

mod about;
mod answer;
mod bounded;
pub mod check;
mod connection;
mod moves;
mod picture;
mod position;
mod rules_of;
mod server;
#[cfg(test)]
mod tests;

/// Files that the judge adds to games, by name. Each is for games in the language of its ending.
pub const HELPERS: &[(&str, &str)] = &[
    ("judge_game.py", include_str!("judge_game.py")),
    ("judge_game.js", include_str!("judge_game.js")),
    ("judge_game.hpp", include_str!("judge_game.hpp")),
];

pub use connection::disconnect;
pub use rules_of::choose_any;
pub use rules_of::{GameProgram, open};
pub use server::{Connect, Server};
