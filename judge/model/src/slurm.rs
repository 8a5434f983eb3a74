//! The settings for a run on a cluster under Slurm, as data. They change no result.

use alloc::string::String;
use alloc::vec::Vec;

/// The settings for Slurm in a competition's file.
#[derive(Clone, Debug, PartialEq)]
pub struct SlurmSettings {
    /// The partition; none = the cluster's default.
    pub partition: Option<String>,
    /// The account that is charged; none = the user's default.
    pub account: Option<String>,
    /// The feature that nodes must have, such as one CPU model; none = any node.
    pub constraint: Option<String>,
    /// The time limit of a task, in Slurm's spelling; none = the partition's limit.
    pub time: Option<String>,
    /// The intended time of a task's games together, in minutes; more than 0.
    pub part_minutes: f64,
    /// The maximum number of tasks of an array, at least 1.
    pub tasks_max: u32,
    /// Further options of `sbatch`, one word each.
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
