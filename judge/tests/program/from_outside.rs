//! Interference with the judge's processes and files during games: no bot is blamed for it.

use crate::support::processes::{children_of, name_of, signal, worker_with_bot};
use crate::support::skip::skipped;
use crate::support::{Run, Scene, THINKER, Wait, game_lines, record};
use model::record::MatchRecord;
use nix::sys::signal::Signal;
use sandbox::Isolation;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Child;

const SLOW: &str = include_str!("../bots/slow.py");

const FLAGS: &str = "--game catch-the-cat --points-per-cpu-second 0 --set side=5";

fn start(scene: &Scene, more: &str) -> Child {
    let mut command = scene.command(&format!("{FLAGS} {more}"));
    command.piped()
}

fn records(scene: &Scene) -> Vec<MatchRecord> {
    let journal = scene.read("journal.jsonl");
    game_lines(&journal).map(record).collect()
}

fn assert_nobody_is_blamed(scene: &Scene, games: usize) {
    let records = records(scene);
    assert_eq!(records.len(), games);
    for record in records {
        assert!(record.faults.is_empty(), "{record:?}");
    }
}

fn think() -> (Scene, Child) {
    let scene = Scene::new();
    scene.script("thinker", THINKER).first_legal("quick");
    let flags = "--states 1 --lifetime game --jobs 1";
    let run = start(&scene, flags);
    (scene, run)
}

fn thinking(run: &Child) -> (i32, i32) {
    let worker = worker_with_bot(run.id(), "python3");
    let mut bots = children_of(worker.cast_unsigned()).into_iter();
    let bot = bots.find(|&bot| name_of(bot) == "python3");
    (worker, bot.expect("it thinks for a second"))
}

#[test]
fn externally_killed_bot_plays_its_game_again() {
    let (scene, run) = think();
    signal(thinking(&run).1, Signal::SIGKILL);
    let ended = run.ended().well();
    let reported = "will be played again: something ended the bot of thinker (signal 9 SIGKILL)";
    assert!(ended.stderr.contains(reported), "{ended:?}");
    assert_nobody_is_blamed(&scene, 2);
}

#[test]
fn killed_bot_namespaces_get_their_game_replayed() {
    if !Isolation::find().namespaces.are_used() {
        return skipped(
            "namespaces",
            "they cannot be made here; judge doctor says why",
        );
    }
    let (scene, run) = think();
    let (worker, _) = thinking(&run);
    let children = children_of(worker.cast_unsigned()).into_iter();
    // The first processes of the namespaces are copies of the worker.
    let first: Vec<i32> = children
        .filter(|&child| name_of(child) == name_of(worker))
        .collect();
    assert!(!first.is_empty());
    for process in first {
        signal(process, Signal::SIGKILL);
    }
    let ended = run.ended().well();
    assert!(ended.stderr.contains("namespaces"), "{ended:?}");
    assert_nobody_is_blamed(&scene, 2);
}

#[test]
fn externally_stopped_bot_and_worker_continue() {
    let (scene, run) = think();
    let (worker, bot) = thinking(&run);
    signal(worker, Signal::SIGSTOP);
    signal(bot, Signal::SIGSTOP);
    run.ended().well();
    assert_nobody_is_blamed(&scene, 2);
}

fn empty(scene: &Scene, artifact: &str) {
    let folder = scene.out().join("artifacts").join(artifact);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("writable");
    for file in fs::read_dir(folder).expect("a folder") {
        let file = file.expect("readable").path();
        let mode = fs::metadata(&file).expect("there").permissions();
        fs::remove_file(&file).expect("writable");
        fs::write(&file, "").expect("writable");
        fs::set_permissions(&file, mode).expect("writable");
    }
}

#[test]
fn program_emptied_during_games_blames_nobody() {
    let scene = Scene::new();
    for name in ["ann", "bob", "zoe"] {
        scene.script(name, &format!("{SLOW}# {name}"));
    }
    let run = start(&scene, "--states 5 --lifetime game --jobs 2");
    scene.wait_for_lines(1);
    let first = records(&scene).remove(0);
    let spoiled = &first.seats[0];
    empty(&scene, &spoiled.artifact);
    let ended = run.ended().exits(1);
    let reported = format!(
        "the program of {} has changed since the build (artifacts/{}): its files were changed or removed; rerun the same command to build it again",
        spoiled.entrant, spoiled.artifact
    );
    assert!(ended.stderr.contains(&reported), "{ended:?}");
    let records = records(&scene);
    assert!(records.iter().all(|record| record.faults.is_empty()));
    let plays = |record: &&MatchRecord| {
        let mut seats = record.seats.iter();
        seats.any(|seat| seat.entrant == spoiled.entrant)
    };
    assert_eq!(records.len() - records.iter().filter(plays).count(), 10);
    assert!(records.len() < 30);
}
