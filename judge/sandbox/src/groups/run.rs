use super::{CgroupVersion, ControlGroups, ONE, PREFIX, TWO};
use crate::groups;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getpid};
use rulebook::JudgeError;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;
use system::cleanup::Owner;

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

    pub(super) fn runs(&self) -> Vec<PathBuf> {
        self.groups
            .folders
            .iter()
            .map(|folder| folder.join(&self.name))
            .collect()
    }

    pub(super) fn slot(&self, worker: u32, number: u32) -> PathBuf {
        Path::new(&self.name).join(format!("{worker}-{number}"))
    }

    /// Ends and removes all groups of a worker that is gone.
    pub fn sweep_worker(&self, worker: u32) {
        let prefix = format!("{worker}-");
        for slot in self.runs().iter().flat_map(|run| below(run)) {
            if file_name(&slot).starts_with(&prefix) {
                end(&slot);
            }
        }
    }

    /// The folder that must pass controllers down, and which; none of version 1, or if none is
    /// needed.
    pub(super) fn delegated(&self) -> Option<(&Path, Vec<&'static str>)> {
        let ControlGroups {
            version,
            folders,
            memory,
            tasks,
        } = &self.groups;
        let needed = [(*memory, "memory"), (*tasks, "pids")];
        let needed: Vec<&str> = needed
            .into_iter()
            .filter_map(|(is, name)| is.then_some(name))
            .collect();
        let passes = *version == CgroupVersion::Two && !needed.is_empty();
        passes.then(|| (folders[0].as_path(), needed))
    }

    /// Creates the run's groups for this process, without the limits that cannot be put on them.
    pub fn open(groups: ControlGroups) -> Result<OpenRunCgroups, JudgeError> {
        let name = format!("{PREFIX}{}", Owner::this());
        let mut run_cgroups = Self { groups, name };
        for run in run_cgroups.runs() {
            fs::create_dir_all(&run)
                .map_err(|e| JudgeError::io("make the control group", &run, e))?;
        }
        let mut enabled = Vec::new();
        if let Some((folder, controllers)) = run_cgroups.delegated() {
            enabled = groups::missing(folder, &controllers);
            let run = folder.join(&run_cgroups.name);
            if groups::descend(folder, &run, &controllers).is_err() {
                groups::ascend(folder, &run, &enabled);
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

/// Control groups of an active run; dropping this removes them. If the judge dies first, their
/// processes end with their namespaces, and the next run removes them.
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
            groups::ascend(folder, &folder.join(&self.run_cgroups.name), &self.enabled);
        }
        for run in runs {
            end(&run);
        }
    }
}

const TRIES_MAX: u32 = 2000;
const TRY_PAUSE: Duration = Duration::from_millis(1);

impl ControlGroups {
    /// Ends and removes the groups that dead judges have left.
    pub fn sweep(&self) {
        for group in self.folders.iter().flat_map(|folder| below(folder)) {
            let owner = Owner::of(&file_name(&group), PREFIX);
            if owner.is_some_and(Owner::is_gone) {
                end(&group);
            }
        }
    }
}

/// Ends all processes below a folder and removes it, unless it contains the calling process.
fn end(folder: &Path) {
    for group in below(folder) {
        end(&group);
    }
    if !below(folder).is_empty() {
        return;
    }
    for _ in 0..TRIES_MAX {
        if fs::remove_dir(folder).is_ok() || !folder.exists() {
            return;
        }
        let members: Vec<Pid> = fs::read_to_string(folder.join("cgroup.procs"))
            .unwrap_or_default()
            .lines()
            .filter_map(|line| line.parse().ok())
            .filter(|&pid| pid > 0)
            .map(Pid::from_raw)
            .collect();
        if members.contains(&getpid()) {
            return;
        }
        // Suspended ones start no others meanwhile. Only one of the two files may exist.
        let freeze = |word: usize| {
            for names in [&ONE, &TWO] {
                let _ = fs::write(folder.join(names.freezer), names.freeze[word]);
            }
        };
        freeze(0);
        for pid in members {
            let _ = kill(pid, Signal::SIGKILL);
        }
        freeze(1);
        sleep(TRY_PAUSE);
    }
}

fn below(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect()
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
