//! The bots of one worker, looked at while one of them is waited for: what they hold, and whether
//! those that were stopped stay stopped.

use crate::holdings::Holdings;
use crate::machine;
use error::JudgeError;
use nix::time::ClockId;
use sandbox::Running;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::time::{Duration, Instant};
use words::fault::{Cause, Offence};

/// Processes of one bot that are looked at.
const PROCESSES_MAX: usize = 256;

/// How often, while one of them is waited for, they are looked at.
const LOOK_INTERVAL: Duration = Duration::from_millis(10);

/// To look takes no more than one part in so many of the time, as CPU time.
const LOOK_PART: u32 = 5;

const TIMER: &str =
    "has a timer (SIGCONT) that would let it run while it is stopped between its turns";

/// The bots of one worker, also those that wait for their turn.
#[derive(Clone, Debug, Default)]
pub struct Company(Rc<Members>);

#[derive(Debug, Default)]
struct Members {
    bots: RefCell<Vec<Weak<Watched>>>,
    /// When they are to be looked at next; none = now.
    look_at: Cell<Option<Instant>>,
    /// What a hypervisor had taken when that was last read.
    stolen: Cell<Option<(Instant, Duration)>>,
}

impl Company {
    pub(super) fn join(&self, bot: &Rc<Watched>) {
        let mut bots = self.0.bots.borrow_mut();
        bots.retain(|bot| bot.strong_count() > 0);
        bots.push(Rc::downgrade(bot));
    }

    /// Returns how long it is until they are to be looked at.
    pub(super) fn next_look(&self) -> Duration {
        let look_at = self.0.look_at.get();
        look_at.map_or(Duration::ZERO, |at| {
            at.saturating_duration_since(Instant::now())
        })
    }

    /// Returns what a hypervisor has taken, as of now or of a moment ago: to read it takes as long
    /// as a quick turn.
    pub(super) fn stolen_lately(&self, read: impl FnOnce() -> Duration) -> Duration {
        match self.0.stolen.get() {
            Some((at, stolen)) if at.elapsed() < machine::TICK => stolen,
            _ => {
                let stolen = read();
                self.0.stolen.set(Some((Instant::now(), stolen)));
                stolen
            }
        }
    }

    /// Looks at everybody if it is time to, and returns whether it was.
    ///
    /// # Errors
    /// When one that must be ended cannot be.
    pub(super) fn look_when_due(&self) -> Result<bool, JudgeError> {
        let began = Instant::now();
        if self.0.look_at.get().is_some_and(|at| began < at) {
            return Ok(false);
        }
        let before = own_cpu()?;
        let bots = self.0.bots.borrow();
        for bot in bots.iter().filter_map(Weak::upgrade) {
            bot.look()?;
        }
        let took = own_cpu()?.saturating_sub(before);
        let pause = LOOK_INTERVAL.max(took * LOOK_PART);
        self.0.look_at.set(Some(began + pause));
        Ok(true)
    }
}

/// Returns the judge's own CPU time: on a busy machine a short look may be a long time.
fn own_cpu() -> Result<Duration, JudgeError> {
    let now = ClockId::CLOCK_THREAD_CPUTIME_ID.now();
    let now = now.map_err(|e| JudgeError::os("read the judge's own CPU clock", e))?;
    Ok(now.into())
}

/// A bot that is looked at. One that holds too much is ended at once, and told to be at fault
/// when it is asked next.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) running: Running,
    memory_bytes_max: u64,
    /// What the last look showed.
    seen: Cell<Holdings>,
    offence: RefCell<Option<Offence>>,
    /// It is to be stopped until it is asked.
    stopped: Cell<bool>,
}

impl Watched {
    pub(super) fn new(running: Running, memory_bytes_max: u64) -> Self {
        Self {
            running,
            memory_bytes_max,
            seen: Cell::default(),
            offence: RefCell::default(),
            stopped: Cell::new(false),
        }
    }

    /// Looks at what it holds.
    ///
    /// # Errors
    /// When it must be ended and cannot be.
    pub(super) fn look(&self) -> Result<(), JudgeError> {
        if self.offence.borrow().is_some() {
            return Ok(());
        }
        if self.stopped.get() {
            // Whatever has let it go on.
            self.suspend()?;
            if self.offence.borrow().is_some() {
                return Ok(());
            }
        }
        let now = self.holdings();
        let before = self.seen.replace(now);
        if let Some(offence) = now.offence(&before, self.memory_bytes_max) {
            self.end(offence)?;
        }
        Ok(())
    }

    fn holdings(&self) -> Holdings {
        let Some(group) = self.running.group() else {
            return machine::holdings(self.running.pid());
        };
        let members = group.members().unwrap_or_default();
        let all = members.into_iter().take(PROCESSES_MAX);
        all.map(machine::holdings)
            .fold(Holdings::default(), Holdings::and)
    }

    /// Returns what the last look showed.
    pub(super) fn seen(&self) -> Holdings {
        self.seen.get()
    }

    /// Returns what it was ended for.
    pub(super) fn offence(&self) -> Option<Offence> {
        self.offence.borrow().clone()
    }

    /// Stops it until [`Watched::resume`]; a timer of its own must not undo that.
    ///
    /// # Errors
    /// When it must be ended and cannot be.
    pub(super) fn suspend(&self) -> Result<(), JudgeError> {
        self.stopped.set(true);
        self.running.suspend();
        if self.offence.borrow().is_none() && machine::has_timer_to_go_on(self.running.pid()) {
            self.end(Offence::new(Cause::Threads, TIMER))?;
        }
        Ok(())
    }

    fn end(&self, offence: Offence) -> Result<(), JudgeError> {
        self.running.end()?;
        self.offence.replace(Some(offence));
        Ok(())
    }

    /// Lets it go on where it was stopped.
    pub(super) fn resume(&self) {
        if self.stopped.replace(false) {
            self.running.resume();
        }
    }
}
