//! The ends of commands: short, and fit for the terminal.

use crate::support::pty::Pty;
use crate::support::snapshot::{self, Session};
use crate::support::{FIRST_LEGAL, LAST_LEGAL, QUICK, Run, Scene, judge};
use std::process::Command;

/// The two long names differ in their last characters only.
const LONG: [&str; 2] = [
    "the-long-name-of-a-team-with-several-people-1",
    "the-long-name-of-a-team-with-several-people-2",
];

fn played(names: &[&str]) -> Scene {
    let scene = Scene::new();
    for name in names {
        scene.script(name, FIRST_LEGAL);
    }
    scene.script("zoe", LAST_LEGAL);
    scene.run(QUICK).well();
    scene
}

#[test]
fn views_name_their_folder_and_not_each_file() {
    let scene = played(&["ann", "bob"]);
    let mut session = Session::default();
    for view in ["public", "student", "staff"] {
        let mut report = judge();
        report.arg("report").arg(scene.out()).args(["--view", view]);
        let ended = session.run(&mut report);
        let lines = ended.stdout.lines().count();
        assert!(lines <= 20, "{lines} lines: {ended:?}");
        let name = format!("out-{view}");
        assert!(scene.folder().join(&name).is_dir(), "{name}");
    }
    let mut default = judge();
    session.run(default.arg("report").arg(scene.out()));
    session.run(judge().arg("grades").arg(scene.out()));
    session.compare("ending__views");
}

#[test]
fn everybody_is_listed_where_no_entrant_is_named() {
    let scene = Scene::new();
    scene.first_legal("ann").script("zoe", LAST_LEGAL);
    scene.sources("eve", &[("Cat.h", "class Cat"), ("Catcher.h", "")]);
    scene.run(QUICK).well();
    snapshot::compare("ending__everybody", judge().arg("explain").arg(scene.out()));
}

/// Returns what a command prints on a terminal of this width, without its progress.
fn on_terminal(columns: u16, command: &mut Command) -> String {
    let mut pty = Pty::of_columns(columns, command);
    pty.end();
    let lines = pty.seen.split("\r\n").map(|line| {
        let (_, last) = line.rsplit_once("\x1b[2K").unwrap_or(("", line));
        last
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn width(line: &str) -> usize {
    let mut in_escape = false;
    let shown = line.chars().filter(|&c| {
        let is_shown = !in_escape && c != '\u{1b}';
        in_escape = (in_escape || c == '\u{1b}') && c != 'm';
        is_shown
    });
    shown.count()
}

#[test]
fn tables_fit_narrow_terminals_and_long_names_stay_different() {
    let scene = played(&LONG);
    let explain = |columns| {
        on_terminal(
            columns,
            judge()
                .arg("explain")
                .arg(scene.out())
                .env_remove("NO_COLOR"),
        )
    };
    for columns in [60, 80] {
        let text = explain(columns);
        let commands = |line: &&str| line.contains(" explain ");
        for line in text.lines().filter(|line| !commands(line)) {
            assert!(width(line) <= columns.into(), "{columns}: {line}");
        }
        for end in ["people-1 ", "people-2 "] {
            let rows = text.lines().filter(|line| line.contains(end));
            assert_eq!(rows.count(), 1, "{columns}: {text}");
        }
    }
    let wide = explain(200);
    let piped = judge().arg("explain").arg(scene.out()).ended();
    for name in LONG {
        assert!(wide.contains(&format!(" {name} ")), "{wide}");
        assert!(!piped.stdout.contains(&format!(" {name} ")), "{piped:?}");
    }
}

#[test]
fn a_check_is_coloured_and_broken_between_words_on_a_terminal_only() {
    let scene = Scene::new();
    scene.first_legal("ann");
    let check = || {
        let mut check = judge();
        check.arg("check").arg(scene.submissions().join("ann"));
        check.args([
            "--game",
            "catch-the-cat",
            "--states",
            "1",
            "--set",
            "side=5",
        ]);
        check
    };
    let coloured = on_terminal(60, check().env_remove("NO_COLOR"));
    assert!(coloured.contains("\x1b[32mok\x1b[0m"), "{coloured}");
    let is_command = |line: &&str| line.contains(" --game ");
    for line in coloured.lines().filter(|line| !is_command(line)) {
        assert!(width(line) <= 60, "{line:?}");
    }
    let plain = on_terminal(60, check().env("NO_COLOR", "1"));
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
    assert!(plain.starts_with("  1  ok       files"), "{plain}");
    let piped = check().ended().well();
    assert!(!piped.stdout.contains('\u{1b}'), "{piped:?}");
    assert!(
        piped.stdout.lines().any(|line| width(line) > 60),
        "{piped:?}"
    );
}
