//! Programs with rules that do what they must not. No bot is ever blamed.

use super::{clobber_text, python_game, verb};
use crate::support::{FIRST_LEGAL, Has, LAST_LEGAL, Scene};
use std::fs;

/// A game that does `how` when the first move is played, in the middle of a correct game.
fn failing_at_a_move(how: &str) -> String {
    let text = clobber_text();
    let head = "    def play(self, seat, move):\n";
    assert!(text.contains(head));
    text.replace(head, &format!("{head}        {how}\n"))
}

fn reported(scene: &Scene, game: &str) -> String {
    scene.first_legal("ann").first_legal("bob");
    let ended = scene.run(&["--game", game, "--states", "1"]).exits(1);
    let journal = fs::read_to_string(scene.out().join("journal.jsonl")).unwrap_or_default();
    // No game is recorded.
    journal.lacks(&["\"fixture\""]);
    format!("{}{}", ended.stdout, ended.stderr)
}

fn prints(line: &str) -> String {
    format!("import os, sys; print({line}, file=sys.__stdout__, flush=True); os.dup2(2, 1)")
}

#[test]
fn game_program_failure_names_game_ply_and_words() {
    let other = "'{\"position\":{\"session\":1,\"ply\":1,\"to_move\":[]}}'";
    let (long, list, other) = (prints("'x' * 3_000_000"), prints("'[]'"), prints(other));
    let forks = "not permitted|Resource temporarily unavailable";
    let closed = "Permission denied|Read-only file system|Operation not permitted";
    let rows = [
        ("raise ValueError('no luck')", "ValueError: no luck"),
        ("import os; os._exit(7)", "exited with code 7"),
        ("import os; os.kill(os.getpid(), 11)", "signal 11"),
        (&long, "longer than 1048576 bytes"),
        (&list, "malformed"),
        (&other, "neither a seat to move nor an outcome"),
        ("x = bytearray(3 << 30)", "MemoryError"),
        ("import os; os.fork()", forks),
        ("open('note.txt', 'w')", closed),
    ];
    for (how, words) in rows {
        let scene = Scene::new();
        let game = python_game(&scene, &failing_at_a_move(how));
        let reported = reported(&scene, &game);
        let is_named = words.split('|').any(|words| reported.contains(words));
        assert!(is_named, "{how}: {reported}");
        reported.has(&["the rules of clobber failed: ply 0", "No bot is charged"]);
    }
}

#[test]
fn silent_game_program_is_terminated_after_its_time() {
    let scene = Scene::new();
    let text = clobber_text();
    let head = "    def legal(self, seat):\n";
    let sleeps = format!("{head}        import time; time.sleep(600)\n");
    let game = python_game(&scene, &text.replace(head, &sleeps));
    let ended = verb(&format!("perft {game} --depth 1")).exits(1);
    let late = "the rules of clobber failed: no answer within 10";
    let words = [late, "while the machine is overloaded"];
    let is_reported = words.iter().any(|words| ended.stderr.contains(words));
    assert!(is_reported, "{}", ended.stderr);
}

#[test]
fn invalid_games_are_refused_before_playing() {
    let clobber = clobber_text();
    let slug = clobber.replace("\"clobber\", \"Clobber\"", "\"../up\", \"Clobber\"");
    for (text, words) in [
        ("import sys\nsys.exit('no way')", "no way"),
        ("input()\nprint('hello', flush=True)", "malformed"),
        (&slug, "game is not 1 to 40 of a-z"),
    ] {
        let scene = Scene::new();
        let game = python_game(&scene, text);
        scene.first_legal("ann");
        let ended = scene.run(&format!("--game {game} --states 1 --with random"));
        assert_ne!(ended.code, Some(0));
        format!("{}{}", ended.stdout, ended.stderr).has(&[words]);
        assert!(!scene.out().exists(), "{words}: nothing half-made stays");
    }
}

/// A game of one move each, which has no rules for two moves `[1]`.
const TRAP: &str = include_str!("../../bots/trap_game.py");

#[test]
fn games_without_rules_are_left_out_and_named() {
    let scene = Scene::new();
    let game = python_game(&scene, TRAP);
    for (name, bot) in [("safe", FIRST_LEGAL), ("trap", LAST_LEGAL)] {
        for number in 0..2 {
            scene.script(&format!("{name}{number}"), bot);
        }
    }
    let ended = scene.run(&format!("--game {game} --states 2")).exits(1);
    let reported = ended.stderr;
    assert_eq!(scene.records().len(), 20, "{reported}");
    reported.has(&["games that could not be played: 4", "trap0", "trap1"]);
    reported.has(&["on state", "there are no rules for this"]);
    reported.lacks(&["no more games were started"]);
}
