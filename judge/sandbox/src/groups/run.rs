//! The control groups of one run.

use super::sweep;
use super::{CgroupVersion, ControlGroups, PREFIX, leaf};
use rulebook::JudgeError;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use system::owner::Owner;

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

    /// Returns the run's folder in each hierarchy.
    pub(super) fn runs(&self) -> Vec<PathBuf> {
        let folders = self.groups.folders.iter();
        folders.map(|folder| folder.join(&self.name)).collect()
    }

    /// Returns the path of a worker's group.
    pub(super) fn slot(&self, worker: u32, number: u32) -> PathBuf {
        Path::new(&self.name).join(format!("{worker}-{number}"))
    }

    /// Ends and removes all groups of a worker that is gone.
    pub fn sweep_worker(&self, worker: u32) {
        let prefix = format!("{worker}-");
        for slot in self.runs().iter().flat_map(|run| sweep::below(run)) {
            if sweep::file_name(&slot).starts_with(&prefix) {
                sweep::end(&slot);
            }
        }
    }

    /// Returns the folder that must pass controllers down, and the controllers that its groups need.
    /// None of version 1, or if they need none.
    pub(super) fn delegated(&self) -> Option<(&Path, Vec<&'static str>)> {
        let ControlGroups {
            version,
            folders,
            memory,
            tasks,
        } = &self.groups;
        let needed = [(*memory, "memory"), (*tasks, "pids")];
        let needed = needed
            .into_iter()
            .filter_map(|(is, name)| is.then_some(name));
        let needed: Vec<&str> = needed.collect();
        let passes = *version == CgroupVersion::Two && !needed.is_empty();
        passes.then(|| (folders[0].as_path(), needed))
    }

    /// Creates the run's groups for the calling process. If a limit cannot be put on groups after
    /// all, removes it from the groups' capabilities.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn open(groups: ControlGroups) -> Result<OpenRunCgroups, JudgeError> {
        let name = format!("{PREFIX}{}", Owner::this());
        let mut run_cgroups = Self { groups, name };
        for run in run_cgroups.runs() {
            fs::create_dir_all(&run)
                .map_err(|e| JudgeError::io("make the control group", &run, e))?;
        }
        let mut enabled = Vec::new();
        if let Some((folder, controllers)) = run_cgroups.delegated() {
            enabled = leaf::missing(folder, &controllers);
            let run = folder.join(&run_cgroups.name);
            if leaf::descend(folder, &run, &controllers).is_err() {
                leaf::ascend(folder, &run, &enabled);
                run_cgroups.groups.memory = false;
                run_cgroups.groups.tasks = false;
            }
        }
        Ok(OpenRunCgroups {
            run_cgroups,
            enabled,
        })
    }
}

/// Control groups of an active run. Dropping this ends and removes all of them. If the judge dies
/// first, their processes end with their namespaces, and the next run removes them.
#[derive(Debug)]
pub struct OpenRunCgroups {
    run_cgroups: RunCgroups,
    /// Controllers that the folder above the groups did not pass down before.
    enabled: Vec<String>,
}

impl OpenRunCgroups {
    /// Returns the data that workers need about it.
    pub fn run_cgroups(&self) -> &RunCgroups {
        &self.run_cgroups
    }
}

impl Drop for OpenRunCgroups {
    fn drop(&mut self) {
        let runs = self.run_cgroups.runs();
        if let Some((folder, _)) = self.run_cgroups.delegated() {
            leaf::ascend(folder, &folder.join(&self.run_cgroups.name), &self.enabled);
        }
        for run in runs {
            sweep::end(&run);
        }
    }
}
