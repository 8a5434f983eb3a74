//! The sweeper of a run: a process that outlives its coordinator, then ends and removes the run's
//! groups.

use super::leaf;
use super::places::PREFIX;
use super::run_cgroups::RunCgroups;
use super::sweep::{below, end, file_name};
use rulebook::JudgeError;
use serde::{Deserialize, Serialize};
use std::io::BufRead;
use std::path::PathBuf;
use system::owner::Owner;

/// The cleanup when a run ends.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Duty {
    /// The groups of the run.
    pub(super) run_cgroups: RunCgroups,
    /// Controllers that the folder above the groups did not pass down before.
    pub(super) enabled: Vec<String>,
}

impl Duty {
    /// Moves the calling process out of the group that the judge moved into, if it did.
    pub(super) fn leave_leaf(&self) {
        if let (Some(folder), _) = self.run_cgroups.delegated() {
            leaf::ascend(&folder, &folder.join(&self.run_cgroups.name), &self.enabled);
        }
    }

    /// Ends and removes all groups. While the coordinator lives, a group that it could not leave is
    /// left to a later sweep.
    pub(super) fn do_now(&self) {
        let runs = self.run_cgroups.groups.folders().into_iter();
        let runs: Vec<PathBuf> = runs
            .map(|folder| folder.join(&self.run_cgroups.name))
            .collect();
        for slot in runs.iter().flat_map(|run| below(run)) {
            if file_name(&slot) != leaf::NAME {
                end(&slot, &[]);
            }
        }
        self.leave_leaf();
        let coordinator = Owner::of(&self.run_cgroups.name, PREFIX).and_then(Owner::living);
        for run in &runs {
            end(run, coordinator.as_slice());
        }
    }
}

/// Serves as the sweeper of a run's control groups. Reads the groups from standard input, waits
/// until their opener is gone or has closed them, and then ends and removes them all.
///
/// # Errors
/// When its input cannot be read.
pub fn sweep_when_left() -> Result<(), JudgeError> {
    let mut lines = std::io::stdin().lock().lines();
    let Some(Ok(line)) = lines.next() else {
        return Ok(());
    };
    let duty: Duty = serde_json::from_str(&line).map_err(|source| JudgeError::Format {
        what: "the place of control groups".to_owned(),
        source,
    })?;
    while let Some(Ok(_)) = lines.next() {}
    duty.do_now();
    Ok(())
}
