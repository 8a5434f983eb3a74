//! A bot that does not answer in time on an overloaded machine: its game is played again.

mod support;

use judge::competition::Competition;
use judge::fixture::{Conditions, Fixture, Sitter};
use judge::journal::Journal;
use judge::record::MatchRecord;
use judge::sandbox::Isolation;
use judge::tournament::{self, Event, Plan};
use judge::worker::Order;
use nix::sys::signal::Signal;
use serde_json::value::RawValue;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use support::processes::{children_of, name_of, signal};
use support::{Ended, Scene, eventually};

/// A worker whose machine is overloaded the first so many times that it plays a game, by the
/// game's number; each record's reason tells how often the game has been played.
const WORKER: &str = r#"#!/usr/bin/env python3
import json, sys
overloads = {0: 0, 1: 1, 2: 2, 3: 99}
order = json.loads(sys.stdin.readline())
times = {}
for line in sys.stdin:
    fixture = json.loads(line)
    state = fixture["state"]
    times[state] = times.get(state, 0) + 1
    seats = [dict(seat, cpu_us=0, off_turn_us=0, wall_us=0, uncharged_us=0, startup_wall_us=0) for seat in fixture["seats"]]
    result = lambda name, place: {"result": name, "placement": place, "points": 0, "tie_break": 0}
    record = {
        "v": 2, "fixture": fixture["id"], "game": "catch-the-cat", "state": state,
        "setup": fixture["setup"], "seats": seats, "turns": [], "faults": [],
        "end": {"fault": {"cause": "silence", "seat": 0}},
        "outcome": {"seats": [result("lost", 2), result("won", 1)], "reason": f"time {times[state]}"},
        "overloaded": times[state] <= overloads[state],
    }
    print(json.dumps({"done": {"record": record, "stderr": ["", ""]}}), flush=True)
"#;

#[test]
fn an_overloaded_game_is_played_three_times_at_most_and_then_recorded_as_what_it_is() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let worker = folder.path().join("worker");
    fs::write(&worker, WORKER).expect("a new file");
    fs::set_permissions(&worker, fs::Permissions::from_mode(0o755)).expect("ours");
    let entry = engines::game("catch-the-cat").expect("registered");
    let config = entry.configure(r#"{"side":5}"#).expect("allowed");
    let conditions = Conditions {
        config,
        ..Competition::standard(entry).conditions
    };
    let sitter = |name: &str| Sitter {
        entrant: name.into(),
        artifact: name.into(),
    };
    let setup = format!(r#"{{"side":5,"world":"{}"}}"#, "0".repeat(25));
    let fixture = |state| {
        let seats = vec![sitter("ann"), sitter("bob")];
        let setup = RawValue::from_string(setup.clone()).expect("JSON");
        Fixture::new(entry, &conditions, state, seats, setup.into())
    };
    let fixtures: Vec<Fixture> = (0..4).map(fixture).collect();
    let plan = Plan {
        judge: &worker,
        order: Order {
            conditions: conditions.clone(),
            artifacts: Vec::new(),
            pin: None,
            isolation: Isolation::find(),
            games_max: 1,
            yard: None,
        },
        pin: false,
        jobs: 1,
        stop: Arc::default(),
    };
    let mut journal = Journal::open(folder.path()).expect("ours");
    let mut again = Vec::new();
    let mut finished = 0;
    tournament::play(&plan, &fixtures, &mut journal, &mut |event| match event {
        Event::Again(reason) => again.push(reason.to_owned()),
        Event::Finished(..) => finished += 1,
        Event::Tick => {}
    })
    .expect("no failure of ours");
    assert_eq!((finished, again.len()), (4, 5), "{again:?}");
    assert!(again.iter().all(|reason| reason.contains("overloaded")));
    let recorded = fixtures.iter().map(|fixture| {
        let record = journal.read(&fixture.id).expect("ours").expect("played");
        (record.outcome.reason.into_owned(), record.overloaded)
    });
    let expected = [
        ("time 1", false),
        ("time 2", false),
        ("time 3", false),
        ("time 3", true),
    ];
    let expected = expected.map(|(reason, overloaded)| (reason.to_owned(), overloaded));
    assert_eq!(recorded.collect::<Vec<_>>(), expected);
}

/// Falls silent in its first turn, under another name.
const SILENT: &str = r#"#!/bin/sh
read -r hello; echo '{"ready":{}}'
read -r start; echo '{"ready":{}}'
read -r turn; exec sleep 99
"#;

#[test]
fn a_pause_of_the_judge_is_not_held_against_a_silent_bot() {
    let scene = Scene::new();
    scene.script("silent", SILENT).first_legal("honest");
    let flags = ["--game", "catch-the-cat", "--states", "1", "--side", "5"];
    let more = ["--lifetime", "game", "--jobs", "1", "--backstop", "2"];
    let run = scene
        .command(&[&flags[..], &more].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut worker = None;
    eventually("falling silent", || {
        worker = children_of(run.id()).into_iter().find(|&worker| {
            let bots = children_of(worker.cast_unsigned());
            bots.into_iter().any(|bot| name_of(bot) == "sleep")
        });
        worker.is_some()
    });
    let worker = worker.expect("found");
    signal(worker, Signal::SIGSTOP);
    // As long as the bot may be silent, and half as long again.
    std::thread::sleep(Duration::from_secs(3));
    signal(worker, Signal::SIGCONT);
    let ended = Ended::of(run.wait_with_output().expect("it ends")).well();
    let again =
        "will be played again: a bot did not answer in time while the machine was overloaded";
    assert!(ended.stderr.contains(again), "{ended:?}");
    let journal = scene.read("journal.jsonl");
    let records = journal.lines().map(|line| {
        let record: MatchRecord = serde_json::from_str(line).expect("a record");
        record.end.name().to_owned()
    });
    assert_eq!(records.collect::<Vec<_>>(), ["silence", "silence"]);
}
