//! The source of time of a watch. The caller provides it: the clocks of this machine, or in tests a
//! time that they set.

use jiff::{SignedDuration, Timestamp};
use nix::time::{ClockId, clock_gettime};
use rulebook::JudgeError;
use std::time::{Duration, SystemTime};

/// A source of time.
pub trait Time: Send + Sync {
    /// Reads both clocks.
    ///
    /// # Errors
    /// When a clock cannot be read.
    fn read(&self) -> Result<Reading, JudgeError>;

    /// Returns the intervals of a watch on this source of time.
    fn pace(&self) -> Pace;
}

/// The time of day, and the time since the machine was started.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The time of day.
    pub now: Timestamp,
    /// The time since the machine was started, which nobody sets.
    pub since_start: SignedDuration,
}

/// The intervals of a watch.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Duration of one sleep, after which interrupts are checked.
    pub nap: Duration,
    /// The interval between two looks while games are played.
    pub look_interval: Duration,
    /// The longest wait between two looks.
    pub wait_max: Duration,
}

impl Pace {
    /// The pace of a real contest: submissions arrive every few minutes, and an interrupt is
    /// answered at once.
    pub const OF_THE_MACHINE: Self = Self {
        nap: Duration::from_millis(200),
        look_interval: Duration::from_secs(5),
        wait_max: Duration::MAX,
    };
}

/// The clocks of this machine.
pub struct MachineTime;

impl Time for MachineTime {
    #[expect(clippy::disallowed_methods, reason = "a watch follows a calendar")]
    fn read(&self) -> Result<Reading, JudgeError> {
        let since_start = clock_gettime(ClockId::CLOCK_BOOTTIME)
            .map_err(|e: nix::Error| JudgeError::io("read", "the clock", e.into()))?;
        let now = Timestamp::try_from(SystemTime::now());
        Ok(Reading {
            now: now
                .map_err(|e| JudgeError::input(format!("this machine's clock is wrong: {e}")))?,
            since_start: SignedDuration::try_from(Duration::from(since_start))
                .unwrap_or(SignedDuration::MAX),
        })
    }

    fn pace(&self) -> Pace {
        Pace::OF_THE_MACHINE
    }
}
