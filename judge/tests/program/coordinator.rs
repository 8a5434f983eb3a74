//! What the coordinator does about workers that fail, with workers that are scripts.

use crate::support::eventually;
use crate::support::machine::Share;
use crate::support::write_program;
use engines::Lifetime;
use journal::Journal;
use play::worker::Order;
use sandbox::Isolation;
use serde_json::value::RawValue;
use std::fs;
use std::sync::Arc;
use std::time::Instant;
use tempfile::TempDir;
use tournament::{self, TournamentEvent, TournamentPlan};
use words::competition::FINAL;
use words::draw::Draw;
use words::fixture::{Conditions, Fixture, Participant, Terms};

/// How workers begin: `play` reports a game as played.
const WORKER: &str = r#"#!/usr/bin/env python3
import json, os, sys, time
folder = os.path.dirname(sys.argv[0])
order = json.loads(sys.stdin.readline())
def play(fixture, reason, overloaded=False):
    seats = [dict(seat, cpu_us=0, off_turn_us=0, wall_us=0, uncharged_us=0, startup_wall_us=0) for seat in fixture["seats"]]
    result = lambda name, place: {"result": name, "placement": place, "points": 0, "tie_break": 0}
    record = {
        "v": 2, "fixture": fixture["id"], "game": "catch-the-cat", "state": fixture["state"],
        "setup": fixture["setup"], "seats": seats, "turns": [], "faults": [],
        "end": {"fault": {"cause": "silence", "seat": 0}},
        "outcome": {"seats": [result("lost", 2), result("won", 1)], "reason": reason},
        "overloaded": overloaded,
    }
    print(json.dumps({"done": {"record": record, "stderr": ["", ""]}}), flush=True)
def first(name):
    try: os.mkdir(os.path.join(folder, name)); return True
    except FileExistsError: return False
"#;

/// Overloaded the first so many times that it plays a game, by the game's number; each record's
/// reason tells how often the game has been played.
const OVERLOADED: &str = r#"
overloads = {0: 0, 1: 1, 2: 2, 3: 99}
times = {}
for line in sys.stdin:
    fixture = json.loads(line)
    state = fixture["state"]
    times[state] = times.get(state, 0) + 1
    play(fixture, f"time {times[state]}", times[state] <= overloads[state])
"#;

/// Plays.
const QUICK: &str = r#"
for line in sys.stdin: play(json.loads(line), "played")
"#;

/// Does not come back from its first game.
const STUCK: &str = r#"
for line in sys.stdin:
    if first("stuck"): time.sleep(1000)
    play(json.loads(line), "played")
"#;

/// Of the first two, one dies and the other plays on; and no further one can be started.
const LAST: &str = r#"
if first("dies"):
    while os.path.exists(sys.argv[0]): time.sleep(0.01)
    sys.exit(0)
os.unlink(sys.argv[0])
while not os.path.exists(os.path.join(folder, "again")): time.sleep(0.01)
for line in sys.stdin: play(json.loads(line), "played")
"#;

/// Four games played by workers of some kind.
struct Tournament {
    folder: TempDir,
    conditions: Conditions,
    fixtures: Vec<Fixture>,
    /// Why games were played again.
    again: Vec<String>,
    finished: usize,
}

impl Tournament {
    fn play(program: &str, jobs: usize, change: impl FnOnce(&mut Conditions)) -> Self {
        let _share = Share::beside_others();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let worker = folder.path().join("worker");
        write_program(&worker, &format!("{WORKER}{program}"));
        let entry = engines::game("catch-the-cat").expect("registered");
        let mut conditions = competition::standard(entry).conditions;
        conditions.config = entry.configure(r#"{"side":5}"#).expect("allowed");
        change(&mut conditions);
        let participant = |name: &str| Participant {
            entrant: name.into(),
            artifact: name.into(),
        };
        let setup = format!(r#"{{"side":5,"world":"{}"}}"#, "0".repeat(25));
        let fixture = |state| {
            let seats = vec![participant("ann"), participant("bob")];
            let setup = RawValue::from_string(setup.clone()).expect("JSON");
            let luck = Draw::public(1, FINAL).state(state).luck(2);
            let terms = Terms::new(entry, &conditions);
            Fixture::new(&terms, state, seats, setup.into(), luck.into())
        };
        let fixtures: Vec<Fixture> = (0..4).map(fixture).collect();
        let plan = TournamentPlan {
            judge: &worker,
            order: Order {
                conditions: conditions.clone(),
                artifacts: Vec::new(),
                pin: None,
                isolation: Isolation::find(),
                games_max: 1,
                run_cgroups: None,
            },
            pin: false,
            jobs,
            stop: Arc::default(),
            abandon: Arc::default(),
        };
        let mut journal = Journal::open(folder.path(), &conditions).expect("ours");
        let (mut again, mut finished) = (Vec::new(), 0);
        let mut tell = |event: TournamentEvent<'_>| match event {
            TournamentEvent::Again(reason) => {
                again.push(reason.to_owned());
                let _ = fs::write(folder.path().join("again"), "");
            }
            TournamentEvent::Finished(..) => finished += 1,
            TournamentEvent::Tick => {}
        };
        tournament::play(&plan, &fixtures, &mut journal, &mut tell).expect("no failure of ours");
        Self {
            folder,
            conditions,
            fixtures,
            again,
            finished,
        }
    }
}

#[test]
fn an_overloaded_game_is_played_three_times_at_most_and_then_recorded_as_what_it_is() {
    let played = Tournament::play(OVERLOADED, 1, |_| {});
    let again = &played.again;
    assert_eq!((played.finished, again.len()), (4, 5), "{again:?}");
    assert!(again.iter().all(|reason| reason.contains("overloaded")));
    // A process that another test is just starting may keep it locked for a moment.
    let mut journal = None;
    eventually("the journal can be opened", || {
        journal = Journal::open(played.folder.path(), &played.conditions).ok();
        journal.is_some()
    });
    let journal = journal.expect("opened");
    let recorded = played.fixtures.iter().map(|fixture| {
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

#[test]
fn a_worker_that_takes_far_longer_than_a_game_can_is_replaced() {
    let began = Instant::now();
    Tournament::play(QUICK, 1, |_| {});
    // A game may take twenty times this and five seconds more: far longer than all four have just
    // taken, however loaded the machine is.
    let start = u64::try_from(began.elapsed().as_millis()).expect("short");
    let played = Tournament::play(STUCK, 1, |conditions| {
        conditions.lifetime = Lifetime::Game;
        conditions.time.turn_us = Some(1);
        (conditions.startup_ms, conditions.backstop_ms) = (start, 0);
    });
    assert_eq!(played.finished, 4);
    let again = played.again.join("; ");
    assert!(again.contains("did not finish its game within"), "{again}");
}

#[test]
fn where_no_more_workers_can_be_had_those_there_are_play_everything() {
    let played = Tournament::play(LAST, 2, |_| {});
    assert_eq!((played.finished, played.again.len()), (4, 1));
    let again = &played.again[0];
    assert!(again.contains("died during a game"), "{again}");
}
