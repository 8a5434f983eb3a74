//! The promises of rules, and the end of a game that breaks one.

use rulebook::JudgeError;
use rulebook::rules::Rules;
use serde_json::value::RawValue;

/// The rules in two processes, and the configuration of all games.
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a> {
    /// The rules that are asked for more.
    pub probed: &'a dyn Rules,
    /// The same rules, played plainly.
    pub plain: &'a dyn Rules,
    /// The configuration.
    pub config: &'a RawValue,
}

/// A part of the contract of rules. A check reports the first broken promise of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// The program answers.
    Answers,
    /// Equal requests have equal answers.
    Repeats,
    /// A setup reads back as itself.
    Setup,
    /// The lists have all legal moves, and no others.
    Legal,
    /// Moves of one round do not depend on their order.
    Rounds,
    /// An outcome is consistent, and comes in time.
    Outcome,
    /// Frames are pictures.
    Frame,
}

/// The reason why a game stops.
pub(super) enum Stop {
    Broken(Promise, String),
    Failed(JudgeError),
}

impl From<JudgeError> for Stop {
    fn from(error: JudgeError) -> Self {
        match error {
            JudgeError::Game { reason, .. } => {
                // A finding names its ply.
                let words = reason
                    .strip_prefix("ply ")
                    .and_then(|rest| rest.split_once(": "));
                let words = words.map_or(reason.as_str(), |(_, words)| words);
                Self::Broken(Promise::Answers, words.to_owned())
            }
            other => Self::Failed(other),
        }
    }
}
