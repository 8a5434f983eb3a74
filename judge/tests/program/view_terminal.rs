//! `judge view RUN GAME --terminal`: a recorded game, step by step.

use crate::support::pty::Pty;
use crate::support::snapshot::Session;
use crate::support::{LAST_LEGAL, QUICK, Run, Scene};
use nix::sys::signal::Signal;
use std::process::Command;

fn command(scene: &Scene, flags: &str) -> Command {
    scene.verb("view", &format!("1 --terminal {flags}"))
}

#[test]
fn view_without_terminal_prints_all_or_requested_position() {
    let scene = Scene::of(["ann"]);
    scene.script("zoe", LAST_LEGAL);
    scene.run(QUICK).well();
    let mut session = Session::default();
    let all = session.run(&mut command(&scene, "")).stdout;
    let last = command(&scene, "--ply 2").ended().well().stdout;
    assert_eq!(all.matches(&last).count(), 1, "{last}");
    assert!(last.contains("\nafter 2 of "), "{last}");
    session.run(&mut command(&scene, "--ply 9999"));
    session.run(&mut command(&scene, "--seen-by dog"));
    session.compare("view__terminal");
    assert!(!scene.out().join("game-1.html").exists());
    positions_are_said_in_words(&scene);
    keys_step_through_game_and_terminal_is_restored(&scene);
    an_interrupt_gives_the_terminal_back(&scene);
}

fn positions_are_said_in_words(scene: &Scene) {
    let mut session = Session::default();
    let all = session.run(&mut command(scene, "--words")).stdout;
    let one = "--words --ply 2";
    let one = session.run(&mut command(scene, one)).stdout;
    session.compare("view__words");
    assert_eq!(all.matches(&one).count(), 1, "{one}");
    // The words for listeners come without a full screen, too.
    let mut pty = Pty::start(&mut command(scene, "--words"));
    pty.wait_for("by the rules");
    assert_eq!(pty.end().code(), Some(0));
}

fn keys_step_through_game_and_terminal_is_restored(scene: &Scene) {
    let mut pty = Pty::start(&mut command(scene, ""));
    pty.wait_for("\x1b[?1049h");
    pty.wait_for("after 0 of");
    pty.press("\x1b[C");
    pty.wait_for("after 1 of");
    pty.press("\x1b[C\x1b[C\x1b[D");
    pty.wait_for("after 2 of");
    pty.press("\x1b[F");
    pty.wait_for("by the rules");
    pty.press("\x1bOH");
    pty.wait_for("after 0 of");
    pty.press(" ");
    pty.wait_for("after 1 of");
    pty.wait_for("after 2 of");
    pty.press("q");
    assert_eq!(pty.end().code(), Some(0));
    pty.wait_for("\x1b[?25h\x1b[?1049l");
    assert!(pty.is_as_before());
}

fn an_interrupt_gives_the_terminal_back(scene: &Scene) {
    let mut pty = Pty::start(&mut command(scene, "--ply 2"));
    pty.wait_for("after 2 of");
    assert!(!pty.is_as_before());
    pty.signal(Signal::SIGTERM);
    assert_eq!(pty.end().code(), Some(130));
    pty.wait_for("\x1b[?25h\x1b[?1049l");
    assert!(pty.is_as_before());
}
