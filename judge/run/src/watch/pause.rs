//! The end of a slice: the conditions that a watch checks while games are played.

use super::acceptance::Acceptance;
use super::calendar::{Calendar, Due};
use super::listing::Listing;
use super::memory::Memory;
use super::time::Clock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The longest time that games continue while files are being copied, so that they stop only once.
const COPYING_MAX: Duration = Duration::from_secs(60);
/// The time after which unchanged files are no longer being copied.
const SETTLED: Duration = Duration::from_secs(2);

/// The state that a slice began with.
pub(super) struct Pause<'a> {
    pub(super) listing: &'a Listing,
    pub(super) listed: u64,
    pub(super) acceptance: &'a Acceptance,
    pub(super) calendar: &'a Calendar,
    pub(super) memory: &'a Memory,
    pub(super) due: &'a Due,
    pub(super) stop: &'a AtomicBool,
    /// The time before which nothing new is taken.
    pub(super) new_after: Duration,
    /// The length of the slice.
    pub(super) rest: Duration,
    pub(super) is_revealed: bool,
}

impl Pause<'_> {
    /// Waits for the end of the slice; returns whether something has changed.
    pub(super) fn wait(self, clock: &Clock, is_over: &AtomicBool) -> bool {
        let began = Instant::now();
        let mut looked = Instant::now();
        let mut changed: Option<Instant> = None;
        let mut same = (self.listed, Instant::now());
        while !is_over.load(Ordering::Relaxed) && !self.stop.load(Ordering::Relaxed) {
            if began.elapsed() >= self.rest {
                return false;
            }
            clock.nap();
            if looked.elapsed() < clock.look_interval() {
                continue;
            }
            looked = Instant::now();
            let Ok(now) = clock.look() else {
                return true;
            };
            let digest = self.listing.digest();
            if digest != same.0 {
                same = (digest, Instant::now());
            }
            let is_changed = self.acceptance.is_waiting(now) || digest != self.listed;
            changed = is_changed.then(|| changed.unwrap_or_else(Instant::now));
            let is_whole = same.1.elapsed() >= SETTLED;
            let is_ripe = |since: Instant| is_whole || since.elapsed() >= COPYING_MAX;
            let is_new = began.elapsed() >= self.new_after && changed.is_some_and(is_ripe);
            let mut memory = self.memory.clone();
            let due = self.calendar.due(now, self.is_revealed, &mut memory);
            let is_other = due.round != self.due.round || due.frozen != self.due.frozen;
            if is_new || is_other {
                return true;
            }
        }
        false
    }
}
