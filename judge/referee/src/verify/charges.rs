use super::{Differences, Place};
use engines::{Lifetime, Seat};
use model::fault::{Cause, Fault, Phase};
use model::fixture::Conditions;
use model::record::{MatchRecord, SeatRecord};

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
pub(super) fn check_unstarted(seat: Seat, record: &MatchRecord, differences: &mut Differences) {
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
    let mut faults = record.faults.iter();
    let is_its = |fault: &Fault| fault.seat == seat && fault.phase == Phase::Hello;
    if !faults.any(is_its) {
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

pub(super) fn check(
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
