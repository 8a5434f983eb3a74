//! What a table asks of a bot: a question goes in as one line, an answer comes out as one line,
//! and what it took is measured.

use error::JudgeError;
use std::time::Duration;
use words::fault::{Offence, Phase};

/// Standard error kept per process, in bytes.
pub const STDERR_BYTES_MAX: usize = 16 << 10;

/// How long an answer may take.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// CPU time, in microseconds, after which the question is given up; none = unlimited.
    pub cpu_us: Option<u64>,
    /// Wall time after which it is given up. Where CPU time is limited, what is limited here is
    /// silence: the time that the bot computes, or waits for a CPU that others have, is not
    /// counted.
    pub wall: Duration,
}

/// What an answer took, and whether one came.
#[derive(Clone, Debug)]
pub struct Spent {
    /// What it took.
    pub cost: Cost,
    /// Whether an answer came; it is then in [`Player::line`].
    pub result: Result<(), Offence>,
}

/// What a question and its answer took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// CPU time since the last measurement, in microseconds; all of it, also what was burned
    /// before the question.
    pub cpu_us: u64,
    /// The part of it that was burned before the question.
    pub off_turn_us: u64,
    /// CPU time of a start that came with this question and that nobody is charged for, in
    /// microseconds; it is no part of the others.
    pub uncharged_us: u64,
    /// Wall time from question to answer, in microseconds.
    pub wall_us: u64,
    /// Whether the bot has been seen computing off turn, and is stopped there from now on.
    pub suspended: bool,
    /// Whether the machine was overloaded during the wait; looked at only where that reached its
    /// wall-clock limit.
    pub overloaded: bool,
    /// Whether other programs of the same user may have had what the bot needed (threads, room for
    /// signals); looked at only where it ended or fell silent.
    pub went_short: bool,
}

/// Somebody who can be asked. What is said by default holds for players without a process.
pub trait Player {
    /// Sends a line, newline included, and waits for a whole line or for the allowance to
    /// run out; `phase` tells what the line asks for. CPU beyond the allowance in an answer that came is the caller's to judge.
    ///
    /// # Errors
    /// When the judge or the machine fails; a bot's failure is in [`Spent::result`].
    fn ask(
        &mut self,
        phase: Phase,
        message: &[u8],
        allowance: Allowance,
    ) -> Result<Spent, JudgeError>;

    /// Returns the last answer, without its newline.
    fn line(&self) -> &[u8];

    /// Returns the id of the process behind the bot, if there is one.
    fn process(&self) -> Option<i32> {
        None
    }

    /// Sends a line that has no answer, if the bot takes it.
    fn tell(&mut self, _message: &[u8]) {}

    /// Keeps the bot from computing until it is asked again, or until its input ends.
    ///
    /// # Errors
    /// When the judge or the machine fails.
    fn pause(&mut self) -> Result<(), JudgeError> {
        Ok(())
    }

    /// Reads what has come on standard error; returns how many bytes of it [`Player::take_stderr`]
    /// would give.
    fn stderr_bytes(&mut self) -> usize {
        0
    }

    /// Takes what the bot has written on standard error so far, capped at
    /// [`STDERR_BYTES_MAX`].
    fn take_stderr(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// Ends the bot and everything that it started; returns what is left to know of it.
    ///
    /// # Errors
    /// When the machine fails.
    fn finish(self: Box<Self>, _shutdown: Shutdown) -> Result<ExitReport, JudgeError> {
        Ok(ExitReport::default())
    }
}

/// How a bot is sent away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shutdown {
    /// Its input is closed and it has a moment to exit by itself.
    Polite,
    /// It is killed at once.
    Kill,
}

/// What is left of a bot that has ended.
#[derive(Clone, Debug, Default)]
pub struct ExitReport {
    /// CPU time after the last answer, in microseconds.
    pub cpu_us: u64,
    /// What it wrote on standard error, capped at [`STDERR_BYTES_MAX`].
    pub stderr: Vec<u8>,
}
