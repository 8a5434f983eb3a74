//! The interface between a table and a bot: a line in, a line out, and its cost.

use engines::Seat;
use model::fault::{Fault, Offence, Phase};
use model::fixture::Fixture;
use model::protocol::Ready;
use model::record::TurnRecord;
use model::stderr::KeptStderr;
use rulebook::Result;
use std::time::Duration;

/// The time limits of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// CPU time, in microseconds, after which the table stops waiting; `None` = unlimited.
    pub cpu_us: Option<u64>,
    /// Wall time after which the table stops waiting. Where CPU time is limited too, this limits
    /// silence: time in which the bot computes, or waits for a busy CPU, does not count.
    pub wall: Duration,
    /// Silence that the seat has left in this game, none = unlimited.
    pub idle: Option<Duration>,
}

/// The cost of a question, and whether an answer came.
#[derive(Clone, Debug)]
pub struct Spent {
    /// The measured cost.
    pub cost: Cost,
    /// Whether an answer came; it is then in [`Player::line`].
    pub result: Result<(), Offence>,
}

/// The measured cost of a question and its answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// CPU time since the last measurement, also before the question, in microseconds.
    pub cpu_us: u64,
    /// The part of `cpu_us` that was used before the question, in microseconds.
    pub off_turn_us: u64,
    /// CPU time of a start that is charged to nobody and in no other field, in microseconds.
    pub uncharged_us: u64,
    /// Wall time from question to answer, in microseconds.
    pub wall_us: u64,
    /// The part of it that was silence, in microseconds; 0 where silence is unlimited.
    pub idle_us: u64,
    /// Whether the bot was seen computing off turn; the judge stops it there from now on.
    pub suspended: bool,
    /// Whether the machine was overloaded, checked if the wait reached its wall-clock limit.
    pub overloaded: bool,
    /// Whether other programs of the same user may have taken resources that the bot needed
    /// (threads, room for signals). Checked only if the bot ended or fell silent.
    pub went_short: bool,
    /// Bytes of standard error before the question, since [`Player::take_stderr`].
    pub stderr_before: usize,
}

/// A player that answers questions. The default methods suit players without a process.
pub trait Player {
    /// Sends a line, newline included, that `phase` names, and waits for a line or until the
    /// allowance runs out. An answer may cost more CPU time; the caller judges that.
    fn ask(&mut self, phase: Phase, message: &[u8], allowance: Allowance) -> Result<Spent>;

    /// Returns the last answer, without its newline.
    fn line(&self) -> &[u8];

    /// Returns the id of the bot's process, if it has one.
    fn process(&self) -> Option<i32> {
        None
    }

    /// Sends a line that has no answer, if the bot takes it.
    fn send(&mut self, _message: &[u8]) {}

    /// Keeps the bot from computing until the next question, or until its input ends.
    fn pause(&mut self) -> Result {
        Ok(())
    }

    /// Takes the bot's standard error so far.
    fn take_stderr(&mut self) -> KeptStderr {
        KeptStderr::default()
    }

    /// Ends the bot and everything that it started; returns a last report on it.
    fn finish(self: Box<Self>, _shutdown: Shutdown) -> Result<ExitReport> {
        Ok(ExitReport::default())
    }
}

/// How a bot is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shutdown {
    /// Its input is closed, and it has a moment to exit by itself.
    Polite,
    /// It is killed at once.
    Kill,
}

/// The last report on a bot that has ended.
#[derive(Clone, Debug, Default)]
pub struct ExitReport {
    /// CPU time used after the last answer, in microseconds.
    pub cpu_us: u64,
    /// The bot's standard error.
    pub stderr: KeptStderr,
}

/// Provides players for a table and takes them back.
pub trait PlayerSource {
    /// Returns the player for a seat of the fixture.
    fn start_player(&mut self, fixture: &Fixture, seat: Seat) -> Result<Seated>;

    /// Takes a player back, and may keep one that can play again (`lifetime = match`).
    fn release_player(
        &mut self,
        fixture: &Fixture,
        seat: Seat,
        player: Seated,
        shutdown: Shutdown,
    ) -> Result<ExitReport>;

    /// Receives each event of the game when it is recorded. Most sources ignore it.
    fn on_event(&mut self, _event: TableEvent<'_>) -> Result {
        Ok(())
    }
}

/// An event that the record of a game includes.
#[derive(Clone, Copy, Debug)]
pub enum TableEvent<'a> {
    /// A seat's initialisation with its cost, before any fault in it.
    Start(Seat, Cost),
    /// A fault. A fault in a turn comes before that turn.
    Fault(&'a Fault),
    /// A turn.
    Turn(&'a TurnRecord),
}

/// A player at the table.
pub struct Seated {
    /// The player itself.
    pub player: Box<dyn Player>,
    /// The bot's `ready` message, if it has been greeted already.
    pub ready: Option<Ready>,
    /// See [`Artifact::startup_free_ms`](model::artifact::Artifact::startup_free_ms).
    pub startup_free_ms: Option<u64>,
}
