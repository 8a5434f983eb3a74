//! How long an answer is waited for: until the CPU time runs out, or the bot has been silent
//! for too long.

use super::Allowance;
use super::cpu_clock::CpuClock;
use crate::error::JudgeError;
use std::time::Duration;

/// The clocks are looked at no more often than this while an answer is awaited.
const LOOK_INTERVAL_MIN: Duration = Duration::from_micros(200);

/// The first look comes after this part of the wall time at the latest: what the bot waits for
/// a CPU can only be told from one look to the next.
const LOOKS_MIN: u32 = 10;

/// Why waiting is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exhausted {
    /// The CPU time that was allowed has been used.
    Cpu,
    /// The bot neither computed nor waited for a CPU for as long as is allowed.
    Silence,
}

/// The patience with one question. Clocks are read only when it could have run out, so that a
/// quick answer costs nothing here.
#[derive(Debug)]
pub(super) struct Patience {
    allowance: Allowance,
    /// How fast CPU time can pass.
    cpus: u32,
    /// When the clocks were last looked at, from the question on.
    looked_at: Duration,
    /// What they showed then: CPU time, and time spent waiting for a CPU.
    cpu: Duration,
    delay: Option<Duration>,
    /// Silence until then.
    idle: Duration,
    /// Before this the CPU time cannot run out.
    look_at: Option<Duration>,
}

impl Patience {
    pub(super) fn new(allowance: Allowance, cpus: u32) -> Self {
        let cpu_limit = allowance.cpu_us.map(Duration::from_micros);
        Self {
            allowance,
            cpus,
            looked_at: Duration::ZERO,
            cpu: Duration::ZERO,
            delay: None,
            idle: Duration::ZERO,
            look_at: cpu_limit.map(|limit| {
                (limit / cpus)
                    .min(allowance.wall / LOOKS_MIN)
                    .max(LOOK_INTERVAL_MIN)
            }),
        }
    }

    /// Gives how long to wait before asking again; `elapsed` is the time since the question.
    pub(super) fn left(
        &mut self,
        elapsed: Duration,
        clock: &CpuClock,
    ) -> Result<Result<Duration, Exhausted>, JudgeError> {
        let silent = |idle: Duration, looked_at: Duration| idle + elapsed.saturating_sub(looked_at);
        let could_be_over = silent(self.idle, self.looked_at) >= self.allowance.wall;
        if could_be_over || self.look_at.is_some_and(|at| elapsed >= at) {
            self.look(elapsed, clock)?;
            if self
                .allowance
                .cpu_us
                .is_some_and(|us| self.cpu >= Duration::from_micros(us))
            {
                return Ok(Err(Exhausted::Cpu));
            }
        }
        let idle = silent(self.idle, self.looked_at);
        let Some(left) = self
            .allowance
            .wall
            .checked_sub(idle)
            .filter(|left| !left.is_zero())
        else {
            return Ok(Err(Exhausted::Silence));
        };
        let to_look = self.look_at.map(|at| at.saturating_sub(elapsed));
        Ok(Ok(to_look.map_or(left, |to_look| left.min(to_look))))
    }

    /// Reads the clocks. Of the time since the last look at most all of it was not silent: what
    /// many threads used at once does not make up for silence at another time.
    fn look(&mut self, elapsed: Duration, clock: &CpuClock) -> Result<(), JudgeError> {
        let cpu = Duration::from_micros(clock.since_us()?);
        // What the bot waited before this question is not known, and not credited.
        let delay = clock.run_delay();
        let interval = elapsed.saturating_sub(self.looked_at);
        let waited = self
            .delay
            .map_or(Duration::ZERO, |before| delay.saturating_sub(before));
        let busy = cpu.saturating_sub(self.cpu) + waited;
        if self.counts_silence_only() {
            self.idle += interval.saturating_sub(busy);
        } else {
            self.idle += interval;
        }
        (self.cpu, self.delay, self.looked_at) = (cpu, Some(delay), elapsed);
        self.look_at = self.allowance.cpu_us.map(|us| {
            let left = Duration::from_micros(us).saturating_sub(cpu);
            elapsed + (left / self.cpus).max(LOOK_INTERVAL_MIN)
        });
        Ok(())
    }

    /// Without a limit on CPU time, wall time is all there is to limit.
    fn counts_silence_only(&self) -> bool {
        self.allowance.cpu_us.is_some()
    }
}
