//! Measures the CPU time of a bot, and its wait for a CPU.

use super::machine::{self, Threads};
use nix::time::ClockId;
use nix::unistd::Pid;
use rulebook::JudgeError;
use sandbox::{Lease, Running};
use std::io;
use std::rc::Rc;
use std::time::Duration;

/// The CPU time of a bot and all its threads and processes; exact to 8 µs on the reader's CPU.
#[derive(Debug)]
pub(super) struct CpuClock {
    pid: Pid,
    source: ClockSource,
    read: Duration,
}

#[derive(Debug)]
enum ClockSource {
    /// It survives `exec`, and can be read until the process is reaped.
    Process(ClockId),
    /// The counter of its control group, which includes every descendant.
    Group(Rc<Lease>),
}

const PROCESSES_ASKED_MAX: usize = 64;

impl CpuClock {
    pub(super) fn of(running: &Running, baseline: Option<Duration>) -> Result<Self, JudgeError> {
        let failed = |e| JudgeError::os("find a bot's CPU clock", e);
        let pid = running.pid();
        let source = match running.group() {
            Some(group) => ClockSource::Group(Rc::clone(group)),
            None => ClockSource::Process(ClockId::pid_cpu_clock_id(pid).map_err(failed)?),
        };
        let mut clock = Self {
            pid,
            source,
            read: baseline.unwrap_or_default(),
        };
        if baseline.is_none() {
            clock.charge_us()?;
        } else if clock.read > clock.now()? {
            let reason = io::Error::other("its kit tells of more than there was");
            return Err(JudgeError::io(
                "take the CPU time of",
                format!("bot {pid}"),
                reason,
            ));
        }
        Ok(clock)
    }

    /// In whole microseconds; the rest is charged later.
    pub(super) fn charge_us(&mut self) -> Result<u64, JudgeError> {
        let spent_us = self.since_us()?;
        self.read += Duration::from_micros(spent_us);
        Ok(spent_us)
    }

    /// Returns all CPU time since the start of the clock, charged or not, in microseconds.
    pub(super) fn total_us(&self) -> Result<u64, JudgeError> {
        let charged = u64::try_from(self.read.as_micros()).expect("within 584,000 years");
        Ok(charged + self.since_us()?)
    }

    pub(super) fn since_us(&self) -> Result<u64, JudgeError> {
        let spent = self.now()?.saturating_sub(self.read);
        Ok(u64::try_from(spent.as_micros()).expect("within 584,000 years"))
    }

    fn now(&self) -> Result<Duration, JudgeError> {
        Ok(match &self.source {
            ClockSource::Process(clock) => clock
                .now()
                .map_err(|e| JudgeError::os("read a bot's CPU clock", e))?
                .into(),
            ClockSource::Group(group) => group.cpu()?,
        })
    }

    pub(super) fn threads(&self) -> Threads {
        match &self.source {
            ClockSource::Process(_) => Threads {
                times: machine::threads(self.pid),
                are_all: true,
            },
            ClockSource::Group(group) => {
                let Ok(members) = group.members() else {
                    return Threads::default();
                };
                let are_all = members.len() <= PROCESSES_ASKED_MAX;
                let asked = members.into_iter().take(PROCESSES_ASKED_MAX);
                Threads {
                    times: asked.flat_map(machine::threads).collect(),
                    are_all,
                }
            }
        }
    }
}
