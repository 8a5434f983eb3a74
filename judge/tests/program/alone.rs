//! Honest bots whose user has hardly any threads left: their games are played again. These tests
//! take all threads, and run alone.

use crate::holdings::enter;
use crate::support::skip::skipped;
use crate::support::{ORDINARY, Run, Scene, Wait, as_ordinary_user, copy_program};
use nix::unistd::{chown, geteuid};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Returns whether nothing runs next to this test: `.config/nextest.toml` sees to that, and so does
/// `scripts/test-as-ordinary-user`.
fn runs_alone() -> bool {
    let mut names = ["NEXTEST", "JUDGE_TESTS_ALONE"].into_iter();
    names.any(|name| std::env::var_os(name).is_some())
}

/// A program that holds threads, run by the judge's user; it is no bot.
struct Holder(Child);

impl Holder {
    /// Returns `None`, and reports it, if the machine allows that user fewer threads.
    fn start(program: &Path, threads: u64) -> Option<Self> {
        let mut program = as_ordinary_user(Command::new(program));
        program
            .arg(format!("holds {threads}"))
            .stdin(Stdio::piped());
        let mut child = program.stdout(Stdio::piped()).spawn().expect("it starts");
        let mut line = String::new();
        let stdout = child.stdout.as_mut().expect("piped");
        BufReader::new(stdout).read_line(&mut line).expect("text");
        let holder = Self(child);
        let got: u64 = line.trim().parse().expect("a number");
        if got < threads {
            let what = format!("an ordinary user got {got} threads of {threads}");
            skipped("threads", &what);
            return None;
        }
        Some(holder)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        self.0.kill().expect("a running child");
        self.0.wait().expect("a running child");
    }
}

fn tasks_of_ordinary_user() -> u64 {
    let user = match geteuid() {
        root if root.is_root() => ORDINARY,
        own => own.as_raw(),
    };
    let mut ps = Command::new("ps");
    ps.args(["-L", "--no-headers", "-u", &user.to_string()]);
    ps.ended().stdout.lines().count() as u64
}

/// Number of processes and threads that the judge's user may have, beyond those of other programs.
const ROOM: u64 = 3000;
/// Number that the holders leave of them: enough for the judge, but not for 200 threads.
const LEFT: u64 = 150;
/// Number that is released. A bot that fails meanwhile is still excused, as at most 256 are left.
const RELEASED: u64 = 100;

const AGAIN: &str = "will be played again: other programs of the same user left hardly any";

/// Plays two honest bots that need threads while another program holds most of them, until the
/// judge says that it plays a game again.
#[test]
fn game_without_free_threads_is_played_again() {
    if !runs_alone() {
        return skipped("alone", "it takes all threads, and other tests may run");
    }
    let scene = Scene::new();
    for name in ["ann", "bob"] {
        enter(&scene, name, "needs-threads");
    }
    if geteuid().is_root() {
        for folder in [scene.folder(), &scene.submissions()] {
            chown(folder, Some(ORDINARY.into()), None).expect("we are root");
        }
    }
    let most = tasks_of_ordinary_user() + ROOM;
    let start = |threads| Holder::start(&scene.folder().join("holder"), threads);
    let (Some(_holder), Some(released)) = (start(ROOM - LEFT - RELEASED), start(RELEASED)) else {
        return;
    };
    let mut released = Some(released);
    let flags = "--game catch-the-cat --states 1 --set side=5";
    let judge = scene.command(&format!("{flags} --jobs 1"));
    let mut bounded = Command::new("prlimit");
    bounded.arg(format!("--nproc={most}:{most}"));
    // A copy, in a place that the user can reach.
    let program = scene.folder().join("judge");
    copy_program(judge.get_program(), &program);
    bounded.arg(program).args(judge.get_args());
    let mut judge = as_ordinary_user(bounded);
    judge.env("HOME", scene.folder());
    let mut child = judge.piped();
    for line in BufReader::new(child.stderr.take().expect("piped")).lines() {
        if line.expect("text").contains(AGAIN) {
            released = None;
        }
    }
    child.ended().well();
    assert!(released.is_none(), "a game is played again");
    let games = scene.cells("games.csv", "end,overloaded");
    assert!(games.iter().all(|game| game == "rules,"), "{games:?}");
}
