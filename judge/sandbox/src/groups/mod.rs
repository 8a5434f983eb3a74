//! Control groups count, limit, suspend and end a tree of processes, whatever its members do to
//! hide. They are used only if a competition lets bots start processes.
//!
//! A group here is one folder of the same name in each hierarchy: the one of version 2, or one for
//! each controller of version 1. Only the names of their files differ.

mod find;
mod group;
mod leaf;
mod pool;
mod run;

pub use pool::{Lease, Pool};
pub use run::{OpenRunCgroups, RunCgroups};

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Prefix of all our groups' names; the owner comes next.
const PREFIX: &str = "judge-";

/// The folders where the judge may make groups that count and end process trees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControlGroups {
    /// The version of all folders.
    pub version: CgroupVersion,
    /// One in each hierarchy, each once. The one that suspends comes first: a suspended process
    /// must continue before it can end.
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

/// The files of a version's groups.
struct Names {
    /// The type of its file system.
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
    /// Counts members that died for lack of memory.
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

/// Limits the number of tasks, in both versions.
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
