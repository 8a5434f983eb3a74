//! The place of one run among the machine's groups.

use super::name::Owner;
use super::sweep::{self, Duty};
use super::{CgroupVersion, ControlGroups, leaf};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use system::error::JudgeError;

/// A folder in each hierarchy, below which a run's groups lie, one for each player of each
/// worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunCgroups {
    pub(super) groups: ControlGroups,
    pub(super) name: String,
}

/// Control groups of a run that goes on; dropping this ends and removes all of its groups. A process beside us
/// does the same if we die before.
#[derive(Debug)]
pub struct OpenRunCgroups {
    duty: Duty,
    sweeper: Child,
}

impl RunCgroups {
    /// Takes a place for the calling process. Where a limit cannot be put on groups after
    /// all, it is taken out of what they offer. `sweeper` is a program that calls
    /// [`sweep_when_left`](super::sweep_when_left).
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn open(mut groups: ControlGroups, sweeper: Command) -> Result<OpenRunCgroups, JudgeError> {
        let name = Owner::this().name();
        for folder in groups.folders() {
            let run = folder.join(&name);
            fs::create_dir_all(&run)
                .map_err(|e| JudgeError::io("make the control group", &run, e))?;
        }
        let mut enabled = Vec::new();
        if let (Some(folder), controllers) = delegated(&groups) {
            enabled = leaf::missing(&folder, &controllers);
            let run = folder.join(&name);
            if leaf::descend(&folder, &run, &controllers).is_err() {
                leaf::ascend(&folder, &run, &enabled);
                let older = |place: &super::CgroupFolder| place.version == CgroupVersion::One;
                groups.memory = groups.memory.filter(older);
                groups.tasks = groups.tasks.filter(older);
            }
        }
        let run_cgroups = Self { groups, name };
        let duty = Duty {
            run_cgroups,
            enabled,
        };
        // Not before this process has moved: no other may be in the folder then.
        match employ(&duty, sweeper) {
            Ok(sweeper) => Ok(OpenRunCgroups { duty, sweeper }),
            Err(error) => {
                duty.do_now();
                Err(error)
            }
        }
    }

    /// Tells what its groups are good for.
    pub fn groups(&self) -> &ControlGroups {
        &self.groups
    }

    /// Names a worker's group.
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

    /// Returns the controllers of version 2 that its groups need, and the folder that must hand
    /// them down; none if none does.
    pub(super) fn delegated(&self) -> (Option<PathBuf>, Vec<&'static str>) {
        delegated(&self.groups)
    }
}

impl OpenRunCgroups {
    /// Returns what workers need to know of it.
    pub fn run_cgroups(&self) -> &RunCgroups {
        &self.duty.run_cgroups
    }
}

impl Drop for OpenRunCgroups {
    fn drop(&mut self) {
        self.duty.leave_leaf();
        // It sweeps when its input ends.
        drop(self.sweeper.stdin.take());
        let _ = self.sweeper.wait();
    }
}

fn employ(duty: &Duty, mut sweeper: Command) -> Result<Child, JudgeError> {
    let child = sweeper
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        // An interrupt from the terminal is not for it.
        .process_group(0)
        .spawn();
    let child = child.map_err(|source| JudgeError::Launch {
        program: sweeper.get_program().into(),
        source,
    })?;
    let mut line = serde_json::to_vec(duty).expect("plain data");
    line.push(b'\n');
    let mut stdin = child.stdin.as_ref().expect("it is piped");
    // One that has died cannot be told; then the next run sweeps.
    let _ = stdin.write_all(&line);
    Ok(child)
}

fn delegated(groups: &ControlGroups) -> (Option<PathBuf>, Vec<&'static str>) {
    let needed = [(&groups.memory, "memory"), (&groups.tasks, "pids")];
    let needed = needed.into_iter().filter_map(|(place, controller)| {
        let place = place.as_ref()?;
        (place.version == CgroupVersion::Two).then_some((place.folder.clone(), controller))
    });
    let (mut folders, controllers): (Vec<PathBuf>, Vec<_>) = needed.unzip();
    (folders.pop(), controllers)
}
