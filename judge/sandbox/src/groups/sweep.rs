//! Ends and removes the groups of a run, and of runs that are gone. A sweep never ends the process
//! that sweeps.

use super::{ControlGroups, ONE, PREFIX, TWO};
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

/// Ends all processes below a folder, removes the groups in it, and then the folder. A group that
/// contains the calling process stays.
pub(super) fn end(folder: &Path) {
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
        let members = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
        let members = members.lines().filter_map(|line| line.parse().ok());
        let members: Vec<Pid> = members.filter(|&pid| pid > 0).map(Pid::from_raw).collect();
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

pub(super) fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.map(|entry| entry.path()).collect()
}

pub(super) fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
