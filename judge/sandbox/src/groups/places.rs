//! The places where the judge may make control groups.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Prefix of all our groups' names; the owner comes next.
pub(super) const PREFIX: &str = "judge-";

/// The folders where the judge may make groups, by purpose; none where it may not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControlGroups {
    /// Counts CPU time: `cpu.stat` of version 2, `cpuacct.usage` of version 1.
    pub counter: Option<CgroupFolder>,
    /// Ends a whole group at once: `cgroup.kill`, which only version 2 has.
    pub killer: Option<CgroupFolder>,
    /// Suspends a whole group.
    pub freezer: Option<CgroupFolder>,
    /// Limits the memory of a group.
    pub memory: Option<CgroupFolder>,
    /// Limits the number of a group's processes and threads.
    pub tasks: Option<CgroupFolder>,
}

/// A folder in which groups can be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CgroupFolder {
    /// The version of its hierarchy.
    pub version: CgroupVersion,
    /// Its path.
    pub folder: PathBuf,
}

/// The two kinds of hierarchy, whose files have different names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CgroupVersion {
    /// A hierarchy with one controller, or a few.
    #[serde(rename = "v1")]
    One,
    /// The unified hierarchy.
    #[serde(rename = "v2")]
    Two,
}

impl ControlGroups {
    /// Returns whether process trees can be counted and ended.
    pub fn hold_trees(&self) -> bool {
        self.counter.is_some() && (self.killer.is_some() || self.freezer.is_some())
    }

    /// Names the counter that is charged where bots may start processes.
    pub fn counter_name(&self) -> Option<&'static str> {
        self.counter.as_ref().map(|place| match place.version {
            CgroupVersion::One => "cpuacct.usage (cgroup v1)",
            CgroupVersion::Two => "cpu.stat (cgroup v2)",
        })
    }

    /// Lists the folders, each once.
    pub(super) fn folders(&self) -> Vec<&Path> {
        let all = [
            // Swept first: a suspended process must continue before it can end.
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
