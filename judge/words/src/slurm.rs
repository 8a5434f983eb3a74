//! How a run is played on a cluster under Slurm, as data. It changes no result.

use alloc::string::String;
use alloc::vec::Vec;

/// What a competition's file says about Slurm.
#[derive(Clone, Debug, PartialEq)]
pub struct SlurmSettings {
    /// The partition; none = the cluster's default one.
    pub partition: Option<String>,
    /// The account that is charged; none = the user's default one.
    pub account: Option<String>,
    /// The feature that nodes must have, as one CPU model; none = any node.
    pub constraint: Option<String>,
    /// The time limit of a task, as Slurm writes it; none = the partition's.
    pub time: Option<String>,
    /// How long the games of a task should take together, in minutes; more than 0.
    pub part_minutes: f64,
    /// The most tasks of an array, at least 1.
    pub tasks_max: u32,
    /// Further options of `sbatch`, a word each.
    pub options: Vec<String>,
}

impl Default for SlurmSettings {
    fn default() -> Self {
        Self {
            partition: None,
            account: None,
            constraint: None,
            time: None,
            part_minutes: 10.0,
            tasks_max: 1000,
            options: Vec::new(),
        }
    }
}
