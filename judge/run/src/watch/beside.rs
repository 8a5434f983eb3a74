//! The work of a watch beside its games: it lists arriving submissions, and asks repositories for
//! new commits.

use super::LOOK_INTERVAL;
use super::arrivals::Arrivals;
use super::clock::{Clock, Noted};
use super::listing::Listing;
use intake::PolledRepositories;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The interval between two looks at which repositories are due.
const ASKING_INTERVAL: Duration = Duration::from_secs(1);

/// Does `work`. Beside it, lists arriving submissions, and asks repositories for their commits.
pub(super) fn beside<T>(
    clock: &Clock,
    repositories: &PolledRepositories,
    (arrivals, listing, noted): (&Arrivals, &Listing, Noted),
    work: impl FnOnce() -> T,
) -> T {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        // Also if the work panics; the other threads would never end.
        let _over = Over(&is_over);
        scope.spawn(|| {
            let mut clock = clock.another();
            if clock.look().is_ok() {
                clock.compare(noted);
            }
            while !is_over.load(Ordering::Relaxed) {
                // A failure is tried again at the next listing.
                if let Ok(now) = clock.look() {
                    if clock.is_steady() {
                        arrivals.believe(now);
                    }
                    let _ = arrivals.list(listing, now);
                }
                clock.wait(LOOK_INTERVAL, &is_over);
            }
        });
        let ask = || {
            while !is_over.load(Ordering::Relaxed) {
                // It fails only if it is interrupted.
                let _ = repositories.ask_due(&|| clock.now(), &is_over);
                clock.wait(ASKING_INTERVAL, &is_over);
            }
        };
        for _ in 0..PolledRepositories::AT_ONCE {
            scope.spawn(ask);
        }
        work()
    })
}

/// Sets the flag when it is dropped.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
