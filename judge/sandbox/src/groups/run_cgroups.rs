//! The location of one run among the machine's groups.

use super::places::{CgroupVersion, ControlGroups};
use super::sweep;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A folder in each hierarchy, which contains a run's groups: one for each player of each worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunCgroups {
    pub(super) groups: ControlGroups,
    pub(super) name: String,
}

impl RunCgroups {
    /// Returns the capabilities of its groups.
    pub fn groups(&self) -> &ControlGroups {
        &self.groups
    }

    /// Returns the path of a worker's group.
    pub(super) fn slot(&self, worker: u32, number: u32) -> PathBuf {
        Path::new(&self.name).join(format!("{worker}-{number}"))
    }

    /// Ends and removes all groups of a worker that is gone.
    pub fn sweep_worker(&self, worker: u32) {
        let prefix = format!("{worker}-");
        for folder in self.groups.folders() {
            for slot in sweep::below(&folder.join(&self.name)) {
                if sweep::file_name(&slot).starts_with(&prefix) {
                    sweep::end(&slot, &[]);
                }
            }
        }
    }

    /// Returns the folder that must pass controllers down, and the controllers of version 2 that
    /// its groups need. None if they need none.
    pub(super) fn delegated(&self) -> (Option<PathBuf>, Vec<&'static str>) {
        delegated(&self.groups)
    }
}

pub(super) fn delegated(groups: &ControlGroups) -> (Option<PathBuf>, Vec<&'static str>) {
    let needed = [(&groups.memory, "memory"), (&groups.tasks, "pids")];
    let needed = needed.into_iter().filter_map(|(place, controller)| {
        let place = place.as_ref()?;
        (place.version == CgroupVersion::Two).then_some((place.folder.clone(), controller))
    });
    let (mut folders, controllers): (Vec<PathBuf>, Vec<_>) = needed.unzip();
    (folders.pop(), controllers)
}
