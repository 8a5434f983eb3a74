//! Attribution of faults, and reports of them: `faults.csv`, the run's output, the authors' logs.

use crate::support::culprits::{self, FLAGS};
use crate::support::snapshot::{self, Session};
use crate::support::{FIRST_LEGAL, Row, Run, Scene, Words, judge};
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn every_fault_is_a_row_with_its_evidence() {
    let scene = Scene::new();
    culprits::add(&scene);
    scene.script("mute", &culprits::python(culprits::MUTE));
    scene.run(FLAGS).well();
    let games = scene.rows("games.csv");
    let faults = scene.rows("faults.csv");
    assert_eq!(games.len(), 20);
    for (game, number) in games.iter().zip(1..) {
        assert_eq!(game.get("game"), number.to_string());
        let own: Vec<&Row> = faults
            .iter()
            .filter(|fault| fault.get("game") == game.get("game"))
            .collect();
        if game.get("end") == "rules" {
            assert!(own.is_empty(), "{own:?}");
            continue;
        }
        let [fault] = own[..] else {
            panic!("two players, so one fault: {own:?}")
        };
        for (column, same) in [
            ("fixture", "fixture"),
            ("state", "state"),
            ("entrant", "charged"),
            ("role", "charged_as"),
            ("cause", "end"),
            ("detail", "detail"),
        ] {
            assert_eq!(fault.get(column), game.get(same), "{fault:?}");
        }
        let other = ["catcher", "cat"][usize::from(fault.get("seat") == "1")];
        assert_eq!(fault.get("opponents"), game.get(other), "{fault:?}");
        assert_eq!(fault.get("ended_game"), "yes");
    }
    evidence_is_as_expected(&faults);
}

fn evidence_is_as_expected(faults: &[Row]) {
    let expected = HashMap::from([
        ("crash", ("crash", "signal 11 SIGSEGV", "")),
        ("cheat", ("illegal-move", "", "{\"move\":[0,0]}")),
        ("formula", ("malformed", "", "'=1+1")),
        ("mute", ("silence", "", "")),
    ]);
    for fault in faults {
        let (cause, exit, line) = expected[fault.get("entrant")];
        assert_eq!(fault.get("cause"), cause, "{fault:?}");
        assert_eq!(fault.get("exit"), exit, "{fault:?}");
        assert_eq!(fault.get("line"), line, "{fault:?}");
        assert_eq!(fault.get("phase"), "turn");
        let wall_us: u64 = fault.get("wall_us").parse().expect("a time");
        assert!(wall_us > 0, "{fault:?}");
    }
    let guilty: std::collections::HashSet<&str> = faults.iter().map(|f| f.get("entrant")).collect();
    assert_eq!(
        guilty.len(),
        expected.len(),
        "each of them, and nobody else"
    );
}

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
        assert!(text.contains(&format!(" repro {out} ")), "{text}");
        assert!(!text.contains('\u{1b}'), "no escapes in a pipe: {text}");
    }
    let again = session.run(&mut scene.command(&flags));
    assert!(!again.stderr.contains("fault of"), "{again:?}");
    session.compare("run__first_faults");
}

#[test]
fn summary_names_three_faulty_bots_and_counts_others() {
    let scene = Scene::new();
    for number in 10..22 {
        scene.script(&format!("bot-{number}"), "#!/bin/sh\nexit 3\n");
    }
    let ended = snapshot::compare(
        "run__faults_of_twelve_bots",
        &mut scene.command(&format!("{FLAGS} --points-per-cpu-second 0")),
    );
    assert_eq!(ended.stderr.matches("fault of ").count(), 12);
    for fault in scene.rows("faults.csv") {
        let is_started = !fault.get("detail").starts_with("not started again");
        assert_eq!(fault.get("exit") == "code 3", is_started, "{fault:?}");
    }
}

#[test]
fn bot_output_cannot_reach_terminal_raw() {
    let scene = Scene::new();
    scene.first_legal("honest");
    let answer = r#"first = '{"\x1b[31m' + chr(0x202e) + '":1}'"#;
    scene.script("painter", &culprits::python(answer));
    let ended = scene.run(&format!("{FLAGS} --verbose")).well();
    assert!(ended.stderr.contains("fault of painter"), "{ended:?}");
    for text in [&ended.stdout, &ended.stderr] {
        assert!(text.contains("\\u{1b}[31m"), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    }
}

#[test]
fn compiler_warnings_are_kept_when_nothing_is_rebuilt() {
    let scene = Scene::new();
    scene
        .first_legal("honest")
        .example("catch-the-cat", "corner-blocker");
    let header = scene.submissions().join("corner-blocker/Cat.h");
    let text = fs::read_to_string(&header).expect("a committed example");
    fs::write(&header, format!("{text}\n#warning \"look here\"\n")).expect("writable");
    for _ in 0..2 {
        let ended = scene.run(FLAGS).well();
        let log = scene.out().join("logs/build/corner-blocker.txt");
        let note = "corner-blocker: note: built with compiler warnings: see";
        ended.says(&[&format!("{note} {}", log.display())]);
        let log = scene.read("logs/build/corner-blocker.txt");
        assert!(log.contains("look here"), "{log}");
    }
    fs::write(&header, text).expect("writable");
    let ended = scene.run(FLAGS).well();
    assert!(!ended.stdout.contains("the compiler warned"), "{ended:?}");
    assert!(!scene.out().join("logs/build/corner-blocker.txt").exists());
}

/// Returns the run of a class in a folder of its own, with the default place for the results.
fn run_class(home: &Path, class: &str, more: &[&str]) -> Command {
    let mut command: Command = judge();
    command
        .current_dir(home)
        .args(["run", "--submissions", class]);
    command.args(FLAGS.words()).args(more.words());
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
        assert!(ended.stdout.contains(&format!("results: {folder}/ (open")));
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
