//! `judge check` from end to end: real submissions with one fault each, and the words that their
//! authors read.

mod class;
mod homework;
mod next;
mod students;

use crate::support::snapshot::{self, Session};
use crate::support::{Ended, Has, Run, Scene, Wait, Words, judge_at, processes, source};
use nix::sys::signal::Signal;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Mutex;

/// Flags for the smallest board, with short limits that keep waiting bots quick.
const FLAGS: &str = "--game catch-the-cat --set clock.backstop_s=1.5";

/// Start of each Python bot; `choose` returns the move, and most cases replace it.
const PYTHON: &str = include_str!("../../bots/checked.py");

const LOOP: &str = include_str!("../../bots/checked_loop.py");

/// A bot with a fault, of `judge/tests/check/cases.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// The code that replaces parts of the common bot.
    #[serde(default)]
    program: String,
    #[serde(default)]
    flags: String,
    words: Vec<String>,
}

/// Number of cases tried at a time; most of them wait.
const AT_ONCE: usize = 3;

const WRONG: i32 = 4;

fn check(scene: &Scene, name: &str, flags: &(impl Words + ?Sized)) -> Command {
    judge_at("check", &[&scene.submissions().join(name)], flags)
}

fn checked(scene: &Scene, name: &str, flags: &(impl Words + ?Sized)) -> Ended {
    check(scene, name, flags).ended()
}

#[track_caller]
fn exits_as_it_says(ended: &Ended) {
    let not_ready = "is not ready. Fix it and check again: ";
    let wrong = ended.stdout.contains(not_ready);
    assert_eq!(ended.code, Some(if wrong { WRONG } else { 0 }), "{ended:?}");
}

#[test]
fn every_author_reads_problem_and_remedy() {
    let cases = source("judge/tests/check/cases.toml");
    let cases: BTreeMap<String, Case> = toml::from_str(&cases).expect("TOML");
    let next = Mutex::new(cases.iter());
    let take = || next.lock().expect("no panic").next();
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((name, case)) = take() {
                    try_out(name, case);
                }
            });
        }
    });
}

fn try_out(name: &str, case: &Case) {
    let scene = Scene::new();
    scene.script(name, &format!("{PYTHON}{}\n{LOOP}", case.program));
    // Most cases start a bot once a game, which is faster than once a turn.
    let common = format!("{FLAGS} --states 1 --set side=5 --lifetime game");
    let (common, own) = (common.words(), case.flags.words());
    // The judge refuses a flag that is given twice.
    let common = common.chunks(2).filter(|pair| !own.contains(&pair[0]));
    let flags: Vec<&str> = common.flatten().chain(&own).copied().collect();
    let ended = checked(&scene, name, &flags);
    let words: Vec<&str> = case.words.iter().map(String::as_str).collect();
    ended.says(&words);
    exits_as_it_says(&ended);
    let lines = ended.stdout.lines().count();
    assert!(lines < 60, "{name}: it fits on a screen or two");
}

#[test]
fn required_file_name_is_named_when_file_differs() {
    let scene = Scene::new();
    let (cat, catcher) = ("class Cat {};", "class Catcher {};");
    scene.sources("ann", &[("cat.h", cat), ("Catcher.h", catcher)]);
    scene.sources("bob", &[("Foo.hs", "module Foo where")]);
    scene.sources("cyd", &[("solution.ml", ""), ("helper.ml", "")]);
    let mut session = Session::default();
    for name in ["ann", "bob", "cyd"] {
        session.run(&mut check(&scene, name, ""));
    }
    session.compare("check__other_file_names");
}

#[test]
fn a_sound_bot_is_ready() {
    let scene = Scene::of(["ann"]);
    let flags = "--competition catch-the-cat --states 1 --set side=5";
    snapshot::compare("check__ready", &mut check(&scene, "ann", &flags));
}

#[test]
fn json_is_one_object_and_nothing_else() {
    let scene = Scene::of(["good"]);
    scene.script("broken", "#!/bin/sh\nexit 3\n");
    let flags = "--json --states 1 --set side=5";
    let flags = format!("{FLAGS} {flags}");
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

    let broken = checked(&scene, "broken", &flags).exits(WRONG);
    let report = read(&broken);
    assert_eq!(report["ok"], false);
    let checks = report["checks"].as_array().expect("a list");
    let mut wrong = checks.iter().filter(|c| c["verdict"] == "wrong");
    let wrong = wrong.next().expect("one is wrong");
    assert_eq!(wrong["name"], "start");
    let message = wrong["message"].as_str().expect("a text");
    let words = "ends too early: exited with code 3 without an answer";
    assert!(message.starts_with(words), "{message}");
}

#[test]
fn wrong_commands_are_refused_with_the_next_step() {
    let scene = Scene::of(["ann", "bob"]);
    let mut session = Session::default();
    scene.put("nim/game.toml", "run = \"python3 game.py\"\n");
    for (name, flags) in [
        ("nobody", ""),
        ("anne", ""),
        ("ann", ""),
        ("ann", "--game chess"),
        ("nim", ""),
    ] {
        session.run(&mut check(&scene, name, flags));
    }
    session.compare("check__wrong_commands");
    // Where the game is known, the author of the folder reads what is wrong.
    let named = "--competition catch-the-cat";
    for flags in [named, "--format gradescope"] {
        let ended = check(&scene, "nim", flags).ended().exits(4);
        ended.stderr.lacks(&["is a game"]);
    }
}

#[test]
fn first_interrupt_ends_check_even_in_endless_turn() {
    let scene = Scene::new();
    let loops = "#!/bin/sh\nread l; echo '{\"ready\":{}}'; while :; do :; done\n";
    scene.script("loops", loops);
    let child = check(&scene, "loops", "--game reversi").piped();
    processes::worker_with_bot(child.id(), "bot");
    processes::signal(child.id().cast_signed(), Signal::SIGINT);
    let ended = child.ended().exits(130);
    ended.warns(&["judge: interrupted; to check again: "]);
    assert_eq!(ended.stdout, "");
}

#[test]
fn bank_and_four_seat_bots_are_checked_everywhere() {
    let scene = Scene::new();
    scene.script("any", &format!("{PYTHON}{LOOP}"));
    let mut session = Session::default();
    for game in ["crazy-camel", "reversi", "monkey-metal-man"] {
        let flags = format!("--game {game} --states 1");
        session.run(&mut check(&scene, "any", &flags));
    }
    session.compare("check__every_seat");
}
