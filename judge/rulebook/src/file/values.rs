use crate::scoring::grades::rounded;
use jiff::Timestamp;
use jiff::fmt::temporal::Pieces;
use jiff::tz::Offset;
use model::competition::FINAL;
use model::points::Points;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use std::ops::RangeInclusive;
use std::time::Duration;

/// Maximum number of initial states of a competition.
pub const STATES_MAX: u32 = 1_000_000;

pub(super) struct Round(pub(super) String);

impl Default for Round {
    fn default() -> Self {
        Self(FINAL.to_owned())
    }
}

impl<'de> Deserialize<'de> for Round {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let value = toml::Value::deserialize(source)?;
        let text = value.as_str().unwrap_or_default();
        let is_plain = |digits: &str| digits.parse().is_ok_and(|n: u32| n.to_string() == digits);
        if text == FINAL || text.strip_prefix("practice/").is_some_and(is_plain) {
            return Ok(Self(text.to_owned()));
        }
        let value = shown(&value);
        Err(D::Error::custom(format!(
            "{value}: must be \"{FINAL}\", or a practice round, for example \"practice/1\""
        )))
    }
}

pub(super) struct Moment(pub(super) Timestamp, pub(super) Offset);

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let value = toml::Value::deserialize(source)?;
        let text = match &value {
            toml::Value::Datetime(time) => time.to_string(),
            toml::Value::String(text) => text.clone(),
            _ => String::new(),
        };
        let offset = Pieces::parse(&text)
            .ok()
            .and_then(|it| it.to_numeric_offset());
        text.parse().ok().zip(offset).map(|(at, offset)| Self(at, offset)).ok_or_else(|| {
            let value = if text.is_empty() { shown(&value) } else { text };
            D::Error::custom(format!(
                "{value}: must be a date and a time with its zone, for example 2026-12-24T18:00:00+01:00"
            ))
        })
    }
}

fn shown(value: &toml::Value) -> String {
    match value {
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::Float(number) => number.to_string(),
        toml::Value::Boolean(flag) => flag.to_string(),
        toml::Value::String(text) => format!("{text:?}"),
        other => format!("({})", other.type_str()),
    }
}

/// A whole number from `LEAST` to `MOST`.
pub(super) struct Whole<T, const LEAST: u64, const MOST: u64>(pub(super) T);

impl<'de, T: TryFrom<u64>, const LEAST: u64, const MOST: u64> Deserialize<'de>
    for Whole<T, LEAST, MOST>
{
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let value = toml::Value::deserialize(source)?;
        value
            .as_integer()
            .and_then(|number| u64::try_from(number).ok())
            .filter(|number| (LEAST..=MOST).contains(number))
            .and_then(|number| T::try_from(number).ok())
            .map(Self)
            .ok_or_else(|| {
                let advice = value
                    .as_str()
                    .and_then(|text| text.parse::<u64>().ok())
                    .map_or("", |_| ", without quotes");
                let value = shown(&value);
                D::Error::custom(format!("{value}: must be {LEAST} to {MOST}{advice}"))
            })
    }
}

pub(super) type UpTo<const MOST: u64> = Whole<u32, 1, MOST>;

pub(super) type StateCount = UpTo<{ STATES_MAX as u64 }>;

pub(super) type GamesNeeded = Whole<u64, 0, 1_000_000>;

pub(super) type Seed = Whole<u64, 0, { i64::MAX as u64 }>;

pub(super) type Millis = Whole<u64, 0, 86_400_000>;

pub(super) type CpuStep = UpTo<{ CPU_STEP_MS_MAX as u64 }>;

/// Allowed limits of a bot's memory, in MiB.
pub const MEMORY_MIB: RangeInclusive<u64> = 16..=1_048_576;

pub(super) type MemoryMib = Whole<u64, { *MEMORY_MIB.start() }, { *MEMORY_MIB.end() }>;

/// The target time for the games of one task on a cluster, in minutes: at most a day.
pub(super) struct PartMinutes(pub(super) f64);

const PART_MINUTES: RangeInclusive<f64> = 0.01..=1440.0;

impl<'de> Deserialize<'de> for PartMinutes {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        number_in(source, &PART_MINUTES, " minutes", "").map(Self)
    }
}

/// A time in microseconds, written in seconds.
#[derive(Clone, Copy)]
pub(super) struct Micros(pub(super) u64);

impl Micros {
    pub(super) fn millis(self) -> u64 {
        self.0 / 1000
    }
}

/// The longest allowed time, in seconds: a day.
const SECONDS_MAX: f64 = 86_400.0;

impl<'de> Deserialize<'de> for Micros {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let seconds = number_in(source, &(0.001..=SECONDS_MAX), " seconds", "")?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be positive and small"
        )]
        Ok(Self((seconds * 1e6).round() as u64))
    }
}

pub(super) struct GradeText(pub(super) String);

impl<'de> Deserialize<'de> for GradeText {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        match toml::Value::deserialize(source)? {
            toml::Value::String(text) => Ok(Self(text)),
            toml::Value::Integer(number) => Ok(Self(number.to_string())),
            toml::Value::Float(number) if number.is_finite() => Ok(Self(format!("{number:?}"))),
            _ => Err(D::Error::custom(
                "a grade must be a text or a finite number",
            )),
        }
    }
}

const EXTRA_POINTS_MAX: f64 = 1e6;

/// Points that a penalty takes off, or that a part of the homework gives, with at most six decimals.
pub(super) struct ExtraPoints(pub(super) Points);

impl<'de> Deserialize<'de> for ExtraPoints {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let points = number_in(source, &(0.0..=EXTRA_POINTS_MAX), "", " points")?;
        Ok(Self(rounded(points)))
    }
}

/// Shortest wall time after which silence may be a fault, in seconds.
const SILENCE_SECONDS_MIN: f64 = 0.1;

/// A limit of a wait.
pub(super) struct Wait(Micros);

impl Wait {
    pub(super) fn millis(self) -> u64 {
        self.0.millis()
    }
}

impl<'de> Deserialize<'de> for Wait {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let limit = Micros::deserialize(source)?;
        let seconds = Duration::from_micros(limit.0).as_secs_f64();
        if seconds >= SILENCE_SECONDS_MIN {
            return Ok(Self(limit));
        }
        Err(D::Error::custom(format!(
            "{seconds} seconds: must be {SILENCE_SECONDS_MIN} to {SECONDS_MAX}, because the judge needs time to read an answer"
        )))
    }
}

/// Parses a number within these bounds, both inclusive; messages write the units after number and bounds.
fn number_in<'de, D: Deserializer<'de>>(
    source: D,
    allowed: &RangeInclusive<f64>,
    unit: &str,
    units: &str,
) -> Result<f64, D::Error> {
    let number = match toml::Value::deserialize(source)? {
        toml::Value::Float(number) => number,
        #[expect(clippy::cast_precision_loss, reason = "limits are far below 2^53")]
        toml::Value::Integer(number) => number as f64,
        other => {
            let kind = other.type_str();
            return Err(D::Error::custom(format!("must be a number, not a {kind}")));
        }
    };
    if allowed.contains(&number) {
        return Ok(number);
    }
    let (least, most) = (allowed.start(), allowed.end());
    let reason = format!("{number}{unit}: must be {least} to {most}{units}");
    Err(D::Error::custom(reason))
}

#[derive(Clone, Copy, Default)]
pub(super) struct Rate(pub(super) f64);

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        number_in(source, &(0.0..=RATE_MAX), " points per second", "").map(Self)
    }
}

/// Maximum step that the CPU time of a game is rounded to, in milliseconds.
pub const CPU_STEP_MS_MAX: u32 = 60_000;

/// Maximum number of points for a second of CPU time.
pub const RATE_MAX: f64 = 1e6;
