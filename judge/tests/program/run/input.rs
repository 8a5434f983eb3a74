//! Input that people mistake: submissions, places and flags, and the words that name it.

use super::flags;
use crate::support::snapshot::{self, Session};
use crate::support::{FIRST_LEGAL, Run, Scene, Words, judge};
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
        let mut command = judge();
        command
            .arg("run")
            .args(places)
            .arg("--out")
            .arg(scene.out());
        command.args(flags("--states 1 --seed 1").words());
        command
    };
    let class = scene.submissions();
    let mut session = Session::default();
    session.run(&mut run(&[&class]));
    let (one, other) = (class.join("ann"), class.join("bob"));
    session.run(&mut run(&[&one, &other]));
    session.run(&mut scene.command(&flags("--states 1")));
    session.compare("run__places");

    let wrapped = |name: &str| {
        let folder = scene.folder().join(name);
        fs::create_dir(&folder).expect("writable");
        let own = folder.join("sources");
        fs::create_dir(&own).expect("writable");
        fs::copy(one.join("bot"), own.join("bot")).expect("writable");
        folder
    };
    let (one, other) = (wrapped("one"), wrapped("other"));
    let moodles = scene.folder().join("Ann Lee_12345_assignsubmission_file");
    fs::create_dir(&moodles).expect("writable");
    fs::copy(class.join("ann/bot"), moodles.join("bot")).expect("writable");
    let mut session = Session::default();
    session.run(&mut run(&[&one, &other]));
    session.run(&mut run(&[&class.join("bob"), &moodles]));
    session.compare("run__places_that_are_refused");
}

#[test]
fn misspelt_place_is_answered_with_suggestion() {
    let scene = Scene::of_three_scripts();
    scene.run(&flags("--states 1")).well();
    fs::write(scene.folder().join("rules.toml"), "").expect("writable");
    let mut session = Session::default();
    for words in [
        "run submissions --competition rules.tml",
        "grades .",
        "play humna --game reversi",
        "perft submission --depth 1",
    ] {
        session.run(judge().current_dir(scene.folder()).args(words.words()));
    }
    session.compare("run__misspelt_places");
}

#[test]
fn roster_outside_submissions_is_reported_and_ignored() {
    let scene = Scene::of_three_scripts();
    let around = scene.submissions().with_file_name("roster.csv");
    fs::write(&around, "submission,id\nann,1\n").expect("writable");
    let mut session = Session::default();
    session.run(&mut scene.command(&flags("--states 1")));
    let named = format!("--states 1 --roster {}", around.display());
    session.run(&mut scene.command(&flags(&named)));
    session.compare("run__roster_around");
}

#[test]
fn beginner_mistakes_are_explained_in_words() {
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    let agent = "#include \"IAgent.h\"\n#include <vector>\n";
    scene.sources("lower-case", &[("cat.h", agent), ("Catcher.h", agent)]);
    scene.sources(
        "sub-folder",
        &[
            ("src/Cat.h", agent),
            ("src/Catcher.h", agent),
            ("notes.md", ""),
        ],
    );
    scene.sources("notes-only", &[("readme.txt", "hello")]);
    scene.sources("not-executable", &[("my bot.py", "#!/usr/bin/python3\n")]);
    fs::create_dir(scene.submissions().join("not-executable/tools")).expect("writable");
    scene.file("not-executable/tools/pack", "#!/bin/sh\n", 0o755);
    scene.sources(
        "below",
        &[("src/bot.py", "#!/usr/bin/python3\n"), ("notes.md", "")],
    );
    scene.sources(
        "rust",
        &[("src/main.rs", "fn main() {}"), ("Cargo.toml", "")],
    );
    scene.sources("lost-modes", &[("bot", FIRST_LEGAL), ("notes.md", "")]);
    scene.sources("utf-16", &[("Catcher.h", agent)]);
    let units: Vec<u16> = format!("\u{feff}{agent}").encode_utf16().collect();
    let units: Vec<u8> = units.into_iter().flat_map(u16::to_le_bytes).collect();
    scene.file("utf-16/Cat.h", units, 0o644);
    scene.sources("empty", &[("Cat.h", "\n"), ("Catcher.h", agent)]);
    scene.sources("no-program", &[("bot.ipynb", "{}")]);
    scene.sources("two-zips", &[("v1.zip", "PK"), ("v2.zip", "PK")]);
    let twice = [("a/ReversiAI.hs", ""), ("b/ReversiAI.hs", "")];
    scene.sources("section", &twice);
    snapshot::compare(
        "run__what_beginners_get_wrong",
        &mut scene.command(&flags("--states 1")),
    );
    let rows = scene.rows("submissions.csv");
    let plays = rows.iter().filter(|row| row.get("plays") == "yes");
    let names: Vec<&str> = plays.map(|row| row.get("entrant")).collect();
    assert_eq!(names, ["ann", "bob", "lost-modes"]);
    assert_eq!(rows.len(), 14);
}

#[test]
fn omitted_or_replaced_files_are_reported_with_reason() {
    let scene = Scene::new();
    scene
        .first_legal("ann")
        .example("catch-the-cat", "corner-blocker");
    scene.sources(
        "corner-blocker",
        &[
            ("docs/plan.md", "# Plan"),
            ("data.json", "{}"),
            ("IAgent.h", "#pragma once\nstruct IAgent { int mine; };\n"),
            ("main.cpp", "int main() { return 1; }\n"),
            ("Test.h", "#pragma once\n// int main() was here\n"),
        ],
    );
    let mut session = Session::default();
    session.run(&mut scene.command(&flags("--states 1")));
    assert_eq!(scene.rows("games.csv").len(), 2, "it plays all the same");
    scene.sources(
        "corner-blocker",
        &[("run.cpp", "int main() { return 1; }\n")],
    );
    session.run(&mut scene.command(&flags("--states 1")));
    session.compare("run__left_out_or_replaced");
}

#[test]
fn unexecutable_program_is_detected_before_playing() {
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
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
    scene.sources(
        "ann",
        &[
            ("judge.toml", "run = \"/bin/sh bot.txt\"\n"),
            ("bot.txt", &bot),
            ("node_modules/a/x", "x\n"),
            (".cargo/y", "y\n"),
            ("vendor/z", "z\n"),
            ("build/w", "w\n"),
            (".git/config", "x"),
            (".vscode/settings.json", "x"),
            ("out/CMakeCache.txt", "x"),
        ],
    );
    let mut check = judge();
    check.arg("check").arg(scene.submissions().join("ann"));
    check.args(["--game", "catch-the-cat", "--states", "1"]);
    let ended = check.ended();
    ended.well().says(&[
        "left out .git: it belongs to version control",
        "left out .vscode: it belongs to an editor",
        "left out out: CMake made it for another folder",
    ]);
}
