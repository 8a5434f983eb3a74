//! The arrays that go on, as the last act of an ended program sees them.

use crate::client;
use error::JudgeError;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use system::files::write_whole;

/// There when a judge of ours has cancelled the array; another thread than that of the note makes
/// it.
const CANCELLED: &str = "cancelled";

/// The arrays that go on, and the one that is just being submitted.
#[derive(Clone, Debug, Default)]
pub struct ActiveArrays(Arc<Mutex<Vec<ActiveArray>>>);

/// An array that goes on.
#[derive(Clone, Debug)]
pub(crate) struct ActiveArray {
    /// The name of its job.
    pub(crate) name: String,
    /// The number of its job, once Slurm has told.
    pub(crate) job: Option<u64>,
    /// Its folder.
    pub(crate) folder: PathBuf,
}

/// How often an array is looked for that is just being submitted, and how long between.
const LOOKS: u32 = 10;
const BETWEEN: Duration = Duration::from_secs(1);

impl ActiveArray {
    /// Cancels it; returns whether it is known to end.
    fn cancel(&self) -> bool {
        // Where it cannot be written, the next judge takes it for somebody else's doing.
        let _ = mark_cancelled(&self.folder);
        if let Some(job) = self.job {
            return client::cancel(&[job]).is_ok();
        }
        for _ in 0..LOOKS {
            if client::cancel_name(&self.name).unwrap_or(false) {
                return true;
            }
            thread::sleep(BETWEEN);
        }
        false
    }

    /// Returns the command that ends it.
    fn command(&self) -> String {
        self.job.map_or_else(
            || format!("scancel --name={}", self.name),
            |job| format!("scancel {job}"),
        )
    }
}

impl ActiveArrays {
    pub(crate) fn set(&self, arrays: impl Iterator<Item = ActiveArray>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = arrays.collect();
    }

    /// Cancels them all, within some seconds; returns the commands that end those that may go on
    /// nevertheless. What their tasks have written is taken at the next start.
    pub fn cancel(&self) -> Vec<String> {
        let arrays = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let left = arrays.iter().filter(|array| !array.cancel());
        left.map(ActiveArray::command).collect()
    }
}

/// Writes into an array's folder that a judge of ours cancels it.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn mark_cancelled(folder: &Path) -> Result<(), JudgeError> {
    write_whole(&folder.join(CANCELLED), b"")
}

/// Returns whether a judge of ours has cancelled the array of a folder.
pub(crate) fn is_cancelled(folder: &Path) -> bool {
    folder.join(CANCELLED).exists()
}
