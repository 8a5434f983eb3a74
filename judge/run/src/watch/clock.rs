//! A watch's clock: a source of time, and whether the time of day has been set meanwhile. The
//! time since the machine was started tells, because nobody sets that.

use super::time::{Reading, Time};
use error::JudgeError;
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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

/// The time, and what is known of its jumps.
pub(super) struct Clock {
    time: Arc<dyn Time>,
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

/// How far the clock and the time since the machine was started are apart, and since when.
#[derive(Clone, Copy, Debug)]
struct Drift {
    last: Reading,
    /// When the clock last jumped, in time since the start.
    jumped: Option<SignedDuration>,
}

impl Clock {
    pub(super) const fn new(time: Arc<dyn Time>) -> Self {
        Self {
            time,
            drift: None,
            jump: None,
        }
    }

    /// Returns a new clock with the same source of time, which knows of no jump yet.
    pub(super) fn another(&self) -> Self {
        Self::new(Arc::clone(&self.time))
    }

    /// Reads the time, and notes whether the clock has jumped.
    ///
    /// # Errors
    /// When the clock cannot be read.
    pub(super) fn look(&mut self) -> Result<Timestamp, JudgeError> {
        let reading = self.time.read()?;
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

    /// Reads the time, and nothing else; that of the machine where it cannot be read.
    pub(super) fn now(&self) -> Timestamp {
        self.time
            .read()
            .map_or_else(|_| Timestamp::now(), |reading| reading.now)
    }

    /// Returns the interval between two looks while games are played.
    pub(super) fn look_interval(&self) -> Duration {
        self.time.pace().look_interval
    }

    /// Sleeps for a moment, after which interrupts are looked for.
    pub(super) fn nap(&self) {
        std::thread::sleep(self.time.pace().nap);
    }

    /// Waits until this time is over, or `is_over` says so.
    pub(super) fn wait(&self, time: Duration, is_over: &AtomicBool) {
        let time = time.min(self.time.pace().wait_max);
        let began = Instant::now();
        while began.elapsed() < time && !is_over.load(Ordering::Relaxed) {
            self.nap();
        }
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
    use super::super::time::Pace;
    use super::*;

    /// A time that stands still.
    struct Fixed(Timestamp);

    impl Time for Fixed {
        fn read(&self) -> Result<Reading, JudgeError> {
            Ok(Reading {
                now: self.0,
                since_start: SignedDuration::ZERO,
            })
        }

        fn pace(&self) -> Pace {
            Pace::OF_THE_MACHINE
        }
    }

    #[test]
    fn a_clock_that_jumps_is_told_and_believed_again_after_ten_minutes() {
        let mut drift = None;
        let mut told = Vec::new();
        for (text, since_start_s) in [
            ("2026-12-01T10:00:00Z", 1000),
            // Corrected by some seconds.
            ("2026-12-01T10:00:58Z", 1030),
            ("2026-12-03T10:00:30Z", 1060),
            ("2026-12-03T10:10:29Z", 1659),
            ("2026-12-03T10:10:30Z", 1660),
            ("2026-12-03T09:10:30Z", 1661),
        ] {
            let reading = Reading {
                now: text.parse().expect("a time"),
                since_start: SignedDuration::from_secs(since_start_s),
            };
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
            let mut clock = Clock::new(Arc::new(Fixed(at(now))));
            clock.look().expect("it says the time");
            clock.compare(noted);
            assert_eq!(clock.is_steady(), is_believed, "{now} {noted:?}");
        }
    }
}
