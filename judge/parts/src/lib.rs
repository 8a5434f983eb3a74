//! Parts of a run in files of their own, to be played anywhere by the same program: a part has
//! the fixtures with their seeds, the programs that play, and the conditions; never the secret that
//! all seeds come from. What was played comes back as a journal, see [`journal::PartLines`].
//!
//! It starts nothing and plays nothing.

mod asked;
mod file;
mod groups;
mod programs;

pub use asked::Asked;
pub use file::{Part, PartPlan, PartWriter};
pub use groups::{groups, slices};
pub use programs::Programs;
