//! The time of a watch. Its caller provides the source: the clock of this machine, or in tests a time
//! that they set.

use jiff::Timestamp;
use rulebook::JudgeError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// A source of time.
pub trait Time: Send + Sync {
    /// Reads the time of day.
    ///
    /// # Errors
    /// When the clock cannot be read.
    fn read(&self) -> Result<Timestamp, JudgeError>;

    /// Returns the intervals of a watch on this source of time.
    fn pace(&self) -> Pace;
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

/// The clock of this machine.
pub struct MachineTime;

impl Time for MachineTime {
    #[expect(clippy::disallowed_methods, reason = "a watch follows a calendar")]
    fn read(&self) -> Result<Timestamp, JudgeError> {
        Timestamp::try_from(SystemTime::now())
            .map_err(|e| JudgeError::input(format!("this machine's clock is wrong: {e}")))
    }

    fn pace(&self) -> Pace {
        Pace::OF_THE_MACHINE
    }
}

/// A watch's clock.
#[derive(Clone)]
pub(super) struct Clock(pub(super) Arc<dyn Time>);

impl Clock {
    /// Reads the time.
    ///
    /// # Errors
    /// When the clock cannot be read.
    pub(super) fn look(&self) -> Result<Timestamp, JudgeError> {
        self.0.read()
    }

    /// Returns the time; that of the machine if the clock cannot be read.
    pub(super) fn now(&self) -> Timestamp {
        self.look().unwrap_or_else(|_| Timestamp::now())
    }

    /// Returns the interval between two looks while games are played.
    pub(super) fn look_interval(&self) -> Duration {
        self.0.pace().look_interval
    }

    /// Sleeps briefly; callers then check for interrupts.
    pub(super) fn nap(&self) {
        std::thread::sleep(self.0.pace().nap);
    }

    /// Waits for this time, or until `is_over` is set.
    pub(super) fn wait(&self, time: Duration, is_over: &AtomicBool) {
        let time = time.min(self.0.pace().wait_max);
        let began = Instant::now();
        while began.elapsed() < time && !is_over.load(Ordering::Relaxed) {
            self.nap();
        }
    }
}
