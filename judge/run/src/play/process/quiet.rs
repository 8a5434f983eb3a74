//! Observes a bot while nothing is asked of it, outside a game.

use super::ProcessPlayer;
use crate::play::pipes::Chunk;
use model::fault::quote;
use rulebook::JudgeError;
use std::time::{Duration, Instant};

/// A bot's behaviour while it was watched.
#[derive(Clone, Debug)]
pub struct Quiet {
    /// Its standard output, made safe to show; none if it wrote nothing.
    pub output: Option<String>,
    /// CPU time that it used meanwhile, in microseconds.
    pub cpu_us: u64,
    /// The longest time that a thread of it waited for a free CPU, in microseconds.
    pub waited_us: u64,
    /// Whether its process has ended.
    pub exited: bool,
}

impl Quiet {
    /// Returns the time that it computed, or would have computed if a CPU had been free, in
    /// microseconds.
    pub const fn busy_us(&self) -> u64 {
        self.cpu_us + self.waited_us
    }
}

impl ProcessPlayer {
    /// Watches the bot for a while without a question. Ends at its first output or its exit.
    ///
    /// # Errors
    /// When the judge or the machine fails.
    pub fn watch(&mut self, limit: Duration) -> Result<Quiet, JudgeError> {
        self.cpu.charge_us()?;
        let waited_before = self.longest_wait();
        let began = Instant::now();
        let mut exited = false;
        let output = loop {
            let left = limit.saturating_sub(began.elapsed());
            if self.pipes.read() == Chunk::Some {
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
        Ok(Quiet {
            output,
            cpu_us: self.cpu.charge_us()?,
            waited_us: u64::try_from(waited.as_micros()).unwrap_or(0),
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
    ///
    /// # Errors
    /// When the judge or the machine fails.
    pub fn end_input(&mut self, limit: Duration) -> Result<Quiet, JudgeError> {
        self.pipes.close_input();
        self.bot.resume();
        let began = Instant::now();
        let mut seen: Option<String> = None;
        let (mut cpu_us, mut waited_us) = (0, 0);
        loop {
            let quiet = self.watch(limit.saturating_sub(began.elapsed()))?;
            cpu_us += quiet.cpu_us;
            waited_us += quiet.waited_us;
            let wrote = quiet.output.is_some();
            // The first output shows what it is; the rest is only read.
            seen = seen.or(quiet.output);
            if quiet.exited && !wrote || began.elapsed() >= limit {
                return Ok(Quiet {
                    output: seen,
                    cpu_us,
                    waited_us,
                    exited: quiet.exited,
                });
            }
        }
    }
}
