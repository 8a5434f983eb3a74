//! Plays the games of a run as tasks of a Slurm cluster, instead of by workers on this machine.
//! Slurm decides where and when a task runs. This crate divides the missing games into parts,
//! submits them, collects the tasks' output, and resubmits lost games.
//!
//! Nothing depends on locks. Every attempt at a task writes a file of its own, and the same game
//! may come twice. Only games that are missing in the run's journal are submitted.

mod array;
mod attempt;
mod client;
mod follow;
mod listing;
mod loss;

pub use array::SLURM;
pub use follow::play;

use model::fixture::Fixture;
use model::slurm::SlurmSettings;
use rulebook::JudgeError;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use store::Journal;
use store::parts::PartPlan;
use system::files::write_whole;

/// Checks that Slurm's commands are installed.
pub fn check() -> Result<(), JudgeError> {
    client::check().map_err(client::Refusal::error)
}

/// Estimates how long each of some games takes, in microseconds; the journal has finished games of
/// the run.
pub type CostsUs<'a> = dyn Fn(&[&Fixture], &Journal) -> Result<Vec<f64>, JudgeError> + 'a;

/// The settings for playing a run on a cluster.
pub struct SlurmPlan<'a> {
    /// The run's folder, absolute; it has this path on all nodes.
    pub run: &'a Path,
    /// The program that plays parts, with the verb `part`; it has this path on all nodes.
    pub judge: &'a str,
    /// Further flags for it.
    pub flags: &'a [String],
    /// The competition's settings for the cluster.
    pub settings: &'a SlurmSettings,
    /// The memory that a task needs, in MiB.
    pub memory_mib: u64,
    /// The common data of all parts.
    pub part: PartPlan<'a>,
    /// Called before each submission.
    pub costs_us: &'a CostsUs<'a>,
    /// Whether games from machines of different speed may count together.
    pub mixed: bool,
    /// Set from outside to finish the games in play and start no more.
    pub stop: Arc<AtomicBool>,
    /// The arrays to cancel if the program is ended early.
    pub arrays: ActiveArrays,
}

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
pub(crate) fn mark_cancelled(folder: &Path) -> Result<(), JudgeError> {
    write_whole(&folder.join(CANCELLED), b"")
}

/// Returns whether one of our judges has cancelled the array of a folder.
pub(crate) fn is_cancelled(folder: &Path) -> bool {
    folder.join(CANCELLED).exists()
}
