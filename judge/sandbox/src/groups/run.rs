//! The control groups of one run, with a process that sweeps them if the judge dies.

use super::sweep::{self, Duty};
use super::{CgroupVersion, ControlGroups, PREFIX, leaf};
use rulebook::JudgeError;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
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
                sweep::end(&slot, &[]);
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
    /// all, removes it from the groups' capabilities. `sweeper` is a program that calls
    /// [`sweep_when_left`](super::sweep_when_left).
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn open(groups: ControlGroups, sweeper: Command) -> Result<OpenRunCgroups, JudgeError> {
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
        let duty = Duty {
            run_cgroups,
            enabled,
        };
        // Start it only after this process has moved: no other may be in the folder at that moment.
        match employ(&duty, sweeper) {
            Ok(sweeper) => Ok(OpenRunCgroups { duty, sweeper }),
            Err(error) => {
                duty.do_now();
                Err(error)
            }
        }
    }
}

/// Control groups of an active run. Dropping this ends and removes all of them. A separate process
/// does the same if the judge dies first.
#[derive(Debug)]
pub struct OpenRunCgroups {
    duty: Duty,
    sweeper: Child,
}

impl OpenRunCgroups {
    /// Returns the data that workers need about it.
    pub fn run_cgroups(&self) -> &RunCgroups {
        &self.duty.run_cgroups
    }
}

impl Drop for OpenRunCgroups {
    fn drop(&mut self) {
        self.duty.leave_leaf();
        // The sweeper starts when its input ends.
        drop(self.sweeper.stdin.take());
        let is_swept = self.sweeper.wait().is_ok_and(|status| status.success());
        if !is_swept {
            // The sweeper was killed.
            self.duty.do_now();
        }
    }
}

fn employ(duty: &Duty, mut sweeper: Command) -> Result<Child, JudgeError> {
    let child = sweeper
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        // An interrupt from the terminal must not reach it.
        .process_group(0)
        .spawn();
    let child = child.map_err(|source| JudgeError::Launch {
        program: sweeper.get_program().into(),
        source,
    })?;
    let mut line = serde_json::to_vec(duty).expect("plain data");
    line.push(b'\n');
    let mut stdin = child.stdin.as_ref().expect("it is piped");
    // If the sweeper has died, the next run sweeps.
    let _ = stdin.write_all(&line);
    Ok(child)
}
