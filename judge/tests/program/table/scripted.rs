//! A bot without a process, made of a function from questions to answers.

use model::fault::{Offence, Phase};
use referee::table::player::{Allowance, Cost, Player, Spent};
use rulebook::JudgeError;

/// One answer of a scripted bot.
#[derive(Clone, Debug)]
pub(super) struct ScriptedAnswer {
    /// The line, or the offence instead.
    pub(super) answer: Result<String, Offence>,
    /// The CPU time it claims to have taken, in microseconds; wall time is the same.
    pub(super) spent_us: u64,
    /// The part of `spent_us` that it claims to have taken before the question.
    pub(super) off_turn_us: u64,
    /// The silence that it claims, in microseconds.
    pub(super) idle_us: u64,
    /// Whether it claims to be stopped between its turns.
    pub(super) suspended: bool,
    /// Whether it claims that the machine was overloaded.
    pub(super) overloaded: bool,
    /// Whether it claims that others held the resources that it needed.
    pub(super) went_short: bool,
}

impl ScriptedAnswer {
    /// Returns an answer with this line that takes no time.
    pub(super) fn line(line: impl Into<String>) -> Self {
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
pub(super) struct Scripted<F> {
    script: F,
    line: Vec<u8>,
}

impl<F: FnMut(&str) -> ScriptedAnswer> Scripted<F> {
    /// Makes a bot that answers each question (a line without its newline) by `script`.
    pub(super) fn new(script: F) -> Self {
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
