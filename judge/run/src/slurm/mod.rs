//! Plays a run's missing games as tasks of a Slurm cluster. Nothing depends on locks: every attempt
//! at a task writes a file of its own, and the same game may come twice.

mod array;
mod client;
mod follow;

pub(crate) use follow::play;

use rulebook::JudgeError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Checks that Slurm's commands are installed.
pub fn check() -> Result<(), JudgeError> {
    client::check().map_err(client::Refusal::error)
}

/// The active arrays, including one being submitted: its name, and its number once known.
#[derive(Clone, Debug, Default)]
pub struct ActiveArrays(Arc<Mutex<Vec<ActiveArray>>>);

type ActiveArray = (String, Option<u64>);

impl ActiveArrays {
    fn lock(&self) -> MutexGuard<'_, Vec<ActiveArray>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cancels all arrays, and returns commands for those that may still be active.
    pub fn cancel(&self) -> Vec<String> {
        let arrays = self.lock().clone().into_iter();
        arrays
            // Slurm may still accept one that is being submitted, which has no number yet.
            .filter(|(name, job)| client::cancel(name).is_err() || job.is_none())
            .map(|(name, _)| format!("scancel --name={name}"))
            .collect()
    }
}
