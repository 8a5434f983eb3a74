//! The settings for playing a run on a cluster.

use crate::slurm::active_arrays::ActiveArrays;
use model::fixture::Fixture;
use model::slurm::SlurmSettings;
use rulebook::JudgeError;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use store::Journal;
use store::parts::PartPlan;

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
