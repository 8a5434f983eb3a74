//! Ends and removes the groups of a run, and of runs that are gone. A sweeper does so: a process
//! that outlives its coordinator.
//!
//! If the judge has moved down into a group of its own, its sweeper is in there too. That group is
//! therefore ended last. A sweep never ends the process that sweeps, nor a living coordinator.

use super::run::RunCgroups;
use super::{ControlGroups, ONE, PREFIX, TWO, leaf};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getpid};
use rulebook::JudgeError;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;
use system::owner::Owner;

/// Maximum number of attempts to remove a group, and the pause between them.
const TRIES_MAX: u32 = 2000;
const TRY_PAUSE: Duration = Duration::from_millis(1);

impl ControlGroups {
    /// Ends and removes the groups that dead judges have left.
    pub fn sweep(&self) {
        for group in self.folders.iter().flat_map(|folder| below(folder)) {
            let owner = Owner::of(&file_name(&group), PREFIX);
            if owner.is_some_and(Owner::is_gone) {
                end(&group, &[]);
            }
        }
    }
}

/// Ends all processes below a folder, removes the groups in it, and then the folder. The calling
/// process and the `spared` ones continue; a group that contains one of them stays.
pub(super) fn end(folder: &Path, spared: &[Pid]) {
    for group in below(folder) {
        end(&group, spared);
    }
    if !below(folder).is_empty() {
        // Killing this one would end the spared ones below it.
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
        if !members.is_empty() && members.iter().all(is_spared) {
            return;
        }
        // Suspended ones start no others meanwhile. Only one of the two files may exist.
        let freeze = |word: usize| {
            for names in [&ONE, &TWO] {
                let _ = fs::write(folder.join(names.freezer), names.freeze[word]);
            }
        };
        if !members.iter().any(is_spared) {
            freeze(0);
        }
        for pid in members.into_iter().filter(|pid| !is_spared(pid)) {
            let _ = kill(pid, Signal::SIGKILL);
        }
        freeze(1);
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
        if let Some((folder, _)) = self.run_cgroups.delegated() {
            leaf::ascend(folder, &folder.join(&self.run_cgroups.name), &self.enabled);
        }
    }

    /// Ends and removes all groups. While the coordinator lives, a group that it could not leave is
    /// left to a later sweep.
    pub(super) fn do_now(&self) {
        let runs = self.run_cgroups.runs();
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
