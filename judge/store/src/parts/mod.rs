//! Parts of a run in separate files, which the same program can play anywhere. A part has the
//! fixtures with their seeds, the programs that play, and the conditions. It never has the secret
//! that all seeds come from. The played games come back as a journal, see [`crate::PartLines`].
//!
//! This crate starts no process and plays no game.

mod file;
mod groups;
mod programs;

pub use file::{Part, PartPlan, PartWriter};
pub use groups::{groups, slices};
pub use programs::Programs;
