//! The program `judge`, as a library for its tests; the parts that it puts together are
//! crates of their own. `ARCHITECTURE.md` is the map.

// They panic where the disk is full; see `cli::out`.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod builtin;
pub mod check;
pub mod cli;
pub mod estimate;
pub mod events;
mod intact;
pub mod progress;
pub mod starter;
mod terminal;
mod toolchains;
