//! Ends and removes the groups of a run, and of runs that are gone.
//!
//! If the judge has moved down into a group of its own, its sweeper is in there too. That group is
//! therefore ended last. A sweep never ends the process that sweeps, nor a living coordinator.

use super::places::{ControlGroups, PREFIX};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getpid};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;
use system::owner::Owner;

/// Maximum number of attempts to remove a group, and the pause between them.
const TRIES_MAX: u32 = 2000;
const TRY_PAUSE: Duration = Duration::from_millis(1);

impl ControlGroups {
    /// Ends and removes the groups of judges that are gone.
    pub fn sweep(&self) {
        sweep_dead(self);
    }
}

/// Ends and removes the groups that dead judges have left.
fn sweep_dead(groups: &ControlGroups) {
    for folder in groups.folders() {
        for group in below(folder) {
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
        if members.iter().any(is_spared) {
            if members.iter().all(is_spared) {
                return;
            }
        } else {
            // Only one of the two files may exist; a frozen group of version 1 must thaw to end.
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
