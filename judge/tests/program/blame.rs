//! Attribution of faults, and reports of them: `faults.csv`, the run's output, the authors' logs.

use crate::support::culprits::{self, FLAGS};
use crate::support::snapshot::{self, Session};
use crate::support::{Has, Run, Scene};

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
    let header = "corner-blocker/Cat.h";
    let text = scene.text(&format!("submissions/{header}"));
    scene.put(header, format!("{text}\n#warning \"look here\"\n"));
    let log = "logs/build/corner-blocker.txt";
    let place = scene.out().join(log);
    let note = "corner-blocker: note: built with compiler warnings: see";
    for _ in 0..2 {
        let ended = scene.run(FLAGS).well();
        ended.says(&[&format!("{note} {}", place.display())]);
        scene.read(log).has(&["look here"]);
    }
    scene.put(header, text);
    let ended = scene.run(FLAGS).well();
    ended.stdout.lacks(&["compiler warn"]);
    assert!(!place.exists());
}

#[test]
fn each_class_has_own_results_and_is_continued() {
    let scene = Scene::new();
    for class in ["red", "blue", "old/red", "catch-the-cat"] {
        for bot in ["ann", "bob"] {
            scene.first_legal(&format!("{class}/{bot}"));
        }
    }
    let run = |words: &str| {
        let mut command = scene.here(&format!("run {words} {FLAGS}"));
        command.current_dir(scene.submissions());
        command
    };
    for (class, folder) in [
        ("red", "results/catch-the-cat-red"),
        ("blue", "results/catch-the-cat-blue"),
        ("catch-the-cat", "results/catch-the-cat"),
    ] {
        let ended = run(&format!("--submissions {class}")).ended().well();
        ended.says(&[&format!("results: {folder}/ (open")]);
        let again = run(&format!("--submissions {class}/")).ended().well();
        again.says(&["2 games, 2 of them already played"]);
    }
    let mut session = Session::default();
    session.run(&mut run("--submissions old/red"));
    // A run in the place of its submissions.
    session.run(&mut run("--submissions results/catch-the-cat-red"));
    // Nobody of a class is withdrawn because its place is forgotten.
    for out in ["", "--out results/catch-the-cat"] {
        let words = format!("--with random --with shortest-path {out}");
        session.run(&mut run(&words));
    }
    session.compare("run__results_of_another_class");
    let moved = "--submissions old/red --out results/catch-the-cat-red";
    run(moved).ended().well();
}
