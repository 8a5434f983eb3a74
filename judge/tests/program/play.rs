//! `judge play`: one game, shown as it is played.

use crate::support::golden::{self, timeless};
use crate::support::processes::hearing_hangups;
use crate::support::pty::Pty;
use crate::support::{Ended, FIRST_LEGAL, LAST_LEGAL, Scene, judge};
use nix::sys::signal::Signal;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a program writes first and last on a screen of its own.
const ENTER: &str = "\x1b[?1049h";
const LEAVE: &str = "\x1b[?25h\x1b[?1049l";

fn command(args: &[&str], folder: &Path) -> Command {
    let mut command = judge();
    // What it leaves behind would be in this folder.
    command.arg("play").args(args).env("TMPDIR", folder);
    command
}

/// Plays with lines typed where the output is no terminal.
fn play(args: &[&str], typed: &str) -> Ended {
    let scene = Scene::new();
    let ended = typing(command(args, scene.folder()), typed);
    nothing_is_left(&scene);
    ended
}

fn typing(mut command: Command, typed: &str) -> Ended {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    // It may have left before it has read everything.
    let _ = input.write_all(typed.as_bytes());
    drop(input);
    Ended::of(child.wait_with_output().expect("it ends"))
}

fn nothing_is_left(scene: &Scene) {
    let left = std::fs::read_dir(scene.folder())
        .expect("a folder")
        .flatten();
    let left: Vec<_> = left
        .map(|entry| entry.file_name())
        .filter(|name| name != "submissions")
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn submissions_are_built_and_shown_turn_by_turn() {
    let scene = Scene::new();
    // What it wrote after its answer might not be there: it is ended when that has come.
    let loud = "do\n  echo 'thinking \x1b[31m' >&2\n";
    let loud = FIRST_LEGAL.replacen("do\n", loud, 1);
    scene.script("ann", &loud).script("zoe", LAST_LEGAL);
    let bots = ["ann", "zoe"].map(|name| scene.submissions().join(name));
    let bots = bots.map(|path| path.to_string_lossy().into_owned());
    let flags = ["--game", "catch-the-cat", "--side", "5", "--seed", "3"];
    let args = [&[bots[0].as_str(), &bots[1]], &flags[..]].concat();
    let ended = typing(command(&args, scene.folder()), "").well();
    golden::check("play-catch-the-cat.txt", &timeless(&ended.stdout));
    nothing_is_left(&scene);
}

#[test]
fn people_type_moves_and_are_told_why_one_is_illegal() {
    // (file, flags, typed)
    let rows: [(&str, &[&str], &str); 4] = [
        (
            "play-reversi.txt",
            &["human", "human", "--game", "reversi"],
            "?\nzz\na1\npass\nd3\n 18 \nq\n",
        ),
        (
            "play-crazy-camel.txt",
            &["human", "human", "--game", "crazy-camel"],
            "d\nh33\nv33\nul\nv 2,0\nq\n",
        ),
        (
            "play-cat-and-catcher.txt",
            &["human", "human", "--game", "catch-the-cat", "--side", "5"],
            "e\n9,9\n0,0\n1,1\nn\nnw\nq\n",
        ),
        (
            "play-monkey.txt",
            &[
                "human",
                "human",
                "--game",
                "monkey-metal-man",
                "--set",
                "players=2",
            ],
            "\n?\nsddd\nsrd:u addr\n\nsu\nq\n",
        ),
    ];
    for (file, flags, typed) in rows {
        let ended = play(flags, typed).well();
        golden::check(file, &ended.stdout);
    }
}

#[test]
fn a_person_in_the_fog_sees_its_own_view_until_the_game_is_over() {
    let args = [
        "human",
        "builtin:hunter",
        "--game",
        "monkey-metal-man",
        "--set",
        "players=2",
    ];
    let ended = play(&args, &"-\n".repeat(60)).well();
    let (during, end) = ended.stdout.rsplit_once("The Monkey").expect("pictures");
    let first = during.split("player 0 (?").next().expect("a picture");
    assert!(first.contains("S0") && !first.contains("S1"), "{first}");
    // The opponent's moves and times would tell where it is, and whether it lives.
    assert!(
        !during.contains("µs\n") && !during.contains("captures"),
        "{during}"
    );
    assert!(end.contains("captures"), "{end}");
    assert!(end.contains("by the rules"), "{end}");
}

#[test]
fn a_fault_is_shown_where_it_happened() {
    let scene = Scene::new();
    scene.script(
        "crash",
        "#!/bin/sh\nread -r line; echo '{\"ready\":{}}'; read -r line; kill -SEGV $$\n",
    );
    let bot = scene.submissions().join("crash");
    let bot = bot.to_string_lossy();
    let flags = [
        "builtin:random",
        &bot,
        "--game",
        "catch-the-cat",
        "--side",
        "5",
    ];
    let ended = typing(command(&flags, scene.folder()), "").well();
    ended.says(&[
        "1 ○ crash: ended by signal 11",
        "ply 1, crash (catcher): crash: ended by signal 11 (SIGSEGV)",
        "builtin:random (cat)  won",
    ]);
}

#[test]
fn what_cannot_be_played_is_refused_with_the_next_step() {
    let rows: [(&[&str], &[&str]); 6] = [
        (
            &["human", "human"],
            &["human human --game catch-the-cat\n", "(or reversi, "],
        ),
        (
            &["human", "human", "human", "--game", "reversi"],
            &["Reversi has 2 seats here (black, white), but 3 players are given"],
        ),
        (
            &["builtin:nobody", "--game", "reversi"],
            &["builtin:mobility"],
        ),
        (
            &["no/such/bot", "--game", "reversi"],
            &["no/such/bot", "give a folder"],
        ),
        (
            &["human", "--game", "reversi", "--states", "2"],
            &["--states is for tournaments; use --state N to choose an initial state"],
        ),
        (
            &["human", "--game", "reversi", "--pace", "-1"],
            &["0 to 60 seconds"],
        ),
    ];
    for (args, words) in rows {
        play(args, "").refused(words);
    }
}

#[test]
fn the_seats_that_nobody_takes_are_built_in_bots() {
    let ended = play(&["human", "--game", "reversi"], "d3\n").well();
    ended.says(&["builtin:mobility", "quit after 2 plies"]);
}

#[test]
fn a_terminal_is_given_back_when_the_person_leaves() {
    let scene = Scene::new();
    let mut pty = Pty::start(&mut command(
        &["human", "--game", "reversi"],
        scene.folder(),
    ));
    pty.wait_for(ENTER);
    pty.wait_for("black (? for moves, q to quit): ");
    pty.press("?\n");
    pty.wait_for("press Enter to continue");
    pty.press("\n");
    pty.wait_for("q to quit): ");
    pty.press("a1\n");
    pty.wait_for("a1: black cannot play on field 0: no disc would change its colour");
    pty.wait_for("q to quit): ");
    pty.press("q\n");
    assert_eq!(pty.end().code(), Some(0));
    pty.wait_for(LEAVE);
    pty.wait_for("quit after 0 plies");
    assert!(pty.is_as_before());
    nothing_is_left(&scene);
}

#[test]
fn a_terminal_is_given_back_at_an_interrupt() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let scene = Scene::new();
        let slow = ["builtin:random", "--game", "catch-the-cat", "--pace", "60"];
        let slow = command(&slow, scene.folder());
        let mut pty = Pty::start(&mut hearing_hangups(&slow));
        pty.wait_for(ENTER);
        pty.wait_for("cat to move");
        pty.signal(signal);
        assert_eq!(pty.end().code(), Some(130), "{signal}");
        pty.wait_for(LEAVE);
        assert!(pty.is_as_before());
        nothing_is_left(&scene);
    }
}
