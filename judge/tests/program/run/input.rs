//! Input that people mistake: submissions, places and flags, and the words that name it.

use super::flags;
use crate::support::snapshot::{self, Session};
use crate::support::{FIRST_LEGAL, Run, Scene, Words, judge, judge_at};
use std::fs;

#[test]
fn wrong_input_is_refused_with_next_step() {
    let scene = Scene::new();
    let mut session = Session::default();
    session.run(&mut scene.command(""));
    scene.first_legal("ann");
    session.run(&mut scene.command(""));
    session.run(&mut scene.command("--game chess"));
    session.run(&mut scene.command(&flags("")));
    scene.first_legal("bob");
    session.run(&mut scene.command("--game catch-the-cat --set side=20"));
    for wrong in [
        "--states 0",
        "--set blocks",
        "--set colour=red",
        "--turn-s 0",
    ] {
        session.run(&mut scene.command(&flags(wrong)));
    }
    session.run(judge().args(["run", "--submissions", "/does/not/exist"]));
    session.compare("run__wrong_input");

    scene.run(&flags("--states 1")).well();
    let mut session = Session::default();
    session.run(&mut scene.command(&flags("--states 1 --seed 2")));
    let no_seed = "--game catch-the-cat --points-per-cpu-second 0 --set side=5";
    session.run(&mut scene.command_by_secret(&no_seed));
    let other_side = "--game catch-the-cat --set side=9 --states 1";
    let refused = session.run(&mut scene.command(&other_side));
    assert!(!refused.stderr.contains('{'), "{refused:?}");
    let other_game = "--game monkey-metal-man --states 1";
    session.run(&mut scene.command(&other_game));
    fs::write(scene.out().join("run.json"), "{}").expect("writable");
    session.run(&mut scene.command(&flags("--states 1")));
    session.compare("run__another_run");
}

#[test]
fn class_and_single_bots_are_given_without_flag() {
    let scene = Scene::of_three_scripts();
    let run = |places: &[&std::path::Path]| {
        let mut command = judge_at("run", places, "--out");
        let flags = flags("--states 1 --seed 1");
        command.arg(scene.out()).args(flags.words());
        command
    };
    let class = scene.submissions();
    let mut session = Session::default();
    session.run(&mut run(&[&class]));
    let (one, other) = (class.join("ann"), class.join("bob"));
    session.run(&mut run(&[&one, &other]));
    session.run(&mut scene.command(&flags("--states 1")));
    session.compare("run__places");

    let wrapped = |name: &str, bot: &str| {
        let folder = scene.folder().join(name);
        fs::create_dir_all(folder.join(bot)).expect("writable");
        fs::copy(one.join("bot"), folder.join(bot).join("bot")).expect("writable");
        folder
    };
    let (one, other) = (wrapped("one", "sources"), wrapped("other", "sources"));
    let moodles = wrapped("Ann Lee_12345_assignsubmission_file", "");
    let mut session = Session::default();
    session.run(&mut run(&[&one, &other]));
    session.run(&mut run(&[&class.join("bob"), &moodles]));
    session.compare("run__places_that_are_refused");
}

fn misspelt_place_is_answered_with_suggestion(scene: &Scene) {
    scene.write("rules.toml", "");
    let mut session = Session::default();
    for words in [
        "run submissions --competition rules.tml",
        "grades .",
        "play humna --game reversi",
        "perft submission --depth 1",
    ] {
        session.run(&mut scene.here(words));
    }
    session.compare("run__misspelt_places");
}

#[test]
fn roster_outside_submissions_is_reported_and_ignored() {
    let scene = Scene::of_three_scripts();
    let around = scene.write("roster.csv", "submission,id\nann,1\n");
    let mut session = Session::default();
    session.run(&mut scene.command(&flags("--states 1")));
    let named = flags(&format!("--states 1 --roster {around}"));
    session.run(&mut scene.command(&named));
    session.compare("run__roster_around");
    misspelt_place_is_answered_with_suggestion(&scene);
}

#[test]
fn beginner_mistakes_are_explained_in_words() {
    let scene = Scene::of(["ann", "bob"]);
    let agent = "#include \"IAgent.h\"\n#include <vector>\n";
    let python = "#!/usr/bin/python3\n";
    let cases: [(&str, &[(&str, &str)]); 10] = [
        ("lower-case", &[("cat.h", agent), ("Catcher.h", agent)]),
        (
            "sub-folder",
            &[
                ("src/Cat.h", agent),
                ("src/Catcher.h", agent),
                ("notes.md", ""),
            ],
        ),
        ("notes-only", &[("readme.txt", "hello")]),
        ("not-executable", &[("my bot.py", python)]),
        ("below", &[("src/bot.py", python), ("notes.md", "")]),
        (
            "rust",
            &[("src/main.rs", "fn main() {}"), ("Cargo.toml", "")],
        ),
        ("lost-modes", &[("bot", FIRST_LEGAL), ("notes.md", "")]),
        ("empty", &[("Cat.h", "\n"), ("Catcher.h", agent)]),
        ("no-program", &[("bot.ipynb", "{}")]),
        ("two-zips", &[("v1.zip", "PK"), ("v2.zip", "PK")]),
    ];
    for (name, files) in cases {
        scene.sources(name, files);
    }
    scene.file("not-executable/tools/pack", "#!/bin/sh\n", 0o755);
    scene.sources("utf-16", &[("Catcher.h", agent)]);
    let units: Vec<u16> = format!("\u{feff}{agent}").encode_utf16().collect();
    let units: Vec<u8> = units.into_iter().flat_map(u16::to_le_bytes).collect();
    scene.put("utf-16/Cat.h", units);
    let twice = [("a/ReversiAI.hs", ""), ("b/ReversiAI.hs", "")];
    scene.sources("section", &twice);
    let mut run = scene.command(&flags("--states 1"));
    snapshot::compare("run__what_beginners_get_wrong", &mut run);
    let rows = scene.rows("submissions.csv");
    let plays = rows.iter().filter(|row| row.get("plays") == "yes");
    let names: Vec<&str> = plays.map(|row| row.get("entrant")).collect();
    assert_eq!(names, ["ann", "bob", "lost-modes"]);
    assert_eq!(rows.len(), 14);
}

#[test]
fn omitted_or_replaced_files_are_reported_with_reason() {
    let scene = Scene::of(["ann"]);
    scene.example("catch-the-cat", "corner-blocker");
    let files = [
        ("docs/plan.md", "# Plan"),
        ("data.json", "{}"),
        ("IAgent.h", "#pragma once\nstruct IAgent { int mine; };\n"),
        ("main.cpp", "int main() { return 1; }\n"),
        ("Test.h", "#pragma once\n// int main() was here\n"),
    ];
    scene.sources("corner-blocker", &files);
    let mut session = Session::default();
    session.run(&mut scene.command(&flags("--states 1")));
    assert_eq!(scene.rows("games.csv").len(), 2, "it plays all the same");
    scene.put("corner-blocker/run.cpp", "int main() { return 1; }\n");
    session.run(&mut scene.command(&flags("--states 1")));
    session.compare("run__left_out_or_replaced");
}

#[test]
fn unexecutable_program_is_detected_before_playing() {
    let scene = Scene::of(["ann", "bob"]);
    scene.script("no-interpreter", "#!/usr/bin/python99\nprint(1)\n");
    scene.script("windows", "#!/bin/sh\r\nread -r line\r\n");
    scene.script("no-first-line", "import json, sys\n");
    scene.script("empty", "");
    scene.script("other-machine", "\u{7f}ELF\u{1}\u{1}\u{1}");
    snapshot::compare(
        "run__not_executable",
        &mut scene.command(&flags("--states 1")),
    );
    assert_eq!(scene.rows("games.csv").len(), 2);
}

#[test]
fn submitted_files_are_kept_except_tool_folders() {
    let scene = Scene::new();
    let all =
        "for f in node_modules/a/x .cargo/y vendor/z build/w; do read -r x <$f || exit 3; done";
    let bot = format!("{all}\n{FIRST_LEGAL}");
    let files = [
        ("judge.toml", "run = \"/bin/sh bot.txt\"\n"),
        ("bot.txt", &bot),
        ("node_modules/a/x", "x\n"),
        (".cargo/y", "y\n"),
        ("vendor/z", "z\n"),
        ("build/w", "w\n"),
        (".git/config", "x"),
        (".vscode/settings.json", "x"),
        ("out/CMakeCache.txt", "x"),
    ];
    scene.sources("ann", &files);
    let check = "check submissions/ann --game catch-the-cat --set side=5 --states 1";
    let ended = scene.here(check).ended();
    ended.well().says(&[
        "left out .git: it belongs to version control",
        "left out .vscode: it belongs to an editor",
        "left out out: CMake made it for another folder",
    ]);
}
