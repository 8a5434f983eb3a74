//! Numbers with their bounds.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use std::ops::RangeInclusive;
use std::time::Duration;

/// The most initial states of a competition.
const STATES_MAX: u32 = 1_000_000;

/// How many initial states there are.
pub(super) struct States(pub(super) u32);

impl Default for States {
    fn default() -> Self {
        Self(1)
    }
}

impl<'de> Deserialize<'de> for States {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let states = i64::deserialize(source)?;
        let allowed = u32::try_from(states)
            .ok()
            .filter(|n| (1..=STATES_MAX).contains(n));
        allowed.map(Self).ok_or_else(|| {
            D::Error::custom(format!("states = {states}: allowed are 1 to {STATES_MAX}"))
        })
    }
}

/// An amount of time that is written in seconds, in microseconds.
#[derive(Clone, Copy)]
pub(super) struct Micros(pub(super) u64);

/// The longest time that can be asked for: a day.
const SECONDS_MAX: f64 = 86_400.0;

impl<'de> Deserialize<'de> for Micros {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let seconds = number(source)?;
        if !(0.001..=SECONDS_MAX).contains(&seconds) {
            let reason = format!("{seconds} seconds: allowed are 0.001 to {SECONDS_MAX}");
            return Err(D::Error::custom(reason));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be positive and small"
        )]
        Ok(Self((seconds * 1e6).round() as u64))
    }
}

/// The shortest wall time after which silence is a fault.
pub(crate) const SILENCE_SECONDS_MIN: f64 = 0.1;

/// Reads a limit on silence.
pub(super) fn patience<'de, D: Deserializer<'de>>(source: D) -> Result<Micros, D::Error> {
    let limit = Micros::deserialize(source)?;
    let least = Duration::from_secs_f64(SILENCE_SECONDS_MIN);
    if u128::from(limit.0) < least.as_micros() {
        let seconds = Duration::from_micros(limit.0).as_secs_f64();
        return Err(D::Error::custom(format!(
            "{seconds} seconds: allowed are {SILENCE_SECONDS_MIN} to {SECONDS_MAX}, as it may take a while until a bot is heard"
        )));
    }
    Ok(limit)
}

/// Reads a number with or without a decimal point.
fn number<'de, D: Deserializer<'de>>(source: D) -> Result<f64, D::Error> {
    match toml::Value::deserialize(source)? {
        toml::Value::Float(number) => Ok(number),
        #[expect(clippy::cast_precision_loss, reason = "limits are far below 2^53")]
        toml::Value::Integer(number) => Ok(number as f64),
        other => {
            let kind = other.type_str();
            Err(D::Error::custom(format!(
                "a number is needed, not a {kind}"
            )))
        }
    }
}

/// What a bot may allocate, in MiB.
pub const MEMORY_MIB: RangeInclusive<u64> = 16..=1_048_576;

/// An amount of memory.
pub(super) struct MemoryMib(pub(super) u64);

impl Default for MemoryMib {
    /// What the courses' machines have room for with several games at once.
    fn default() -> Self {
        Self(1024)
    }
}

impl<'de> Deserialize<'de> for MemoryMib {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let mib = i64::deserialize(source)?;
        let allowed = u64::try_from(mib)
            .ok()
            .filter(|mib| MEMORY_MIB.contains(mib));
        allowed.map(Self).ok_or_else(|| {
            let (least, most) = (MEMORY_MIB.start(), MEMORY_MIB.end());
            D::Error::custom(format!("memory_mib = {mib}: allowed are {least} to {most}"))
        })
    }
}

/// Points for a second.
#[derive(Clone, Copy, Default)]
pub(super) struct Rate(pub(super) f64);

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let rate = number(source)?;
        if !(0.0..=RATE_MAX).contains(&rate) {
            let reason = format!("{rate} points per second: allowed are 0 to {RATE_MAX}");
            return Err(D::Error::custom(reason));
        }
        Ok(Self(rate))
    }
}

/// The most points for a second of CPU time.
pub const RATE_MAX: f64 = 1e6;
