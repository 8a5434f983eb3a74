//! A made-up run whose journal tests write, damage and read.

mod damage;
mod moments;
mod parts;

use crate::manifest::{Machine, Manifest};
use crate::{Findings, Games, Journal, Keys, MachineLine};
use model::artifact::Confinement;
use model::draw::Draw;
use model::fixture::{Conditions, Fixture, Participant, Terms};
use model::record::{MatchRecord, SeatRecord};
use rulebook::JudgeError;
use serde_json::value::RawValue;
use std::fs;
use std::path::PathBuf;
use system::run_folder::JOURNAL;

pub(crate) struct Run {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) conditions: Conditions,
    pub(crate) records: Vec<MatchRecord>,
}

impl Run {
    pub(crate) fn new(games: u32) -> Self {
        let rules = rulebook::rules::find("catch-the-cat").expect("registered");
        let conditions = serde_json::json!({
            "game": rules.info().slug, "config": {}, "time": rules.info().time, "mode": "cpu",
            "backstop_ms": 1, "idle_ms": 1, "startup_ms": 1, "lifetime": "game", "memory_mib": 1, "processes": false,
        });
        let conditions: Conditions = serde_json::from_value(conditions).expect("plain data");
        let terms = Terms::new(rules.info().rules_version, &conditions);
        let record = |state| {
            let seats = ["ann", "bob"].map(|name| Participant {
                entrant: name.into(),
                artifact: "a".into(),
            });
            let setup = RawValue::from_string("{}".to_owned()).expect("JSON");
            let luck = Draw::public(1, "final").state(state).luck(2);
            let fixture = Fixture::new(&terms, state, seats.into(), setup.into(), luck.into());
            let seat = |one| SeatRecord::of(one, 7);
            let record = serde_json::json!({
                "v": model::FORMAT, "fixture": fixture.id, "game": rules.info().slug,
                "state": state, "setup": {}, "draw": fixture.luck.draw,
                "seats": fixture.seats.iter().map(seat).collect::<Vec<_>>(),
                "turns": [[0, [1, 2], 5, 6], [1, null, 7, 8]], "faults": [], "end": "rules",
                "outcome": {"reason": "made up", "seats": [
                    {"result": "won", "placement": 1, "points": 1, "tie_break": 0},
                    {"result": "lost", "placement": 2, "points": 0, "tie_break": 0}]},
            });
            serde_json::from_value(record).expect("a record")
        };
        let run = Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
            conditions,
            records: (0..games).map(record).collect(),
        };
        run.play();
        run
    }

    pub(crate) fn open(&self) -> Result<Journal, JudgeError> {
        Journal::open(self.folder.path(), &self.conditions)
    }

    pub(crate) fn games(&self) -> Games {
        Games::open(self.folder.path(), &self.conditions, Vec::new()).expect("readable")
    }

    fn keys(&self) -> Keys {
        Keys::of_run(self.folder.path()).expect("made with the journal")
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join(JOURNAL)
    }

    /// Plays the missing games; returns the earlier problems of the journal.
    pub(crate) fn play(&self) -> Findings {
        let mut journal = self.open().expect("readable");
        for record in &self.records {
            journal.append(record).expect("writable");
        }
        journal.sync().expect("writable");
        journal.note_end().expect("writable");
        journal.games().findings.clone()
    }

    /// Checks that every game is present once, unchanged.
    pub(crate) fn check(&self) {
        let text = fs::read_to_string(self.path()).expect("there");
        let games = text
            .lines()
            .filter(|line| line.contains("\"fixture\""))
            .count();
        assert_eq!(games, self.records.len());
        let games = self.games();
        assert!(games.findings.is_empty(), "{:?}", games.findings);
        for record in &self.records {
            let read = games
                .read(record.fixture)
                .expect("readable")
                .expect("there");
            let json = |record: &MatchRecord| serde_json::to_string(record).expect("plain data");
            assert_eq!(json(&read), json(record));
            let result = games.result(record.fixture).expect("valid").expect("there");
            assert_eq!(result, record.result());
        }
    }

    /// Records the journal's keys, as a run does before its first game.
    pub(crate) fn write_manifest(&self) {
        let keys = self.keys();
        let competition =
            rulebook::standard(&*rulebook::rules::find("catch-the-cat").expect("registered"));
        let manifest = Manifest::new("1", competition, &keys, &[], machine());
        manifest.write(self.folder.path()).expect("writable");
    }
}

#[track_caller]
pub(crate) fn refused<T>(result: Result<T, JudgeError>, words: &str) {
    let reported = result.map(|_| ()).expect_err("refused").to_string();
    assert!(reported.contains(words), "{reported}");
}

fn machine_line() -> MachineLine {
    let rules = rulebook::rules::find("catch-the-cat").expect("registered");
    let conditions = rulebook::standard(&*rules).conditions;
    MachineLine::detect("1", machine(), 7, &conditions, Some("p".to_owned()))
}

fn machine() -> Machine {
    let confinement =
        r#"{"level":"weak","landlock_version":1,"seccomp":true,"ids":null,"counter":null}"#;
    let confinement: Confinement = serde_json::from_str(confinement).expect("plain data");
    Machine::detect(false, confinement)
}
