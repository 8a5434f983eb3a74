//! The source of time of a watch.

use jiff::Timestamp;
use rulebook::JudgeError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// Duration of one sleep, after which interrupts are checked.
const NAP: Duration = Duration::from_millis(200);

/// A source of time.
pub trait Time: Send + Sync {
    /// Reads the time of day.
    fn read(&self) -> Result<Timestamp, JudgeError>;

    /// Returns the longest of all intervals of a watch on this source of time.
    fn interval_max(&self) -> Duration {
        Duration::MAX
    }

    /// Returns the time; that of the machine if the clock cannot be read.
    fn now(&self) -> Timestamp {
        self.read().unwrap_or_else(|_| Timestamp::now())
    }

    /// Sleeps briefly; callers then check for interrupts.
    fn nap(&self) {
        std::thread::sleep(NAP.min(self.interval_max()));
    }

    /// Waits for this time, or until `is_over` is set.
    fn wait(&self, time: Duration, is_over: &AtomicBool) {
        let time = time.min(self.interval_max());
        let began = Instant::now();
        while began.elapsed() < time && !is_over.load(Ordering::Relaxed) {
            self.nap();
        }
    }
}

/// The clock of this machine.
pub struct MachineTime;

impl Time for MachineTime {
    #[expect(clippy::disallowed_methods, reason = "a watch follows a calendar")]
    fn read(&self) -> Result<Timestamp, JudgeError> {
        Timestamp::try_from(SystemTime::now())
            .map_err(|e| JudgeError::input(format!("this machine's clock is wrong: {e}")))
    }
}
