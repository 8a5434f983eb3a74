//! Control groups count, limit, suspend and end a tree of processes, whatever its members do to
//! hide; only where a competition lets bots start processes. A group is a folder of the same name
//! in each hierarchy: the one of version 2, or one for each controller of version 1.

mod find;
mod group;

pub use group::{Lease, Pool};

use crate::files::entries;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getpid};
use rulebook::{IoContext, Result};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;
use std::{fs, io};
use system::cleanup::Owner;

const PREFIX: &str = "judge-";

/// The folders where the judge may make groups that count and end process trees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControlGroups {
    /// The version of all folders.
    pub version: CgroupVersion,
    /// One in each hierarchy, the suspending first: only a process that continues can end.
    pub folders: Vec<PathBuf>,
    /// Whether they limit memory.
    pub memory: bool,
    /// Whether they limit the number of processes and threads.
    pub tasks: bool,
}

/// A version of control groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CgroupVersion {
    /// Hierarchies with one controller, or a few.
    #[serde(rename = "v1")]
    One,
    /// The unified hierarchy.
    #[serde(rename = "v2")]
    Two,
}

#[derive(Debug)]
struct Names {
    version: &'static str,
    file_system: &'static str,
    /// The controller of each hierarchy that is used, as `/proc/self/cgroup` names it.
    hierarchies: &'static [&'static str],
    counter: &'static str,
    /// The word before the counter's number, and the number's unit in ns.
    counted: (&'static str, u64),
    freezer: &'static str,
    /// The words that suspend and continue, when written there.
    freeze: [&'static str; 2],
    memory: &'static str,
    /// Files that may be missing, with their contents: the limit in bytes, unless a text is given.
    memory_more: &'static [(&'static str, Option<&'static str>)],
    deaths: &'static str,
}

const ONE: Names = Names {
    version: "cgroup v1",
    file_system: "cgroup",
    hierarchies: &["freezer", "cpuacct", "memory", "pids"],
    counter: "cpuacct.usage",
    counted: ("", 1),
    freezer: "freezer.state",
    freeze: ["FROZEN", "THAWED"],
    memory: "memory.limit_in_bytes",
    memory_more: &[("memory.memsw.limit_in_bytes", None)],
    deaths: "memory.oom_control",
};

const TWO: Names = Names {
    version: "cgroup v2",
    file_system: "cgroup2",
    hierarchies: &[""],
    counter: "cpu.stat",
    counted: ("usage_usec", 1000),
    freezer: "cgroup.freeze",
    freeze: ["1", "0"],
    memory: "memory.max",
    // A process tree that loses one process is no longer what its author wrote.
    memory_more: &[
        ("memory.oom.group", Some("1")),
        ("memory.swap.max", Some("0")),
    ],
    deaths: "memory.events",
};

const TASKS: &str = "pids.max";
const PROCS: &str = "cgroup.procs";

impl CgroupVersion {
    const fn names(self) -> &'static Names {
        match self {
            Self::One => &ONE,
            Self::Two => &TWO,
        }
    }
}

impl ControlGroups {
    fn names(&self) -> &'static Names {
        self.version.names()
    }

    /// Names the counter that is charged where bots may start processes.
    pub fn counter_name(&self) -> String {
        let names = self.names();
        format!("{} ({})", names.counter, names.version)
    }
}

/// The group that the judge and its workers enter, below the run's.
const NAME: &str = "judge";

const CONTROL: &str = "cgroup.subtree_control";

/// Returns whether groups below `folder` could get a controller if the judge moved out of `folder`.
fn can_enable(folder: &Path, controller: &str) -> bool {
    let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_default();
    let offered = read("cgroup.controllers");
    let alone = || {
        let this = std::process::id().to_string();
        read(PROCS).lines().all(|pid| pid == this)
    };
    // The hierarchy's root has no type, and may contain processes anyway.
    let is_root = !folder.join("cgroup.type").exists();
    offered.split_ascii_whitespace().any(|c| c == controller) && (is_root || alone())
}

fn missing(folder: &Path, controllers: &[&str]) -> Vec<String> {
    let text = fs::read_to_string(folder.join(CONTROL)).unwrap_or_default();
    let delegated: Vec<&str> = text.split_ascii_whitespace().collect();
    let missing = controllers.iter().filter(|c| !delegated.contains(c));
    missing.map(ToString::to_string).collect()
}

/// Moves this process into a group below `run`, and passes controllers down to the run's groups.
fn descend(folder: &Path, run: &Path, controllers: &[&str]) -> Result {
    let own = run.join(NAME);
    fs::create_dir_all(&own).or_io("make the group", &own)?;
    write(&own.join(PROCS), "0")?;
    let words: Vec<String> = controllers.iter().map(|c| format!("+{c}")).collect();
    write(&folder.join(CONTROL), &words.join(" "))?;
    write(&run.join(CONTROL), &words.join(" "))
}

/// Undoes [`descend`] as far as it got; `enabled` is the earlier result of [`missing`].
fn ascend(folder: &Path, run: &Path, enabled: &[String]) {
    let words: Vec<String> = enabled.iter().map(|c| format!("-{c}")).collect();
    for group in [run, folder] {
        // Fails if the controllers were not passed down.
        let _ = write(&group.join(CONTROL), &words.join(" "));
    }
    let _ = write(&folder.join(PROCS), "0");
    let _ = fs::remove_dir(run.join(NAME));
}

fn write(path: &Path, text: &str) -> Result {
    fs::write(path, text).or_io("write", path)
}

/// A folder in each hierarchy, which contains a run's groups: one for each player of each worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunCgroups {
    groups: ControlGroups,
    name: String,
}

impl RunCgroups {
    /// Returns the capabilities of its groups.
    pub fn groups(&self) -> &ControlGroups {
        &self.groups
    }

    fn runs(&self) -> impl Iterator<Item = PathBuf> {
        let folders = self.groups.folders.iter();
        folders.map(|folder| folder.join(&self.name))
    }

    /// Ends and removes all groups of a worker that is gone.
    pub fn sweep_worker(&self, worker: u32) {
        let prefix = format!("{worker}-");
        for slot in self.runs().flat_map(|run| below(&run)) {
            if file_name(&slot).starts_with(&prefix) {
                end(&slot);
            }
        }
    }

    /// The folder that must pass controllers down, and which; none of version 1, or if none is
    /// needed.
    fn delegated(&self) -> Option<(&Path, Vec<&'static str>)> {
        let groups = &self.groups;
        let all = [(groups.memory, "memory"), (groups.tasks, "pids")];
        let needed: Vec<_> = all
            .into_iter()
            .filter(|(is_needed, _)| *is_needed)
            .collect();
        let passes = groups.version == CgroupVersion::Two && !needed.is_empty();
        passes.then(|| {
            let names = needed.into_iter().map(|(_, name)| name);
            (&*groups.folders[0], names.collect())
        })
    }

    /// Creates the run's groups for this process, without the limits that cannot be put on them.
    pub fn open(groups: ControlGroups) -> Result<OpenRunCgroups> {
        let name = format!("{PREFIX}{}", Owner::this());
        let mut run_cgroups = Self { groups, name };
        for run in run_cgroups.runs() {
            fs::create_dir_all(&run).or_io("make the control group", &run)?;
        }
        let mut enabled = Vec::new();
        if let Some((folder, controllers)) = run_cgroups.delegated() {
            enabled = missing(folder, &controllers);
            let run = folder.join(&run_cgroups.name);
            if descend(folder, &run, &controllers).is_err() {
                ascend(folder, &run, &enabled);
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
        if let Some((folder, _)) = self.run_cgroups.delegated() {
            ascend(folder, &folder.join(&self.run_cgroups.name), &self.enabled);
        }
        for run in self.run_cgroups.runs() {
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
        let members = members_in(folder).unwrap_or_default();
        if members.contains(&getpid()) {
            return;
        }
        // Only one of the two files may exist.
        let freeze = |word: usize| {
            for names in [&ONE, &TWO] {
                let _ = fs::write(folder.join(names.freezer), names.freeze[word]);
            }
        };
        kill_all(freeze, || members);
        sleep(TRY_PAUSE);
    }
}

/// A process of a foreign namespace, which has the number 0, is none.
fn members_in(folder: &Path) -> io::Result<Vec<Pid>> {
    let text = fs::read_to_string(folder.join(PROCS))?;
    let pids = text.lines().filter_map(|line| line.parse().ok());
    Ok(pids.filter(|&pid| pid > 0).map(Pid::from_raw).collect())
}

/// Kills all members while they are suspended: then they start no others.
fn kill_all(freeze: impl Fn(usize), members: impl FnOnce() -> Vec<Pid>) {
    freeze(0);
    for pid in members() {
        let _ = kill(pid, Signal::SIGKILL);
    }
    freeze(1);
}

fn below(folder: &Path) -> Vec<PathBuf> {
    entries(folder)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controller_is_enabled_only_if_offered_and_unobstructed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let put = |file: &str, text: &str| {
            fs::write(folder.path().join(file), text).expect("writable");
        };
        put("cgroup.controllers", "cpu memory\n");
        put("cgroup.type", "domain\n");
        put(CONTROL, "memory\n");
        let missing = missing(folder.path(), &["memory", "pids"]);
        assert_eq!(missing, ["pids"]);
        put("cgroup.procs", &format!("{}\n", std::process::id()));
        assert!(can_enable(folder.path(), "memory"));
        assert!(!can_enable(folder.path(), "pids"));
        put("cgroup.procs", "1\n");
        assert!(!can_enable(folder.path(), "memory"));
    }
}
