//! The tables `[slurm]` and `[watch]`, which change no result.

use super::complaint::{Wrong, wrong};
use super::values::{Moment, PartMinutes, UpTo};
use jiff::Timestamp;
use jiff::tz::Offset;
use model::competition::{Every, SlurmSettings, WatchSettings};
use serde::Deserialize;
use std::ops::RangeInclusive;
use toml::Spanned;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct SlurmTable {
    partition: Option<Spanned<String>>,
    account: Option<Spanned<String>>,
    constraint: Option<Spanned<String>>,
    time: Option<Spanned<String>>,
    part_minutes: Option<PartMinutes>,
    tasks_max: Option<UpTo<100_000>>,
    options: Vec<Spanned<String>>,
}

/// Options that the judge itself passes to `sbatch`. With others it would not find its tasks again.
const OURS: [&str; 12] = [
    "--array",
    "--chdir",
    "--clusters",
    "--cpus-per-task",
    "--job-name",
    "--no-requeue",
    "--ntasks",
    "--open-mode",
    "--output",
    "--parsable",
    "--requeue",
    "--signal",
];

/// The options that keys of the table set.
const KEYS: [&str; 4] = ["partition", "account", "constraint", "time"];

impl SlurmTable {
    pub(super) fn checked(self) -> Result<SlurmSettings, Wrong> {
        let default = SlurmSettings::default();
        let options = self.options.into_iter().map(option);
        Ok(SlurmSettings {
            partition: word("partition", self.partition)?,
            account: word("account", self.account)?,
            constraint: word("constraint", self.constraint)?,
            time: time(self.time)?,
            part_minutes: self.part_minutes.map_or(default.part_minutes, |one| one.0),
            tasks_max: self.tasks_max.map_or(default.tasks_max, |one| one.0),
            options: options.collect::<Result<_, _>>()?,
        })
    }
}

fn word(key: &str, value: Option<Spanned<String>>) -> Result<Option<String>, Wrong> {
    let Some(value) = value else {
        return Ok(None);
    };
    let text = value.get_ref();
    if text.is_empty() || text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        let reason = format!("{key}: must be one word, as Slurm calls it");
        return wrong(&value, reason);
    }
    Ok(Some(value.into_inner()))
}

/// Returns a time limit in a form that Slurm accepts: minutes, `minutes:seconds`,
/// `hours:minutes:seconds`, or one of these after `days-` (sbatch(1), `--time`).
fn time(value: Option<Spanned<String>>) -> Result<Option<String>, Wrong> {
    let Some(value) = value else {
        return Ok(None);
    };
    let (days, rest) = match value.get_ref().split_once('-') {
        Some((days, rest)) => (days, rest),
        None => ("0", value.get_ref().as_str()),
    };
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = rest.split(':').collect();
    if !is_number(days) || parts.len() > 3 || !parts.iter().all(|part| is_number(part)) {
        let reason = "time: must be a time limit as Slurm writes it: \"30\" (minutes), \"1:30:00\" or \"1-12:00:00\"";
        return wrong(&value, reason);
    }
    Ok(Some(value.into_inner()))
}

fn option(value: Spanned<String>) -> Result<String, Wrong> {
    let text = value.get_ref();
    let name = text.split('=').next().unwrap_or_default();
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
    let is_long = name
        .strip_prefix("--")
        .is_some_and(|name| !name.is_empty() && name.bytes().all(is_plain));
    let reason = if !is_long || text.chars().any(char::is_control) {
        "must be a long option of sbatch with its value, for example \"--qos=normal\""
    } else if KEYS.contains(&&name[2..]) {
        &format!("use the key {}", &name[2..])
    } else if OURS.contains(&name) {
        "the judge sets it itself"
    } else {
        return Ok(value.into_inner());
    };
    wrong(&value, format!("options: {text:?}: {reason}"))
}

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
    let reason = match deadline {
        _ if has_seed => {
            "judge reveal ends a freeze, but a public seed has nothing to reveal; remove seed or freeze"
        }
        None => "freeze needs a deadline, for example deadline = 2026-12-24T18:00:00+01:00",
        Some(deadline) if freeze >= deadline => {
            &format!("must be before the deadline, {deadline}; correct one of the two")
        }
        Some(_) => return Ok(freeze),
    };
    wrong(value, format!("freeze: {freeze}: {reason}"))
}

fn every(value: &Spanned<String>) -> Result<Every, Wrong> {
    match value.get_ref().as_str() {
        "deadline" => Ok(Every::Deadline),
        "nightly" => Ok(Every::NIGHTLY),
        text if text.contains(':') => time_of_day(text).ok_or_else(|| {
            let reason = "must be a time of day with its offset from UTC, as \"02:30+01:00\"";
            (value.span(), format!("every: {text:?}: {reason}"))
        }),
        _ => span_of_time("every", value, &EVERY_S)
            .map(Every::Seconds)
            .map_err(|(span, reason)| {
                let more = "; or \"nightly\" (02:00 UTC), a time of day as \"02:30+01:00\", or \"deadline\"";
                (span, format!("{reason}{more}"))
            }),
    }
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

#[cfg(test)]
mod tests {
    use super::super::tests::rows;
    use super::super::{Loaded, read};
    use jiff::tz::Offset;
    use model::competition::{Every, SlurmSettings, WatchSettings};

    const DEADLINE: &str = "deadline = 2026-12-24T18:00:00+01:00\ntoo_late = \"graded\"\n";

    fn with(before: &str, name: &str, table: &str) -> Result<Loaded, String> {
        let text = format!("game = \"reversi\"\n{before}[{name}]\n{table}\n");
        read("mine.toml", &text).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_said_has_a_default() {
        assert_eq!(SlurmSettings::default().tasks_max, 1000);
        for text in ["", "[watch]\n", "[slurm]\n"] {
            let text = format!("game = \"reversi\"\n{text}");
            let loaded = read("mine.toml", &text).expect("allowed");
            assert_eq!(loaded.watch, WatchSettings::default());
            assert_eq!(loaded.slurm, SlurmSettings::default());
        }
    }

    #[test]
    fn every_slurm_setting_has_key() {
        let table = "partition = \"cpu\"\naccount = \"ai\"\nconstraint = \"epyc\"\ntime = \"1-12:00:00\"\n\
                     part_minutes = 0.5\ntasks_max = 40\noptions = [\"--qos=low\", \"--nice\"]";
        let expected = SlurmSettings {
            partition: Some("cpu".to_owned()),
            account: Some("ai".to_owned()),
            constraint: Some("epyc".to_owned()),
            time: Some("1-12:00:00".to_owned()),
            part_minutes: 0.5,
            tasks_max: 40,
            options: vec!["--qos=low".to_owned(), "--nice".to_owned()],
        };
        let loaded = with("", "slurm", table).expect("allowed");
        assert_eq!(loaded.slurm, expected);
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
        let loaded = with(DEADLINE, "watch", table).expect("allowed");
        assert_eq!(loaded.watch, expected);
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
            let read = with("", "watch", &format!("every = {text:?}")).expect(text);
            assert_eq!(read.watch.every, every);
        }
    }

    #[test]
    fn a_wrong_value_is_named_with_its_line() {
        let seeded = "deadline = 2026-12-24T18:00:00Z\ntoo_late = \"graded\"\nseed = 1\n";
        for [before, name, line, words] in rows(include_str!("wrong_settings.txt")) {
            let before = match before.as_str() {
                "deadline" => DEADLINE,
                "seeded" => seeded,
                _ => "",
            };
            let error = with(before, &name, &line).map(|_| ()).expect_err(&line);
            let place = format!("mine.toml, line {}: ", before.lines().count() + 3);
            let holds = error.starts_with(&place) && error.contains(&words);
            assert!(holds, "{error}");
        }
    }
}
