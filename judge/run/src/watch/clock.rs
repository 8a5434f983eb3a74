//! A watch's clock: it reads a source of time, and notices when the time of day was set. It
//! compares the time of day with the time since the machine was started, which nobody sets.

use super::time::{Reading, Time};
use jiff::{SignedDuration, Timestamp};
use rulebook::JudgeError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The smallest jump that is not taken as a correction by the system: those are small and frequent.
const JUMP_MIN: SignedDuration = SignedDuration::from_secs(60);
/// The time without a jump after which the clock is trusted with decisions that cannot be undone.
const STEADY: SignedDuration = SignedDuration::from_mins(10);

/// The longest gap after which a new watch trusts its clock at once. Local time taken for UTC is
/// wrong by half an hour at least; a wrong doubt costs ten minutes.
const MISSED_MAX: SignedDuration = SignedDuration::from_mins(25);
/// The earliest believable time, before the judge existed: a clock that shows less has lost its
/// battery.
const EARLIEST: &str = "2020-01-01T00:00:00Z";

/// The time, and its jumps.
pub(super) struct Clock {
    time: Arc<dyn Time>,
    drift: Option<Drift>,
    /// The last jump that has not been reported.
    jump: Option<SignedDuration>,
}

/// The time that earlier watches of a run noted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Noted {
    /// There was no watch.
    NoWatch,
    /// There was one, and its note cannot be read.
    Nothing,
    /// The last one listed the submissions at this time.
    At(Timestamp),
}

/// The difference between the clock and the time since the start, and when it last changed.
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

    /// Returns a new clock on the same source of time, which knows of no jump yet.
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

    /// Distrusts the clock for a while if it does not follow the note of earlier watches.
    pub(super) fn compare(&mut self, noted: Noted) {
        if let Some(drift) = self.drift.as_mut().filter(|drift| !drift.goes_on(noted)) {
            drift.jumped = Some(drift.last.since_start);
        }
    }

    /// Returns whether there is a jump that has not been reported.
    pub(super) const fn has_jumped(&self) -> bool {
        self.jump.is_some()
    }

    /// Returns the last jump, once.
    pub(super) const fn take_jump(&mut self) -> Option<SignedDuration> {
        self.jump.take()
    }

    /// Returns whether the clock has not jumped for a while.
    pub(super) fn is_steady(&self) -> bool {
        self.drift.is_none_or(|drift| drift.is_steady())
    }

    /// Returns the time without checking for jumps; that of the machine if it cannot be read.
    pub(super) fn now(&self) -> Timestamp {
        self.time
            .read()
            .map_or_else(|_| Timestamp::now(), |reading| reading.now)
    }

    /// Returns the interval between two looks while games are played.
    pub(super) fn look_interval(&self) -> Duration {
        self.time.pace().look_interval
    }

    /// Sleeps briefly; callers then check for interrupts.
    pub(super) fn nap(&self) {
        std::thread::sleep(self.time.pace().nap);
    }

    /// Waits for this time, or until `is_over` is set.
    pub(super) fn wait(&self, time: Duration, is_over: &AtomicBool) {
        let time = time.min(self.time.pace().wait_max);
        let began = Instant::now();
        while began.elapsed() < time && !is_over.load(Ordering::Relaxed) {
            self.nap();
        }
    }
}

impl Drift {
    /// Adds a reading; also returns the jump of the clock before it.
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

    /// Returns whether the clock follows the note of earlier watches.
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

    /// A time that never changes.
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
