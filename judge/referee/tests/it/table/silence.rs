//! Silence, and what the machine had to do with it.

use super::{ScriptedAnswer, changing, conditions, is_turn, play};
use engines::Seat;
use model::clock::ClockMode;
use model::fault::{Cause, Offence};
use model::fixture::Conditions;
use model::record::MatchRecord;

/// Plays a game in which the catcher's turns end by an offence.
fn offended(
    conditions: &Conditions,
    cause: Cause,
    change: impl Fn(&mut ScriptedAnswer) + 'static,
) -> MatchRecord {
    let script = changing(move |answer, seat, question| {
        if seat == 1 && is_turn(question) {
            answer.answer = Err(Offence::new(cause, "no answer"));
            change(answer);
        }
    });
    play(conditions, script).record
}

#[test]
fn wall_clock_fault_is_marked_on_overloaded_machine() {
    use ClockMode::{Cpu, Wall};
    for (mode, cause, spent_us, is_marked) in [
        (Cpu, Cause::Silence, 0, true),
        (Cpu, Cause::Idle, 0, true),
        (Wall, Cause::Silence, 0, true),
        (Wall, Cause::Silence, 1001, true),
        // It had used up its CPU time.
        (Cpu, Cause::Silence, 1001, false),
        (Cpu, Cause::Crash, 0, false),
    ] {
        let limited = conditions(|c| (c.mode, c.time.turn_us) = (mode, Some(1000)));
        let record = offended(&limited, cause, move |answer| {
            (answer.cost.cpu_us, answer.cost.overloaded) = (spent_us, true);
        });
        assert_eq!(record.overloaded, is_marked, "{mode:?} {cause} {spent_us}");
    }
}

#[test]
fn ended_or_silent_bot_is_marked_when_short() {
    let marked = |cause, went_short| {
        let usual = conditions(|_| {});
        let record = offended(&usual, cause, move |answer| {
            answer.cost.went_short = went_short;
        });
        let ended = cause != Cause::Silence && cause != Cause::Flood;
        assert_eq!(record.faults[0].went_short, went_short && ended, "{cause}");
        record.overloaded
    };
    for cause in [Cause::Crash, Cause::Exit, Cause::Silence, Cause::Closed] {
        assert!(marked(cause, true), "{cause}");
        assert!(!marked(cause, false), "{cause}");
    }
    assert!(!marked(Cause::Flood, true), "nobody else makes it write");
}

/// Plays a game in which both turns of the cat have this silence, in microseconds.
fn with_silence(conditions: &Conditions, idle_us: u64) -> MatchRecord {
    let script = changing(move |answer, seat, question| {
        answer.cost.idle_us = idle_us * u64::from(seat == 0 && is_turn(question));
    });
    play(conditions, script).record
}

#[test]
fn silence_accumulates_over_game_into_idle_fault() {
    let limited = conditions(|c| c.idle_ms = 1000);
    let record = with_silence(&limited, 600_000);
    let [fault] = &record.faults[..] else {
        panic!("one fault: {:?}", record.faults);
    };
    assert_eq!((fault.cause, fault.seat), (Cause::Idle, Seat::new(0)));
    let words = "silent for more than 1 s in this game, all turns together";
    assert_eq!(fault.detail, words);
    assert_eq!(record.seats[0].idle_us, 1_200_000);
    let at_limit = with_silence(&limited, 1);
    assert!(at_limit.faults.is_empty());
    let wall = conditions(|c| (c.idle_ms, c.mode) = (1000, ClockMode::Wall));
    for conditions in [conditions(|_| {}), wall] {
        assert!(with_silence(&conditions, 600_000).faults.is_empty());
    }
}

#[test]
fn silence_on_wall_clock_loses_on_time() {
    let wall = conditions(|c| (c.mode, c.time.turn_us) = (ClockMode::Wall, Some(1000)));
    let record = offended(&wall, Cause::Silence, |answer| answer.cost.cpu_us = 1001);
    assert_eq!(record.faults[0].cause, Cause::Time);
}
