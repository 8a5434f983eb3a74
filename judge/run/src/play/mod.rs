//! Bots as processes, and the worker process that plays games with them. A question is one line, an
//! answer is one line, and the time between them is measured. Nothing here knows a game's rules.

mod cpu_clock;
mod death;
mod forked;
mod game_program;
mod holdings;
mod machine;
mod machine_load;
mod pipes;
mod process;
mod reply_deadline;
pub mod worker;

use model::fault::{Offence, Phase};
use referee::table::player::{Allowance, Cost, Player, Spent};
use rulebook::JudgeError;

pub use death::may_be_from_outside;
pub use game_program::{open_game, open_game_among};
pub use machine::calibrate;

pub use process::{IdleReport, ProcessPlayer, WorkerBots};
pub use referee::external::disconnect;

/// One answer of a scripted bot.
#[derive(Clone, Debug)]
pub struct ScriptedAnswer {
    /// The line, or the offence instead.
    pub answer: Result<String, Offence>,
    /// The CPU time it claims to have taken, in microseconds; wall time is the same.
    pub spent_us: u64,
    /// The part of `spent_us` that it claims to have taken before the question.
    pub off_turn_us: u64,
    /// The silence that it claims, in microseconds.
    pub idle_us: u64,
    /// Whether it claims to be stopped between its turns.
    pub suspended: bool,
    /// Whether it claims that the machine was overloaded.
    pub overloaded: bool,
    /// Whether it claims that others held the resources that it needed.
    pub went_short: bool,
}

impl ScriptedAnswer {
    /// Returns an answer with this line that takes no time.
    pub fn line(line: impl Into<String>) -> Self {
        Self {
            answer: Ok(line.into()),
            spent_us: 0,
            off_turn_us: 0,
            idle_us: 0,
            suspended: false,
            overloaded: false,
            went_short: false,
        }
    }
}

/// A bot with a function from questions to answers.
pub struct Scripted<F> {
    script: F,
    line: Vec<u8>,
}

impl<F: FnMut(&str) -> ScriptedAnswer> Scripted<F> {
    /// Makes a bot that answers each question (a line without its newline) by `script`.
    pub fn new(script: F) -> Self {
        Self {
            script,
            line: Vec::new(),
        }
    }
}

impl<F: FnMut(&str) -> ScriptedAnswer> Player for Scripted<F> {
    fn ask(
        &mut self,
        _phase: Phase,
        message: &[u8],
        _allowance: Allowance,
    ) -> Result<Spent, JudgeError> {
        let question = std::str::from_utf8(message).expect("the judge writes UTF-8");
        let step = (self.script)(question.trim_end());
        self.line.clear();
        let result = step
            .answer
            .map(|line| self.line.extend_from_slice(line.as_bytes()));
        let cost = Cost {
            cpu_us: step.spent_us,
            off_turn_us: step.off_turn_us,
            idle_us: step.idle_us,
            wall_us: step.spent_us,
            suspended: step.suspended,
            overloaded: step.overloaded,
            went_short: step.went_short,
            ..Cost::default()
        };
        Ok(Spent { cost, result })
    }

    fn line(&self) -> &[u8] {
        &self.line
    }
}
