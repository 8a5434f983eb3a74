//! One game at the table, with scripted players: no process, no clock.

use crate::support::failing_rules::{FAILURE, FailingRules};
use engines::{Lifetime, Seat};
use error::JudgeError;
use play::{Scripted, ScriptedAnswer};
use rules::Rules;
use serde_json::value::RawValue;
use std::cell::RefCell;
use std::rc::Rc;
use table::player::{ExitReport, Shutdown};
use table::{self, Bench, Seated};
use words::clock::ClockMode;
use words::draw::Draw;
use words::fault::{Cause, Offence, Phase};
use words::fixture::{Conditions, Fixture, Participant};
use words::record::{End, MatchRecord};

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
        config: entry.configure(r#"{"side":5}"#).expect("allowed"),
        time: entry.info.time,
        mode: ClockMode::Cpu,
        backstop_ms: 1000,
        idle_ms: None,
        idle_default_ms: None,
        startup_ms: 1000,
        startup_free_ms: None,
        startup_default_ms: None,
        startup_on_wall_clock: false,
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
    let rules = rules::of(conditions).expect("registered");
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
        &rules::terms_of(conditions).expect("registered"),
        0,
        vec![participant("ann"), participant("bob")],
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
    let record = table::play(rules, &fixture, conditions, &mut bench)?.record;
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
fn a_game_goes_from_hello_to_end_and_is_written_down() {
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
fn rules_that_fail_are_nobodys_fault_wherever_they_do() {
    let conditions = conditions(|_| {});
    let record = play(&conditions, straight).record;
    let rules = rules::of(&conditions).expect("registered");
    // The rules fail at the first call, at the second one, and so on, until all calls succeed.
    let calls_of = |what: &dyn Fn(&dyn Rules) -> Result<(), JudgeError>| {
        let fails = |calls: &usize| match what(&FailingRules::new(&rules, *calls)) {
            Ok(()) => false,
            Err(error) => {
                assert_eq!(error.to_string(), FAILURE);
                true
            }
        };
        (0..1000).take_while(fails).count()
    };
    let played = calls_of(&|rules| {
        let game = play_by(rules, &conditions, empty_board(), None, straight)?;
        assert_eq!(game.record.faults, []);
        Ok(())
    });
    let refereed = calls_of(&|rules| {
        let differences = verify::referee(rules, &conditions, &record, verify::WordsKnown::All)?;
        assert_eq!(differences, []);
        Ok(())
    });
    let replayed = calls_of(&|rules| {
        let replay = report::replay(rules, &conditions, &record)?;
        assert!(replay.is_whole);
        Ok(())
    });
    for calls in [played, refereed, replayed] {
        assert!((10..1000).contains(&calls), "{calls}");
    }
}

#[test]
fn with_a_process_a_turn_everybody_is_started_anew_and_told_no_moves() {
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

#[test]
fn cpu_time_is_charged_by_turn_and_start_up_is_not() {
    let game = play(&conditions(|_| {}), |seat, question| ScriptedAnswer {
        spent_us: 100,
        ..straight(seat, question)
    });
    let cat = &game.record.seats[0];
    assert_eq!(
        (cat.cpu_us, cat.uncharged_us),
        (200, 200),
        "two turns; hello and start"
    );
    assert_eq!(game.record.seats[1].cpu_us, 100);
    let spent: Vec<u64> = game.record.turns.iter().map(|t| t.cpu_us).collect();
    assert_eq!(spent, [100, 100, 100]);
}

#[test]
fn a_start_up_beyond_what_is_free_is_charged_to_the_first_turn() {
    let played = |lifetime, startup_free_ms, built_with, startup_default_ms| {
        let conditions = conditions(|c| {
            (c.lifetime, c.startup_free_ms) = (lifetime, startup_free_ms);
            c.startup_default_ms = startup_default_ms;
            c.time.bank_us = Some(100_000);
        });
        play_with(&conditions, built_with, |seat, question| ScriptedAnswer {
            spent_us: if question.starts_with("{\"hello\"") {
                3_400
            } else {
                100
            },
            ..straight(seat, question)
        })
    };
    let (turn, game) = (Lifetime::Turn, Lifetime::Game);
    // The cat has two turns, with a `start` before them if they share a process.
    for (lifetime, said_ms, built_with, default_ms, turns, uncharged) in [
        (turn, None, None, None, [100, 100], 6_800),
        (turn, None, None, Some(3), [500, 500], 6_000),
        (turn, None, Some(4), Some(3), [100, 100], 6_800),
        (turn, Some(4), None, Some(3), [100, 100], 6_800),
        (turn, Some(3), None, None, [500, 500], 6_000),
        (turn, None, Some(3), None, [500, 500], 6_000),
        (turn, Some(4), Some(3), None, [100, 100], 6_800),
        (game, None, None, Some(3), [100, 100], 3_500),
        (game, Some(3), None, None, [500, 100], 3_100),
        (game, Some(0), None, None, [3_500, 100], 100),
    ] {
        let played = played(lifetime, said_ms, built_with, default_ms);
        let cat = &played.record.seats[0];
        let own = played.record.turns.iter().filter(|t| t.seat.index() == 0);
        let spent: Vec<u64> = own.map(|t| t.cpu_us).collect();
        assert_eq!(spent, turns, "{lifetime:?} {said_ms:?}");
        assert_eq!(cat.cpu_us, spent.iter().sum::<u64>());
        assert_eq!(
            cat.off_turn_us,
            cat.cpu_us - 200,
            "it came before the question"
        );
        assert_eq!(cat.uncharged_us, uncharged, "{lifetime:?} {said_ms:?}");
    }
    // A question has the time left, and the clock runs out by the sum of both.
    let told = played(game, Some(0), None, None);
    let first = |seat| {
        let mut turns = told.heard.iter();
        let turn = turns.find(|(of, text)| *of == seat && text.starts_with("{\"turn\""));
        turn.expect("it had one").1.clone()
    };
    assert!(first(0).contains("\"bank_us\":96600"), "{}", first(0));
    let over = conditions(|c| (c.startup_free_ms, c.time.turn_us) = (Some(0), Some(3_499)));
    let over = play(&over, |seat, question| ScriptedAnswer {
        spent_us: if question.starts_with("{\"hello\"") {
            3_400
        } else {
            100
        },
        ..straight(seat, question)
    });
    assert_eq!(over.record.faults[0].cause, Cause::Time);
}

#[test]
fn a_start_up_beyond_what_is_free_is_on_a_wall_clock_too() {
    let played = |startup_on_wall_clock, turn_us| {
        let wall = conditions(|c| {
            (c.mode, c.lifetime) = (ClockMode::Wall, Lifetime::Turn);
            c.startup_default_ms = Some(3);
            c.startup_on_wall_clock = startup_on_wall_clock;
            c.time.turn_us = Some(turn_us);
        });
        play(&wall, |seat, question| ScriptedAnswer {
            spent_us: if question.starts_with("{\"hello\"") {
                3_400
            } else {
                100
            },
            ..straight(seat, question)
        })
    };
    let in_time = played(true, 500);
    let told = in_time.heard.iter().map(|(_, text)| text.as_str());
    let turns: Vec<&str> = told.filter(|text| text.starts_with("{\"turn\"")).collect();
    assert!(
        turns.iter().all(|text| text.contains("\"left_us\":100")),
        "{turns:?}"
    );
    let cat = &in_time.record.seats[0];
    assert_eq!((cat.wall_us, cat.cpu_us), (1_000, 1_000), "two turns");
    let late = played(true, 499);
    assert_eq!(late.record.faults[0].cause, Cause::Time);
    // Runs begun before the condition existed charge nothing; judge regrade preserves this.
    let before = played(false, 499);
    let cat = &before.record.seats[0];
    assert_eq!((cat.wall_us, cat.cpu_us), (200, 1_000));
}

#[test]
fn what_is_used_between_the_turns_is_part_of_the_charge() {
    let game = play(&conditions(|_| {}), |seat, question| ScriptedAnswer {
        spent_us: 100,
        off_turn_us: 30,
        ..straight(seat, question)
    });
    let cat = &game.record.seats[0];
    assert_eq!((cat.cpu_us, cat.off_turn_us), (200, 60), "two turns");
}

#[test]
fn what_comes_before_the_question_is_no_answer_to_the_last_one() {
    let game = play(&conditions(|_| {}), |seat, question| {
        let answer = straight(seat, question);
        if seat == 0 || !question.starts_with("{\"turn\"") {
            return answer;
        }
        ScriptedAnswer {
            answer: Err(Offence::new(Cause::Unasked, "output before the question")),
            ..answer
        }
    });
    let fault = &game.record.faults[0];
    assert_eq!(fault.cause, Cause::Unasked, "{fault:?}");
    assert_eq!(fault.detail, "output before the question");
}

#[test]
fn a_bot_that_is_suspended_is_marked() {
    let game = play(&conditions(|_| {}), |seat, question| ScriptedAnswer {
        suspended: seat == 1 && question.starts_with("{\"turn\""),
        ..straight(seat, question)
    });
    let marks: Vec<bool> = game.record.seats.iter().map(|s| s.suspended).collect();
    assert_eq!(marks, [false, true]);
}

/// Plays a game on an overloaded machine in which the catcher's first turn ends this way.
fn on_an_overloaded_machine(mode: ClockMode, cause: Cause, spent_us: u64) -> MatchRecord {
    let conditions = conditions(|c| {
        c.mode = mode;
        c.time.turn_us = Some(1000);
    });
    let game = play(&conditions, move |seat, question| {
        let answer = straight(seat, question);
        if seat == 0 || !question.starts_with("{\"turn\"") {
            return answer;
        }
        ScriptedAnswer {
            answer: Err(Offence::new(cause, "no answer")),
            spent_us,
            overloaded: true,
            ..answer
        }
    });
    game.record
}

#[test]
fn what_only_the_wall_clock_faults_is_marked_where_the_machine_was_overloaded() {
    use ClockMode::{Cpu, Wall};
    assert!(on_an_overloaded_machine(Cpu, Cause::Silence, 0).overloaded);
    assert!(on_an_overloaded_machine(Cpu, Cause::Idle, 0).overloaded);
    assert!(on_an_overloaded_machine(Wall, Cause::Silence, 0).overloaded);
    assert!(on_an_overloaded_machine(Wall, Cause::Silence, 1001).overloaded);
    assert!(
        !on_an_overloaded_machine(Cpu, Cause::Silence, 1001).overloaded,
        "it had used up its CPU time"
    );
    assert!(!on_an_overloaded_machine(Cpu, Cause::Crash, 0).overloaded);
}

#[test]
fn a_bot_that_ended_or_fell_silent_is_marked_where_others_had_what_it_needed() {
    let marked = |cause, went_short| {
        let game = play(&conditions(|_| {}), move |seat, question| {
            let answer = straight(seat, question);
            if seat == 0 || !question.starts_with("{\"turn\"") {
                return answer;
            }
            ScriptedAnswer {
                answer: Err(Offence::new(cause, "no answer")),
                went_short,
                ..answer
            }
        });
        let fault = &game.record.faults[0];
        let ended = cause != Cause::Silence && cause != Cause::Flood;
        assert_eq!(fault.went_short, went_short && ended, "{cause}");
        game.record.overloaded
    };
    for cause in [Cause::Crash, Cause::Exit, Cause::Silence, Cause::Closed] {
        assert!(marked(cause, true), "{cause}");
        assert!(!marked(cause, false), "{cause}");
    }
    assert!(!marked(Cause::Flood, true), "nobody else makes it write");
}

/// Plays a game in which both turns of the cat have this silence, in microseconds.
fn with_silence(conditions: &Conditions, idle_us: u64) -> MatchRecord {
    let game = play(conditions, move |seat, question| ScriptedAnswer {
        idle_us: if seat == 0 && question.starts_with("{\"turn\"") {
            idle_us
        } else {
            0
        },
        ..straight(seat, question)
    });
    game.record
}

#[test]
fn silence_adds_up_over_a_game_to_a_fault_of_its_own() {
    let limited = conditions(|c| c.idle_ms = Some(1000));
    let record = with_silence(&limited, 600_000);
    let [fault] = &record.faults[..] else {
        panic!("one fault: {:?}", record.faults);
    };
    assert_eq!((fault.cause, fault.seat), (Cause::Idle, Seat::new(0)));
    assert_eq!(
        fault.detail,
        "silent for more than 1 s in this game, all turns together"
    );
    assert_eq!(record.seats[0].idle_us, 1_200_000);
    let at_limit = with_silence(&limited, 1);
    assert!(at_limit.faults.is_empty());
    let (unlimited, wall) = (
        conditions(|_| {}),
        conditions(|c| {
            (c.idle_ms, c.mode) = (Some(1000), ClockMode::Wall);
        }),
    );
    for conditions in [unlimited, wall] {
        assert!(with_silence(&conditions, 600_000).faults.is_empty());
    }
}

#[test]
fn an_answer_that_took_too_long_loses_on_time_although_it_came() {
    let limited = conditions(|c| c.time.turn_us = Some(50));
    let game = play(&limited, |seat, question| {
        let spent_us = if seat == 1 { 51 } else { 50 };
        ScriptedAnswer {
            spent_us,
            ..straight(seat, question)
        }
    });
    let fault = &game.record.faults[0];
    assert_eq!(
        (fault.cause, fault.seat, fault.ply),
        (Cause::Time, Seat::new(1), 1)
    );
    assert_eq!(fault.detail, "took 51 µs of CPU time; 50 µs were left");
    assert_eq!((fault.cpu_us, fault.wall_us), (51, 51));
    assert_eq!(
        game.record.end,
        End::Fault {
            cause: Cause::Time,
            seat: Seat::new(1)
        }
    );
    assert_eq!(
        game.record.turns.len(),
        2,
        "the turn that failed is written down, without a move"
    );
    assert!(game.record.turns[1].mv.is_none());
}

#[test]
fn a_bank_is_charged_for_the_initialisation_where_the_rules_say_so() {
    let bank = |charge_start| {
        conditions(|c| {
            c.time.turn_us = None;
            c.time.bank_us = Some(250);
            c.time.charge_start = charge_start;
        })
    };
    let slow = |seat, question: &str| ScriptedAnswer {
        spent_us: 100,
        ..straight(seat, question)
    };
    assert_eq!(play(&bank(false), slow).record.end, End::Rules);
    let charged = play(&bank(true), slow);
    assert_eq!(
        charged.record.end,
        End::Fault {
            cause: Cause::Time,
            seat: Seat::new(0)
        }
    );
    let clock = r#""clock":{"left_us":150,"bank_us":150}"#;
    assert!(
        charged.heard.iter().any(|(_, q)| q.contains(clock)),
        "the bank that is left is told"
    );
}

#[test]
fn a_bot_that_does_not_become_ready_has_lost_and_nobody_else_is_asked() {
    let game = play(&conditions(|_| {}), |_, _| ScriptedAnswer {
        answer: Err(Offence::new(
            Cause::Exit,
            "exited with code 1 without an answer",
        )),
        ..ScriptedAnswer::line("")
    });
    let fault = &game.record.faults[0];
    assert_eq!((fault.seat, fault.phase), (Seat::new(0), Phase::Hello));
    assert_eq!(game.record.outcome.reason, "the cat's program is gone");
    assert_eq!(game.heard.len(), 1);
}

#[test]
fn the_rule_that_a_move_breaks_is_named_and_the_line_is_quoted() {
    let game = play(&conditions(|_| {}), |seat, question| {
        if question.starts_with("{\"turn\"") {
            return ScriptedAnswer::line(r#"{"move": [0,0]}"#);
        }
        straight(seat, question)
    });
    let fault = &game.record.faults[0];
    assert_eq!(fault.cause, Cause::IllegalMove);
    assert_eq!(
        fault.detail,
        "the cat cannot go from (0,0) to (0,0): the cat may not stay where it is"
    );
    assert_eq!(fault.line.as_deref(), Some(r#"{"move": [0,0]}"#));
}

#[test]
fn what_stays_silent_on_a_wall_clock_has_lost_on_time() {
    let wall = conditions(|c| {
        c.mode = ClockMode::Wall;
        c.time.turn_us = Some(1000);
    });
    let game = play(&wall, |seat, question| {
        if seat == 1 && question.starts_with("{\"turn\"") {
            return ScriptedAnswer {
                answer: Err(Offence::new(Cause::Silence, "no answer")),
                spent_us: 1001,
                ..ScriptedAnswer::line("")
            };
        }
        straight(seat, question)
    });
    assert_eq!(game.record.faults[0].cause, Cause::Time);
}

/// Plays a Monkey's duel, in whose turns the seats answer with `turn`.
fn duel(strict: bool, turn: impl Fn(usize) -> ScriptedAnswer + 'static) -> Game {
    let duel = conditions(|c| {
        let entry = engines::game("monkey-metal-man").expect("registered");
        entry.info.slug.clone_into(&mut c.game);
        c.config = entry.configure(r#"{"players":2}"#).expect("allowed");
        c.time = entry.info.time;
    });
    let setup = format!(
        r#"{{"map":["FFFFF","FFFFF","FFFFF","FFFFF","FFFFF"],"strict":{strict},"pieces":[
        {{"spotter":[0,0],"assasin":[4,0],"spotter_direction":[1,0],"assasin_direction":[1,0]}},
        {{"spotter":[0,4],"assasin":[4,4],"spotter_direction":[1,0],"assasin_direction":[1,0]}}]}}"#
    );
    play_from(&duel, setup, None, move |seat, question| {
        if question.starts_with("{\"turn\"") {
            turn(seat)
        } else {
            ScriptedAnswer::line(r#"{"ready":{}}"#)
        }
    })
}

const STAY: &str = r#"{"move":{"Spotter":{"direction":[1,0],"moves":[[0,0]]},"Assasin":{"direction":[1,0],"moves":[]}}}"#;
const HALF: &str = r#"{"move":{"Spotter":{"direction":[0,1],"moves":[[5,5]]},"Assasin":{"direction":[0,1],"moves":[[-1,0]]}}}"#;

#[test]
fn a_move_of_which_a_part_is_carried_out_is_recorded_with_its_fault() {
    let game = duel(false, |seat| ScriptedAnswer::line([HALF, STAY][seat]));
    let record = &game.record;
    let faults = record.faults.iter().map(|fault| fault.seat.index());
    let own = record.turns.iter().filter(|turn| turn.seat.index() == 0);
    assert_eq!(faults.collect::<Vec<_>>(), vec![0; own.count()]);
    let fault = &record.faults[0];
    assert_eq!(fault.cause, Cause::IllegalMove);
    assert!(
        fault
            .detail
            .starts_with("the spotter's move 1 is [5,5]; a move is [0,0] (stay) or"),
        "{}",
        fault.detail
    );
    assert_eq!(fault.line.as_deref(), Some(HALF));
    assert_eq!(record.fault_in(0), Some(fault));
    assert!(record.is_carried_out(fault) && record.fault_in(1).is_none());
    let recorded = record.turns[0].mv.as_ref().expect("recorded").get();
    assert_eq!(format!("{{\"move\":{recorded}}}"), HALF);
    // The second question to the seat: one piece has moved, the other is unchanged.
    let questions = game
        .heard
        .iter()
        .filter(|(seat, text)| *seat == 0 && text.contains("\"view\""));
    let second = &questions.map(|(_, text)| text).nth(1).expect("asked again");
    for told in [
        r#""spotter location":[0,0]"#,
        r#""assasin location":[3,0]"#,
        r#""spotter direction":[1,0]"#,
        r#""assasin direction":[0,1]"#,
    ] {
        assert!(second.contains(told), "{told}: {second}");
    }
    assert_eq!(record.end, End::Rules);
}

#[test]
fn strict_rules_carry_nothing_of_such_a_move_out_and_remove_for_three() {
    let game = duel(true, |seat| ScriptedAnswer::line([HALF, STAY][seat]));
    let record = &game.record;
    assert!(record.turns.iter().all(|turn| turn.mv.is_none()));
    let causes = record.faults.iter().map(|fault| fault.cause);
    // The third fault of player 0 removes it; player 1's third comes in the same round.
    assert_eq!(causes.collect::<Vec<_>>(), [Cause::IllegalMove; 6]);
}

#[test]
fn the_third_time_out_in_a_game_removes_and_malformed_answers_do_not() {
    let malformed = duel(false, |seat| ScriptedAnswer::line([STAY, "what?"][seat]));
    assert_eq!(
        malformed.record.outcome.seats[1].placement, 1,
        "both are left until the end"
    );
    let late = duel(false, |seat| ScriptedAnswer {
        spent_us: [5, 1_000_001][seat],
        ..ScriptedAnswer::line(STAY)
    });
    let record = &late.record;
    let causes = record
        .faults
        .iter()
        .map(|fault| (fault.seat.index(), fault.cause));
    assert_eq!(causes.collect::<Vec<_>>(), [(1, Cause::Time); 3]);
    assert_eq!(record.turns.len(), 6);
    let by = Seat::new(1);
    assert_eq!(
        record.end,
        End::Fault {
            cause: Cause::Time,
            seat: by
        }
    );
}
