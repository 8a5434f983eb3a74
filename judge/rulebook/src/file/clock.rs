//! The tables `[clock]`, `[bots]`, `[builds]` and `[submissions]`.

use super::values::{MemoryMib, Micros, Millis, UpTo, optional_wait_limit, wait_limit};
use super::wrong::Wrong;
use crate::rules::Rules;
use engines::{Lifetime, TimeControl};
use model::clock::ClockMode;
use model::competition::{BuildLimits, SubmissionLimits};
use serde::Deserialize;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ClockTable {
    pub(super) counts: ClockMode,
    turn_s: Option<Micros>,
    bank_s: Option<Micros>,
    increment_s: Option<Spanned<Micros>>,
    charge_start: Option<bool>,
    #[serde(deserialize_with = "wait_limit")]
    pub(super) backstop_s: Micros,
    #[serde(deserialize_with = "optional_wait_limit")]
    pub(super) idle_s: Option<Micros>,
    #[serde(deserialize_with = "wait_limit")]
    pub(super) startup_s: Micros,
    pub(super) startup_free_ms: Option<Millis>,
}

impl Default for ClockTable {
    fn default() -> Self {
        Self {
            counts: ClockMode::Cpu,
            turn_s: None,
            bank_s: None,
            increment_s: None,
            charge_start: None,
            backstop_s: Micros(10_000_000),
            idle_s: None,
            // Interpreters on a loaded machine take seconds.
            startup_s: Micros(20_000_000),
            startup_free_ms: None,
        }
    }
}

impl ClockTable {
    /// Returns the time of each seat: the game's own if the table sets neither turn nor bank.
    pub(super) fn time(&self, rules: &dyn Rules) -> Result<TimeControl, Wrong> {
        if let (Some(increment), None) = (&self.increment_s, self.bank_s) {
            let reason = "increment_s needs a bank to add to; give bank_s too";
            return Err((increment.span(), reason.to_owned()));
        }
        let own = rules.info().time;
        let is_own = self.turn_s.is_none() && self.bank_s.is_none();
        let said = TimeControl {
            turn_us: self.turn_s.map(|time| time.0),
            bank_us: self.bank_s.map(|time| time.0),
            increment_us: self.increment_s.as_ref().map_or(0, |time| time.get_ref().0),
            charge_start: own.charge_start,
        };
        let time = if is_own { own } else { said };
        Ok(TimeControl {
            charge_start: self.charge_start.unwrap_or(time.charge_start),
            ..time
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct BotsTable {
    pub(super) lifetime: Option<Lifetime>,
    pub(super) memory_mib: MemoryMib,
    pub(super) processes: bool,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SubmissionsTable {
    files: Option<UpTo<50_000>>,
    mib: Option<UpTo<1024>>,
}

impl SubmissionsTable {
    /// Returns the limits; missing ones have their defaults.
    pub(super) fn limits(&self) -> SubmissionLimits {
        let default = SubmissionLimits::DEFAULT;
        SubmissionLimits {
            files: self.files.as_ref().map_or(default.files, |files| files.0),
            mib: self.mib.as_ref().map_or(default.mib, |mib| mib.0),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BuildsTable {
    wall_s: Option<Micros>,
    cpu_s: Option<Micros>,
}

impl BuildsTable {
    /// Returns the limits; missing ones have their defaults.
    pub(super) fn limits(&self) -> BuildLimits {
        let default = BuildLimits::default();
        let given = |time: Option<Micros>, default| time.map_or(default, |time| time.0 / 1000);
        BuildLimits {
            wall_ms: given(self.wall_s, default.wall_ms),
            cpu_ms: given(self.cpu_s, default.cpu_ms),
        }
    }
}
