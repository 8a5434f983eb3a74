//! Interference with the judge's processes and files during games: no bot is blamed for it.

use crate::run::flags;
use crate::support::processes::{children_of, name_of, signal, stand_still, worker_with_bot};
use crate::support::skip::skipped;
use crate::support::{Ended, Run, SILENT, Scene, THINKER, Wait};
use model::record::MatchRecord;
use nix::sys::signal::Signal;
use sandbox::Isolation;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Child;
use std::time::Duration;

const SLOW: &str = include_str!("../bots/slow_first.py");

/// Waits for the end of two games.
fn ends_blaming_nobody(run: Child, scene: &Scene) -> Ended {
    let ended = run.ended().well();
    let records = scene.records();
    assert_eq!(records.len(), 2);
    for record in records {
        assert!(record.faults.is_empty(), "{record:?}");
    }
    ended
}

/// Starts two games against a quick bot, one after the other.
fn against_quick(name: &str, bot: &str, more: &str) -> (Scene, Child) {
    let scene = Scene::new();
    scene.script(name, bot).first_legal("quick");
    let flags = flags(&format!("--states 1 --lifetime game --jobs 1 {more}"));
    let run = scene.command(&flags).piped();
    (scene, run)
}

fn think() -> (Scene, Child) {
    against_quick("thinker", THINKER, "")
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
    let reported = "will be played again: something ended the bot of thinker (signal 9 SIGKILL)";
    ends_blaming_nobody(run, &scene).warns(&[reported]);
}

#[test]
fn killed_bot_namespaces_get_their_game_replayed() {
    if !Isolation::find().namespaces.are_used() {
        let what = "they cannot be made here; judge doctor says why";
        return skipped("namespaces", what);
    }
    let (scene, run) = think();
    let (worker, _) = thinking(&run);
    // The first processes of the namespaces are copies of the worker.
    let mut first = children_of(worker.cast_unsigned());
    first.retain(|&child| name_of(child) == name_of(worker));
    assert!(!first.is_empty());
    for process in first {
        signal(process, Signal::SIGKILL);
    }
    ends_blaming_nobody(run, &scene).warns(&["namespaces"]);
}

#[test]
fn externally_stopped_bot_and_worker_continue() {
    let (scene, run) = think();
    let (worker, bot) = thinking(&run);
    signal(worker, Signal::SIGSTOP);
    signal(bot, Signal::SIGSTOP);
    ends_blaming_nobody(run, &scene);
}

const OVERLOADED: &str =
    "will be played again: a bot did not answer in time while the machine was overloaded";

/// A limit for a bot, and a longer pause.
const LIMIT: &str = "--set clock.backstop_s=2";
const PAUSE: Duration = Duration::from_secs(3);

#[test]
fn judge_pause_is_not_charged_to_silent_bot() {
    let (scene, run) = against_quick("silent", SILENT, LIMIT);
    // The coordinator would let its worker continue.
    let worker = worker_with_bot(run.id(), "sleep");
    stand_still(&[run.id().cast_signed(), worker], PAUSE);
    run.ended().well().warns(&[OVERLOADED]);
    let records = scene.records();
    assert_eq!(records.len(), 2);
    for record in records {
        assert_eq!(record.end.name(), "silence");
        // The fault asks the author only if the machine had no part in it.
        let detail = &record.faults[0].detail;
        let asks = detail.ends_with("(did you flush the output?)");
        assert_eq!(asks, !record.overloaded, "{record:?}");
    }
}

#[test]
fn temporary_machine_stop_blames_nobody() {
    let (scene, run) = against_quick("slow", THINKER, LIMIT);
    let worker = worker_with_bot(run.id(), "python3");
    let mut all = vec![run.id().cast_signed(), worker];
    all.extend(children_of(worker.cast_unsigned()));
    stand_still(&all, PAUSE);
    ends_blaming_nobody(run, &scene).warns(&[OVERLOADED]);
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
    let slower = SLOW.replace("0.05", "0.2");
    for name in ["ann", "bob", "zoe"] {
        scene.script(name, &format!("{slower}# {name}"));
    }
    let flags = flags("--states 3 --lifetime game --jobs 2");
    let run = scene.command(&flags).piped();
    scene.wait_for_lines(1);
    let first = scene.records().remove(0);
    let spoiled = &first.seats[0];
    empty(&scene, &spoiled.artifact);
    let ended = run.ended().exits(1);
    let reported = format!(
        "the program of {} has changed since the build (artifacts/{}): its files were changed or removed; rerun the same command to build it again",
        spoiled.entrant, spoiled.artifact
    );
    ended.warns(&[&reported]);
    let records = scene.records();
    assert!(records.iter().all(|record| record.faults.is_empty()));
    let plays = |record: &&MatchRecord| {
        let mut seats = record.seats.iter();
        seats.any(|seat| seat.entrant == spoiled.entrant)
    };
    assert_eq!(records.len() - records.iter().filter(plays).count(), 6);
    assert!(records.len() < 18);
}
