//! How a run is played on a cluster.

use crate::array::{Array, mark_cancelled};
use crate::client;
use error::JudgeError;
use journal::Journal;
use parts::PartPlan;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use words::fixture::Fixture;
use words::slurm::SlurmSettings;

/// Estimates how long each of some games takes, in microseconds; the journal has those of the run.
pub type CostsUs<'a> = dyn Fn(&[&Fixture], &Journal) -> Result<Vec<f64>, JudgeError> + 'a;

/// How a run is played on a cluster.
pub struct SlurmPlan<'a> {
    /// The run's folder, absolute; all nodes have it under this name.
    pub run: &'a Path,
    /// The program that plays parts, with the verb `part`; all nodes have it under this name.
    pub judge: &'a str,
    /// Further flags for it.
    pub flags: &'a [String],
    /// What the competition says about the cluster.
    pub settings: &'a SlurmSettings,
    /// The memory that a task needs, in MiB.
    pub memory_mib: u64,
    /// What all parts have in common.
    pub part: PartPlan<'a>,
    /// Asked before something is submitted.
    pub costs_us: &'a CostsUs<'a>,
    /// Games from machines that differ in speed may count together.
    pub mixed: bool,
    /// Set from outside to let the games in play end and start no more.
    pub stop: Arc<AtomicBool>,
    /// What to cancel when the program is ended in the middle.
    pub going: Going,
}

/// The arrays that go on, and the one that is just being submitted.
#[derive(Clone, Debug, Default)]
pub struct Going(Arc<Mutex<Vec<GoingArray>>>);

#[derive(Clone, Debug)]
struct GoingArray {
    name: String,
    job: Option<u64>,
    folder: PathBuf,
}

/// How often an array is looked for that is just being submitted, and how long between.
const LOOKS: u32 = 10;
const BETWEEN: Duration = Duration::from_secs(1);

impl GoingArray {
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

impl Going {
    pub(crate) fn set<'a>(&self, arrays: impl Iterator<Item = &'a Array>) {
        let going = arrays.map(|array| GoingArray {
            name: array.name().to_owned(),
            job: array.job(),
            folder: array.folder.clone(),
        });
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = going.collect();
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
        left.map(GoingArray::command).collect()
    }
}
