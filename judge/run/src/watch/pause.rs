//! The end of a slice: the conditions that a watch checks while games are played.

use super::acceptance::Acceptance;
use super::arrivals::Arrivals;
use super::calendar::{Calendar, Due};
use super::listing::{Contents, Listing};
use super::memory::Memory;
use super::time::Clock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The longest time that games continue while files are being copied, so that they stop only once.
const COPYING_MAX: Duration = Duration::from_secs(60);

/// The state that a slice began with.
pub(super) struct Pause<'a> {
    pub(super) listing: &'a Listing,
    pub(super) contents: Contents,
    pub(super) arrivals: &'a Arrivals,
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
    pub(super) fn wait(mut self, clock: &Clock, is_over: &AtomicBool) -> bool {
        let began = Instant::now();
        let mut looked = Instant::now();
        let mut changed: Option<Instant> = None;
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
            let digest = self.contents.digest(self.listing);
            let is_changed = self.acceptance.is_waiting(now) || digest != self.listed;
            changed = is_changed.then(|| changed.unwrap_or_else(Instant::now));
            let is_whole = self
                .arrivals
                .are_settled(self.contents.listed(), Instant::now());
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
