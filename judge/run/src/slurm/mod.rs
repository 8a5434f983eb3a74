//! Plays the games of a run as tasks of a Slurm cluster.
//!
//! Nothing depends on locks: every attempt at a task writes a file of its own, and the same game
//! may come twice. Only games that are missing in the run's journal are submitted.

mod array;
mod client;
mod follow;

pub(crate) use follow::play;

use rulebook::JudgeError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Checks that Slurm's commands are installed.
pub fn check() -> Result<(), JudgeError> {
    client::check().map_err(client::Refusal::error)
}

/// The active arrays, including one being submitted: its name, and its number once known.
#[derive(Clone, Debug, Default)]
pub struct ActiveArrays(Arc<Mutex<Vec<ActiveArray>>>);

type ActiveArray = (String, Option<u64>);

const LOOKS: u32 = 10;
const BETWEEN: Duration = Duration::from_secs(1);

impl ActiveArrays {
    fn lock(&self) -> MutexGuard<'_, Vec<ActiveArray>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cancels all arrays. Returns commands for those that may still be active. The next start
    /// collects the output of their tasks.
    pub fn cancel(&self) -> Vec<String> {
        let mut arrays = self.lock().clone();
        arrays.retain(|array| !cancel(array));
        let command = |(name, _)| format!("scancel --name={name}");
        arrays.into_iter().map(command).collect()
    }
}

fn cancel((name, job): &ActiveArray) -> bool {
    if job.is_some() {
        return client::cancel(name).is_ok();
    }
    (0..LOOKS).any(|look| {
        if look > 0 {
            thread::sleep(BETWEEN);
        }
        let listed = client::list(&[name]).is_ok_and(|listed| !listed.is_empty());
        listed && client::cancel(name).is_ok()
    })
}
