//! The reasons for refusing a request.

use engines::Seat;
use engines::quote::told;
use rulebook::JudgeError;
use rulebook::rules::RulesError;
use serde::Serialize;

/// Why a request was refused. A refused request changes nothing.
#[derive(Serialize, Debug)]
pub(super) struct Refusal {
    /// The kind of problem.
    pub(super) kind: RefusalKind,
    /// The position of the turn in the request's list, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) index: Option<usize>,
    /// The seat of the refused turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seat: Option<Seat>,
    /// The rule that the move breaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rule: Option<&'static str>,
    /// The reason in words; its length is bounded, even where it quotes input.
    pub(super) message: String,
    /// The start of the line, if the line itself is the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<String>,
}

/// The kind of problem; `protocol.md` lists them.
#[derive(Serialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RefusalKind {
    /// The line is not a request.
    Malformed,
    /// The rules do not allow the configuration.
    Config,
    /// The rules do not allow the setup.
    Setup,
    /// A move that is not a move of this game.
    UnreadableMove,
    /// A move that the rules forbid.
    IllegalMove,
    /// A move that is claimed to break a rule, but breaks none.
    LegalMove,
    /// A turn of a seat that does not exist or is not to move.
    WrongSeat,
    /// A turn after the end of the game.
    Over,
    /// The session does not exist, or too many are open.
    Session,
}

/// Why a request gets no regular answer.
#[derive(Debug)]
pub(super) enum Unanswered {
    /// The request was refused.
    Refused(Refusal),
    /// The rules failed.
    Failed(JudgeError),
}

impl Unanswered {
    /// Converts an error of the rules; a refusal by the rules gets this kind.
    pub(super) fn of(error: RulesError, kind: RefusalKind) -> Self {
        match error {
            RulesError::Refused(refused) => Refusal::new(kind, refused.0).into(),
            RulesError::Failed(error) => error.into(),
        }
    }

    /// Adds the position of the turn in the request's list.
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
    /// Creates a refusal of a kind with a message.
    pub(super) fn new(kind: RefusalKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            index: None,
            seat: None,
            rule: None,
            // The message may quote the request.
            message: told(&message.into()),
            line: None,
        }
    }

    /// Adds the position in the request's list of turns.
    #[must_use]
    pub(super) fn at(mut self, index: usize) -> Self {
        self.index = Some(index);
        self
    }

    /// Adds the seat of the turn.
    #[must_use]
    pub(super) fn by(mut self, seat: Seat) -> Self {
        self.seat = Some(seat);
        self
    }
}
