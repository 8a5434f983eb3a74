//! When playing is interrupted: what is looked at while games are played.

use super::calendar::{Calendar, Due};
use super::clock::Clock;
use super::desk::Desk;
use super::listing::Listing;
use super::memory::Memory;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How often is looked.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);

/// What is looked at meanwhile.
pub(super) struct Pause<'a> {
    pub(super) listing: &'a Listing,
    pub(super) listed: u64,
    pub(super) desk: &'a Desk,
    pub(super) calendar: &'a Calendar,
    pub(super) memory: &'a Memory,
    pub(super) due: &'a Due,
    pub(super) stop: &'a AtomicBool,
    /// What is new is taken after so long at the earliest.
    pub(super) new_after: Duration,
    /// The slice is over after so long.
    pub(super) rest: Duration,
    pub(super) is_revealed: bool,
}

impl Pause<'_> {
    /// Waits until the slice is over; returns whether something has changed.
    pub(super) fn wait(&self, clock: &mut Clock, is_over: &AtomicBool) -> bool {
        let began = Instant::now();
        let mut looked = Instant::now();
        while !is_over.load(Ordering::Relaxed) && !self.stop.load(Ordering::Relaxed) {
            if began.elapsed() >= self.rest {
                return false;
            }
            thread::sleep(clock.nap());
            if looked.elapsed() < LOOK_INTERVAL && !clock.is_of_tests() {
                continue;
            }
            looked = Instant::now();
            let Ok(now) = clock.look() else {
                return true;
            };
            let is_new = began.elapsed() >= self.new_after
                && (self.desk.is_waiting(now) || self.listing.digest() != self.listed);
            let mut memory = self.memory.clone();
            let due = self
                .calendar
                .due(now, clock.is_steady(), self.is_revealed, &mut memory);
            let is_other = due.round != self.due.round || due.frozen != self.due.frozen;
            if clock.has_jumped() || is_new || is_other {
                return true;
            }
        }
        false
    }
}
