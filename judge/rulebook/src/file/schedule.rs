//! The tables `[schedule]`, `[clock]`, `[bots]`, `[builds]` and `[submissions]`.

use super::complaint::{Wrong, each_once, wrong};
use super::values::{MemoryMib, Micros, Millis, UpTo, Wait};
use crate::rules::Rules;
use engines::{Lifetime, TimeControl};
use model::builtin::PREFIX;
use model::clock::ClockMode;
use model::competition::Schedule;
use model::fixture::OwnClock;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScheduleTable {
    kind: Spanned<ScheduleKind>,
    self_play: Option<Spanned<bool>>,
    #[serde(default)]
    against: Vec<Spanned<String>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ScheduleKind {
    Pairs,
    Gauntlet,
    Groups,
}

pub(super) fn schedule(rules: &dyn Rules, table: Option<ScheduleTable>) -> Result<Schedule, Wrong> {
    let is_for_two = rules.info().roles.len() == 2;
    let Some(ScheduleTable {
        kind: place,
        self_play,
        against,
    }) = table
    else {
        return Ok(if is_for_two {
            Schedule::Pairs { self_play: false }
        } else {
            Schedule::Groups
        });
    };
    let (kind, title) = (*place.get_ref(), rules.info().title);
    if (kind == ScheduleKind::Groups) == is_for_two {
        let whom = if is_for_two {
            "two: kind must be pairs or gauntlet"
        } else {
            "more than two: kind must be groups"
        };
        return wrong(&place, format!("{title} is for {whom}"));
    }
    if let Some(self_play) = self_play.as_ref().filter(|_| kind != ScheduleKind::Pairs) {
        return wrong(self_play, "self_play needs kind = \"pairs\"");
    }
    if let Some(against) = against.first().filter(|_| kind != ScheduleKind::Gauntlet) {
        return wrong(against, "against needs kind = \"gauntlet\"");
    }
    Ok(match kind {
        ScheduleKind::Pairs => Schedule::Pairs {
            self_play: self_play.is_some_and(Spanned::into_inner),
        },
        ScheduleKind::Groups => Schedule::Groups,
        ScheduleKind::Gauntlet if against.is_empty() => {
            let reason = "a gauntlet needs opponents, for example against = [\"builtin:random\"]";
            return wrong(&place, reason);
        }
        ScheduleKind::Gauntlet => Schedule::Gauntlet {
            against: known(rules, "against", against)?,
        },
    })
}

/// Returns names of entrants. Each is there once, and is no built-in bot that the game does not have.
pub(super) fn known(
    rules: &dyn Rules,
    key: &str,
    names: Vec<Spanned<String>>,
) -> Result<Vec<String>, Wrong> {
    let bots = rules.baselines();
    let refused = |name: &String| {
        let bot = name.strip_prefix(PREFIX)?;
        let known: Vec<&str> = bots.iter().map(|(known, _)| *known).collect();
        (!known.contains(&bot)).then(|| {
            let (title, prefix) = (rules.info().title, format!(", {PREFIX}"));
            let known = known.join(&prefix);
            format!("{title} has no built-in bot {bot:?}; there are {PREFIX}{known}")
        })
    };
    each_once(key, names, |name| format!("{name:?}"), refused)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "keys of a file, with their unit")]
struct OwnClockTable {
    turn_s: Option<Micros>,
    bank_s: Option<Micros>,
    increment_s: Option<Spanned<Micros>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ClockTable {
    pub(super) counts: ClockMode,
    turn_s: Option<Micros>,
    bank_s: Option<Micros>,
    increment_s: Option<Spanned<Micros>>,
    charge_start: Option<bool>,
    pub(super) backstop_s: Option<Wait>,
    pub(super) idle_s: Option<Wait>,
    pub(super) startup_s: Option<Wait>,
    pub(super) startup_free_ms: Option<Millis>,
    entrants: BTreeMap<Spanned<String>, OwnClockTable>,
}

impl ClockTable {
    /// Returns each seat's time: the game's own without a turn or bank here.
    pub(super) fn time(&self, rules: &dyn Rules) -> Result<TimeControl, Wrong> {
        has_bank(self.increment_s.as_ref(), self.bank_s.is_some())?;
        let own = rules.info().time;
        let charge_start = self.charge_start.unwrap_or(own.charge_start);
        if self.turn_s.is_none() && self.bank_s.is_none() {
            return Ok(TimeControl {
                charge_start,
                ..own
            });
        }
        Ok(TimeControl {
            turn_us: self.turn_s.map(|time| time.0),
            bank_us: self.bank_s.map(|time| time.0),
            increment_us: self.increment_s.as_ref().map_or(0, |time| time.get_ref().0),
            charge_start,
        })
    }

    pub(super) fn own_clocks(
        &self,
        rules: &dyn Rules,
        time: TimeControl,
    ) -> Result<BTreeMap<String, OwnClock>, Wrong> {
        known(
            rules,
            "clock.entrants",
            self.entrants.keys().cloned().collect(),
        )?;
        let checked = |(name, own): (&Spanned<String>, &OwnClockTable)| {
            let bank_us = own.bank_s.map(|time| time.0);
            has_bank(own.increment_s.as_ref(), bank_us.or(time.bank_us).is_some())?;
            let clock = OwnClock {
                turn_us: own.turn_s.map(|time| time.0),
                bank_us,
                increment_us: own.increment_s.as_ref().map(|time| time.get_ref().0),
            };
            Ok((name.get_ref().clone(), clock))
        };
        self.entrants.iter().map(checked).collect()
    }
}

fn has_bank(increment: Option<&Spanned<Micros>>, has_bank: bool) -> Result<(), Wrong> {
    match increment {
        Some(increment) if !has_bank => wrong(
            increment,
            "increment_s needs a bank to add to; give bank_s too",
        ),
        _ => Ok(()),
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct BotsTable {
    pub(super) lifetime: Option<Lifetime>,
    pub(super) memory_mib: Option<MemoryMib>,
    pub(super) processes: bool,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SubmissionsTable {
    pub(super) files: Option<UpTo<50_000>>,
    pub(super) mib: Option<UpTo<1024>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BuildsTable {
    pub(super) wall_s: Option<Micros>,
    pub(super) cpu_s: Option<Micros>,
}
