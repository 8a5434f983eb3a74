//! Plays the games of a run as tasks of a Slurm cluster, in the place of workers of this machine.
//! Slurm decides where and when a task runs; this side cuts what is missing into parts, submits
//! them, collects what the tasks write, and submits again what was lost.
//!
//! Nothing depends on locks: whatever a task writes is in a file of its own attempt, the same game
//! may come twice, and what is missing in the run's journal is the only thing that is submitted.

mod active_arrays;
mod array;
mod attempt;
mod client;
mod cut;
mod follow;
mod listing;
mod loss;
mod plan;
mod settle;
mod watch;

pub use active_arrays::ActiveArrays;
pub use array::SLURM;
pub use follow::play;
pub use plan::{CostsUs, SlurmPlan};

use error::JudgeError;

/// Checks that Slurm's commands are here.
///
/// # Errors
/// When one is missing or does not start.
pub fn check() -> Result<(), JudgeError> {
    client::check().map_err(client::Refusal::error)
}
