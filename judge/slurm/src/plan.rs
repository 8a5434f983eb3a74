//! How a run is played on a cluster.

use crate::active_arrays::ActiveArrays;
use error::JudgeError;
use journal::Journal;
use parts::PartPlan;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
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
    pub arrays: ActiveArrays,
}
