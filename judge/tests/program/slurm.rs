//! `judge run --on slurm`, on a throw-away cluster of real daemons. Whatever is lost, the tables
//! equal those of one machine.

use crate::support::cluster::Cluster;
use crate::support::processes::signal;
use crate::support::skip::skipped;
use crate::support::{Ended, Has, Run, Scene, Wait, eventually, names_in};
use nix::sys::signal::Signal;
use nix::unistd::geteuid;
use std::fs;
use std::process::{Child, Command};

/// Plays the first legal move, or the last one, after a moment in which a cluster can fail.
const SLOW: &str = include_str!("../bots/slow_first.py");

/// Twelve games of about a second, in some six tasks.
const COMPETITION: &str = r#"
game = "catch-the-cat"
states = 6
seed = 1
[config]
side = 5
[bots]
lifetime = "game"
[slurm]
part_minutes = 0.03
"#;

const GAMES: usize = 12;

struct Field {
    scene: Scene,
    cluster: Cluster,
    /// `standings.csv` and `games.csv` of a run on this machine.
    expected: [Vec<String>; 2],
}

impl Field {
    /// Plays on this machine first. Returns `None` if Slurm is not installed.
    #[track_caller]
    fn new(nodes: usize) -> Option<Self> {
        let cluster = Cluster::up(nodes)?;
        let scene = Scene::new();
        scene.script("first", SLOW);
        scene.script("last", &SLOW.replace("[0]", "[-1]"));
        scene.put("competition.toml", COMPETITION);
        scene.run("").well();
        let expected = tables(&scene);
        fs::remove_dir_all(scene.out()).expect("writable");
        Some(Self {
            scene,
            cluster,
            expected,
        })
    }

    fn command(&self) -> Command {
        self.cluster.with(self.scene.command("--on slurm"))
    }

    fn start(&self) -> Child {
        self.command().piped()
    }

    fn run(&self) -> Ended {
        self.command().ended()
    }

    fn ends_equal(&self, run: Child) -> Ended {
        let ended = run.ended().well();
        self.is_equal(&ended);
        ended
    }

    fn is_equal(&self, ended: &Ended) {
        assert_eq!(tables(&self.scene), self.expected, "{ended:?}");
        let left = names_in(&self.scene.out().join("slurm"));
        assert_eq!(left, [""; 0], "{ended:?}");
    }

    fn played(&self) -> usize {
        let journal = fs::read_to_string(self.scene.out().join("journal.jsonl"));
        journal.unwrap_or_default().matches("\"fixture\":").count()
    }

    /// Counts the attempts at tasks after this number of restarts by Slurm.
    fn attempts(&self, restarts: u32) -> usize {
        let folder = self.scene.out().join("slurm/1/journals");
        if !folder.exists() {
            return 0;
        }
        let mut files = names_in(&folder);
        files.retain(|name| name.ends_with(&format!(".{restarts}.jsonl")));
        files.len()
    }

    fn has_no_task(&self) {
        eventually("no task is left", || self.cluster.tasks() == 0);
    }

    fn wait_for_games(&self, games: usize) {
        eventually("games are played", || self.played() >= games);
    }
}

/// Returns the tables without their columns of times and the machine of each game.
fn tables(scene: &Scene) -> [Vec<String>; 2] {
    ["standings.csv", "games.csv"].map(|name| {
        let text = scene.read(name);
        let columns = text.lines().next().expect("a header").split(',');
        let kept = columns.filter(|column| !column.contains("_us") && *column != "machine");
        let mut rows = scene.cells(name, &kept.collect::<Vec<_>>().join(","));
        rows.sort();
        rows
    })
}

#[test]
fn tables_match_one_machine_despite_lost_node() {
    let Some(field) = Field::new(3) else { return };
    let run = field.start();
    // They wait, which keeps both alive until they are lost.
    let [lost, killed] = field.cluster.stopped_players();
    let node = format!("nodename={}", lost.node);
    // Slurm ends the tasks there and starts them elsewhere.
    let down = ["scontrol", "update", &node, "state=down", "reason=test"];
    field.cluster.run(&down);
    signal(killed.pid, Signal::SIGKILL);
    let ended = field.ends_equal(run);
    ended.warns(&[&format!("has ended (FAILED on {}", killed.node)]);
}

fn tasks_of_dead_node_continue_next_to_copies(field: &Field) {
    let run = field.start();
    let [first, other] = field.cluster.stopped_players();
    field.cluster.kill(&format!("slurmd-{}", first.node));
    // By now Slurm has started it again on the other node, or will.
    signal(other.pid, Signal::SIGCONT);
    let again = || field.attempts(1) > 0;
    eventually("it is started again", again);
    signal(first.pid, Signal::SIGCONT);
    field.ends_equal(run);
    field.cluster.up_again();
}

#[test]
fn run_on_failing_cluster_ends_with_same_tables() {
    let Some(field) = Field::new(2) else { return };
    for disturbed in [
        interrupted_run_keeps_games_and_resumes_by_command,
        array_of_killed_judge_is_followed_not_resubmitted,
        second_interrupt_cancels_array_and_keeps_written_games,
        tasks_of_dead_node_continue_next_to_copies,
        games_move_from_node_with_full_disk,
    ] {
        disturbed(&field);
        field.has_no_task();
        if field.scene.out().exists() {
            fs::remove_dir_all(field.scene.out()).expect("writable");
        }
    }
}

fn interrupted_run_keeps_games_and_resumes_by_command(field: &Field) {
    let run = field.start();
    field.wait_for_games(2);
    signal(run.id().cast_signed(), Signal::SIGINT);
    let ended = run.ended().exits(130);
    ended.says(&["games still to be played: ", "to continue: ", "--on slurm"]);
    let played = field.played();
    assert!((2..GAMES).contains(&played), "{played} {ended:?}");
    field.has_no_task();
    let run = field.run().well();
    let words = format!("12 games, {played} of them already played");
    run.says(&[&words]);
    field.is_equal(&run);
}

fn second_interrupt_cancels_array_and_keeps_written_games(field: &Field) {
    let run = field.start();
    // Stopped players do not end by themselves.
    field.cluster.stopped_players();
    let pid = run.id().cast_signed();
    signal(pid, Signal::SIGINT);
    eventually("no other task waits", || field.cluster.tasks() <= 2);
    signal(pid, Signal::SIGINT);
    let ended = run.ended().exits(130);
    ended.warns(&["interrupted again: stopped at once; finished games are kept"]);
    field.has_no_task();
    field.is_equal(&field.run().well());
}

fn array_of_killed_judge_is_followed_not_resubmitted(field: &Field) {
    let mut run = field.start();
    field.wait_for_games(1);
    run.kill().expect("a running child");
    run.wait().expect("a running child");
    // Games played meanwhile are in the tasks' own journals.
    let folder = field.scene.out().join("slurm/1/journals");
    let before = field.played();
    eventually("tasks play on", || {
        let files = fs::read_dir(&folder).expect("there").flatten();
        let games = files.map(|file| {
            let text = fs::read_to_string(file.path()).unwrap_or_default();
            text.matches("\"fixture\":").count()
        });
        games.sum::<usize>() > before + 1
    });
    let ended = field.run().well();
    ended.warns(&["following Slurm array "]);
    ended.stderr.lacks(&["to Slurm as array"]);
    field.is_equal(&ended);
}

fn games_move_from_node_with_full_disk(field: &Field) {
    if !geteuid().is_root() {
        return skipped("root", "only root can give a node a disk of its own");
    }
    let states = || field.cluster.run(&["sinfo", "-h", "-N", "-o", "%t"]);
    eventually("both nodes are idle", || {
        states().lines().all(|state| state == "idle")
    });
    let disk = field.cluster.spool("n2");
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]);
    let mounted = mount.arg(&disk).status();
    if !mounted.expect("it is installed").success() {
        return skipped("namespaces", "nothing can be mounted here");
    }
    let _disk = Mount(disk.clone());
    // Slurm keeps each task's script there.
    let _ = fs::write(disk.join("full"), vec![0; 1 << 16]);
    field.ends_equal(field.start());
}

/// A file system that is unmounted on drop, before the cluster ends.
struct Mount(std::path::PathBuf);

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

#[test]
fn without_slurm_nothing_is_begun() {
    let scene = Scene::of(["ann", "bob"]);
    let mut command = scene.command("--game catch-the-cat --on slurm");
    command.env("PATH", scene.folder());
    let ended = command.ended();
    ended.refused(&["--on slurm: sbatch is not installed here; run this on a login node"]);
    assert!(!scene.out().exists());
}

#[test]
fn slurm_refusal_is_quoted_and_unreachable_part_named() {
    let Some(field) = Field::new(1) else { return };
    let text = format!("{COMPETITION}partition = \"gpu\"\n");
    field.scene.put("competition.toml", text);
    let refused = [
        "--on slurm: Slurm refuses: ",
        "Invalid partition name specified; change [slurm] in the competition file",
    ];
    field.run().refused(&refused);
    field.scene.put("competition.toml", COMPETITION);
    field.cluster.stop("slurmctld");
    let ended = field.run().exits(1);
    ended.warns(&["judge error: Slurm's controller does not answer ("]);
    field.cluster.up_again();
    field.cluster.stop("munged");
    let ended = field.run().exits(1);
    ended.warns(&[
        "judge error: Slurm cannot authenticate you: munge does not run on this machine",
        "rerun the same command when Slurm answers again",
    ]);
}
