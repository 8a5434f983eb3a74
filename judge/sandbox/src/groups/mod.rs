//! Control groups: how a tree of processes is counted, bounded, suspended and ended, whatever
//! its members do to hide. Used only where a competition lets bots start processes.
//!
//! A group here is one folder of the same name in each hierarchy that is needed: the one of
//! version 2, and those of version 1 for what version 2 lacks on this machine.

mod find;
mod group;
mod leaf;
mod name;
mod pool;
mod run_cgroups;
mod sweep;

pub use pool::{Lease, Pool};
pub use run_cgroups::{OpenRunCgroups, RunCgroups};
pub use sweep::sweep_when_left;

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Where the judge may make groups, by what they are good for; none where it may not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControlGroups {
    /// Counts CPU time: `cpu.stat` of version 2, `cpuacct.usage` of version 1.
    pub counter: Option<CgroupFolder>,
    /// Ends all of a group at once: `cgroup.kill`, which only version 2 has.
    pub killer: Option<CgroupFolder>,
    /// Suspends all of a group.
    pub freezer: Option<CgroupFolder>,
    /// Bounds its memory.
    pub memory: Option<CgroupFolder>,
    /// Bounds the number of its processes and threads.
    pub tasks: Option<CgroupFolder>,
}

/// A folder that groups can be made in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CgroupFolder {
    /// The version of its hierarchy.
    pub version: CgroupVersion,
    /// Its path.
    pub folder: PathBuf,
}

/// The two kinds of hierarchy, whose files have other names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CgroupVersion {
    /// One controller, or a few.
    #[serde(rename = "v1")]
    One,
    /// The unified one.
    #[serde(rename = "v2")]
    Two,
}

impl ControlGroups {
    /// Looks at this machine, by making a group for a moment wherever it seems possible.
    pub(super) fn find() -> Self {
        find::groups(Path::new("/"))
    }

    /// Returns whether process trees can be counted and ended.
    pub fn hold_trees(&self) -> bool {
        self.counter.is_some() && (self.killer.is_some() || self.freezer.is_some())
    }

    /// Ends and removes the groups of judges that are gone.
    pub fn sweep(&self) {
        sweep::sweep_dead(self);
    }

    /// Names the counter that is charged where bots may start processes.
    pub fn counter_name(&self) -> Option<&'static str> {
        self.counter.as_ref().map(|place| match place.version {
            CgroupVersion::One => "cpuacct.usage (cgroup v1)",
            CgroupVersion::Two => "cpu.stat (cgroup v2)",
        })
    }

    /// Lists the folders, each once.
    fn folders(&self) -> Vec<&Path> {
        let all = [
            // A suspended process must be let go before it can end, so this is swept first.
            &self.freezer,
            &self.counter,
            &self.killer,
            &self.memory,
            &self.tasks,
        ];
        let mut folders: Vec<&Path> = Vec::new();
        for place in all.into_iter().flatten() {
            if !folders.contains(&place.folder.as_path()) {
                folders.push(&place.folder);
            }
        }
        folders
    }
}
