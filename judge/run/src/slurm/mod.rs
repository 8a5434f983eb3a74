//! Plays the games of a run as tasks of a Slurm cluster, instead of by workers on this machine.
//! Slurm decides where and when a task runs. This crate divides the missing games into parts,
//! submits them, collects the tasks' output, and resubmits lost games.
//!
//! Nothing depends on locks. Every attempt at a task writes a file of its own, and the same game
//! may come twice. Only games that are missing in the run's journal are submitted.

mod active_arrays;
mod array;
mod attempt;
mod client;
mod cut;
mod follow;
mod listing;
mod loss;
mod plan;
mod watch;

pub use active_arrays::ActiveArrays;
pub use array::SLURM;
pub use follow::play;
pub use plan::{CostsUs, SlurmPlan};

use rulebook::JudgeError;

/// Checks that Slurm's commands are installed.
///
/// # Errors
/// When one is missing or does not start.
pub fn check() -> Result<(), JudgeError> {
    client::check().map_err(client::Refusal::error)
}
