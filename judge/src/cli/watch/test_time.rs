//! A time that tests set, read from a file. Only builds with the feature `test-clock` have it.

#![expect(
    clippy::disallowed_methods,
    reason = "only whoever runs tests names the file"
)]

use jiff::Timestamp;
use rulebook::JudgeError;
use run::watch::Time;
use std::path::PathBuf;
use std::time::Duration;

/// Environment variable with the path of the file, which holds an RFC 3339 time.
const VARIABLE: &str = "JUDGE_TESTS_CLOCK";

pub(super) struct TestTime(PathBuf);

impl TestTime {
    pub(super) fn named() -> Option<Self> {
        std::env::var_os(VARIABLE).map(|path| Self(path.into()))
    }
}

impl Time for TestTime {
    fn read(&self) -> Result<Timestamp, JudgeError> {
        let path = &self.0;
        let text = std::fs::read_to_string(path).map_err(|e| JudgeError::io("read", path, e))?;
        text.trim().parse().map_err(|_| {
            JudgeError::input(format!(
                "{} does not say the time; write one as 2026-12-01T10:00:00Z",
                path.display()
            ))
        })
    }

    fn interval_max(&self) -> Duration {
        Duration::from_millis(50)
    }
}
