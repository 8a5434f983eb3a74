use super::{Differences, Place, json};
use engines::erased::MoveRefused;
use engines::{Seat, Seats};
use model::clock::{Clock, ClockMode};
use model::fault::{Cause, Exit, Fault, Offence, Phase};
use model::fixture::{Conditions, Unready};
use model::protocol::{self, FromBot};
use rulebook::JudgeError;
use rulebook::rules::Position;
use std::time::Duration;

#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    /// In microseconds; `None` = unlimited, or not charged.
    pub(super) left_us: Option<u64>,
    pub(super) spent_us: u64,
    pub(super) in_time: bool,
}

impl Timing {
    pub(super) const UNCHARGED: Self = Self {
        left_us: None,
        spent_us: 0,
        in_time: true,
    };

    pub(super) fn of(clock: &mut Clock, spent_us: u64) -> Self {
        Self {
            left_us: clock.left_us(),
            spent_us,
            in_time: clock.charge(spent_us).is_ok(),
        }
    }
}

/// Compares a fault with the clock, its kind and its evidence. `overloaded` is the record's mark.
pub(super) fn check(
    conditions: &Conditions,
    place: Place,
    fault: &Fault,
    overloaded: bool,
    timing: Timing,
    differences: &mut Differences,
) {
    let Timing {
        left_us, spent_us, ..
    } = timing;
    if !timing.in_time {
        let left_us = left_us.expect("an unlimited clock does not run out");
        let due = Offence::overtime(conditions.mode, spent_us, left_us);
        differences.compare(place, "cause", &due.cause, &fault.cause);
        differences.compare(place, "detail", &due.detail, &fault.detail);
        differences.compare(place, "line", &due.line, &fault.line);
        differences.compare(place, "exit", &due.exit, &fault.exit);
        differences.compare(place, "raised", &due.raised, &fault.raised);
        return;
    }
    if fault.cause == Cause::Time {
        // The judge stops waiting at the limit; an answer exactly then is in time.
        let is_at_limit = conditions.mode == ClockMode::Cpu && left_us == Some(spent_us);
        if !is_at_limit {
            let left = left_us.map_or_else(|| "no limit".to_owned(), |us| us.to_string());
            let found = format!("\"time\" after {spent_us} µs of {left}");
            differences.add(place, "cause", "one that fits the clock", found);
        }
    }
    let limit = check_silence(conditions, place, fault, timing, differences);
    if fault.cause == Cause::Silence {
        let silence = Offence::silence(limit);
        let excused = silence.clone().on_overloaded_machine(limit);
        // In a game for more than two, another bot's silence may be the machine's doing.
        if !(overloaded && fault.detail == excused.detail) {
            differences.compare(place, "detail", &silence.detail, &fault.detail);
        }
    }
    if let (Cause::Idle, Some(idle_max)) = (fault.cause, conditions.idle_max()) {
        let due = Offence::idle(idle_max);
        differences.compare(place, "detail", &due.detail, &fault.detail);
    }
    check_kind(place, fault, differences);
}

/// [`check`] of a record that blanks the program's output and its end.
pub(super) fn check_blank(
    conditions: &Conditions,
    place: Place,
    fault: &Fault,
    timing: Timing,
    differences: &mut Differences,
) {
    differences.compare(place, "detail", "", fault.detail.as_str());
    differences.compare(place, "raised", &None, &fault.raised);
    differences.compare(place, "line", &None, &fault.line);
    differences.compare(place, "exit", &None, &fault.exit);
    if timing.in_time {
        check_silence(conditions, place, fault, timing, differences);
        check_phase(place, fault, differences);
    } else {
        let due = Offence::overtime(conditions.mode, timing.spent_us, 0).cause;
        differences.compare(place, "cause", &due, &fault.cause);
    }
}

pub(super) fn check_unstarted(
    place: Place,
    fault: &Fault,
    is_blank: bool,
    differences: &mut Differences,
) {
    let cause = fault.cause;
    let due = Unready {
        seats: Seats::one(fault.seat),
        cause,
    };
    let detail = due.offence().detail;
    let detail = if is_blank { "" } else { &detail };
    differences.compare(place, "phase", &Phase::Hello, &fault.phase);
    differences.compare(place, "detail", detail, fault.detail.as_str());
    differences.compare(place, "raised", &None, &fault.raised);
    differences.compare(place, "line", &None, &fault.line);
    differences.compare(place, "exit", &None, &fault.exit);
    check_phase(place, fault, differences);
}

/// Returns the limit for any other fault too.
fn check_silence(
    conditions: &Conditions,
    place: Place,
    fault: &Fault,
    timing: Timing,
    differences: &mut Differences,
) -> Duration {
    let limit = wall_limit(conditions, fault.phase, timing.left_us);
    if fault.cause == Cause::Silence {
        let limit_us = u64::try_from(limit.as_micros()).unwrap_or(u64::MAX);
        differences.at_least(place, "wall_us", limit_us, fault.wall_us);
    }
    limit
}

fn check_phase(place: Place, fault: &Fault, differences: &mut Differences) {
    if fault.cause == Cause::IllegalMove && fault.phase != Phase::Turn {
        let expected = "one that a bot can have before its first turn";
        differences.add(place, "cause", expected, json(&fault.cause));
    }
}

fn wall_limit(conditions: &Conditions, phase: Phase, left_us: Option<u64>) -> Duration {
    let backstop = Duration::from_millis(conditions.backstop_ms);
    match (phase, conditions.mode) {
        (Phase::Hello, _) => Duration::from_millis(conditions.startup_ms),
        (Phase::Start, ClockMode::Cpu) => backstop,
        (Phase::Turn, ClockMode::Cpu) => conditions.silence_max(),
        (Phase::Start | Phase::Turn, ClockMode::Wall) => {
            left_us.map_or(backstop, Duration::from_micros)
        }
    }
}

fn check_kind(place: Place, fault: &Fault, differences: &mut Differences) {
    check_phase(place, fault, differences);
    if !exit_fits(fault) {
        let expected = format!("one that fits the cause {}", fault.cause);
        differences.add(place, "exit", expected, json(&fault.exit));
    }
    let line_is_due = match fault.cause {
        Cause::IllegalMove | Cause::Malformed | Cause::Flood | Cause::Unasked => Some(true),
        Cause::Threads => Some(false),
        // Maybe a part of a line.
        Cause::Time
        | Cause::Silence
        | Cause::Idle
        | Cause::Crash
        | Cause::Memory
        | Cause::Exit
        | Cause::Closed => None,
    };
    if line_is_due.is_some_and(|due| due != fault.line.is_some()) {
        let expected = format!("what the cause {} leaves", fault.cause);
        differences.add(place, "line", expected, json(&fault.line));
    }
    if let Some(raised) = &fault.raised {
        let due = Offence::raised(raised);
        differences.compare(place, "raised", &due.raised, &fault.raised);
        differences.compare(place, "detail", &due.detail, &fault.detail);
        differences.compare(place, "cause", &due.cause, &fault.cause);
        differences.compare(place, "phase", &Phase::Turn, &fault.phase);
    }
}

fn exit_fits(fault: &Fault) -> bool {
    let exit = fault.exit;
    match fault.cause {
        Cause::Crash => matches!(exit, Some(Exit::Signal(_))),
        // None where page tables used the memory, and the judge ended the bot.
        Cause::Memory => true,
        Cause::Exit => match exit {
            // The program could not be started.
            None => fault.phase == Phase::Hello,
            Some(Exit::Code(_)) => true,
            Some(Exit::Signal(_)) => false,
        },
        Cause::IllegalMove
        | Cause::Malformed
        | Cause::Time
        | Cause::Silence
        | Cause::Idle
        | Cause::Closed
        | Cause::Flood
        | Cause::Unasked
        | Cause::Threads => exit.is_none(),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Ready,
    Legal,
    Illegal(String),
    Malformed,
}

/// Judges the quoted line again, if it is complete and what the fault is about.
pub(super) fn check_line(
    game: &dyn Position,
    place: Place,
    seat: Seat,
    fault: &Fault,
    differences: &mut Differences,
) -> Result<(), JudgeError> {
    let Some(line) = fault.line.as_deref().filter(|line| is_whole(line)) else {
        return Ok(());
    };
    let wrong = |answer: &Answer| match (fault.phase, answer) {
        (Phase::Turn, Answer::Legal) | (Phase::Hello | Phase::Start, Answer::Ready) => None,
        (Phase::Turn, Answer::Illegal(_)) => Some(Cause::IllegalMove),
        (Phase::Turn, Answer::Ready | Answer::Malformed)
        | (Phase::Hello | Phase::Start, Answer::Legal | Answer::Illegal(_) | Answer::Malformed) => {
            Some(Cause::Malformed)
        }
    };
    match fault.cause {
        Cause::IllegalMove | Cause::Malformed => {
            let answer = answer(game, seat, line)?;
            if wrong(&answer) != Some(fault.cause) {
                let expected = format!("one that is {}", fault.cause);
                differences.add(place, "line", expected, format!("{line:?}"));
            } else if let (Cause::IllegalMove, Answer::Illegal(message)) = (fault.cause, answer) {
                let due = Offence::new(Cause::IllegalMove, message);
                differences.compare(place, "detail", &due.detail, &fault.detail);
            }
        }
        Cause::Time
        | Cause::Silence
        | Cause::Idle
        | Cause::Crash
        | Cause::Memory
        | Cause::Exit
        | Cause::Closed
        | Cause::Flood
        | Cause::Unasked
        | Cause::Threads => {}
    }
    Ok(())
}

/// Compares a complete quoted line with the move of the turn, in the game's own spelling.
pub(super) fn check_given(
    game: &dyn Position,
    place: Place,
    mv: &str,
    fault: &Fault,
    differences: &mut Differences,
) -> Result<(), JudgeError> {
    let Some(line) = fault.line.as_deref().filter(|line| is_whole(line)) else {
        return Ok(());
    };
    let given = match protocol::read(line.as_bytes()) {
        Ok(FromBot::Move(given)) => game.copy()?.play_broken(fault.seat, given.mv.get())?,
        Ok(FromBot::Ready(_)) | Err(_) => None,
    };
    if given.as_deref() != Some(mv) {
        let expected = format!("an answer of {mv}");
        differences.add(place, "line", expected, format!("{line:?}"));
    }
    Ok(())
}

fn is_whole(quoted: &str) -> bool {
    !quoted.contains("\\u{") && !quoted.contains('\u{fffd}') && !quoted.ends_with('…')
}

fn answer(game: &dyn Position, seat: Seat, line: &str) -> Result<Answer, JudgeError> {
    let mv = match protocol::read(line.as_bytes()) {
        Ok(FromBot::Ready(_)) => return Ok(Answer::Ready),
        Ok(FromBot::Move(answer)) => answer.mv,
        Err(_) => return Ok(Answer::Malformed),
    };
    Ok(match game.copy()?.play(seat, mv.get())? {
        Ok(_) => Answer::Legal,
        Err(MoveRefused::Broken(broken)) => Answer::Illegal(broken.message),
        Err(MoveRefused::Unreadable(_)) => Answer::Malformed,
    })
}
