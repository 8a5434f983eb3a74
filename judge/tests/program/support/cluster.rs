//! A throw-away Slurm cluster on this machine, made by `scripts/slurm-cluster`.

use super::{Run, eventually, processes, root, skip::skipped};
use nix::sys::signal::Signal;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const PROGRAMS: [&str; 4] = ["slurmctld", "slurmd", "munged", "sbatch"];

/// A judge that plays a task.
pub(crate) struct Player {
    pub(crate) pid: i32,
    pub(crate) node: String,
}

/// Returns whether a process is the script of a task, or a program that has replaced it.
fn is_started_by_slurm(pid: i32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
    let parent = parent.and_then(|number| number.trim().parse().ok());
    parent.is_some_and(|parent| processes::name_of(parent) == "slurmstepd")
}

fn variable(pid: i32, name: &str) -> Option<String> {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
    let environment = String::from_utf8_lossy(&environment);
    let mut variables = environment
        .split('\0')
        .filter_map(|one| one.split_once('='));
    let found = variables.find(|(own, _)| *own == name);
    found.map(|(_, value)| value.to_owned())
}

/// A cluster; dropping it ends it.
pub(crate) struct Cluster {
    folder: TempDir,
}

impl Cluster {
    /// Starts nodes `n1`, `n2`, … with a CPU each. Returns `None` if Slurm is not installed.
    #[track_caller]
    pub(crate) fn up(nodes: usize) -> Option<Self> {
        let places = ["/usr/sbin", "/usr/bin"].map(Path::new);
        let is_there = |name: &&str| places.iter().any(|place| place.join(name).exists());
        if let Some(missing) = PROGRAMS.iter().find(|name| !is_there(name)) {
            skipped("slurm", &format!("{missing} is not installed"));
            return None;
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cluster = Self { folder };
        cluster.script("up", &[&nodes.to_string()]);
        Some(cluster)
    }

    fn script(&self, verb: &str, more: &[&str]) {
        let mut command = Command::new(root().join("scripts/slurm-cluster"));
        command.arg(verb).arg(self.folder.path()).args(more);
        command.ended().well();
    }

    /// Kills a daemon: `slurmctld`, `munged`, `slurmd-n1` and so on.
    pub(crate) fn kill(&self, daemon: &str) {
        self.script("stop", &[daemon, "KILL"]);
    }

    /// Stops a daemon the way its service would.
    pub(crate) fn stop(&self, daemon: &str) {
        self.script("stop", &[daemon]);
    }

    pub(crate) fn up_again(&self) {
        self.script("up", &[]);
    }

    pub(crate) fn with(&self, mut command: Command) -> Command {
        command.env("SLURM_CONF", self.folder.path().join("slurm.conf"));
        command
    }

    pub(crate) fn spool(&self, node: &str) -> std::path::PathBuf {
        self.folder.path().join("spool").join(format!("of-{node}"))
    }

    pub(crate) fn run(&self, command: &[&str]) -> String {
        let mut run = Command::new(command[0]);
        run.args(&command[1..]);
        self.with(run).ended().well().stdout
    }

    /// Waits for two judges on different nodes that have just begun to play, and stops them.
    pub(crate) fn stopped_players(&self) -> [Player; 2] {
        let mut stopped: Vec<Player> = Vec::new();
        eventually("two tasks play", || {
            for pid in self.players() {
                let is_known = stopped.iter().any(|one| one.pid == pid);
                if let Some(node) = variable(pid, "SLURMD_NODENAME").filter(|_| !is_known) {
                    processes::signal(pid, Signal::SIGSTOP);
                    stopped.push(Player { pid, node });
                }
            }
            stopped.len() >= 2
        });
        let mut stopped = stopped.into_iter();
        let two = [stopped.next().expect("two"), stopped.next().expect("two")];
        for more in stopped {
            processes::signal(more.pid, Signal::SIGCONT);
        }
        two
    }

    pub(crate) fn tasks(&self) -> usize {
        self.run(&["squeue", "-h", "-r"]).lines().count()
    }

    pub(crate) fn players(&self) -> Vec<i32> {
        let conf = self.folder.path().join("slurm.conf");
        let ours = processes::with(&format!("SLURM_CONF={}", conf.display()));
        let plays = |pid: &i32| {
            let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let words: Vec<&[u8]> = command.split(|byte| *byte == 0).collect();
            // A process that it has just forked looks the same.
            words.get(1) == Some(&b"part".as_slice()) && is_started_by_slurm(*pid)
        };
        ours.into_iter().filter(plays).collect()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let mut script = Command::new(root().join("scripts/slurm-cluster"));
        let _ = script.arg("down").arg(self.folder.path()).output();
    }
}
