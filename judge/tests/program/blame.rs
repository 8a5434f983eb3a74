//! Attribution of faults, and reports of them: `faults.csv`, the run's output, the authors' logs.

use crate::support::culprits::{self, FLAGS};
use crate::support::snapshot::{self, Session};
use crate::support::{FIRST_LEGAL, Has, Run, Scene, Words, judge};
use std::path::Path;
use std::process::Command;

#[test]
fn first_fault_of_bot_is_reported_with_repro() {
    let scene = Scene::new();
    culprits::add(&scene);
    let flags = format!("{FLAGS} --points-per-cpu-second 0 --verbose");
    let mut session = Session::default();
    let ended = session.run(&mut scene.command(&flags));
    for name in ["crash", "cheat", "formula"] {
        let begin = format!("fault of {name}: game ");
        assert_eq!(ended.stderr.matches(&begin).count(), 1, "{ended:?}");
    }
    let out = scene.out().display().to_string();
    for text in [&ended.stdout, &ended.stderr] {
        assert_eq!(text.matches("to play it again: ").count(), 3, "{text}");
        text.has(&[&format!(" repro {out} ")]);
        // No escapes in a pipe.
        text.lacks(&["\u{1b}"]);
    }
    let again = session.run(&mut scene.command(&flags));
    again.stderr.lacks(&["fault of"]);
    session.compare("run__first_faults");
}

#[test]
fn summary_names_three_faulty_bots_and_counts_others() {
    let scene = Scene::new();
    for number in 10..22 {
        scene.script(&format!("bot-{number}"), "#!/bin/sh\nexit 3\n");
    }
    let mut run = scene.command(&format!("{FLAGS} --points-per-cpu-second 0"));
    let ended = snapshot::compare("run__faults_of_twelve_bots", &mut run);
    assert_eq!(ended.stderr.matches("fault of ").count(), 12);
    for fault in scene.rows("faults.csv") {
        let is_started = !fault.get("detail").starts_with("not started again");
        assert_eq!(fault.get("exit") == "code 3", is_started, "{fault:?}");
    }
}

#[test]
fn bot_output_cannot_reach_terminal_raw() {
    let scene = Scene::of(["honest"]);
    let answer = r#"first = '{"\x1b[31m' + chr(0x202e) + '":1}'"#;
    scene.script("painter", &culprits::python(answer));
    let ended = scene.run(&format!("{FLAGS} --verbose")).well();
    ended.warns(&["fault of painter"]);
    for text in [&ended.stdout, &ended.stderr] {
        text.has(&["\\u{1b}[31m"]);
        text.lacks(&["\u{1b}", "\u{202e}"]);
    }
}

#[test]
fn compiler_warnings_are_kept_when_nothing_is_rebuilt() {
    let scene = Scene::of(["honest"]);
    scene.example("catch-the-cat", "corner-blocker");
    let text = scene.text("submissions/corner-blocker/Cat.h");
    scene.put(
        "corner-blocker/Cat.h",
        format!("{text}\n#warning \"look here\"\n"),
    );
    for _ in 0..2 {
        let ended = scene.run(FLAGS).well();
        let log = scene.out().join("logs/build/corner-blocker.txt");
        let note = "corner-blocker: note: built with compiler warnings: see";
        ended.says(&[&format!("{note} {}", log.display())]);
        scene
            .read("logs/build/corner-blocker.txt")
            .has(&["look here"]);
    }
    scene.put("corner-blocker/Cat.h", text);
    let ended = scene.run(FLAGS).well();
    ended.stdout.lacks(&["the compiler warned"]);
    assert!(!scene.out().join("logs/build/corner-blocker.txt").exists());
}

fn run_class(home: &Path, class: &str, more: &[&str]) -> Command {
    let mut command = judge();
    command
        .current_dir(home)
        .args(["run", "--submissions", class]);
    command.args(FLAGS.words()).args(more);
    command
}

#[test]
fn each_class_has_own_results_and_is_continued() {
    let scene = Scene::new();
    let home = scene.submissions();
    for class in ["red", "blue", "old/red", "catch-the-cat"] {
        for bot in ["ann", "bob"] {
            scene.script(&format!("{class}/{bot}"), FIRST_LEGAL);
        }
    }
    for (class, folder) in [
        ("red", "results/catch-the-cat-red"),
        ("blue", "results/catch-the-cat-blue"),
        ("catch-the-cat", "results/catch-the-cat"),
    ] {
        let run = |class: &str| run_class(&home, class, &[]).ended().well();
        let ended = run(class);
        ended.says(&[&format!("results: {folder}/ (open")]);
        let again = run(&format!("{class}/"));
        again.says(&["2 games, 2 of them already played"]);
    }
    let mut session = Session::default();
    session.run(&mut run_class(&home, "old/red", &[]));
    // A run in the place of its submissions.
    session.run(&mut run_class(&home, "results/catch-the-cat-red", &[]));
    // Nobody of a class is withdrawn because its place is forgotten.
    for out in [&[][..], &["--out", "results/catch-the-cat"]] {
        let mut command = judge();
        command.current_dir(&home).arg("run").args(FLAGS.words());
        command.args(["--with", "random", "--with", "shortest-path"]);
        session.run(command.args(out));
    }
    session.compare("run__results_of_another_class");
    let mut moved = run_class(&home, "old/red", &["--out", "results/catch-the-cat-red"]);
    moved.ended().well();
}
