//! The competition of a watch, which is read again at each look, and its source of time.

use crate::RunSpec;
use intake::Submission;
use jiff::Timestamp;
use model::draw::hash;
use rulebook::{JudgeError, Loaded};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

#[derive(Clone, Debug)]
pub(super) struct Terms {
    /// The competition, with the changes of the command.
    pub(super) loaded: Loaded,
    pub(super) file: Option<Loaded>,
}

impl Terms {
    /// `submissions` show the game if nothing else does.
    pub(super) fn of(
        spec: &RunSpec,
        file: Option<Loaded>,
        submissions: &[Submission],
    ) -> Result<Self, JudgeError> {
        let loaded = spec.change(file.clone(), submissions)?;
        Ok(Self { loaded, file })
    }

    /// Lists the keys of the file that differ, if any.
    pub(super) fn edited(&self, before: &Self) -> Option<String> {
        let (now, before) = (self.file.as_ref()?, before.file.as_ref()?);
        let all: BTreeSet<&String> = now.keys.keys().chain(before.keys.keys()).collect();
        let differs = |key: &&String| now.keys.get(*key) != before.keys.get(*key);
        let keys: Vec<&str> = all
            .into_iter()
            .filter(differs)
            .map(String::as_str)
            .collect();
        (!keys.is_empty()).then(|| keys.join(", "))
    }

    /// Reads the competition again. A game that only the submissions showed stays.
    pub(super) fn read_again(&self, spec: &RunSpec) -> Result<Self, JudgeError> {
        let file = spec.read_competition()?;
        if file.is_none() && self.file.is_some() {
            return Err(JudgeError::input(
                "the competition's file is missing; put it back, or end the watch",
            ));
        }
        if file.is_none() && !spec.names_game() {
            return Ok(self.clone());
        }
        Self::of(spec, file, &[])
    }

    pub(super) fn digest(&self) -> String {
        let competition = serde_json::to_vec(&self.loaded.competition).expect("plain data");
        let keys = serde_json::to_vec(&self.loaded.keys).expect("plain data");
        hash(&[&competition, &keys])
    }
}

/// A source of time.
pub trait Time: Send + Sync {
    /// Reads the time of day.
    fn read(&self) -> Result<Timestamp, JudgeError>;

    /// Returns the intervals of a watch on this source of time.
    fn pace(&self) -> Pace {
        Pace::OF_THE_MACHINE
    }

    /// Returns the time; that of the machine if the clock cannot be read.
    fn now(&self) -> Timestamp {
        self.read().unwrap_or_else(|_| Timestamp::now())
    }

    /// Sleeps briefly; callers then check for interrupts.
    fn nap(&self) {
        std::thread::sleep(self.pace().nap);
    }

    /// Waits for this time, or until `is_over` is set.
    fn wait(&self, time: Duration, is_over: &AtomicBool) {
        let time = time.min(self.pace().wait_max);
        let began = Instant::now();
        while began.elapsed() < time && !is_over.load(Ordering::Relaxed) {
            self.nap();
        }
    }
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
    /// Submissions arrive every few minutes, and an interrupt is answered at once.
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
}
