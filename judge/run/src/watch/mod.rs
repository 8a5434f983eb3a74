//! A run that continues while submissions arrive (`judge run --watch`): it looks, builds, plays,
//! writes the tables, publishes, and looks again. Its memory is in the run's folder, so that the
//! same command continues where another one ended.

mod acceptance;
mod arrivals;
mod begin;
mod calendar;
mod checks;
mod disk;
mod finding;
mod log;
mod look;
mod memory;
mod playing;
mod publish;
mod terms;

pub use begin::{WatchSpec, watch};
pub use checks::{CheckVersion, VersionReport, VersionToCheck};
pub use publish::Publisher;
pub use terms::{MachineTime, Pace, Time};

use self::acceptance::Acceptance;
use self::arrivals::{Arrivals, Listing};
use self::calendar::{Calendar, Due};
use self::checks::Checks;
use self::disk::Disk;
use self::log::WatchLog;
use self::memory::Memory;
use self::terms::Terms;
use crate::commands::shown;
use crate::{RunSpec, Sink};
use jiff::{SignedDuration, Timestamp};
use rulebook::JudgeError;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use store::Keys;

const LOOK_INTERVAL: Duration = Duration::from_secs(5);
/// The same while something may still be being copied.
const COPYING_INTERVAL: Duration = Duration::from_secs(2);
/// The time from a temporary failure to the next attempt.
const AGAIN: SignedDuration = SignedDuration::from_secs(60);

/// How a watch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchEnd {
    /// Nothing can change any more.
    Over,
    /// It was interrupted; the same command continues.
    Interrupted,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    found: String,
    due: Due,
    is_revealed: bool,
    /// Whether there is no space to build or to play.
    is_full: bool,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Watch<'a> {
    spec: &'a RunSpec,
    publisher: &'a Publisher,
    sink: &'a dyn Sink,
    stop: &'a Arc<AtomicBool>,
    run: PathBuf,
    clock: &'a dyn Time,
    log: WatchLog<'a>,
    memory: Memory,
    listing: Listing,
    acceptance: Acceptance,
    arrivals: Arc<Arrivals>,
    /// Whether there was a roster. Without it, extensions would be lost.
    has_roster: bool,
    /// Whether a platform's list has named teams or hidden names. Without it, nothing is received.
    has_names: bool,
    terms: Terms,
    used: Terms,
    calendar: Calendar,
    checks: Checks,
    disk: Disk,
    /// The digest of the listing before the last look.
    listed: u64,
    settled: Option<State>,
    /// When a failed step is tried again.
    again: Option<Timestamp>,
    /// Whether the published views are complete, as far as they are not frozen.
    is_published: bool,
    /// The entrants who have been reported as missing on the roster.
    unclaimed: BTreeSet<String>,
    preparing: Duration,
    is_hopeless: bool,
    /// Whether no watch ran before the deadline: every submission may have come in time.
    begins_late: bool,
}

impl Watch<'_> {
    /// `has_begun`: an earlier watch of this run had begun, so that a failure may be temporary.
    fn look_until_over(mut self, has_begun: bool) -> Result<WatchEnd, JudgeError> {
        let title = &self.terms.loaded.competition.title;
        let run = shown(&self.run);
        let reported = format!("watching for {title}; the results are in {run}");
        self.log.say(&reported);
        let mut listed = None;
        let mut is_first = !has_begun;
        let mut last_look = None;
        loop {
            let now = self.clock.read()?;
            self.tell_repositories()?;
            let digest = self.listing.digest();
            let is_due = self.is_due(now, &mut last_look)?;
            if self.can_check() {
                self.check(Duration::ZERO)?;
            }
            let is_same = listed == Some(digest) && !self.acceptance.is_waiting(now);
            let is_settled = if is_same && !is_due && !self.is_tried_again(now) {
                Ok(true)
            } else {
                listed = Some(digest);
                self.listed = digest;
                self.round(now)
            };
            let is_changed = matches!(is_settled, Ok(false));
            match is_settled {
                Err(JudgeError::Interrupted) => return Ok(self.interrupted()),
                Ok(false) => listed = None,
                Ok(true) if self.again.is_some() || !self.is_published => {}
                Ok(true) => {
                    self.tell_played();
                    if self.last_is_frozen() == Some(false) {
                        return Ok(WatchEnd::Over);
                    }
                }
                // It never began, or the failure is permanent.
                Err(error) if is_first || self.is_hopeless => return Err(error),
                Err(error) => {
                    self.try_again(now);
                    self.tell_failure(&error);
                }
            }
            is_first = false;
            if !is_changed || self.disk.is_full() {
                self.clock.wait(self.interval(), self.stop);
            }
            if self.stop.load(Ordering::Relaxed) {
                return Ok(self.interrupted());
            }
        }
    }

    fn try_again(&mut self, now: Timestamp) {
        self.again = now.checked_add(AGAIN).ok();
    }

    fn is_tried_again(&self, now: Timestamp) -> bool {
        let left = self.again.map(|again| again.duration_since(now));
        // A clock that was set back delays nothing.
        left.is_some_and(|left| left.is_negative() || left.is_zero() || left > AGAIN)
    }

    fn can_check(&self) -> bool {
        !self.checks.is_empty() && !self.disk.is_full()
    }

    fn interval(&self) -> Duration {
        if self.can_check() {
            Duration::ZERO
        } else if self.acceptance.is_copying() {
            COPYING_INTERVAL
        } else {
            LOOK_INTERVAL
        }
    }

    fn interrupted(&self) -> WatchEnd {
        let run = shown(&self.run);
        self.log.say(&format!(
            "interrupted; the results are in {run}; rerun the same command to continue"
        ));
        WatchEnd::Interrupted
    }

    /// Returns whether something else is due than at the last look.
    fn is_due(
        &mut self,
        now: Timestamp,
        last: &mut Option<(Due, bool)>,
    ) -> Result<bool, JudgeError> {
        let is_revealed = self.is_revealed()?;
        let this = Some((self.expected(now, is_revealed), is_revealed));
        let is_due = *last != this;
        *last = this;
        Ok(is_due)
    }

    fn is_revealed(&self) -> Result<bool, JudgeError> {
        Ok(Keys::find(&self.run)?.is_some_and(|keys| keys.revealed))
    }

    fn expected(&self, now: Timestamp, is_revealed: bool) -> Due {
        let mut memory = self.memory.clone();
        self.calendar.due(now, is_revealed, &mut memory)
    }

    /// Returns what is due by a calendar that was just read, and notes the consequences.
    fn due(&mut self, now: Timestamp, is_revealed: bool) -> Result<Due, JudgeError> {
        let mut memory = self.memory.clone();
        let due = self.calendar.due(now, is_revealed, &mut memory);
        self.remember(memory)?;
        Ok(due)
    }

    fn remember(&mut self, memory: Memory) -> Result<(), JudgeError> {
        if memory != self.memory {
            memory.write(&self.run)?;
            self.memory = memory;
        }
        Ok(())
    }

    /// Returns, once all games have been played, whether the published views are still frozen.
    fn last_is_frozen(&self) -> Option<bool> {
        let state = self.settled.as_ref()?;
        (state.due.is_last() && !state.is_full).then_some(state.due.frozen)
    }
}
