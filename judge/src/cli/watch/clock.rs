//! The one place where a watch reads the time. Whether the clock has been set meanwhile is told
//! by the one that nobody sets.

#![expect(clippy::disallowed_methods, reason = "a test writes it")]

use error::JudgeError;
use jiff::{SignedDuration, Timestamp};
use nix::time::{ClockId, clock_gettime};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// Names a file with the time for tests: an RFC 3339 time, and in a second line, where the clock is
/// to have been set, the seconds since the machine was started.
const FILE_VARIABLE: &str = "JUDGE_TESTS_CLOCK";
/// How long tests are let sleep at a time.
const TEST_NAP: Duration = Duration::from_millis(50);
/// How often an interrupt is looked for.
const NAP: Duration = Duration::from_millis(200);
/// By more than this the clock has been set; by less it is corrected all the time.
const JUMP_MIN: SignedDuration = SignedDuration::from_secs(60);
/// For so long the clock has to go on without a jump until it is believed what cannot be taken
/// back.
const STEADY: SignedDuration = SignedDuration::from_mins(10);

/// A watch that starts believes its clock at once if that goes on from what was noted last, and no
/// more than this was missed. A clock that takes local time for UTC is wrong by half an hour at
/// least; who is doubted without reason only waits for ten minutes.
const MISSED_MAX: SignedDuration = SignedDuration::from_mins(25);
/// The judge is younger: a clock that says less has lost its battery.
const EARLIEST: &str = "2020-01-01T00:00:00Z";

/// The time.
pub(super) struct Clock {
    file: Option<PathBuf>,
    drift: Option<Drift>,
    /// A jump that nobody has been told of.
    jump: Option<SignedDuration>,
}

/// What the watches of a run before this one have noted of the time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Noted {
    /// There was none.
    NoWatch,
    /// There was one, and nothing can be read.
    Nothing,
    /// The last one listed the submissions at this time.
    At(Timestamp),
}

/// A time of day, and the time since the machine was started.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    pub(super) now: Timestamp,
    since_start: SignedDuration,
}

/// How far the clock and the time since the machine was started are apart, and since when.
#[derive(Clone, Copy, Debug)]
struct Drift {
    last: Reading,
    /// When the clock last jumped, in time since the start.
    jumped: Option<SignedDuration>,
}

impl Clock {
    pub(super) fn new() -> Self {
        Self {
            file: std::env::var_os(FILE_VARIABLE).map(PathBuf::from),
            drift: None,
            jump: None,
        }
    }

    /// Reads the time, and notes whether the clock has jumped.
    ///
    /// # Errors
    /// When the clock cannot be read.
    pub(super) fn look(&mut self) -> Result<Timestamp, JudgeError> {
        let reading = self.read()?;
        let (drift, jump) = Drift::after(self.drift, reading);
        self.drift = Some(drift);
        self.jump = jump.or(self.jump);
        Ok(reading.now)
    }

    /// Doubts the clock for a while where a watch that starts has no reason to believe it.
    pub(super) fn compare(&mut self, noted: Noted) {
        if let Some(drift) = self.drift.as_mut().filter(|drift| !drift.goes_on(noted)) {
            drift.jumped = Some(drift.last.since_start);
        }
    }

    /// Returns whether the clock has jumped, and nobody has been told.
    pub(super) const fn has_jumped(&self) -> bool {
        self.jump.is_some()
    }

    /// Returns by how much the clock has jumped, once.
    pub(super) const fn take_jump(&mut self) -> Option<SignedDuration> {
        self.jump.take()
    }

    /// Returns whether the clock has agreed with itself for a while.
    pub(super) fn is_steady(&self) -> bool {
        self.drift.is_none_or(|drift| drift.is_steady())
    }

    fn read(&self) -> Result<Reading, JudgeError> {
        if let Some(path) = &self.file {
            let text =
                std::fs::read_to_string(path).map_err(|e| JudgeError::io("read", path, e))?;
            return Reading::of_text(&text).ok_or_else(|| {
                JudgeError::input(format!("{} does not say the time", path.display()))
            });
        }
        let failed = |e: nix::Error| JudgeError::io("read", "the clock", e.into());
        let since_start = clock_gettime(ClockId::CLOCK_BOOTTIME).map_err(failed)?;
        let now = Timestamp::try_from(SystemTime::now());
        Ok(Reading {
            now: now
                .map_err(|e| JudgeError::input(format!("this machine's clock is wrong: {e}")))?,
            since_start: SignedDuration::try_from(Duration::from(since_start))
                .unwrap_or(SignedDuration::MAX),
        })
    }

    /// Reads the time, and nothing else; that of the machine where it cannot be read.
    pub(super) fn now(&self) -> Timestamp {
        self.read()
            .map_or_else(|_| Timestamp::now(), |reading| reading.now)
    }

    /// Returns whether tests say what the time is.
    pub(super) const fn is_of_tests(&self) -> bool {
        self.file.is_some()
    }

    /// Returns how long may be slept at a time.
    pub(super) fn nap(&self) -> Duration {
        if self.file.is_some() { TEST_NAP } else { NAP }
    }

    /// Waits until this time is over, or `is_over` says so.
    pub(super) fn wait(&self, time: Duration, is_over: &AtomicBool) {
        let time = if self.file.is_some() { TEST_NAP } else { time };
        let began = Instant::now();
        while began.elapsed() < time && !is_over.load(Ordering::Relaxed) {
            std::thread::sleep(self.nap().min(time));
        }
    }
}

impl Reading {
    fn of_text(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let now: Timestamp = lines.next()?.trim().parse().ok()?;
        let told = lines.next().and_then(|line| line.trim().parse().ok());
        // Where nothing else is said, both clocks agree.
        let since_start = told.unwrap_or(now.as_second());
        Some(Self {
            now,
            since_start: SignedDuration::from_secs(since_start),
        })
    }
}

impl Drift {
    /// Takes note of a reading; returns also by how much the clock has jumped before it.
    fn after(before: Option<Self>, reading: Reading) -> (Self, Option<SignedDuration>) {
        let Some(Self { last, jumped }) = before else {
            let drift = Self {
                last: reading,
                jumped: None,
            };
            return (drift, None);
        };
        let jump = reading.now.duration_since(last.now) - (reading.since_start - last.since_start);
        let jump = (jump.abs() > JUMP_MIN).then_some(jump);
        let drift = Self {
            last: reading,
            jumped: jump.map(|_| reading.since_start).or(jumped),
        };
        (drift, jump)
    }

    /// Returns whether it is likely that the clock is right.
    fn goes_on(&self, noted: Noted) -> bool {
        let now = self.last.now;
        match noted {
            Noted::NoWatch => now >= EARLIEST.parse().unwrap_or(Timestamp::MIN),
            Noted::Nothing => false,
            Noted::At(noted) => {
                let missed = now.duration_since(noted);
                (-JUMP_MIN..=MISSED_MAX).contains(&missed)
            }
        }
    }

    fn is_steady(&self) -> bool {
        self.jumped
            .is_none_or(|jumped| self.last.since_start - jumped >= STEADY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_jumps_is_told_and_believed_again_after_ten_minutes() {
        let mut drift = None;
        let mut told = Vec::new();
        for text in [
            "2026-12-01T10:00:00Z\n1000",
            // Corrected by some seconds.
            "2026-12-01T10:00:58Z\n1030",
            "2026-12-03T10:00:30Z\n1060",
            "2026-12-03T10:10:29Z\n1659",
            "2026-12-03T10:10:30Z\n1660",
            "2026-12-03T09:10:30Z\n1661",
        ] {
            let reading = Reading::of_text(text).expect("a time");
            let (after, jump) = Drift::after(drift, reading);
            told.push((jump.map(|jump| jump.as_secs()), after.is_steady()));
            drift = Some(after);
        }
        let expected = [
            (None, true),
            (None, true),
            (Some(172_742), false),
            (None, false),
            (None, true),
            (Some(-3601), false),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn a_clock_is_believed_at_a_start_where_it_goes_on_from_what_was_noted() {
        let at = |text: &str| text.parse::<Timestamp>().expect("a time");
        let noted = Noted::At(at("2026-12-01T10:00:00Z"));
        for (now, noted, is_believed) in [
            ("2026-12-01T10:05:00Z", noted, true),
            ("2026-12-01T09:59:30Z", noted, true),
            // Local time for UTC, after a minute.
            ("2026-12-01T10:31:00Z", noted, false),
            ("2026-12-01T09:00:00Z", noted, false),
            ("2026-12-01T10:05:00Z", Noted::Nothing, false),
            ("2026-12-01T10:05:00Z", Noted::NoWatch, true),
            ("1970-01-01T00:01:00Z", Noted::NoWatch, false),
        ] {
            let reading = Reading::of_text(now).expect("a time");
            let mut clock = Clock {
                file: None,
                drift: Some(Drift::after(None, reading).0),
                jump: None,
            };
            clock.compare(noted);
            assert_eq!(clock.is_steady(), is_believed, "{now} {noted:?}");
        }
    }
}
