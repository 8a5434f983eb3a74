//! `judge play`: one game, shown move by move.

use crate::support::processes::hearing_hangups;
use crate::support::pty::Pty;
use crate::support::snapshot::{self, Session};
use crate::support::{
    Ended, FIRST_LEGAL, Has, LAST_LEGAL, Run, Scene, Wait, Words, judge, names_in,
};
use nix::sys::signal::Signal;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Escape sequences at the beginning and at the end of a full screen.
const ENTER: &str = "\x1b[?1049h";
const LEAVE: &str = "\x1b[?25h\x1b[?1049l";

fn command(args: &(impl Words + ?Sized), folder: &Path) -> Command {
    let mut command = judge();
    // Any leftovers would be in this folder.
    command.arg("play").args(args.words()).env("TMPDIR", folder);
    command
}

fn play(session: &mut Session, args: &str, typed: &str) -> Ended {
    let scene = Scene::new();
    let mut command = command(args, scene.folder());
    let mut child = command.stdin(Stdio::piped()).piped();
    let mut input = child.stdin.take().expect("a pipe");
    // The program may have ended before it has read everything.
    let _ = input.write_all(typed.as_bytes());
    drop(input);
    let ended = child.ended();
    session.note(&command, &ended);
    nothing_is_left(&scene);
    ended
}

fn nothing_is_left(scene: &Scene) {
    assert_eq!(names_in(scene.folder()), ["submissions"]);
}

#[test]
fn turns_and_faults_of_submissions_are_shown() {
    let scene = Scene::new();
    // Output after the answer may be missing, because the bot ends when its answer has come.
    let loud = "do\n  echo 'thinking \x1b[31m' >&2\n";
    let loud = FIRST_LEGAL.replacen("do\n", loud, 1);
    scene.script("ann", &loud).script("zoe", LAST_LEGAL);
    let class = scene.submissions().display().to_string();
    let flags = "--game catch-the-cat --set side=5";
    let args = format!("{class}/ann {class}/zoe {flags} --seed 3");
    snapshot::compare("play__bots", &mut command(&args, scene.folder()));
    nothing_is_left(&scene);
    let crash = "#!/bin/sh\nread -r line; echo '{\"ready\":{}}'; read -r line; kill -SEGV $$\n";
    scene.script("crash", crash);
    let args = format!("builtin:random {class}/crash {flags}");
    snapshot::compare("play__fault", &mut command(&args, scene.folder()));
}

#[test]
fn people_type_moves_and_read_why_illegal() {
    // (snapshot, flags, typed)
    let rows = [
        (
            "play__reversi",
            "human human --game reversi",
            "?\nzz\na1\npass\nd3\n 18 \nq\n",
        ),
        (
            "play__crazy_camel",
            "human human --game crazy-camel",
            "d\nh33\nv33\nul\nv 2,0\nq\n",
        ),
        (
            "play__catch_the_cat",
            "human human --game catch-the-cat --set side=5",
            "e\n9,9\n0,0\n1,1\nn\nnw\nq\n",
        ),
        (
            "play__monkey_metal_man",
            "human human --game monkey-metal-man --set players=2",
            "\n?\nsddd\nsrd:u addr\n\nsu\nq\n",
        ),
        // Built-in bots take the other seats.
        ("play__empty_seats", "human --game reversi", "d3\n"),
    ];
    for (snapshot, flags, typed) in rows {
        let mut session = Session::default();
        play(&mut session, flags, typed);
        session.compare(snapshot);
    }
}

#[test]
fn person_sees_only_own_view_until_game_ends() {
    let args = "human builtin:hunter --game monkey-metal-man --set players=2";
    let ended = play(&mut Session::default(), args, &"-\n".repeat(60)).well();
    let (during, end) = ended.stdout.rsplit_once("The Monkey").expect("pictures");
    let first = during.split("player 0 (?").next().expect("a picture");
    assert!(first.contains("S0") && !first.contains("S1"), "{first}");
    // The opponent's moves and times would reveal its place, and whether it lives.
    during.lacks(&["µs\n", "captures"]);
    end.has(&["captures", "by the rules"]);
}

#[test]
fn unplayable_request_is_refused_with_next_step() {
    let mut session = Session::default();
    for args in [
        "human human",
        "human human human --game reversi",
        "builtin:nobody --game reversi",
        "no/such/bot --game reversi",
        "human --game reversi --states 2",
        "human --game reversi --pace -1",
    ] {
        play(&mut session, args, "");
    }
    session.compare("play__refused");
}

#[test]
fn terminal_is_restored_when_person_leaves() {
    let scene = Scene::new();
    let mut pty = Pty::start(&mut command("human --game reversi", scene.folder()));
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
        let slow = "builtin:random --game catch-the-cat --pace 60";
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
