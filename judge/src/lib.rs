//! The program `judge` as a library, for its tests; `ARCHITECTURE.md` is the map.

// These macros panic when the disk is full; see `cli::out`.
#![warn(clippy::print_stdout, clippy::print_stderr)]

/// The version and the commit, as build.rs found them: `0.2.0 (1a2b3c4d5e6f)`.
pub const BUILD: &str = env!("JUDGE_BUILD");

mod cli;
mod progress;
mod terminal;

pub use cli::main;
pub use progress::final_table;
