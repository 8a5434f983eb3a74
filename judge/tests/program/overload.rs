//! A bot that does not answer in time on an overloaded machine: the judge plays its game again.

use crate::support::processes::{children_of, stand_still, worker_with_bot};
use crate::support::{Run, SILENT, Scene, THINKER, Wait, game_lines, record};
use std::process::Child;
use std::time::Duration;

const AGAIN: &str =
    "will be played again: a bot did not answer in time while the machine was overloaded";

fn start(scene: &Scene, flags: &str) -> Child {
    let always = "--game catch-the-cat --states 1 --set side=5";
    let more = "--lifetime game --jobs 1";
    scene.command(&format!("{always} {more} {flags}")).piped()
}

/// Limit for a bot in seconds, as a flag's value, and a longer pause.
const LIMIT: &str = "2";
const PAUSE: Duration = Duration::from_secs(3);

/// Pauses the worker whose bot has this name, and the coordinator, which would wake the worker.
fn pause(run: u32, name: &str) {
    stand_still(&[run.cast_signed(), worker_with_bot(run, name)], PAUSE);
}

#[test]
fn judge_pause_is_not_charged_to_silent_bot() {
    let scene = Scene::new();
    scene.script("silent", SILENT).first_legal("honest");
    let run = start(&scene, &format!("--set clock.backstop_s={LIMIT}"));
    pause(run.id(), "sleep");
    let ended = run.ended().well();
    assert!(ended.stderr.contains(AGAIN), "{ended:?}");
    let journal = scene.read("journal.jsonl");
    let records = game_lines(&journal).map(|line| {
        let record = record(line);
        // The fault asks the author only if the machine had no part in it.
        let asks = record.faults[0]
            .detail
            .ends_with("(did you flush the output?)");
        assert_eq!(asks, !record.overloaded, "{record:?}");
        record.end.name().to_owned()
    });
    assert_eq!(records.collect::<Vec<_>>(), ["silence", "silence"]);
}

#[test]
fn temporary_machine_stop_blames_nobody() {
    let scene = Scene::new();
    scene.script("slow", THINKER).first_legal("honest");
    let run = start(&scene, &format!("--set clock.backstop_s={LIMIT}"));
    let worker = worker_with_bot(run.id(), "python3");
    let mut all = vec![run.id().cast_signed(), worker];
    all.extend(children_of(worker.cast_unsigned()));
    stand_still(&all, PAUSE);
    let ended = run.ended().well();
    assert!(ended.stderr.contains(AGAIN), "{ended:?}");
    let journal = scene.read("journal.jsonl");
    assert_eq!(game_lines(&journal).count(), 2, "{journal}");
    for line in game_lines(&journal) {
        assert!(line.contains("\"faults\":[]"), "{line}");
    }
}
