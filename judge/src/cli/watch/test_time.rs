//! A time that tests set, read from a file. Only builds with the feature `test-clock` have it.

#![expect(
    clippy::disallowed_methods,
    reason = "only whoever runs tests names the file"
)]

use jiff::{SignedDuration, Timestamp};
use rulebook::JudgeError;
use run::watch::{Pace, Reading, Time};
use std::path::PathBuf;
use std::time::Duration;

/// Environment variable with the path of the file. Its first line is an RFC 3339 time; an optional
/// second line is the number of seconds since the machine started. Without it the clock was never
/// set.
const VARIABLE: &str = "JUDGE_TESTS_CLOCK";

/// A file with the time.
pub(super) struct TestTime(PathBuf);

impl TestTime {
    /// Returns the file that the environment names, if any.
    pub(super) fn named() -> Option<Self> {
        std::env::var_os(VARIABLE).map(|path| Self(path.into()))
    }
}

impl Time for TestTime {
    fn read(&self) -> Result<Reading, JudgeError> {
        let path = &self.0;
        let text = std::fs::read_to_string(path).map_err(|e| JudgeError::io("read", path, e))?;
        parse(&text).ok_or_else(|| {
            JudgeError::input(format!(
                "{} does not say the time; write one as 2026-12-01T10:00:00Z",
                path.display()
            ))
        })
    }

    fn pace(&self) -> Pace {
        let short = Duration::from_millis(50);
        Pace {
            nap: short,
            look_interval: Duration::ZERO,
            wait_max: short,
        }
    }
}

fn parse(text: &str) -> Option<Reading> {
    let mut lines = text.lines();
    let now: Timestamp = lines.next()?.trim().parse().ok()?;
    let since_start = lines.next().and_then(|line| line.trim().parse().ok());
    Some(Reading {
        now,
        since_start: SignedDuration::from_secs(since_start.unwrap_or(now.as_second())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_line_is_the_time_since_the_machine_was_started() {
        for (text, since_start_s) in [
            ("1970-01-01T00:00:07Z", Some(7)),
            ("1970-01-01T00:00:07Z\n1000\n", Some(1000)),
            ("noon", None),
            ("", None),
        ] {
            let reading = parse(text).map(|reading| reading.since_start.as_secs());
            assert_eq!(reading, since_start_s, "{text}");
        }
    }
}
