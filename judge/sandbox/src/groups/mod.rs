//! Control groups count, limit, suspend and end a tree of processes, whatever its members do to
//! hide; only where a competition lets bots start processes. A group is a folder of the same name
//! in each hierarchy: the one of version 2, or one for each controller of version 1.

mod find;
mod group;
mod run;

pub use run::{OpenRunCgroups, RunCgroups};

use group::ControlGroup;
use rulebook::JudgeError;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

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

struct Names {
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
    pub fn counter_name(&self) -> &'static str {
        match self.version {
            CgroupVersion::One => "cpuacct.usage (cgroup v1)",
            CgroupVersion::Two => "cpu.stat (cgroup v2)",
        }
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
        read("cgroup.procs").lines().all(|pid| pid == this)
    };
    // The hierarchy's root has no type, and may contain processes anyway.
    let is_root = !folder.join("cgroup.type").exists();
    offered.split_ascii_whitespace().any(|c| c == controller) && (is_root || alone())
}

fn missing(folder: &Path, controllers: &[&str]) -> Vec<String> {
    let delegated = fs::read_to_string(folder.join(CONTROL)).unwrap_or_default();
    let delegated: Vec<&str> = delegated.split_ascii_whitespace().collect();
    controllers
        .iter()
        .filter(|c| !delegated.contains(c))
        .map(ToString::to_string)
        .collect()
}

/// Moves this process into a group below `run`, and passes controllers down to the run's groups.
fn descend(folder: &Path, run: &Path, controllers: &[&str]) -> Result<(), JudgeError> {
    let own = run.join(NAME);
    fs::create_dir_all(&own).map_err(|e| JudgeError::io("make the group", &own, e))?;
    write(&own.join("cgroup.procs"), "0")?;
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
    let _ = write(&folder.join("cgroup.procs"), "0");
    let _ = fs::remove_dir(run.join(NAME));
}

fn write(path: &Path, text: &str) -> Result<(), JudgeError> {
    fs::write(path, text).map_err(|e| JudgeError::io("write", path, e))
}

/// Shared by pools: one that was given up may have left a group whose members do not end.
static MADE: AtomicU32 = AtomicU32::new(0);

/// Hands out empty groups.
#[derive(Clone, Debug)]
pub struct Pool(Rc<Shared>);

#[derive(Debug)]
struct Shared {
    run_cgroups: RunCgroups,
    memory_bytes_max: u64,
    free: RefCell<Vec<ControlGroup>>,
}

/// A group for the lifetime of one program. Dropping it ends all processes left in the group.
#[derive(Debug)]
pub struct Lease {
    group: Option<ControlGroup>,
    pool: Rc<Shared>,
    memory_deaths_before: u64,
}

impl Pool {
    /// Makes an empty pool among the groups of a run; `memory_bytes_max` limits each group.
    pub fn new(run_cgroups: RunCgroups, memory_bytes_max: u64) -> Self {
        Self(Rc::new(Shared {
            run_cgroups,
            memory_bytes_max,
            free: RefCell::default(),
        }))
    }

    /// Returns a group without members.
    pub fn lease(&self) -> Result<Rc<Lease>, JudgeError> {
        let free = self.0.free.borrow_mut().pop();
        let group = match free {
            Some(group) => group,
            None => self.0.make()?,
        };
        Ok(Rc::new(Lease {
            memory_deaths_before: group.memory_deaths().unwrap_or(0),
            group: Some(group),
            pool: Rc::clone(&self.0),
        }))
    }
}

impl Shared {
    fn make(&self) -> Result<ControlGroup, JudgeError> {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name: PathBuf = self.run_cgroups.slot(std::process::id(), number);
        ControlGroup::make(self.run_cgroups.groups(), &name, self.memory_bytes_max)
    }
}

impl Lease {
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        self.memory_deaths().unwrap_or(0) > self.memory_deaths_before
    }
}

impl Deref for Lease {
    type Target = ControlGroup;

    fn deref(&self) -> &ControlGroup {
        self.group.as_ref().expect("there until it is dropped")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(group) = self.group.take() else {
            return;
        };
        // The coordinator's sweep deals with a group whose members do not end.
        if group.end().is_ok() {
            group.resume();
            self.pool.free.borrow_mut().push(group);
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        for group in self.free.get_mut().drain(..) {
            group.remove();
        }
    }
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
