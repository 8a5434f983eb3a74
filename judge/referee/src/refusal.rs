//! Why a request was refused.

use engines::Seat;
use engines::quote::told;
use error::JudgeError;
use rules::RulesError;
use serde::Serialize;

/// Why a request was refused; whatever it was about is then unchanged.
#[derive(Serialize, Debug)]
pub(super) struct Refusal {
    /// What kind of trouble it is.
    pub(super) kind: RefusalKind,
    /// The place of the turn in the request's list, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) index: Option<usize>,
    /// Whose turn it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seat: Option<Seat>,
    /// The rule that a move breaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rule: Option<&'static str>,
    /// The reason in words; bounded, whatever is quoted in it.
    pub(super) message: String,
    /// The start of the line, where the line is the trouble.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<String>,
}

/// What kind of trouble it is; `protocol.md` lists them.
#[derive(Serialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RefusalKind {
    /// The line is no request.
    Malformed,
    /// The rules do not allow the configuration.
    Config,
    /// The rules do not allow the setup.
    Setup,
    /// A move that is not a move of this game.
    UnreadableMove,
    /// A move that the rules forbid.
    IllegalMove,
    /// A move that is said to break a rule and does not.
    LegalMove,
    /// A turn of a seat that is not there, or not to move.
    WrongSeat,
    /// A turn after the end of the game.
    Over,
    /// There is no such session, or there are too many.
    Session,
}

/// Why a request has no answer but this.
#[derive(Debug)]
pub(super) enum Unanswered {
    /// It was refused.
    Refused(Refusal),
    /// The rules failed.
    Failed(JudgeError),
}

impl Unanswered {
    /// Makes one of what rules said; what they refuse is trouble of this kind.
    pub(super) fn of(error: RulesError, kind: RefusalKind) -> Self {
        match error {
            RulesError::Refused(refused) => Refusal::new(kind, refused.0).into(),
            RulesError::Failed(error) => error.into(),
        }
    }

    /// Names the place of the turn in the request's list.
    pub(super) fn at(self, index: usize) -> Self {
        match self {
            Self::Refused(refusal) => refusal.at(index).into(),
            failed @ Self::Failed(_) => failed,
        }
    }
}

impl From<Refusal> for Unanswered {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<JudgeError> for Unanswered {
    fn from(error: JudgeError) -> Self {
        Self::Failed(error)
    }
}

impl Refusal {
    /// Says what is wrong.
    pub(super) fn new(kind: RefusalKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            index: None,
            seat: None,
            rule: None,
            // It may repeat what stands in the request.
            message: told(&message.into()),
            line: None,
        }
    }

    /// Adds the place in the request's list of turns.
    #[must_use]
    pub(super) fn at(mut self, index: usize) -> Self {
        self.index = Some(index);
        self
    }

    /// Adds whose turn it was.
    #[must_use]
    pub(super) fn by(mut self, seat: Seat) -> Self {
        self.seat = Some(seat);
        self
    }
}
