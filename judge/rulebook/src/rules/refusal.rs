//! The reasons why a call of the rules has no result: they refuse their input, or they fail.

use crate::error::JudgeError;
use engines::Refused;

/// The reason why a call of the rules has no result.
#[derive(Debug)]
pub enum RulesError {
    /// The rules do not allow the input.
    Refused(Refused),
    /// The rules failed, whatever the input.
    Failed(JudgeError),
}

impl RulesError {
    /// Makes the error for input that the judge itself gave to the rules. `what` names it.
    pub fn of(self, what: &'static str) -> JudgeError {
        self.told(|reason| JudgeError::Rules { what, reason })
    }

    /// Makes the error for input from somebody else. `tell` says what is wrong with it.
    pub fn told(self, tell: impl FnOnce(Refused) -> JudgeError) -> JudgeError {
        match self {
            Self::Refused(refused) => tell(refused),
            Self::Failed(error) => error,
        }
    }
}

impl From<Refused> for RulesError {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl From<JudgeError> for RulesError {
    fn from(error: JudgeError) -> Self {
        Self::Failed(error)
    }
}
