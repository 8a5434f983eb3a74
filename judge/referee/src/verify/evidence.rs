//! Compares the faults and charges of a record with the clocks and the rules.

use super::{Differences, Place, json};
use engines::erased::MoveRefused;
use engines::{Lifetime, Seat, Seats};
use model::clock::{Clock, ClockMode};
use model::fault::{Cause, Exit, Fault, Offence, Phase};
use model::fixture::{Conditions, Unready};
use model::protocol::{self, FromBot};
use model::record::{MatchRecord, SeatRecord};
use rulebook::Result;
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
    check_words(place, "", fault, differences);
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
    let unready = Unready {
        seats: Seats::one(fault.seat),
        cause: fault.cause,
    };
    let due = unready.offence().detail;
    differences.compare(place, "phase", &Phase::Hello, &fault.phase);
    check_words(place, if is_blank { "" } else { &due }, fault, differences);
    check_phase(place, fault, differences);
}

/// Compares a fault with one that left nothing but `detail`.
fn check_words(place: Place, detail: &str, fault: &Fault, differences: &mut Differences) {
    differences.compare(place, "detail", detail, &fault.detail);
    differences.compare(place, "raised", &None, &fault.raised);
    differences.compare(place, "line", &None, &fault.line);
    differences.compare(place, "exit", &None, &fault.exit);
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
        _ => None,
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
            Some(exit) => matches!(exit, Exit::Code(_)),
        },
        _ => exit.is_none(),
    }
}

/// Judges the quoted line again, if it is complete and what the fault is about.
pub(super) fn check_line(
    game: &dyn Position,
    place: Place,
    fault: &Fault,
    differences: &mut Differences,
) -> Result {
    let Some(line) = whole_line(fault) else {
        return Ok(());
    };
    if !matches!(fault.cause, Cause::IllegalMove | Cause::Malformed) {
        return Ok(());
    }
    let malformed = Some((Cause::Malformed, None));
    let wrong = match (protocol::read(line.as_bytes()), fault.phase) {
        (Ok(FromBot::Ready(_)), Phase::Hello | Phase::Start) => None,
        (Ok(FromBot::Move(answer)), Phase::Turn) => {
            match game.copy()?.play(fault.seat, answer.mv.get())? {
                Ok(_) => None,
                Err(MoveRefused::Broken(broken)) => {
                    Some((Cause::IllegalMove, Some(broken.message)))
                }
                Err(MoveRefused::Unreadable(_)) => malformed,
            }
        }
        _ => malformed,
    };
    match wrong {
        Some((cause, message)) if cause == fault.cause => {
            if let Some(message) = message {
                let due = Offence::new(cause, message);
                differences.compare(place, "detail", &due.detail, &fault.detail);
            }
        }
        _ => {
            let expected = format!("one that is {}", fault.cause);
            differences.add(place, "line", expected, format!("{line:?}"));
        }
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
) -> Result {
    let Some(line) = whole_line(fault) else {
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

fn whole_line(fault: &Fault) -> Option<&str> {
    let line = fault.line.as_deref()?;
    let is_cut = line.contains("\\u{") || line.contains('\u{fffd}') || line.ends_with('…');
    (!is_cut).then_some(line)
}

/// In microseconds. Records may contain any number: a sum may not fit a `u64`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Charge {
    pub(super) cpu_us: u128,
    pub(super) wall_us: u128,
}

impl Charge {
    /// The rest after the turns: the initialisation, where that is charged.
    pub(super) fn remainder(seat: &SeatRecord, turns: Self) -> Self {
        Self {
            cpu_us: u128::from(seat.cpu_us).saturating_sub(turns.cpu_us),
            wall_us: u128::from(seat.wall_us).saturating_sub(turns.wall_us),
        }
    }
}

pub(super) fn of_turns(record: &MatchRecord) -> Vec<Charge> {
    let mut sums = vec![Charge::default(); record.seats.len()];
    for turn in &record.turns {
        if let Some(sum) = sums.get_mut(turn.seat.index()) {
            sum.cpu_us += u128::from(turn.cpu_us);
            sum.wall_us += u128::from(turn.wall_us);
        }
    }
    sums
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) turns: Charge,
    pub(super) start_is_charged: bool,
    /// `None` if the record left the game before that was clear.
    pub(super) ever: Option<bool>,
}

/// A bot that was not started has no times, and a fault before its first turn.
pub(super) fn check_unstarted_seat(
    seat: Seat,
    record: &MatchRecord,
    differences: &mut Differences,
) {
    let SeatRecord {
        cpu_us,
        wall_us,
        uncharged_us,
        startup_wall_us,
        idle_us,
        ..
    } = record.seats[seat.index()];
    for (field, found) in [
        ("cpu_us", cpu_us),
        ("wall_us", wall_us),
        ("uncharged_us", uncharged_us),
        ("startup_wall_us", startup_wall_us),
        ("idle_us", idle_us),
    ] {
        differences.compare(Place::Seat(seat), field, &0, &found);
    }
    let is_its = |fault: &Fault| fault.seat == seat && fault.phase == Phase::Hello;
    if !record.faults.iter().any(is_its) {
        let expected = "a bot that was not started has a fault";
        differences.add(Place::Seat(seat), "not_started", expected, "none");
    }
}

pub(super) fn check_idle(
    conditions: &Conditions,
    seat: Seat,
    record: &MatchRecord,
    differences: &mut Differences,
) {
    let seated = &record.seats[seat.index()];
    if seated.not_started {
        return;
    }
    let place = Place::Seat(seat);
    let idle_us = seated.idle_us;
    let mut faults = record.faults.iter().filter(|fault| fault.seat == seat);
    let Some(limit) = conditions.idle_max() else {
        differences.compare(place, "idle_us", &0, &idle_us);
        if faults.any(|fault| fault.cause == Cause::Idle) {
            differences.add(place, "cause", "no limit on silence", "\"idle\"");
        }
        return;
    };
    let limit_us = u64::try_from(limit.as_micros()).unwrap_or(u64::MAX);
    if faults.clone().any(|fault| fault.cause == Cause::Idle) {
        differences.at_least(place, "idle_us", limit_us, idle_us);
    } else if idle_us > limit_us && faults.next().is_none() {
        let expected = format!("at most {limit_us}, or a fault");
        differences.add(place, "idle_us", expected, idle_us.to_string());
    }
    let waited_us = seated.wall_us.saturating_add(seated.startup_wall_us);
    differences.at_most(place, "idle_us", waited_us, idle_us);
}

pub(super) fn check_charges(
    conditions: &Conditions,
    seat: Seat,
    record: &SeatRecord,
    asked: Asked,
    differences: &mut Differences,
) {
    let place = Place::Seat(seat);
    for (field, turns, charged) in [
        ("cpu_us", asked.turns.cpu_us, record.cpu_us),
        ("wall_us", asked.turns.wall_us, record.wall_us),
    ] {
        let charged = u128::from(charged);
        if asked.start_is_charged {
            differences.at_least(place, field, turns, charged);
        } else {
            differences.compare(place, field, &turns, &charged);
        }
    }
    differences.at_most(place, "off_turn_us", record.cpu_us, record.off_turn_us);
    // A bot that plays several games may have been stopped since an earlier one.
    let stays = conditions.lifetime == Lifetime::Match;
    if record.suspended && record.off_turn_us == 0 && !stays {
        differences.compare(place, "suspended", &false, &true);
    }
    if asked.ever == Some(false) {
        differences.compare(place, "uncharged_us", &0, &record.uncharged_us);
        differences.compare(place, "startup_wall_us", &0, &record.startup_wall_us);
        differences.compare(place, "says", &None, &record.bot_name);
        differences.compare(place, "suspended", &false, &record.suspended);
    }
}
