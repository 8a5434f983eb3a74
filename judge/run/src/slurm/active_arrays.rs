//! The active arrays, so that an ending program can cancel them.

use crate::slurm::client;
use rulebook::JudgeError;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use system::files::write_whole;

/// Marker that one of our judges has cancelled the array. A different thread from the note's
/// creates it.
const CANCELLED: &str = "cancelled";

/// The active arrays, including one that is being submitted.
#[derive(Clone, Debug, Default)]
pub struct ActiveArrays(Arc<Mutex<Vec<ActiveArray>>>);

/// An active array.
#[derive(Clone, Debug)]
pub(crate) struct ActiveArray {
    /// The job's name.
    pub(crate) name: String,
    /// The job's number, once Slurm has reported it.
    pub(crate) job: Option<u64>,
    /// The array's folder.
    pub(crate) folder: PathBuf,
}

/// Number of searches for an array that is being submitted, and the time between them.
const LOOKS: u32 = 10;
const BETWEEN: Duration = Duration::from_secs(1);

impl ActiveArray {
    /// Cancels the array; returns whether it is known to end.
    fn cancel(&self) -> bool {
        // Without the mark, the next judge thinks that somebody else cancelled it.
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

    /// Cancels all arrays, within a few seconds. Returns the commands for those that may still be
    /// active. The next start collects the output of their tasks.
    pub fn cancel(&self) -> Vec<String> {
        let arrays = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        arrays
            .iter()
            .filter(|array| !array.cancel())
            .map(ActiveArray::command)
            .collect()
    }
}

/// Marks an array's folder as cancelled by one of our judges.
///
/// # Errors
/// When the mark cannot be written.
pub(crate) fn mark_cancelled(folder: &Path) -> Result<(), JudgeError> {
    write_whole(&folder.join(CANCELLED), b"")
}

/// Returns whether one of our judges has cancelled the array of a folder.
pub(crate) fn is_cancelled(folder: &Path) -> bool {
    folder.join(CANCELLED).exists()
}
