//! Honest bots whose user has hardly any threads left: their games are played again. These tests
//! take all threads, and run alone.

use crate::holdings::enter;
use crate::support::skip::skipped;
use crate::support::{Ended, Run, Scene, judge};
use nix::unistd::geteuid;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A program that holds threads, run by the judge's user; it is no bot.
struct Holder(Child);

impl Holder {
    /// Returns `None`, and reports it, if the machine allows that user fewer threads.
    fn start(program: &Path, threads: u64) -> Option<Self> {
        let mut child = as_ordinary_user(Command::new(program))
            .arg(format!("holds {threads}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        let stdout = child.stdout.as_mut().expect("piped");
        BufReader::new(stdout).read_line(&mut line).expect("text");
        let holder = Self(child);
        let got: u64 = line.trim().parse().expect("a number");
        if got < threads {
            skipped(
                "threads",
                &format!("an ordinary user got {got} threads of {threads}"),
            );
            return None;
        }
        Some(holder)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        self.0.kill().expect("ours");
        self.0.wait().expect("ours");
    }
}

const ORDINARY: u32 = 65_534;

/// Runs a command as an ordinary user, because the kernel counts no threads for root.
fn as_ordinary_user(command: Command) -> Command {
    if !geteuid().is_root() {
        return command;
    }
    let mut user = Command::new("setpriv");
    let id = ORDINARY.to_string();
    user.args(["--reuid", &id, "--regid", &id, "--clear-groups"]);
    user.arg(command.get_program()).args(command.get_args());
    user
}

fn tasks_of_ordinary_user() -> u64 {
    let user = if geteuid().is_root() {
        ORDINARY
    } else {
        geteuid().as_raw()
    };
    let list = Command::new("ps")
        .args(["-L", "--no-headers", "-u", &user.to_string()])
        .output()
        .expect("ps is there");
    String::from_utf8_lossy(&list.stdout).lines().count() as u64
}

/// Number of processes and threads that the judge's user may have, beyond those of other programs.
const ROOM: u64 = 3000;
/// Number that the holder leaves of them: enough for the judge, but not for 200 threads.
const LEFT: u64 = 150;

/// Plays two honest bots that need threads while another program holds most of them. `meanwhile`
/// gets each line that the judge prints. Returns `None` if the machine has too few threads.
fn play_short_of_threads(
    mut meanwhile: impl FnMut(&str, &mut Option<Holder>),
) -> Option<(Scene, Ended)> {
    let scene = Scene::alone();
    for name in ["ann", "bob"] {
        enter(&scene, name, "needs-threads");
    }
    if geteuid().is_root() {
        for folder in [scene.folder().to_owned(), scene.submissions()] {
            let owner = Some(ORDINARY.into());
            nix::unistd::chown(&folder, owner, None).expect("we are root");
        }
    }
    let most = tasks_of_ordinary_user() + ROOM;
    let mut holder = Some(Holder::start(&scene.folder().join("holder"), ROOM - LEFT)?);
    let flags = "--game catch-the-cat --states 1 --set side=5";
    let judge = scene.command(&format!("{flags} --jobs 1"));
    let mut bounded = Command::new("prlimit");
    bounded.arg(format!("--nproc={most}:{most}"));
    bounded.arg(judge.get_program()).args(judge.get_args());
    let mut judge = as_ordinary_user(bounded);
    judge.env("HOME", scene.folder());
    let mut child = judge.piped();
    let mut told = String::new();
    for line in BufReader::new(child.stderr.take().expect("piped")).lines() {
        let line = line.expect("text");
        meanwhile(&line, &mut holder);
        told.push_str(&line);
        told.push('\n');
    }
    let mut stdout = String::new();
    let mut pipe = child.stdout.take().expect("piped");
    pipe.read_to_string(&mut stdout).expect("text");
    let code = child.wait().expect("ours").code();
    let ended = Ended {
        code,
        stdout,
        stderr: told,
    };
    Some((scene, ended))
}

const AGAIN: &str = "will be played again: other programs of the same user left hardly any";

#[test]
fn a_game_in_which_others_had_all_threads_is_played_again() {
    let played = play_short_of_threads(|line, holder| {
        if line.contains(AGAIN) {
            *holder = None;
        }
    });
    let Some((scene, ended)) = played else {
        return;
    };
    let ended = ended.well();
    assert!(ended.stderr.contains(AGAIN), "{ended:?}");
    for game in scene.rows("games.csv") {
        assert_eq!(
            (game.get("end"), game.get("overloaded")),
            ("rules", ""),
            "{game:?}"
        );
    }
}

#[test]
fn where_others_have_all_threads_in_each_try_the_game_counts_and_is_marked() {
    let Some((scene, ended)) = play_short_of_threads(|_, _| {}) else {
        return;
    };
    let ended = ended.well();
    for game in scene.rows("games.csv") {
        assert_eq!(
            (game.get("end"), game.get("overloaded")),
            ("exit", "yes"),
            "{ended:?}"
        );
        assert!(
            game.get("detail").contains("the last of 3 tries"),
            "{game:?}"
        );
    }
    assert!(scene.read("journal.jsonl").contains("\"went_short\":true"));
    let verified = judge().arg("verify").arg(scene.out()).output();
    let verified = Ended::of(verified.expect("it starts")).well();
    assert!(verified.stdout.contains("nothing differs"), "{verified:?}");
}
