//! One game at the table, with scripted players: no process, no clock.

mod charges;
mod faults;
mod scripted;
mod silence;

use engines::{Lifetime, Seat};
use model::clock::ClockMode;
use model::draw::Draw;
use model::fixture::{Conditions, Fixture, IDLE_DEFAULT_MS, Participant};
use model::record::{End, MatchRecord};
use referee::table::player::{ExitReport, Shutdown};
use referee::table::{Bench, Seated};
use rulebook::JudgeError;
use rulebook::rules::Rules;
use scripted::{Scripted, ScriptedAnswer};
use serde_json::value::RawValue;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Function that answers a question, given the seat.
type Script = Rc<dyn Fn(usize, &str) -> ScriptedAnswer>;

/// Seats scripted players and keeps their questions.
struct ScriptedBench {
    script: Script,
    heard: Rc<RefCell<Vec<(usize, String)>>>,
    started: usize,
    startup_free_ms: Option<u64>,
}

impl Bench for ScriptedBench {
    fn seat(&mut self, _fixture: &Fixture, seat: Seat) -> Result<Seated, JudgeError> {
        self.started += 1;
        let (script, heard) = (Rc::clone(&self.script), Rc::clone(&self.heard));
        let index = seat.index();
        let player = Scripted::new(move |question: &str| {
            heard.borrow_mut().push((index, question.to_owned()));
            script(index, question)
        });
        Ok(Seated {
            player: Box::new(player),
            ready: None,
            startup_free_ms: self.startup_free_ms,
        })
    }

    fn leave(
        &mut self,
        _: &Fixture,
        _: Seat,
        seated: Seated,
        shutdown: Shutdown,
    ) -> Result<ExitReport, JudgeError> {
        seated.player.finish(shutdown)
    }
}

struct Game {
    record: MatchRecord,
    heard: Vec<(usize, String)>,
    started: usize,
}

fn conditions(change: impl FnOnce(&mut Conditions)) -> Conditions {
    let entry = engines::game("catch-the-cat").expect("registered");
    let mut conditions = Conditions {
        game: "catch-the-cat".to_owned(),
        game_program: None,
        game_mended: None,
        limit: None,
        config: entry.configure(r#"{"side":5}"#).expect("allowed"),
        time: entry.info.time,
        clocks: BTreeMap::new(),
        mode: ClockMode::Cpu,
        backstop_ms: 1000,
        idle_ms: IDLE_DEFAULT_MS,
        startup_ms: 1000,
        startup_free_ms: None,
        lifetime: Lifetime::Game,
        memory_mib: 1024,
        processes: false,
    };
    change(&mut conditions);
    conditions
}

fn play(conditions: &Conditions, script: impl Fn(usize, &str) -> ScriptedAnswer + 'static) -> Game {
    play_with(conditions, None, script)
}

/// Plays with programs whose kits make `startup_free_ms` of a start-up free.
fn play_with(
    conditions: &Conditions,
    startup_free_ms: Option<u64>,
    script: impl Fn(usize, &str) -> ScriptedAnswer + 'static,
) -> Game {
    play_from(conditions, empty_board(), startup_free_ms, script)
}

fn empty_board() -> String {
    format!(r#"{{"side":5,"world":"{}"}}"#, "0".repeat(25))
}

fn play_from(
    conditions: &Conditions,
    setup: String,
    startup_free_ms: Option<u64>,
    script: impl Fn(usize, &str) -> ScriptedAnswer + 'static,
) -> Game {
    let rules = rulebook::rules::of(conditions).expect("registered");
    let game = play_by(&*rules, conditions, setup, startup_free_ms, script);
    game.expect("no failure of ours")
}

fn play_by(
    rules: &dyn Rules,
    conditions: &Conditions,
    setup: String,
    startup_free_ms: Option<u64>,
    script: impl Fn(usize, &str) -> ScriptedAnswer + 'static,
) -> Result<Game, JudgeError> {
    let participant = |name: &str| Participant {
        entrant: name.into(),
        artifact: name.into(),
    };
    let fixture = Fixture::new(
        &rulebook::rules::terms_of(conditions).expect("registered"),
        0,
        [participant("ann"), participant("bob")].into(),
        RawValue::from_string(setup).expect("JSON").into(),
        Draw::public(1, "final").state(0).luck(2).into(),
    );
    let heard = Rc::new(RefCell::new(Vec::new()));
    let mut bench = ScriptedBench {
        script: Rc::new(script),
        heard: Rc::clone(&heard),
        started: 0,
        startup_free_ms,
    };
    let record = referee::table::play(rules, &fixture, conditions, &mut bench)?.record;
    Ok(Game {
        record,
        heard: heard.take(),
        started: bench.started,
    })
}

/// Plays a cat that walks right, and a catcher that blocks the upper left corner and its right
/// neighbours.
fn straight(seat: usize, question: &str) -> ScriptedAnswer {
    if !question.starts_with("{\"turn\"") {
        return ScriptedAnswer::line(r#"{"ready":{}}"#);
    }
    match (
        seat,
        question.contains("\"ply\":0") || question.contains("\"ply\":1"),
    ) {
        (0, true) => ScriptedAnswer::line(r#"{"move":[1,0]}"#),
        (0, false) => ScriptedAnswer::line(r#"{"move":[2,0]}"#),
        (_, _) => ScriptedAnswer::line(r#"{"move":[-2,-2]}"#),
    }
}

#[test]
fn game_runs_from_hello_to_recorded_end() {
    let game = play(&conditions(|_| {}), straight);
    assert_eq!(game.record.end, End::Rules);
    assert_eq!(game.record.outcome.reason, "the cat reached the border");
    let moves: Vec<&str> = game
        .record
        .turns
        .iter()
        .map(|t| t.mv.as_ref().expect("legal").get())
        .collect();
    assert_eq!(moves, ["[1,0]", "[-2,-2]", "[2,0]"]);
    let kinds: Vec<(usize, &str)> = game
        .heard
        .iter()
        .map(|(seat, q)| (*seat, q.split('"').nth(1).expect("a key")))
        .collect();
    assert_eq!(
        kinds,
        [
            (0, "hello"),
            (0, "start"),
            (1, "hello"),
            (1, "start"),
            (0, "turn"),
            (1, "turn"),
            (0, "turn")
        ]
    );
    assert!(
        game.heard[6].1.contains(r#""moves":[[1,[-2,-2]]]"#),
        "the other's move is told"
    );
}

#[test]
fn process_per_turn_restarts_everybody_without_moves() {
    let game = play(&conditions(|c| c.lifetime = Lifetime::Turn), straight);
    assert_eq!(game.record.end, End::Rules);
    assert_eq!(game.started, 3);
    assert!(
        game.heard
            .iter()
            .all(|(_, question)| !question.starts_with("{\"start\""))
    );
    let turns = game
        .heard
        .iter()
        .filter(|(_, question)| question.starts_with("{\"turn\""));
    for (_, turn) in turns {
        assert!(turn.contains("\"moves\":[],"), "{turn}");
    }
}
