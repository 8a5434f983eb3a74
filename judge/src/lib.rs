//! The program `judge`, as a library for its tests; the parts that it puts together are
//! crates of their own. `ARCHITECTURE.md` is the map.

// They panic where the disk is full; see `cli::out`.
#![warn(clippy::print_stdout, clippy::print_stderr)]

/// The version and what it is built from, as build.rs found it: `0.1.0 (1a2b3c4d5e6f)`.
pub const BUILD: &str = env!("JUDGE_BUILD");

pub mod check;
pub mod cli;
pub mod events;
pub mod progress;
pub mod starter;
mod terminal;
