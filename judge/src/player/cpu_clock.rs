//! The CPU clock of another process.

use crate::error::JudgeError;
use nix::time::ClockId;
use nix::unistd::Pid;
use std::time::Duration;

/// Reads how much CPU time a process has used, threads included.
///
/// The clock survives `exec`, and that of a process that has ended can be read until it is
/// reaped. On the reader's own CPU it is exact to some 8 µs.
#[derive(Clone, Copy, Debug)]
pub(super) struct CpuClock {
    clock: ClockId,
    read: Duration,
}

impl CpuClock {
    /// Takes the baseline.
    pub(super) fn of(pid: Pid) -> Result<Self, JudgeError> {
        let failed = |e| JudgeError::os("find a bot's CPU clock", e);
        let mut clock = Self {
            clock: ClockId::pid_cpu_clock_id(pid).map_err(failed)?,
            read: Duration::ZERO,
        };
        clock.charge_us()?;
        Ok(clock)
    }

    /// Gives the CPU time since the last charge, in whole microseconds; what is left below
    /// one microsecond goes into the next charge.
    pub(super) fn charge_us(&mut self) -> Result<u64, JudgeError> {
        let spent_us = self.since_us()?;
        self.read += Duration::from_micros(spent_us);
        Ok(spent_us)
    }

    /// Gives the CPU time since the last charge, without charging it.
    pub(super) fn since_us(&self) -> Result<u64, JudgeError> {
        let now = self
            .clock
            .now()
            .map_err(|e| JudgeError::os("read a bot's CPU clock", e))?;
        let spent = Duration::from(now).saturating_sub(self.read);
        Ok(u64::try_from(spent.as_micros()).expect("within 584,000 years"))
    }
}
