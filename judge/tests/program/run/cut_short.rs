//! Runs that are killed or interrupted: no finished game is lost, and nobody is blamed.

use super::flags;
use crate::support::processes::{self, children_of, signal, worker_with_bot};
use crate::support::{Run, SILENT, Scene, Wait, eventually};
use nix::sys::signal::Signal;
use std::fs;
use std::io::{BufRead, BufReader};

#[test]
fn killed_coordinators_and_workers_lose_nothing() {
    let whole = Scene::of_three_scripts();
    whole.run(&flags("--states 25")).well();
    let killed = Scene::of_three_scripts();
    let command = || killed.command(&flags("--states 25 --jobs 2"));
    for lines in [1, 5, 9, 16] {
        let mut run = command().muted();
        killed.wait_for_lines(lines);
        run.kill().expect("a running child");
        run.wait().expect("a running child");
    }
    let run = command().piped();
    for lines in [17, 28, 56, 96, 136] {
        killed.wait_for_lines(lines);
        if let Some(&worker) = children_of(run.id()).first() {
            signal(worker, Signal::SIGKILL);
        }
    }
    let ended = run.ended().well();
    ended.warns(&["will be played again: a worker died"]);
    for file in ["games.csv", "standings.csv"] {
        assert_eq!(killed.timeless(file), whole.timeless(file));
    }
}

#[test]
fn interrupt_finishes_games_and_prints_resume_command() {
    let scene = Scene::of_three_scripts();
    let run = scene.command(&flags("--states 40 --jobs 1")).piped();
    scene.wait_for_lines(2);
    signal(run.id().cast_signed(), Signal::SIGINT);
    let ended = run.ended().exits(130);
    ended.says(&["; to continue:", "--states 40 --jobs 1"]);
    let games = scene.rows("games.csv");
    assert!(games.len() >= 2 && games.iter().all(|game| game.get("end") == "rules"));
    scene.run(&flags("--states 1")).well();
}

#[test]
fn second_interrupt_abandons_running_games() {
    let scene = Scene::new();
    scene.script("silent", SILENT).first_legal("honest");
    let slow = "--states 1 --lifetime game --set clock.backstop_s=90";
    let mut run = scene.command(&flags(slow)).piped();
    let pid = run.id().cast_signed();
    worker_with_bot(run.id(), "sleep");
    signal(pid, Signal::SIGINT);
    let lines = BufReader::new(run.stderr.as_mut().expect("piped")).lines();
    let mut lines = lines.map_while(Result::ok);
    let waiting = "interrupted: finishing the games in play (press Ctrl-C again to abandon them)";
    assert!(lines.any(|line| line.contains(waiting)));
    signal(pid, Signal::SIGINT);
    let again = "judge: interrupted again: stopped at once; finished games are kept; rerun the same command to continue";
    assert!(lines.any(|line| line == again));
    let catch_up = lines.next().expect("what to do about the tables");
    let view = format!(" view {}", scene.out().display());
    assert!(catch_up.ends_with(&view), "{catch_up}");
    run.ended().exits(130);
    let left = || processes::with(&scene.folder().display().to_string()).is_empty();
    eventually("nobody plays any more", left);
    assert!(!scene.out().join("standings.csv").exists());
    let view = scene.does("view", "");
    view.says(&["wrote the tables; they and the page have ", " of 2 games"]);
    assert_eq!(scene.rows("standings.csv").len(), 2);
}

#[test]
fn torn_and_zeroed_lines_cost_only_their_games() {
    let scene = Scene::of_three_scripts();
    scene.run(&flags("--states 2")).well();
    let before = scene.timeless("games.csv");
    let path = scene.out().join("journal.jsonl");
    let journal = fs::read(&path).expect("readable");
    let lines = journal.split(|b| *b == b'\n').map(<[u8]>::to_vec);
    let mut lines: Vec<Vec<u8>> = lines.collect();
    lines.pop();
    lines[3] = vec![0; 700];
    let last = lines.len() - 1;
    lines[last].truncate(100);
    fs::write(&path, lines.join(&b'\n')).expect("writable");
    let ended = scene.run(&flags("--states 2")).well();
    ended.says(&[
        "line 4 of the journal: it has no MAC signature at its end",
        "12 games, 10 of them already played",
    ]);
    assert_eq!(scene.timeless("games.csv"), before);
    let damaged = b"line 4: it has no MAC signature at its end\n";
    let damaged = [&damaged[..], &[0; 700], b"\n"].concat();
    let kept = fs::read(scene.out().join("journal.damaged"));
    assert_eq!(kept.expect("kept"), damaged);
}
