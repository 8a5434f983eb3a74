//! One game at the table, with scripted players: no process, no clock.

mod charges;
mod faults;
mod silence;

use crate::players::Seating;
use engines::{Lifetime, Seat};
use model::draw::Draw;
use model::fault::{Offence, Phase};
use model::fixture::{Conditions, Fixture, Participant};
use model::record::{End, MatchRecord};
use referee::table::Seated;
use referee::table::player::{Allowance, Cost, Player, Spent};
use rulebook::JudgeError;
use serde_json::value::RawValue;
use std::cell::RefCell;
use std::rc::Rc;

/// One answer of a scripted bot: a line, or the offence instead, and what it claims to have cost.
/// Its wall time is its CPU time.
struct ScriptedAnswer {
    answer: Result<String, Offence>,
    cost: Cost,
}

impl ScriptedAnswer {
    /// Returns an answer with this line that takes no time.
    fn line(line: &str) -> Self {
        Self {
            answer: Ok(line.to_owned()),
            cost: Cost::default(),
        }
    }
}

type Script = Rc<dyn Fn(usize, &str) -> ScriptedAnswer>;

/// A bot without a process: a function from a seat and its questions to answers.
struct Scripted {
    seat: usize,
    script: Script,
    heard: Rc<RefCell<Vec<(usize, String)>>>,
    line: Vec<u8>,
}

impl Player for Scripted {
    fn ask(&mut self, _: Phase, message: &[u8], _: Allowance) -> Result<Spent, JudgeError> {
        let question = std::str::from_utf8(message).expect("the judge writes UTF-8");
        let question = question.trim_end();
        self.heard
            .borrow_mut()
            .push((self.seat, question.to_owned()));
        let ScriptedAnswer { answer, cost } = (self.script)(self.seat, question);
        self.line.clear();
        let result = answer.map(|line| self.line.extend_from_slice(line.as_bytes()));
        let wall_us = cost.cpu_us;
        let cost = Cost { wall_us, ..cost };
        Ok(Spent { cost, result })
    }

    fn line(&self) -> &[u8] {
        &self.line
    }
}

struct Game {
    record: MatchRecord,
    heard: Vec<(usize, String)>,
    started: usize,
}

fn conditions(change: impl FnOnce(&mut Conditions)) -> Conditions {
    let entry = engines::game("catch-the-cat").expect("registered");
    let rules = rulebook::rules::find("catch-the-cat").expect("registered");
    let mut conditions = rulebook::standard(&*rules).conditions;
    conditions.config = entry.configure(r#"{"side":5}"#).expect("allowed");
    conditions.time = entry.info.time;
    (conditions.backstop_ms, conditions.startup_ms) = (1000, 1000);
    conditions.lifetime = Lifetime::Game;
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
    let empty_board = format!(r#"{{"side":5,"world":"{}"}}"#, "0".repeat(25));
    play_from(conditions, empty_board, startup_free_ms, script)
}

fn is_turn(question: &str) -> bool {
    question.starts_with("{\"turn\"")
}

/// Plays as [`straight`], with changed answers.
fn changing(
    change: impl Fn(&mut ScriptedAnswer, usize, &str) + 'static,
) -> impl Fn(usize, &str) -> ScriptedAnswer + 'static {
    move |seat, question| {
        let mut answer = straight(seat, question);
        change(&mut answer, seat, question);
        answer
    }
}

fn play_from(
    conditions: &Conditions,
    setup: String,
    startup_free_ms: Option<u64>,
    script: impl Fn(usize, &str) -> ScriptedAnswer + 'static,
) -> Game {
    let rules = rulebook::rules::of(conditions).expect("registered");
    let participant = |name: &str| Participant {
        entrant: name.into(),
        artifact: name.into(),
    };
    let terms = rulebook::rules::terms_of(conditions).expect("registered");
    let seats = ["ann", "bob"].map(participant).into();
    let setup = RawValue::from_string(setup).expect("JSON");
    let luck = Draw::public(1, "final").state(0).luck(2);
    let fixture = Fixture::new(&terms, 0, seats, setup.into(), luck.into());
    let heard = Rc::new(RefCell::new(Vec::new()));
    let script: Script = Rc::new(script);
    let mut started = 0;
    let mut players = Seating(|seat: Seat| {
        started += 1;
        let player = Scripted {
            seat: seat.index(),
            script: Rc::clone(&script),
            heard: Rc::clone(&heard),
            line: Vec::new(),
        };
        Seated {
            player: Box::new(player),
            ready: None,
            startup_free_ms,
        }
    });
    let played = referee::table::play(&*rules, &fixture, conditions, &mut players);
    Game {
        record: played.expect("no failure of ours").record,
        heard: heard.take(),
        started,
    }
}

/// Asserts that a text has all these words.
#[track_caller]
fn has(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "{word:?} is not in {text}");
    }
}

/// A cat that walks right, and a catcher that blocks the upper left corner and cells next to it.
fn straight(seat: usize, question: &str) -> ScriptedAnswer {
    let mut early = ["\"ply\":0", "\"ply\":1"].into_iter();
    let is_first = early.any(|ply| question.contains(ply));
    ScriptedAnswer::line(match (is_turn(question), seat, is_first) {
        (false, ..) => r#"{"ready":{}}"#,
        (_, 0, true) => r#"{"move":[1,0]}"#,
        (_, 0, false) => r#"{"move":[2,0]}"#,
        _ => r#"{"move":[-2,-2]}"#,
    })
}

#[test]
fn game_runs_from_hello_to_recorded_end() {
    let game = play(&conditions(|_| {}), straight);
    assert_eq!(game.record.end, End::Rules);
    assert_eq!(game.record.outcome.reason, "the cat reached the border");
    let turns = game.record.turns.iter();
    let moves = turns.map(|turn| turn.mv.as_ref().expect("legal").get());
    let moves: Vec<&str> = moves.collect();
    assert_eq!(moves, ["[1,0]", "[-2,-2]", "[2,0]"]);
    let kinds = game.heard.iter().map(|(seat, question)| {
        let kind = question.split('"').nth(1).expect("a key");
        format!("{seat} {kind}")
    });
    let kinds: Vec<String> = kinds.collect();
    let expected = "0 hello, 0 start, 1 hello, 1 start, 0 turn, 1 turn, 0 turn";
    assert_eq!(kinds.join(", "), expected);
    // It reports the other's move.
    has(&game.heard[6].1, &[r#""moves":[[1,[-2,-2]]]"#]);
}

#[test]
fn process_per_turn_restarts_everybody_without_moves() {
    let game = play(&conditions(|c| c.lifetime = Lifetime::Turn), straight);
    assert_eq!(game.record.end, End::Rules);
    assert_eq!(game.started, 3);
    for (_, question) in game.heard {
        assert!(!question.starts_with("{\"start\""), "{question}");
        let has_no_moves = question.contains("\"moves\":[],");
        assert!(!is_turn(&question) || has_no_moves, "{question}");
    }
}
