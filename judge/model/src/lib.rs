//! The terms of the referee as data, without processes, files, clocks or the network.

#![no_std]

#[macro_use]
extern crate alloc;
#[cfg(test)]
extern crate std;

/// The format of all stored files. A change of a draw, an end or a stored byte raises it, and a judge
/// refuses every other number.
pub const FORMAT: u32 = 5;

pub mod advice;
pub mod artifact;
pub mod builtin;
pub mod clock;
pub mod competition;
pub mod draw;
pub mod entrant;
pub mod entrants_folder;
pub mod fault;
pub mod fixture;
pub mod game_id;
pub mod isolation;
pub mod language;
pub mod last_words;
pub mod lateness;
pub mod note;
pub mod numbers;
pub mod platform;
pub mod points;
pub mod protocol;
pub mod record;
pub mod startup;
pub mod stderr;
pub mod table;
pub mod tally;
pub mod text;
pub mod tie;
pub mod varint;
pub mod verdict;
pub mod watch;
