//! `judge check` from end to end: real submissions with one thing wrong each, and the words
//! that their author reads.

mod cases;
mod class;
mod crashes;
mod homework;
mod next;
mod students;

use self::cases::{CASES, Case, LOOP, PYTHON};
use crate::support::{Ended, FIRST_LEGAL, Scene, judge};
use serde_json::Value;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The smallest board; short limits, so that waiting bots do not wait long.
const FLAGS: &[&str] = &["--game", "catch-the-cat", "--backstop", "1.5"];

/// How many cases are tried at a time; most of them wait.
const AT_ONCE: usize = 3;

/// The exit code where something is wrong.
const WRONG: i32 = 4;

fn check(scene: &Scene, name: &str, flags: &[&str]) -> Command {
    let mut command = judge();
    command
        .arg("check")
        .arg(scene.submissions().join(name))
        .args(flags);
    command
}

fn checked(scene: &Scene, name: &str, flags: &[&str]) -> Ended {
    Ended::of(
        check(scene, name, flags)
            .output()
            .expect("the program starts"),
    )
}

#[test]
fn every_author_reads_what_is_wrong_and_what_to_do() {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(case) = CASES.get(next.fetch_add(1, Ordering::Relaxed)) {
                    try_out(case);
                }
            });
        }
    });
}

fn try_out(case: &Case) {
    let scene = Scene::new();
    scene.script(case.name, &format!("{PYTHON}{}\n{LOOP}", case.program));
    // Most cases start a bot once a game, which is quicker than in every turn.
    let quick = ["--states", "1", "--side", "5", "--lifetime", "game"];
    let common = [FLAGS, &quick].concat();
    // The judge refuses a flag that is given twice.
    let own = |flag: &str| case.flags.contains(&flag);
    let common = common.chunks(2).filter(|pair| !own(pair[0])).flatten();
    let flags: Vec<&str> = common.chain(case.flags).copied().collect();
    let ended = checked(&scene, case.name, &flags);
    for word in case.words {
        let name = case.name;
        assert!(
            ended.stdout.contains(word),
            "{name}: {word:?} is not in {ended:?}"
        );
    }
    let wrong = ended
        .stdout
        .contains("is not ready. Fix it and check again: ");
    let code = if wrong { WRONG } else { 0 };
    assert_eq!(ended.code, Some(code), "{}: {ended:?}", case.name);
    assert!(
        ended.stdout.lines().count() < 60,
        "{}: it fits on a screen or two",
        case.name
    );
}

#[test]
fn sources_that_do_not_compile_are_shown_with_the_compilers_lines_and_what_they_mean() {
    let scene = Scene::new();
    scene.example("catch-the-cat", "forgot-const");
    let ended = checked(&scene, "forgot-const", &[]);
    assert_eq!(ended.code, Some(WRONG), "{ended:?}");
    for words in [
        "WRONG (2 build): g++ exited with 1: the class Cat does not override IAgent's move(",
        "abstract class type",
        "not looked at, because of the above: start, output",
    ] {
        assert!(ended.stdout.contains(words), "{words:?}: {ended:?}");
    }
}

#[test]
fn a_misspelled_file_name_is_named_also_where_nothing_tells_the_game() {
    let scene = Scene::new();
    scene.sources(
        "ann",
        &[
            ("cat.h", "class Cat {};"),
            ("Catcher.h", "class Catcher {};"),
        ],
    );
    let ended = checked(&scene, "ann", &[]);
    assert_eq!(ended.code, Some(WRONG), "{ended:?}");
    assert!(
        ended.stdout.contains(
            "WRONG (1 files): looks like Catch the Cat in cpp, but cat.h must be spelled Cat.h"
        ),
        "{ended:?}"
    );
}

#[test]
fn the_name_that_a_course_asks_for_is_told_where_the_file_has_another_one() {
    let scene = Scene::new();
    scene
        .sources("ann", &[("Foo.hs", "module Foo where")])
        .sources("bob", &[("solution.ml", ""), ("helper.ml", "")]);
    for (name, words) in [
        (
            "ann",
            "for Reversi in haskell it must contain ReversiAI.hs, but it has Foo.hs",
        ),
        (
            "bob",
            "for Crazy Camel in ocaml it must contain assignment.ml, but it has helper.ml",
        ),
    ] {
        let ended = checked(&scene, name, &[]);
        assert_eq!(ended.code, Some(WRONG), "{ended:?}");
        assert!(ended.stdout.contains(words), "{words:?}: {ended:?}");
    }
}

#[test]
fn flags_that_only_a_tournament_has_are_none_of_check() {
    let help = judge().args(["check", "--help"]).output().expect("starts");
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    assert!(help.contains("--turn-time"), "{help}");
    for flag in ["--k ", "--self-play"] {
        assert!(!help.contains(flag), "{flag}: {help}");
    }
    let scene = Scene::new();
    scene.first_legal("ann");
    let flags = [
        "--competition",
        "catch-the-cat",
        "--states",
        "1",
        "--side",
        "5",
    ];
    let ended = checked(&scene, "ann", &flags).well();
    ended.says(&["submissions/ann --competition catch-the-cat --side 5 --with random"]);
}

#[test]
fn json_is_one_object_and_nothing_else() {
    let scene = Scene::new();
    scene
        .first_legal("good")
        .script("broken", "#!/bin/sh\nexit 3\n");
    let flags = ["--json", "--states", "1", "--side", "5"];
    let flags = [FLAGS, &flags].concat();
    let read = |ended: &Ended| -> Value { serde_json::from_str(&ended.stdout).expect("JSON") };

    let good = checked(&scene, "good", &flags).well();
    let report = read(&good);
    assert_eq!(good.stdout.lines().count(), 1);
    assert_eq!(report["game"], "catch-the-cat");
    assert_eq!(report["language"], "executable");
    assert_eq!(report["ok"], true);
    assert_eq!(report["games"]["played"], 4);
    assert!(report["times"]["turns"].as_u64() > Some(0), "{report}");
    assert_eq!(report["times"]["turn_limit_us"], 2_000_000);
    let checks = report["checks"].as_array().expect("a list");
    assert!(checks.iter().all(|c| c["verdict"] == "ok"), "{report}");

    let broken = checked(&scene, "broken", &flags);
    assert_eq!(broken.code, Some(WRONG), "{broken:?}");
    let report = read(&broken);
    assert_eq!(report["ok"], false);
    let checks = report["checks"].as_array().expect("a list");
    let wrong = checks
        .iter()
        .find(|c| c["verdict"] == "wrong")
        .expect("one is wrong");
    assert_eq!(wrong["name"], "start");
    let message = wrong["message"].as_str().expect("a text");
    assert!(
        message.starts_with("ends too early: exited with code 3 without an answer"),
        "{message}"
    );
}

#[test]
fn wrong_commands_are_refused_with_the_next_step() {
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    checked(&scene, "nobody", &[]).refused(&["cannot read the submission", "give a folder"]);
    checked(&scene, "anne", &[]).refused(&["; did you mean", "/ann?"]);
    checked(&scene, "ann", &[]).refused(&["--game", "catch-the-cat"]);
    checked(&scene, "ann", &["--game", "chess"]).refused(&["unknown game", "reversi"]);
}

#[test]
fn a_bot_in_a_game_with_a_bank_and_one_for_four_are_checked_in_every_seat() {
    let scene = Scene::new();
    scene.script("any", &format!("{PYTHON}{LOOP}"));
    for (game, words) in [
        (
            "crazy-camel",
            "every move is legal, as player 0 and as player 1",
        ),
        ("reversi", "every move is legal, as black and as white"),
        (
            "monkey-metal-man",
            "as player 0 and as player 1 and as player 2 and as player 3",
        ),
    ] {
        let ended = checked(&scene, "any", &["--game", game, "--states", "1"]).well();
        assert!(ended.stdout.contains(words), "{words:?}: {ended:?}");
        assert!(ended.stdout.contains("% of the clock"), "{ended:?}");
    }
}

#[test]
fn nothing_stays_behind() {
    let scene = Scene::new();
    scene.script("bot", FIRST_LEGAL);
    let temporary = scene.out();
    std::fs::create_dir(&temporary).expect("a new folder");
    let flags = [FLAGS, &["--states", "1", "--side", "5"]].concat();
    let mut command = check(&scene, "bot", &flags);
    let ended = Ended::of(command.env("TMPDIR", &temporary).output().expect("starts"));
    ended.well();
    let left = std::fs::read_dir(&temporary).expect("there").count();
    assert_eq!(left, 0, "the temporary folder is empty again");
}

#[test]
fn a_machine_that_lacks_the_compiler_says_so_and_blames_nobody() {
    let scene = Scene::new();
    // Nobody installs this compiler for the judge.
    let manifest = "build = \"ldc2 bot.d\"\nrun = \"./bot\"\n";
    scene.sources("ann", &[("judge.toml", manifest), ("bot.d", "")]);
    let ended = checked(&scene, "ann", FLAGS);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(ended.stdout, "");
    for words in [
        "cannot check ann here; this says nothing about the bot: ldc2 is not installed; run: apt-get install ldc",
        "a program elsewhere is found if its folder is in PATH",
    ] {
        assert!(ended.stderr.contains(words), "{words:?}: {ended:?}");
    }
}

#[test]
fn an_author_who_writes_the_judges_own_words_is_still_the_one_to_blame() {
    let scene = Scene::new();
    let broken = "class Bot:\n    def step(self, percepts):\n        return (\n";
    scene.sources(
        "ann",
        &[("for reasons of ours: numpy is not installed.py", broken)],
    );
    let ended = checked(&scene, "ann", &["--game", "monkey-metal-man"]);
    assert_eq!(ended.code, Some(WRONG), "{ended:?}");
    let words = "WRONG (2 build): for reasons of ours: numpy is not installed.py";
    assert!(ended.stdout.contains(words), "{ended:?}");
}

#[test]
fn the_next_command_puts_no_results_among_the_submissions() {
    let scene = Scene::new();
    scene.first_legal("ann");
    let flags = [FLAGS, &["--states", "1", "--side", "5"]].concat();
    let mut command = check(&scene, "ann", &flags);
    let ended = Ended::of(
        command
            .current_dir(scene.submissions())
            .output()
            .expect("starts"),
    );
    let out = scene
        .folder()
        .canonicalize()
        .expect("there")
        .join("results");
    ended.well().says(&[&format!("--out {}", out.display())]);
}
