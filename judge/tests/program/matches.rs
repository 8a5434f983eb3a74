//! `judge match` from end to end.

use crate::support::processes::signal;
use crate::support::snapshot::Session;
use crate::support::{
    FIRST_LEGAL, Has, LAST_LEGAL, Run, SILENT, Scene, Wait, Words, commit, executable, git, judge,
};
use nix::sys::signal::Signal;
use serde_json::json;
use std::fs;
use std::process::Command;

fn command(scene: &Scene, sides: [&str; 2], flags: &(impl Words + ?Sized)) -> Command {
    let mut command = judge();
    command
        .current_dir(scene.submissions())
        .arg("match")
        .args(sides);
    command.arg("--out").arg(scene.out()).args(flags.words());
    command
}

const REVERSI: &str = "--game reversi --set opening_plies=6";
const CAT: &str = "--game catch-the-cat --set side=5 --states 2 --lifetime game";

#[test]
fn clearly_better_bot_is_reported_after_few_pairs() {
    let scene = Scene::new();
    let sides = ["builtin:mobility", "builtin:random"];
    let mut session = Session::default();
    session.run(&mut command(&scene, sides, REVERSI));
    let journal = scene.read("journal.jsonl");
    let games = scene.rows("games.csv");
    assert!(games.len() < 400, "{}", games.len());
    // The table has both games of each pair, on the same board, and only the states that count.
    for pair in games.chunks(2) {
        let [one, other] = pair else {
            panic!("a pair is two games")
        };
        assert_eq!(one.get("state"), other.get("state"));
        assert_eq!(one.get("black"), other.get("white"));
        assert_eq!(one.get("white"), other.get("black"));
    }
    session.run(&mut command(&scene, sides, REVERSI));
    session.compare("match__better");
    assert_eq!(scene.read("journal.jsonl"), journal);
    assert_eq!(scene.rows("games.csv").len(), games.len());
    scene.judge("verify out");
}

#[test]
fn undecided_match_says_so_and_continues() {
    let scene = Scene::new();
    let sides = ["builtin:random", "builtin:mobility"];
    let flags = |more: &'static str| format!("{REVERSI} --elo0 -700 --elo1 -1 --states {more}");
    let mut session = Session::default();
    session.run(&mut command(&scene, sides, &flags("3")));
    assert_eq!(scene.rows("games.csv").len(), 6);
    session.run(&mut command(&scene, sides, &flags("5")));
    // Other bounds use the same games.
    let others = "--elo0 -690 --elo1 -2 --states 5";
    session.run(&mut command(&scene, sides, &format!("{REVERSI} {others}")));
    session.compare("match__undecided");
    let state: serde_json::Value = serde_json::from_str(&scene.read("match.json")).expect("JSON");
    let facts = ["pairs", "games", "decision", "elo1"].map(|key| state[key].clone());
    assert_eq!(json!(facts), json!([5, 10, "worse", -2.0]));
    let points = state["pentanomial"]
        .as_array()
        .expect("five numbers")
        .iter();
    let points: u64 = points.filter_map(serde_json::Value::as_u64).sum();
    assert_eq!(points, 5);
    scene.judge("verify out");
}

#[test]
fn interrupted_match_reports_state_and_resumes() {
    let scene = Scene::of(["ann", "bob"]);
    // Both are the same, and telling them apart would take very long.
    let flags = "--game catch-the-cat --set side=5 --elo1 0.5 --jobs 1";
    let interrupted = |lines: usize| {
        let played = command(&scene, ["ann", "bob"], &flags).piped();
        scene.wait_for_lines(lines);
        signal(played.id().cast_signed(), Signal::SIGINT);
        played.ended().exits(130)
    };
    interrupted(4).says(&[
        "undecided after ",
        "to continue, rerun the command: ",
        "--elo1 0.5",
    ]);
    let games = scene.rows("games.csv").len();
    assert!(
        games >= 2 && games.is_multiple_of(2),
        "whole pairs: {games}"
    );
    let lines = scene.read("journal.jsonl").lines().count();
    interrupted(lines + 4).says(&["already played: "]);
    assert!(scene.rows("games.csv").len() > games);
}

#[test]
fn commits_and_working_copy_are_versions() {
    let scene = Scene::new();
    let home = scene.submissions().join("bots");
    let commit = |text: &str| commit(&home, "hw1/bot", text);
    let first = commit(FIRST_LEGAL);
    git(&home, &["tag", "v1"]);
    commit(LAST_LEGAL);
    commit(FIRST_LEGAL);
    let at = |new: &str, old: &str| {
        let mut command = command(&scene, [new, old], CAT);
        command.current_dir(home.join("hw1"));
        command
    };
    let mut session = Session::default();
    session.run(&mut at(".@HEAD", ".@v1"));
    let run = scene.read("run.json");
    run.has(&[&first, " hw1\""]);
    session.run(&mut at(".", ".@HEAD~1"));
    git(&home, &["branch", "feature/fast", "v1"]);
    session.run(&mut at(".@feature/fast", ".@main"));
    session.compare("match__versions");
    let mut session = Session::default();
    for old in [".@nowhere", ".@--all", "./nowhere@v1"] {
        session.run(&mut at(".", old));
    }
    let outside = "--game catch-the-cat";
    session.run(&mut command(&scene, [".@HEAD", "bots/hw1"], &outside));
    // git's message names the folders that it has searched.
    session.redact(r"(not a git repository) \([^;]*", "${1}");
    session.compare("match__no_version");
}

#[test]
fn same_named_versions_are_named_after_their_folders() {
    let scene = Scene::new();
    for (place, text) in [("a/bot", FIRST_LEGAL), ("b/bot", LAST_LEGAL)] {
        scene.script(place, text);
    }
    let sides = ["a/bot", "b/bot"];
    let mut session = Session::default();
    session.run(&mut command(&scene, sides, CAT));
    scene.script("a/bot", LAST_LEGAL);
    session.run(&mut command(&scene, sides, CAT));
    for (place, text) in [("1/a/bot", FIRST_LEGAL), ("2/a/bot", LAST_LEGAL)] {
        scene.script(place, text);
    }
    session.run(&mut command(&scene, ["1/a/bot", "2/a/bot"], CAT));
    session.compare("match__two_of_one_name");
}

#[test]
fn four_seat_games_use_same_opponents() {
    let scene = Scene::new();
    let flags = "--game monkey-metal-man --with builtin:random --states 2";
    let sides = ["builtin:hunter", "builtin:random"];
    let mut session = Session::default();
    session.run(&mut command(&scene, sides, &flags));
    scene.script("idle", "#!/bin/sh\nexit 3\n");
    let flags = "--game monkey-metal-man --states 2";
    session.run(&mut command(&scene, ["builtin:random", "idle"], &flags));
    session.compare("match__games_for_four");
    let games = scene.rows("games.csv");
    assert_eq!(games.len(), 16);
    scene.judge("verify out");
}

#[test]
fn both_versions_play_opponents_and_faults_are_reported() {
    let scene = Scene::new();
    scene.script("silent", SILENT);
    let class = scene.folder().join("class");
    executable(&class.join("ann"), FIRST_LEGAL);
    executable(&class.join("silent"), SILENT);
    let class = class.display().to_string();
    // Each turn has a new process, so the silent one is at fault at once.
    let flags = "--game catch-the-cat --set side=5 --states 2";
    let flags = format!("{flags} --opponents {class} --with shortest-path");
    let mut session = Session::default();
    session.run(&mut command(&scene, ["silent", "builtin:random"], &flags));
    fs::remove_file(scene.folder().join("class/ann")).expect("writable");
    let alone = ["--game", "catch-the-cat", "--opponents", &class];
    session.run(&mut command(&scene, ["silent", "builtin:random"], &alone));
    session.compare("match__opponents");
}

#[test]
fn invalid_matches_are_refused_before_playing() {
    let scene = Scene::of(["ann"]);
    scene.script("old/ann", FIRST_LEGAL);
    scene.sources("broken", &[("ReversiAI.hs", "module ReversiAI where\n")]);
    let game = "--game catch-the-cat";
    let mut session = Session::default();
    for flags in [
        "--elo0 10 --elo1 5",
        "--elo1 0",
        "--elo1 NaN",
        "--alpha 0.5",
        "--beta 0",
        "--lifetime match",
    ] {
        let flags = format!("{game} {flags}");
        session.run(&mut command(&scene, ["ann", "old/ann"], &flags));
    }
    let twice = ["builtin:random", "builtin:random"];
    session.run(&mut command(&scene, twice, &game));
    session.run(&mut command(&scene, ["ann", "broken"], &game));
    session.compare("match__refused");
    assert!(!scene.out().join("journal.jsonl").exists());
}
