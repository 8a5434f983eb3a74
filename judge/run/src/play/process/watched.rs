//! The bots of one worker, checked while the judge waits for one of them.

use super::ProcessPlayer;
use crate::play::machine;
use crate::play::offences::Holdings;
use model::fault::{Cause, Offence, quote};
use rulebook::Result;
use sandbox::Running;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::time::{Duration, Instant};

const PROCESSES_MAX: usize = 256;

const CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// Checks take at most one part in this many of the time, as CPU time.
const CHECK_PART: u32 = 5;

const TIMER: &str =
    "has a timer (SIGCONT) that would let it run while it is stopped between its turns";

/// The bots of one worker, including those that wait for their turn.
#[derive(Clone, Debug, Default)]
pub struct WorkerBots(Rc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    bots: RefCell<Vec<Weak<Watched>>>,
    /// Time of the next check; none = now.
    check_at: Cell<Option<Instant>>,
    /// The time that a hypervisor had taken, and when that was read.
    stolen: Cell<Option<(Instant, Duration)>>,
}

impl WorkerBots {
    pub(super) fn add(&self, bot: &Rc<Watched>) {
        let mut bots = self.0.bots.borrow_mut();
        bots.retain(|bot| bot.strong_count() > 0);
        bots.push(Rc::downgrade(bot));
    }

    pub(super) fn until_next_check(&self) -> Duration {
        self.0.check_at.get().map_or(Duration::ZERO, |at| {
            at.saturating_duration_since(Instant::now())
        })
    }

    /// As of now or of a moment ago: reading it takes as long as a quick turn.
    pub(super) fn recent_stolen(&self, pinned: bool) -> Duration {
        match self.0.stolen.get() {
            Some((at, stolen)) if at.elapsed() < machine::TICK => stolen,
            _ => {
                let stolen = machine::stolen(pinned);
                self.0.stolen.set(Some((Instant::now(), stolen)));
                stolen
            }
        }
    }

    pub(super) fn check_when_due(&self) -> Result<bool> {
        let began = Instant::now();
        if self.0.check_at.get().is_some_and(|at| began < at) {
            return Ok(false);
        }
        // As CPU time: on a busy machine a short check may take a long wall time.
        let before = machine::own_cpu()?;
        let bots = self.0.bots.borrow();
        for bot in bots.iter().filter_map(Weak::upgrade) {
            bot.check()?;
        }
        let took = machine::own_cpu()?.saturating_sub(before);
        let pause = CHECK_INTERVAL.max(took * CHECK_PART);
        self.0.check_at.set(Some(began + pause));
        Ok(true)
    }
}

/// If it holds too much, the judge ends it at once, and reports the offence at its next question.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) running: Running,
    memory_bytes_max: u64,
    /// By the last check.
    pub(super) seen: Cell<Holdings>,
    offence: RefCell<Option<Offence>>,
    /// Whether it must stay suspended until its next question.
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

    pub(super) fn check(&self) -> Result {
        if self.offence.borrow().is_none() && self.stopped.get() {
            // Suspend it again, whatever has continued it.
            self.suspend()?;
        }
        if self.offence.borrow().is_some() {
            return Ok(());
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
        group
            .members()
            .unwrap_or_default()
            .into_iter()
            .take(PROCESSES_MAX)
            .map(machine::holdings)
            .fold(Holdings::default(), Holdings::and)
    }

    pub(super) fn offence(&self) -> Option<Offence> {
        self.offence.borrow().clone()
    }

    /// Suspends it until [`Watched::resume`]. A timer of its own must not undo that.
    pub(super) fn suspend(&self) -> Result {
        self.stopped.set(true);
        self.running.suspend();
        if self.offence.borrow().is_none() && machine::has_timer_to_go_on(self.running.pid()) {
            self.end(Offence::new(Cause::Threads, TIMER))?;
        }
        Ok(())
    }

    fn end(&self, offence: Offence) -> Result {
        self.running.end()?;
        self.offence.replace(Some(offence));
        Ok(())
    }

    pub(super) fn resume(&self) {
        if self.stopped.replace(false) {
            self.running.resume();
        }
    }
}

/// A bot's behaviour while it was watched.
#[derive(Clone, Debug, Default)]
pub struct IdleReport {
    /// Its standard output, made safe to show; none if it wrote nothing.
    pub output: Option<String>,
    /// CPU time that it used meanwhile, in microseconds.
    pub cpu_us: u64,
    /// The longest time that a thread of it waited for a free CPU, in microseconds.
    pub waited_us: u64,
    /// Whether its process has ended.
    pub exited: bool,
}

impl IdleReport {
    /// Returns the time that it computed, or would have with a free CPU, in microseconds.
    pub const fn busy_us(&self) -> u64 {
        self.cpu_us + self.waited_us
    }
}

impl ProcessPlayer {
    /// Watches the bot for a while without a question. Ends at its first output or its exit.
    pub fn watch(&mut self, limit: Duration) -> Result<IdleReport> {
        self.cpu.charge_us()?;
        let waited_before = self.longest_wait();
        let began = Instant::now();
        let mut exited = false;
        let output = loop {
            let left = limit.saturating_sub(began.elapsed());
            if self.pipes.read() {
                let output = quote(self.pipes.output.bytes());
                self.pipes.output.clear();
                break Some(output);
            }
            if exited || left.is_zero() {
                break None;
            }
            let ready = self.pipes.poll(self.bot.running.pidfd(), left)?;
            if ready.stderr {
                self.pipes.read_stderr();
            }
            exited = ready.exited;
        };
        let waited = self.longest_wait().saturating_sub(waited_before);
        Ok(IdleReport {
            output,
            cpu_us: self.cpu.charge_us()?,
            waited_us: machine::whole_us(waited),
            exited,
        })
    }

    fn longest_wait(&self) -> Duration {
        self.cpu
            .threads()
            .times
            .into_iter()
            .map(|thread| thread.waited)
            .max()
            .unwrap_or_default()
    }

    /// Closes the bot's input and waits for it to exit; returns its behaviour until then.
    pub fn end_input(&mut self, limit: Duration) -> Result<IdleReport> {
        self.pipes.stdin = None;
        self.bot.resume();
        let began = Instant::now();
        let mut all = IdleReport::default();
        loop {
            let report = self.watch(limit.saturating_sub(began.elapsed()))?;
            let is_over = report.exited && report.output.is_none();
            all.cpu_us += report.cpu_us;
            all.waited_us += report.waited_us;
            all.exited = report.exited;
            // The first output shows what it is; the rest is only read.
            all.output = all.output.or(report.output);
            if is_over || began.elapsed() >= limit {
                return Ok(all);
            }
        }
    }
}
