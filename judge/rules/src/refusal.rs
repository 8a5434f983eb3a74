//! Why rules gave nothing: they refuse what they were given, or they fail.

use engines::Refused;
use error::JudgeError;

/// Why rules gave nothing.
#[derive(Debug)]
pub enum RulesError {
    /// They do not allow what they were given.
    Refused(Refused),
    /// They failed, whatever they were given.
    Failed(JudgeError),
}

impl RulesError {
    /// Makes the error of something that the judge itself handed to the rules: `what` names it.
    pub fn of(self, what: &'static str) -> JudgeError {
        self.told(|reason| JudgeError::Rules { what, reason })
    }

    /// Makes the error of something that somebody else wrote: `tell` says what is wrong with it.
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
