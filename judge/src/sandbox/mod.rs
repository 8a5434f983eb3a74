//! The launcher: starts strangers' programs and makes sure that they end.
//!
//! The only home of `unsafe` in the project. It knows processes and limits, and nothing
//! of games, messages or clocks.

mod build;
mod launch;
mod spawn;
mod strays;

pub use build::{BuildRun, OUTPUT_BYTES_MAX, run_build};
pub use launch::{Launch, Limits, Running};
pub use strays::{adopt_orphans, end_strays, pin_to};
