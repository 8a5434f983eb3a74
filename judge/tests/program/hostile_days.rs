//! Failures of the judge itself. Whatever happens to the judge or the machine, no bot is blamed,
//! and the same command continues the run.

use crate::support::{
    Ended, Has, Run, SYSTEM_PATH, Scene, Wait, copy_program, game_lines, processes, program,
    run_into,
};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

const FLAGS: &str = "--game catch-the-cat --set side=5 --points-per-cpu-second 0 --states 3";

fn under(words: &str, scene: &Scene, flags: &str) -> Command {
    let run = scene.command(&format!("{FLAGS} {flags}"));
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{words}; exec \"$0\" \"$@\"")]);
    shell.arg(run.get_program()).args(run.get_args());
    shell.env("PATH", SYSTEM_PATH);
    shell
}

fn assert_nobody_is_blamed(run: &Path) {
    let journal = fs::read_to_string(run.join("journal.jsonl")).unwrap_or_default();
    for line in game_lines(&journal) {
        assert!(line.contains("\"faults\":[]"), "{line}");
    }
}

/// Returns whether a run has failed with a message. Whether it has or not, it blames nobody.
fn has_failed(ended: &Ended, run: &Path) -> bool {
    let is_reported = matches!(ended.code, Some(1 | 2)) && !ended.stderr.is_empty();
    assert!(ended.code == Some(0) || is_reported, "{ended:?}");
    ended.stderr.lacks(&["panicked", "Usage: "]);
    assert_nobody_is_blamed(run);
    is_reported
}

/// Continues a disturbed run to the tables of a calm one.
fn assert_it_goes_on(scene: &Scene, calm: &Scene) {
    assert_nobody_is_blamed(&scene.out());
    scene.run(FLAGS).well();
    assert_nobody_is_blamed(&scene.out());
    for file in ["games.csv", "standings.csv"] {
        assert_eq!(scene.timeless(file), calm.timeless(file), "{file}");
    }
    processes::none_has(&scene.name());
}

#[test]
fn bad_days_blame_nobody_and_the_run_goes_on() {
    let calm = Scene::of_three_scripts();
    calm.run(FLAGS).well();
    for day in [
        full_journal_stays_whole_and_is_reported,
        submission_changed_during_games_changes_nothing,
        descriptor_shortage_is_reported_without_blaming_bots,
        judge_unable_to_spawn_reports_and_blames_nobody,
        clock_set_back_changes_no_verdict,
    ] {
        let scene = Scene::of_three_scripts();
        day(&scene);
        assert_it_goes_on(&scene, &calm);
    }
}

fn full_journal_stays_whole_and_is_reported(scene: &Scene) {
    // 512 bytes each; a write beyond fails instead of ending the program.
    let ended = under("trap '' XFSZ; ulimit -f 24", scene, "").ended();
    ended.exits(1).warns(&["journal.jsonl"]);
    let journal = scene.read("journal.jsonl");
    let is_whole = journal.ends_with('\n') && journal.lines().count() > 3;
    assert!(is_whole, "{journal}");
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let scene = Scene::of_three_scripts();
    fs::write(scene.out(), "a file").expect("writable");
    let words = format!("run --submissions submissions --out out/run {FLAGS}");
    scene.here(&words).ended().refused(&["out", "--out"]);
}

fn submission_changed_during_games_changes_nothing(scene: &Scene) {
    let run = scene.command(FLAGS).piped();
    scene.wait_for_lines(1);
    scene.script("ann", "#!/bin/sh\nexit 1\n");
    fs::remove_dir_all(scene.submissions().join("bob")).expect("writable");
    run.ended().well();
    scene.first_legal("ann").first_legal("bob");
    let again = scene.run(FLAGS).well();
    again.says(&["18 games, 18 of them already played"]);
}

fn descriptor_shortage_is_reported_without_blaming_bots(scene: &Scene) {
    let failed = [5, 10, 14, 20, 32].map(|most| {
        let words = format!("ulimit -n {most}");
        let ended = under(&words, scene, "--jobs 4").ended();
        has_failed(&ended, &scene.out())
    });
    assert!(failed.contains(&true), "so few are enough");
}

const FEW_PROCESSES: &str = "
import os, resource, sys
user, most = int(sys.argv[1]), int(sys.argv[2])
if os.getuid() == 0:
    os.setgid(user); os.setuid(user)
resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
os.execv(sys.argv[3], sys.argv[3:])
";

/// The user of root's judge. Root itself has no limit on processes, and this user has no others.
const USER: u32 = 60_123;

fn judge_unable_to_spawn_reports_and_blames_nobody(scene: &Scene) {
    // A copy, in a place that the user can reach.
    let judge = scene.folder().join("judge");
    copy_program(program(), &judge);
    let mut failed = false;
    for most in [1, 3, 5, 8] {
        let out = scene.folder().join(format!("few-{most}"));
        fs::create_dir(&out).expect("writable");
        fs::set_permissions(&out, fs::Permissions::from_mode(0o777)).expect("writable");
        let mut run = Command::new("/usr/bin/python3");
        run.args(["-c", FEW_PROCESSES, &USER.to_string(), &most.to_string()]);
        let judged = run_into(&scene.submissions(), &out, FLAGS);
        run.arg(&judge)
            .args(judged.get_args())
            .args(["--jobs", "2"]);
        failed |= has_failed(&run.ended(), &out);
    }
    assert!(failed, "so few are enough");
}

/// A time of day that begins in 2001; each look sets it back by a day.
const SET_BACK: &str = include_str!("../hostile/set_back.c");

fn clock_set_back_changes_no_verdict(scene: &Scene) {
    let library = scene.folder().join("clock.so");
    let source = scene.write("clock.c", SET_BACK);
    let mut gcc = Command::new("gcc");
    gcc.args(["-shared", "-fPIC", "-o"]).arg(&library);
    gcc.arg(source).ended().well();
    let mut run = scene.command(FLAGS);
    run.env("LD_PRELOAD", &library);
    run.ended().well();
    let received = &scene.cells("submissions.csv", "received")[0];
    assert!(received.starts_with("2001-"), "it looked at {received}");
}
