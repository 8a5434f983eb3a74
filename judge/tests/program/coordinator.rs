//! Reaction of the coordinator to failing workers; scripts play the workers.

use crate::support::{Has, eventually, write_program};
use engines::Lifetime;
use model::artifact::Artifact;
use model::competition::FINAL;
use model::draw::Draw;
use model::fixture::{Conditions, Fixture, Participant};
use model::record::MatchRecord;
use rulebook::JudgeError;
use run::play::worker::Order;
use run::tournament::{TournamentEvent, TournamentPlan};
use sandbox::Isolation;
use serde_json::value::RawValue;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Journal;
use tempfile::TempDir;

/// Start of each worker; one that stops later begins with a stop. `play` reports a game as played.
const WORKER: &str = include_str!("../workers/worker.py");

/// Attempts at a game: the number of those that are overloaded depends on the game, and so do the
/// signals that end a bot. Each record's reason has the number of the attempt.
const OVERLOADED: &str = include_str!("../workers/overloaded.py");
const ENDED: &str = include_str!("../workers/ended.py");
const UNSTARTED: &str = include_str!("../workers/unstarted.py");
const UNSEATED: &str = include_str!("../workers/unseated.py");
const QUICK: &str = include_str!("../workers/quick.py");
const STUCK: &str = include_str!("../workers/stuck.py");
/// Of the first two workers, one dies and the other plays on. No further one can start.
const LAST: &str = include_str!("../workers/last.py");

/// Four games, played by workers of one kind.
struct Tournament {
    folder: TempDir,
    conditions: Conditions,
    fixtures: Vec<Fixture>,
    again: Vec<String>,
    finished: usize,
    end: Result<(), JudgeError>,
}

const PAIRS: [&str; 4] = ["ann bob", "bob ann", "ann bob", "cid bob"];

impl Tournament {
    fn play(program: &str, jobs: usize, change: impl FnOnce(&mut Conditions)) -> Self {
        let played = Self::of(program, jobs, change, &|_| Ok(()));
        assert!(played.end.is_ok(), "{:?}", played.end);
        played
    }

    fn of(
        program: &str,
        jobs: usize,
        change: impl FnOnce(&mut Conditions),
        intact: &(dyn Fn(&Artifact) -> Result<(), String> + Sync),
    ) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let worker = folder.path().join("worker");
        write_program(&worker, &format!("{WORKER}{program}"));
        let rules = rulebook::rules::find("catch-the-cat").expect("registered");
        let mut conditions = rulebook::standard(&*rules).conditions;
        conditions.config = rules.configure(r#"{"side":5}"#).expect("allowed");
        change(&mut conditions);
        let participant = |name: &str| Participant {
            entrant: name.into(),
            artifact: name.into(),
        };
        let setup = format!(r#"{{"side":5,"world":"{}"}}"#, "0".repeat(25));
        let fixture = |state: u32| {
            let seats: Vec<Participant> =
                PAIRS[state as usize].split(' ').map(participant).collect();
            let setup = RawValue::from_string(setup.clone()).expect("JSON");
            let luck = Draw::public(1, FINAL).state(state).luck(2);
            let terms = rulebook::rules::terms_of(&conditions).expect("registered");
            Fixture::new(&terms, state, seats.into(), setup.into(), luck.into())
        };
        let fixtures: Vec<Fixture> = (0..4).map(fixture).collect();
        let plan = TournamentPlan {
            judge: &worker,
            order: Order {
                conditions: conditions.clone(),
                artifacts: ["ann", "bob", "cid"].map(artifact).to_vec(),
                pin: None,
                isolation: Isolation::find(),
                run_cgroups: None,
            },
            machine: None,
            pin: false,
            intact,
            ended: Arc::default(),
            jobs,
            stop: Arc::default(),
            abandon: Arc::default(),
        };
        let mut journal = Journal::open(folder.path(), &conditions).expect("readable");
        let (mut again, mut finished, mut reported) = (Vec::new(), 0, Duration::ZERO);
        let began = Instant::now();
        let mut tell = |event: TournamentEvent<'_>| match event {
            TournamentEvent::Again(reason) => {
                again.push(reason.to_owned());
                let _ = fs::write(folder.path().join("again"), "");
            }
            TournamentEvent::Finished(_, _, took) => {
                finished += 1;
                let took = took.expect("it was played here");
                assert!(took.worker < jobs, "{took:?}");
                reported += took.wall;
            }
            TournamentEvent::Note(_) | TournamentEvent::Tick => {}
        };
        let end = run::tournament::play(&plan, &fixtures, &mut journal, &mut tell);
        let jobs = u32::try_from(jobs).expect("a few");
        assert!(
            reported <= began.elapsed() * jobs,
            "games are reported twice"
        );
        Self {
            folder,
            conditions,
            fixtures,
            again,
            finished,
            end,
        }
    }

    fn recorded(&self) -> Vec<Option<MatchRecord>> {
        // A process that another test just starts may keep it locked for a moment.
        let mut journal = None;
        eventually("the journal can be opened", || {
            journal = Journal::open(self.folder.path(), &self.conditions).ok();
            journal.is_some()
        });
        let journal = journal.expect("opened");
        let ids = self.fixtures.iter().map(|fixture| fixture.id);
        ids.map(|id| journal.games().read(id).expect("readable"))
            .collect()
    }
}

fn artifact(hash: &str) -> Artifact {
    Artifact {
        hash: hash.to_owned(),
        directory: "/".to_owned(),
        program: "/bin/true".to_owned(),
        // More than the capacity of a pipe.
        args: vec!["x".repeat(100_000)],
        tokens: None,
        forks: false,
        toolchains: Vec::new(),
        versions: Vec::new(),
        without_paths: false,
        startup_free_ms: None,
    }
}

/// Plays four games that are disturbed more often each. Checks what the last one is recorded with,
/// and returns the reasons for playing again.
fn played_three_times(worker: &str, last: (bool, &[&str])) -> Vec<String> {
    let played = Tournament::play(worker, 1, |_| {});
    let again = &played.again;
    assert_eq!((played.finished, again.len()), (4, 5), "{again:?}");
    let expected = [
        ("time 1", None),
        ("time 2", None),
        ("time 3", None),
        ("time 3", Some(last)),
    ];
    for (record, (time, last)) in played.recorded().into_iter().zip(expected) {
        let record = record.expect("played");
        assert_eq!(record.outcome.reason, time);
        let faults = record.faults.iter().map(|fault| &*fault.detail);
        let faults: Vec<&str> = faults.collect();
        let last = last.unwrap_or((false, &[]));
        assert_eq!((record.overloaded, &*faults), last, "{time}");
    }
    played.again
}

#[test]
fn overloaded_game_is_played_three_times_then_recorded() {
    let again = played_three_times(OVERLOADED, (true, &[]));
    assert!(again.iter().all(|reason| reason.contains("overloaded")));
}

#[test]
fn possibly_killed_bot_is_blamed_after_every_try() {
    let last = ["ended; the last of 3 tries of this game"];
    let again = played_three_times(ENDED, (false, &last));
    let first = "something ended the bot of bob (signal 9 SIGKILL)";
    assert_eq!(again[0], first);
}

#[test]
fn program_differing_from_build_costs_entrant_nothing() {
    for worker in [UNSTARTED, UNSEATED] {
        let intact = |artifact: &Artifact| match artifact.hash.as_str() {
            "ann" => Err("it is empty".to_owned()),
            _ => Ok(()),
        };
        let played = Tournament::of(worker, 1, |_| {}, &intact);
        assert_eq!((played.finished, played.again.len()), (1, 0));
        let recorded: Vec<bool> = played.recorded().iter().map(Option::is_some).collect();
        assert_eq!(recorded, [false, false, false, true]);
        let error = played.end.expect_err("three games are missing").to_string();
        let reported = "games that could not be played: 3; the last reason: the program of ann has \
                    changed since the build (artifacts/ann): it is empty; rerun the same command \
                    to build it again.";
        assert!(error.starts_with(reported), "{error}");
    }
}

#[test]
fn intact_program_failing_to_start_blames_author() {
    let played = Tournament::play(UNSTARTED, 1, |_| {});
    assert_eq!((played.finished, played.again.len()), (4, 0));
}

#[test]
fn worker_far_exceeding_game_time_is_replaced() {
    let began = Instant::now();
    Tournament::play(QUICK, 1, |_| {});
    // A game may take twenty times this plus five seconds. That is far more than all four have just
    // taken, however loaded the machine is.
    let start = u64::try_from(began.elapsed().as_millis()).expect("short");
    let played = Tournament::play(STUCK, 1, |conditions| {
        conditions.lifetime = Lifetime::Game;
        conditions.time.turn_us = Some(1);
        (conditions.startup_ms, conditions.backstop_ms) = (start, 0);
    });
    assert_eq!(played.finished, 4);
    played
        .again
        .join("; ")
        .has(&["did not finish its game within"]);
}

#[test]
fn remaining_workers_play_everything_when_none_can_start() {
    let played = Tournament::play(LAST, 2, |_| {});
    assert_eq!((played.finished, played.again.len()), (4, 1));
    played.again[0].has(&["died during a game"]);
}
