//! The process that sweeps a run's control groups, when the judge has moved into a control group of
//! its own, with the sweeper.

use crate::support::groups::owner;
use crate::support::judge;
use crate::support::skip::skipped;
use sandbox::{CgroupVersion, Isolation};
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

const NO_GROUPS: &str = "this user has no control groups of version 2 here";

/// A folder delegated as by systemd, with a coordinator, its run and the run's leftovers.
struct Delegated {
    folder: PathBuf,
    coordinator: Child,
    daemon: Child,
    name: String,
    /// The controllers handed down to the run's control groups: all that version 2 has here.
    controllers: Vec<String>,
}

impl Delegated {
    /// Returns `None` if this user has no control groups of version 2.
    fn new(test: &str) -> Option<Self> {
        let groups = Isolation::find().groups?;
        if groups.version == CgroupVersion::One {
            return None;
        }
        let folder = groups.folders[0].join(format!("sweeper-{test}-{}", std::process::id()));
        fs::create_dir(&folder).expect("a new group");
        let coordinator = sleeper();
        let daemon = sleeper();
        let name = owner(coordinator.id());
        for group in ["judge", "7-0", "zz-0"] {
            fs::create_dir_all(folder.join(&name).join(group)).expect("a new group");
        }
        // Control groups are listed in no order; one of the two comes after the judge's own.
        let this = Self {
            controllers: words(&folder.join("cgroup.controllers")),
            folder,
            coordinator,
            daemon,
            name,
        };
        this.join("judge", &this.coordinator);
        this.join("zz-0", &this.daemon);
        let handed: Vec<String> = this.controllers.iter().map(|c| format!("+{c}")).collect();
        for group in [this.folder.clone(), this.run()] {
            fs::write(group.join("cgroup.subtree_control"), handed.join(" ")).expect("ours");
        }
        Some(this)
    }

    fn run(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    fn join(&self, group: &str, child: &Child) {
        let door = self.run().join(group).join("cgroup.procs");
        fs::write(door, child.id().to_string()).expect("it joins");
    }

    /// Starts a sweeper beside the coordinator and lets it begin its work at once.
    fn sweep(&self) -> ExitStatus {
        let groups = json!({
            "version": "v2", "folders": [self.folder], "memory": true, "tasks": false,
        });
        let duty = json!({
            "run_cgroups": {"groups": groups, "name": self.name},
            "enabled": self.controllers,
        });
        let mut sweeper = judge()
            .arg("sweeper")
            .stdin(Stdio::piped())
            .spawn()
            .expect("it starts");
        self.join("judge", &sweeper);
        let mut stdin = sweeper.stdin.take().expect("piped");
        writeln!(stdin, "{duty}").expect("it reads");
        drop(stdin);
        sweeper.wait().expect("ours")
    }
}

impl Drop for Delegated {
    fn drop(&mut self) {
        for child in [&mut self.coordinator, &mut self.daemon] {
            let _ = child.kill();
            let _ = child.wait();
        }
        for group in ["judge", "7-0", "zz-0", ""] {
            let _ = fs::remove_dir(self.run().join(group));
        }
        let _ = fs::remove_dir(&self.folder);
    }
}

fn sleeper() -> Child {
    Command::new("sleep").arg("1000").spawn().expect("sleep")
}

fn words(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).expect("readable");
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn the_sweeper_of_a_dead_coordinator_leaves_their_group_and_removes_everything() {
    let Some(mut delegated) = Delegated::new("dead") else {
        skipped("control-groups-v2", NO_GROUPS);
        return;
    };
    delegated.coordinator.kill().expect("it runs");
    delegated.coordinator.wait().expect("ours");
    let status = delegated.sweep();
    assert!(status.success(), "{status}");
    assert!(!delegated.run().exists());
    let daemon = delegated.daemon.wait().expect("ours");
    assert!(!daemon.success(), "the sweep ended it");
    let control = delegated.folder.join("cgroup.subtree_control");
    assert_eq!(words(&control), Vec::<String>::new());
}

#[test]
fn a_coordinator_that_could_not_leave_its_group_is_not_ended() {
    let Some(mut delegated) = Delegated::new("living") else {
        skipped("control-groups-v2", NO_GROUPS);
        return;
    };
    let status = delegated.sweep();
    assert!(status.success(), "{status}");
    let coordinator = delegated.coordinator.try_wait().expect("ours");
    assert_eq!(coordinator, None, "it lives");
    let daemon = delegated.daemon.wait().expect("ours");
    assert!(!daemon.success(), "the sweep ended it");
    let left = fs::read_dir(delegated.run()).expect("it is there");
    let left = left.flatten().filter(|entry| entry.path().is_dir());
    let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["judge"]);
}
