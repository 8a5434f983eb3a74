//! Bots that may start processes. However these hide, they are charged, bounded and ended with
//! their bot.

use crate::support::groups::{charges, groups_of, has_groups, owner, pid_namespace};
use crate::support::processes::{self, signal};
use crate::support::skip::skipped;
use crate::support::{
    Ended, Has, ORDINARY, Run, Scene, Wait, as_ordinary_user, copy_program, eventually,
};
use nix::sys::signal::Signal;
use nix::unistd::{chown, geteuid};
use sandbox::Isolation;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Flags of the runs; the first two name the game.
const FLAGS: &str = "--game catch-the-cat --states 1 --set side=5 --set clock.backstop_s=60 --set clock.startup_s=120 --set clock.idle_s=60 --set bots.processes=true --verbose";

/// Start of each Python bot. `serve` plays the first legal moves and calls `act` in every turn
/// before the answer; `burn` uses CPU time in the bot's own process.
const PYTHON: &str = include_str!("../bots/serving.py");

/// The acts of the bots in each turn.
const ACTS: &str = include_str!("../bots/groups.toml");

fn acts(kind: &str) -> BTreeMap<String, String> {
    let mut all: BTreeMap<String, BTreeMap<String, String>> = toml::from_str(ACTS).expect("TOML");
    all.remove(kind).expect("known")
}

/// Returns a word on the command lines of all processes of a scene's bots.
fn mark(scene: &Scene) -> String {
    format!("judge-groups-{}", scene.name())
}

fn python(scene: &Scene, name: &str, act: &str) {
    let begin = PYTHON.replace("judge-groups-%MARK%", &mark(scene));
    scene.script(name, &format!("{begin}{act}\nserve(act)\n"));
}

/// Runs a scene to its end. Returns the coordinator's process id.
fn run(scene: &Scene, flags: &str) -> (u32, Ended) {
    let child = scene.command(flags).piped();
    (child.id(), child.ended().well())
}

/// Runs a scene whose other bots meet only this one.
fn run_against(scene: &Scene, name: &str, more: &str) -> (u32, Ended) {
    let text = format!(
        "game = \"catch-the-cat\"\n[schedule]\nkind = \"gauntlet\"\nagainst = [\"{name}\"]\n"
    );
    scene.put("competition.toml", text);
    let flags = FLAGS.trim_start_matches("--game catch-the-cat");
    run(scene, &format!("{flags} {more}"))
}

const HIDDEN_US: u64 = 30_000;

#[test]
fn hidden_childrens_cpu_time_is_charged_to_turn() {
    if !has_groups() {
        return;
    }
    let scene = Scene::of(["zoe"]);
    let hiders = acts("hiders");
    for (name, act) in &hiders {
        python(&scene, name, act);
    }
    let (_, ended) = run_against(&scene, "zoe", "");
    ended.says(&["all charged by"]);
    scene.all_end_by_rules();
    // Some of them include Python's own start.
    let allowed = HIDDEN_US..40 * HIDDEN_US;
    for name in hiders.keys() {
        let charges = charges(&scene, name);
        assert!(charges.len() >= 8, "{name}: {charges:?}");
        let mut each = charges.iter();
        assert!(each.all(|us| allowed.contains(us)), "{name}: {charges:?}");
    }
    let run = scene.read("run.json");
    run.has(&["\"counter\"", "\"processes\": true"]);
}

#[test]
fn nothing_that_a_bot_started_outlives_the_run() {
    if !has_groups() {
        return;
    }
    let scene = Scene::of(["ann"]);
    python(&scene, "daemon", &acts("others")["daemon"]);
    for lifetime in ["game", "match", "turn"] {
        let (pid, _) = run(&scene, &format!("{FLAGS} --lifetime {lifetime}"));
        scene.all_end_by_rules();
        processes::none_has(&mark(&scene));
        assert_eq!(groups_of(pid), Vec::<PathBuf>::new());
        fs::remove_dir_all(scene.out()).expect("writable");
    }
}

#[test]
fn when_the_coordinator_is_killed_everything_ends() {
    if !has_groups() {
        return;
    }
    let scene = Scene::of(["ann"]);
    let wait = acts("others")["daemon"].replace("os.close(w)\n", "time.sleep(1000)\n");
    python(&scene, "daemon", &wait);
    let child = scene.command(&format!("{FLAGS} --jobs 1")).piped();
    eventually("the daemon starts", || {
        !processes::with(&mark(&scene)).is_empty()
    });
    let pid = child.id();
    assert!(!groups_of(pid).is_empty());
    signal(pid.cast_signed(), Signal::SIGKILL);
    child.ended();
    eventually("the daemon ends", || {
        processes::with(&mark(&scene)).is_empty()
    });
    Isolation::find().groups.expect("it has groups").sweep();
    assert_eq!(groups_of(pid), Vec::<PathBuf>::new());
}

#[test]
fn groups_of_killed_judge_are_removed_living_kept() {
    if !has_groups() {
        return;
    }
    let groups = Isolation::find().groups.expect("it has groups");
    let folder = &groups.folders[0];
    // No process has had the first number since the machine began; ours has it now.
    let namespace = pid_namespace();
    let dead = folder.join(format!("judge-1-7-{namespace}"));
    let living = folder.join(format!("{}-test", owner(std::process::id())));
    let elsewhere = folder.join(format!("judge-1-7-{}", namespace + 1));
    for group in [&dead, &living, &elsewhere] {
        fs::create_dir_all(group.join("1-0")).expect("a new group");
    }
    let mut member = Command::new("sleep").arg("1000").spawn().expect("sleep");
    fs::write(dead.join("1-0/cgroup.procs"), member.id().to_string()).expect("joins");
    groups.sweep();
    let status = member.wait().expect("a running child");
    assert!(!status.success(), "the sweep ended it");
    assert!(!dead.exists());
    for group in [living, elsewhere] {
        fs::remove_dir(group.join("1-0")).expect("it is there still");
        fs::remove_dir(group).expect("writable");
    }
}

#[test]
fn fork_bomb_ends_by_clock_and_harms_nobody() {
    if !has_groups() {
        return;
    }
    let scene = Scene::of(["ann", "bob"]);
    python(&scene, "bomb", &acts("others")["bomb"]);
    let (pid, _) = run_against(&scene, "ann", "--turn-s 0.5");
    let games = scene.rows("games.csv");
    assert!(games.iter().any(|game| game.get("charged") == "bomb"));
    for game in games {
        let bombed = game.get("charged") == "bomb";
        let expected = if bombed { "time" } else { "rules" };
        assert_eq!(game.get("end"), expected, "{game:?}");
    }
    processes::none_has(&scene.out().display().to_string());
    assert_eq!(groups_of(pid), Vec::<PathBuf>::new());
}

#[test]
fn missing_groups_refuse_processes_and_name_remedy() {
    let scene = Scene::of(["ann", "bob"]);
    let mut command = scene.command(FLAGS);
    if geteuid().is_root() {
        // A copy, in a place that the user can reach.
        let mut copy = Command::new(scene.folder().join("judge"));
        copy_program(command.get_program(), Path::new(copy.get_program()));
        fs::create_dir_all(scene.out()).expect("a new folder");
        chown(&scene.out(), Some(ORDINARY.into()), None).expect("we are root");
        copy.args(command.get_args());
        command = as_ordinary_user(copy);
        command.env("HOME", scene.folder());
    } else if Isolation::find().groups.is_some() {
        skipped("without-groups", "this user has control groups");
        return;
    }
    let ended = command.ended();
    ended.refused(&["bots.processes", "root", "systemd-run --user --scope"]);
}

#[test]
fn ended_orphans_do_not_count_in_later_turns() {
    if !has_groups() {
        return;
    }
    let scene = Scene::of(["ann"]);
    python(&scene, "many", &acts("others")["many"]);
    // On the larger board it has more than five turns.
    run(&scene, &FLAGS.replace("side=5", "side=17"));
    scene.all_end_by_rules();
    assert!(charges(&scene, "many").len() > 10);
}
