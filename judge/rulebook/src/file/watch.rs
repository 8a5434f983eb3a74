//! The table `[watch]`, and the keys that say when a submission is late and what follows.

use super::complaint::Wrong;
use super::values::{ExtraPoints, Moment, UpTo};
use jiff::Timestamp;
use jiff::tz::Offset;
use model::competition::Scoring;
use model::competition::{Every, WatchSettings};
use model::lateness::{LateStep, TooLate};
use model::points::Points;
use serde::Deserialize;
use std::ops::{Range, RangeInclusive};
use toml::Spanned;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WatchTable {
    every: Option<Spanned<String>>,
    freeze: Option<Spanned<Moment>>,
    rounds: Option<Spanned<String>>,
    poll: Option<Spanned<String>>,
    again_after: Option<Spanned<String>>,
    disk_max: Option<Spanned<String>>,
}

const YEAR_S: u32 = 365 * 86_400;
const ROUND_S: RangeInclusive<u32> = 3600..=YEAR_S;
const POLL_S: RangeInclusive<u32> = 60..=86_400;
const AGAIN_AFTER_S: RangeInclusive<u32> = 0..=86_400;
const EVERY_S: RangeInclusive<u32> = 60..=YEAR_S;

impl WatchTable {
    /// Returns the settings, where `has_seed` says that the draw is public; missing ones have their defaults.
    pub(super) fn checked(
        self,
        deadline: Option<Timestamp>,
        has_seed: bool,
    ) -> Result<WatchSettings, Wrong> {
        let default = WatchSettings::default();
        let span = |key, value: Option<Spanned<String>>, allowed| {
            value
                .map(|value| span_of_time(key, &value, allowed))
                .transpose()
        };
        Ok(WatchSettings {
            every: self
                .every
                .map_or(Ok(default.every), |value| every(&value))?,
            freeze: self
                .freeze
                .map(|value| freeze(&value, deadline, has_seed))
                .transpose()?,
            round_s: span("rounds", self.rounds, &ROUND_S)?,
            poll_s: span("poll", self.poll, &POLL_S)?.unwrap_or(default.poll_s),
            again_after_s: span("again_after", self.again_after, &AGAIN_AFTER_S)?
                .unwrap_or(default.again_after_s),
            disk_bytes_max: self.disk_max.map(|value| bytes(&value)).transpose()?,
        })
    }
}

fn freeze(
    value: &Spanned<Moment>,
    deadline: Option<Timestamp>,
    has_seed: bool,
) -> Result<Timestamp, Wrong> {
    let freeze = value.get_ref().0;
    let wrong = |reason: String| Err((value.span(), format!("freeze: {freeze}: {reason}")));
    match deadline {
        _ if has_seed => wrong(
            "judge reveal ends a freeze, but a public seed has nothing to reveal; remove seed or freeze"
                .to_owned(),
        ),
        None => wrong("freeze needs a deadline, for example deadline = 2026-12-24T18:00:00+01:00".to_owned()),
        Some(deadline) if freeze >= deadline => {
            wrong(format!(
                "must be before the deadline, {deadline}; correct one of the two"
            ))
        }
        Some(_) => Ok(freeze),
    }
}

fn every(value: &Spanned<String>) -> Result<Every, Wrong> {
    match value.get_ref().as_str() {
        "deadline" => return Ok(Every::Deadline),
        "nightly" => return Ok(Every::NIGHTLY),
        text if text.contains(':') => {
            return time_of_day(text).ok_or_else(|| {
                let reason = "must be a time of day with its offset from UTC, as \"02:30+01:00\"";
                (value.span(), format!("every: {text:?}: {reason}"))
            });
        }
        _ => {}
    }
    span_of_time("every", value, &EVERY_S)
        .map(Every::Seconds)
        .map_err(|(span, reason)| {
            let more =
                "; or \"nightly\" (02:00 UTC), a time of day as \"02:30+01:00\", or \"deadline\"";
            (span, format!("{reason}{more}"))
        })
}

/// Parses a time of day such as `02:30+01:00` or `02:30Z`.
fn time_of_day(text: &str) -> Option<Every> {
    let zone = text.find(['+', '-', 'Z'])?;
    let (time, zone) = text.split_at(zone);
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let at_s = seconds_of(time)?;
    let offset_s = match zone {
        "Z" => 0,
        zone => sign * i32::try_from(seconds_of(zone.get(1..)?)?).ok()?,
    };
    let offset = Offset::from_seconds(offset_s).ok()?;
    Some(Every::Day { at_s, offset })
}

fn seconds_of(time: &str) -> Option<u32> {
    let (hours, minutes) = time.split_once(':')?;
    let number = |text: &str, below: u32| -> Option<u32> {
        let is_plain = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        let number: u32 = text.parse().ok()?;
        (is_plain && number < below).then_some(number)
    };
    Some(number(hours, 24)? * 3600 + number(minutes, 60)? * 60)
}

/// Parses a time such as `90s`, `5m`, `1h` or `7d`; returns it in seconds.
fn span_of_time(
    key: &str,
    value: &Spanned<String>,
    allowed: &RangeInclusive<u32>,
) -> Result<u32, Wrong> {
    let text = value.get_ref();
    let units = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)];
    let seconds = amount(text, &units).and_then(|seconds| u32::try_from(seconds).ok());
    seconds.filter(|seconds| allowed.contains(seconds)).ok_or_else(|| {
        let (least, most) = (written(*allowed.start()), written(*allowed.end()));
        let reason = format!("{key}: {text:?}: must be a time of {least} to {most}, for example \"90s\", \"5m\", \"1h\" or \"7d\"");
        (value.span(), reason)
    })
}

fn written(seconds: u32) -> String {
    let units = [(86_400, "d"), (3600, "h"), (60, "m")];
    let fits = |(length, _): &&(u32, &str)| seconds > 0 && seconds.is_multiple_of(*length);
    units.iter().find(fits).map_or_else(
        || format!("{seconds}s"),
        |(length, unit)| format!("{}{unit}", seconds / length),
    )
}

fn amount(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    units.iter().find_map(|(unit, size)| {
        let number: u64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
        number.checked_mul(*size)
    })
}

fn bytes(value: &Spanned<String>) -> Result<u64, Wrong> {
    let text = value.get_ref();
    let units = [
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
    ];
    amount(text, &units)
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| {
            let reason = format!(
                "disk_max: {text:?}: must be an amount, for example \"500 MB\" or \"20 GB\""
            );
            (value.span(), reason)
        })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LateRow {
    /// At most a year.
    within_h: UpTo<8760>,
    penalty: ExtraPoints,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ReceivedBy {
    Judge,
}

pub(super) struct LatenessKeys {
    pub(super) deadline: Option<Range<usize>>,
    pub(super) timezone: Option<Range<usize>>,
    pub(super) late: Option<Spanned<Vec<Spanned<LateRow>>>>,
    pub(super) too_late: Option<Spanned<TooLate>>,
    pub(super) received: Option<Spanned<ReceivedBy>>,
}

impl LatenessKeys {
    /// After all steps of `late` a submission is ungraded, unless `too_late` says otherwise.
    pub(super) fn checked(self, scoring: &Scoring) -> Result<(Vec<LateStep>, TooLate), Wrong> {
        let keys = [
            ("timezone", self.timezone.clone()),
            ("late", self.late.as_ref().map(Spanned::span)),
            ("too_late", self.too_late.as_ref().map(Spanned::span)),
            ("received", self.received.as_ref().map(Spanned::span)),
        ];
        for (key, span) in keys {
            if let Some(span) = span.filter(|_| self.deadline.is_none()) {
                let reason = format!(
                    "{key} needs a deadline, for example deadline = 2026-12-24T18:00:00+01:00"
                );
                return Err((span, reason));
            }
        }
        let after = match (&self.late, self.deadline) {
            (None, Some(span)) if self.too_late.is_none() => {
                return Err((span, NOTHING_FOLLOWS.to_owned()));
            }
            (None, _) => TooLate::Graded,
            (Some(_), _) => TooLate::Ungraded,
        };
        let steps = match self.late {
            Some(steps) => checked(steps, scoring)?,
            None => Vec::new(),
        };
        Ok((steps, self.too_late.map_or(after, Spanned::into_inner)))
    }
}

const NOTHING_FOLLOWS: &str = "a deadline alone has no effect: say what happens to later submissions. Add the line \
                               too_late = \"ungraded\" (they play without rank, prize and grade), \"not-played\" or \
                               \"graded\" (they count as any other), or add late with what they cost";

fn checked(
    steps: Spanned<Vec<Spanned<LateRow>>>,
    scoring: &Scoring,
) -> Result<Vec<LateStep>, Wrong> {
    let span = steps.span();
    let mut checked: Vec<LateStep> = Vec::new();
    for step in steps.into_inner() {
        let span = step.span();
        let row = step.into_inner();
        let step = LateStep {
            within_h: row.within_h.0,
            penalty: row.penalty.0,
        };
        let before = checked.last();
        let reason = if before.is_some_and(|before| before.within_h >= step.within_h) {
            Some("list the steps of late in order: within_h must increase".to_owned())
        } else if before.is_some_and(|before| before.penalty > step.penalty) {
            Some("later submissions cannot lose less: penalty must not decrease".to_owned())
        } else {
            misfit(step.penalty, scoring)
        };
        if let Some(reason) = reason {
            return Err((span, reason));
        }
        checked.push(step);
    }
    if checked.is_empty() {
        let reason = "late: name at least one step, as late = [{ within_h = 24, penalty = 1 }]";
        return Err((span, reason.to_owned()));
    }
    Ok(checked)
}

/// Returns why a penalty cannot be taken off this competition's grades or prizes, if so.
fn misfit(penalty: Points, scoring: &Scoring) -> Option<String> {
    if penalty == Points::default() {
        return None;
    }
    if let Some(grades) = &scoring.grades {
        let word = grades
            .steps
            .iter()
            .map(|step| &step.grade)
            .chain([&grades.otherwise])
            .find(|grade| !is_number(grade))?;
        return Some(format!(
            "the penalty is taken off the grade, but the grade {word:?} is not a number; use too_late instead of a penalty"
        ));
    }
    if scoring.prizes.is_empty() {
        return Some(
            "the penalty is taken off the grade or else the prize, but this competition has neither; add \
             [scoring.grades] or [[scoring.prizes]]"
                .to_owned(),
        );
    }
    (i64::from(penalty) % 1_000_000 != 0).then(|| {
        "the penalty is taken off the prize, which is a whole number: penalty must be one too"
            .to_owned()
    })
}

fn is_number(grade: &str) -> bool {
    grade.trim().parse().is_ok_and(f64::is_finite)
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::super::tests::rows;
    use jiff::tz::Offset;
    use model::competition::{Every, WatchSettings};

    const DEADLINE: &str = "deadline = 2026-12-24T18:00:00+01:00\ntoo_late = \"graded\"\n";

    fn watch(before: &str, table: &str) -> Result<WatchSettings, String> {
        let text = format!("game = \"reversi\"\n{before}[watch]\n{table}\n");
        let read = read("mine.toml", &text);
        read.map(|loaded| loaded.watch)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_said_has_a_default() {
        assert_eq!(watch("", ""), Ok(WatchSettings::default()));
        let loaded = read("mine.toml", "game = \"reversi\"\n").expect("allowed");
        assert_eq!(loaded.watch, WatchSettings::default());
    }

    #[test]
    fn everything_can_be_said() {
        let table = "every = \"1h\"\nfreeze = 2026-12-18T18:00:00+01:00\nrounds = \"7d\"\npoll = \"90s\"\n\
                     again_after = \"0s\"\ndisk_max = \"20 GB\"";
        let expected = WatchSettings {
            every: Every::Seconds(3600),
            freeze: Some("2026-12-18T17:00:00Z".parse().expect("a time")),
            round_s: Some(7 * 86_400),
            poll_s: 90,
            again_after_s: 0,
            disk_bytes_max: Some(20_000_000_000),
        };
        assert_eq!(watch(DEADLINE, table), Ok(expected));
        let early = Every::Day {
            at_s: 9000,
            offset: Offset::constant(1),
        };
        for (text, every) in [
            ("nightly", Every::NIGHTLY),
            ("deadline", Every::Deadline),
            ("02:30+01:00", early),
            ("02:00Z", Every::NIGHTLY),
        ] {
            let read = watch("", &format!("every = {text:?}")).expect(text);
            assert_eq!(read.every, every);
        }
    }

    #[test]
    fn a_wrong_value_is_named_with_its_line() {
        let seeded = "deadline = 2026-12-24T18:00:00Z\ntoo_late = \"graded\"\nseed = 1\n";
        for [before, line, words] in rows(
            r#"
            | every = "daily"      | every: "daily": must be a time of 1m to 365d, for example "90s"
            | every = "25:00Z"     | must be a time of day with its offset
            | poll = "30s"         | poll: "30s": must be a time of 1m to 1d
            | rounds = "1m"        | rounds: "1m": must be a time of 1h to 365d
            | again_after = "2d"   | again_after: "2d": must be a time of 0s to 1d
            | disk_max = "20"      | disk_max: "20": must be an amount
            | freeze = 2026-12-18T18:00:00Z | freeze needs a deadline
            deadline | freeze = 2026-12-24T18:00:00+01:00 | freeze: 2026-12-24T17:00:00Z: must be before the deadline, 2026-12-24T17:00:00Z; correct
            seeded | freeze = 2026-12-18T18:00:00Z | a public seed has nothing to reveal
            | server = 1           | unknown key `server`
            "#,
        ) {
            let before = match before.as_str() {
                "deadline" => DEADLINE,
                "seeded" => seeded,
                _ => "",
            };
            let error = watch(before, &line).expect_err(&line);
            let place = format!("mine.toml, line {}: ", before.lines().count() + 3);
            assert!(
                error.starts_with(&place) && error.contains(&words),
                "{error}"
            );
        }
    }
}
