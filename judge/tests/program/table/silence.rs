//! Silence, and what the machine had to do with it.

use super::scripted::ScriptedAnswer;
use super::{conditions, play, straight};
use engines::Seat;
use model::clock::ClockMode;
use model::fault::{Cause, Offence};
use model::fixture::Conditions;
use model::record::MatchRecord;

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
fn wall_clock_fault_is_marked_on_overloaded_machine() {
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
fn ended_or_silent_bot_is_marked_when_short() {
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
fn silence_accumulates_over_game_into_idle_fault() {
    let limited = conditions(|c| c.idle_ms = 1000);
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
    let (usual, wall) = (
        conditions(|_| {}),
        conditions(|c| {
            (c.idle_ms, c.mode) = (1000, ClockMode::Wall);
        }),
    );
    for conditions in [usual, wall] {
        assert!(with_silence(&conditions, 600_000).faults.is_empty());
    }
}

#[test]
fn silence_on_wall_clock_loses_on_time() {
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
