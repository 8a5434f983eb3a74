//! Ending and removing the groups of a run, and of runs that are gone.
//!
//! Where the judge has gone down into a group of its own, its sweeper is in there with it. So
//! that one is ended last, and a sweep never ends the process that sweeps, nor a coordinator
//! that lives.

use super::name::Owner;
use super::run_cgroups::RunCgroups;
use super::{ControlGroups, leaf};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getpid};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;
use system::error::JudgeError;

/// How often a sweep tries to remove a group, and the pause in between.
const TRIES_MAX: u32 = 2000;
const TRY_PAUSE: Duration = Duration::from_millis(1);

/// What is to be undone when a run ends.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Duty {
    /// Its groups.
    pub(super) run_cgroups: RunCgroups,
    /// What the folder above them hands down that it did not before.
    pub(super) enabled: Vec<String>,
}

impl Duty {
    /// Moves the calling process out of the group that the judge went down into, if it did.
    pub(super) fn leave_leaf(&self) {
        if let (Some(folder), _) = self.run_cgroups.delegated() {
            leaf::ascend(&folder, &folder.join(&self.run_cgroups.name), &self.enabled);
        }
    }

    /// Ends and removes all groups. One that the coordinator could not leave is left to a later
    /// sweep while that lives.
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
        let coordinator = Owner::of(&self.run_cgroups.name).and_then(Owner::living);
        for run in &runs {
            end(run, coordinator.as_slice());
        }
    }
}

/// Serves as the sweeper of a run's control groups: reads from standard input which they are,
/// waits until whoever opened them is gone or has closed them, and ends and removes them all.
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

/// Ends and removes what judges that are gone have left.
pub(super) fn sweep_dead(groups: &ControlGroups) {
    for folder in groups.folders() {
        for group in below(folder) {
            let owner = Owner::of(&file_name(&group));
            if owner.is_some_and(Owner::is_gone) {
                end(&group, &[]);
            }
        }
    }
}

/// Ends all processes below a folder, removes the groups in it, and then itself. The calling
/// process and those that are `spared` go on; a group that one of them is in stays.
pub(super) fn end(folder: &Path, spared: &[Pid]) {
    for group in below(folder) {
        end(&group, spared);
    }
    if !below(folder).is_empty() {
        // Killing this one would end those below it that are to stay.
        return;
    }
    for _ in 0..TRIES_MAX {
        if fs::remove_dir(folder).is_ok() || !folder.exists() {
            return;
        }
        let members = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
        let members = members.lines().filter_map(|line| line.parse().ok());
        let members: Vec<Pid> = members.filter(|&pid| pid > 0).map(Pid::from_raw).collect();
        let is_spared = |pid: &Pid| *pid == getpid() || spared.contains(pid);
        if members.iter().any(is_spared) {
            if members.iter().all(is_spared) {
                return;
            }
        } else {
            // One of the two there may be; a frozen group of version 1 must thaw to end.
            let _ = fs::write(folder.join("cgroup.kill"), "1");
        }
        for pid in members.into_iter().filter(|pid| !is_spared(pid)) {
            let _ = kill(pid, Signal::SIGKILL);
        }
        if folder.join("freezer.state").exists() {
            let _ = fs::write(folder.join("freezer.state"), "THAWED");
        }
        sleep(TRY_PAUSE);
    }
}

pub(super) fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.map(|entry| entry.path()).collect()
}

pub(super) fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
