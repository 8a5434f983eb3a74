//! Rules that a program serves by the referee protocol (`protocol.md`, "The referee as a service").
//! The judge is its client: [`open`] makes [`rulebook::rules::Rules`] of a [`Server`]. Who starts
//! the program, and how it is confined and timed, is the caller's. Whatever it does wrong is a
//! [`rulebook::JudgeError::Game`] and nobody's fault.

mod about;
mod answer;
pub mod check;
mod connection;
mod picture;
mod position;
mod rules_of;
#[cfg(test)]
mod tests;

use rulebook::JudgeError;
use std::fmt::Debug;

/// Files that the judge adds to games in the language of their ending, by name.
pub const HELPERS: &[(&str, &str)] = &[
    ("judge_game.py", include_str!("judge_game.py")),
    ("judge_game.js", include_str!("judge_game.js")),
    ("judge_game.hpp", include_str!("judge_game.hpp")),
];

pub use connection::disconnect;
pub use rules_of::{GameProgram, choose_any, open};

/// In bytes without the newline.
pub(crate) const LINE_BYTES_MAX: usize = 1 << 20;

/// A running program that answers requests.
pub trait Server {
    /// Sends a request and gets the answer, each a line without its newline. Returns the reason in
    /// words if there is none; the program is then of no further use.
    fn ask(
        &mut self,
        request: &[u8],
        answer: &mut Vec<u8>,
    ) -> Result<Result<(), String>, JudgeError>;

    /// Returns the last line that the program has written to standard error, for staff.
    fn complaints(&mut self) -> String {
        String::new()
    }
}

/// Starts a [`Server`]. Each thread that uses the rules has one of its own.
pub trait Connect: Debug + Send + Sync {
    /// Starts the program.
    fn connect(&self) -> Result<Box<dyn Server>, JudgeError>;
}
