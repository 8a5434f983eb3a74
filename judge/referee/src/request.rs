//! What can be asked: a JSON object with one key, which names the request.

use super::lines::LINE_BYTES_MAX;
use engines::object::{Message, Object};
use engines::{Forfeit, plain};
use serde::Deserialize;
use serde_json::value::RawValue;

/// A request as it stands on the line. What belongs to the game (setups, configurations,
/// moves) is left for the game to read.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Request<'a> {
    /// What is refereed, and under which limits?
    About(Object<AboutRequest>),
    /// What is to be said of this position?
    #[serde(borrow)]
    Position(Object<Opening<'a>>),
    /// Keep this position as a session.
    #[serde(borrow)]
    New(Object<Opening<'a>>),
    /// Play a turn in a session.
    #[serde(borrow)]
    Play(Object<PlayRequest<'a>>),
    /// What is to be said of a session's position?
    Show(Object<ShowRequest>),
    /// Make a session of its own from a session's position.
    Copy(Object<ShowRequest>),
    /// Forget a session.
    Close(Object<Close>),
}

/// `about` takes nothing.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct AboutRequest {}

/// A position: where the game began, and what was played since.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Opening<'a> {
    /// The initial state.
    #[serde(borrow)]
    pub(super) setup: Option<&'a RawValue>,
    /// What the initial state is drawn from, instead.
    pub(super) seed: Option<u64>,
    /// The configuration that it is drawn for; what is left out has the game's default.
    #[serde(borrow)]
    pub(super) config: Option<&'a RawValue>,
    /// Moves, each by the seat that is to move.
    #[serde(borrow)]
    pub(super) moves: Option<Vec<&'a RawValue>>,
    /// Turns, instead: moves and forfeits of any seat.
    #[serde(borrow)]
    pub(super) turns: Option<Vec<Object<TurnFields<'a>>>>,
    /// What to answer.
    #[serde(default)]
    pub(super) want: Wants,
}

/// Where a game began.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin<'a> {
    /// With this initial state.
    Setup(&'a RawValue),
    /// With the initial state that belongs to a seed and a configuration.
    Seed(u64, &'a RawValue),
}

impl<'a> Opening<'a> {
    /// Returns where the game began.
    ///
    /// # Errors
    /// When the fields do not say one thing.
    pub(super) fn origin(&self) -> Result<Origin<'a>, String> {
        match (self.setup, self.seed, self.config) {
            (Some(setup), None, None) => Ok(Origin::Setup(setup)),
            (None, Some(seed), config) => {
                let defaults = || serde_json::from_str("{}").expect("an object");
                Ok(Origin::Seed(seed, config.unwrap_or_else(defaults)))
            }
            (None, None, _) => Err("a position needs a setup or a seed".to_owned()),
            (Some(_), _, _) => Err("with a setup, leave out seed and config".to_owned()),
        }
    }

    /// Returns what was played since, in order; in place of a turn that says nothing or
    /// two things, what is wrong with it.
    ///
    /// # Errors
    /// When there are two lists.
    pub(super) fn turns(&self) -> Result<Vec<Result<TurnRequest<'a>, String>>, String> {
        match (&self.moves, &self.turns) {
            (None, None) => Ok(Vec::new()),
            (Some(moves), None) => Ok(moves.iter().map(|mv| Ok(TurnRequest::of(mv))).collect()),
            (None, Some(turns)) => Ok(turns.iter().map(|turn| turn.0.turn()).collect()),
            (Some(_), Some(_)) => Err("give moves or turns, not both".to_owned()),
        }
    }
}

/// What happened in a turn, before it is known to be one thing only.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct TurnFields<'a> {
    /// Whose turn it is.
    seat: Option<u8>,
    /// A move.
    #[serde(borrow, rename = "move")]
    mv: Option<&'a RawValue>,
    /// Why there was none.
    forfeit: Option<Forfeit>,
}

/// `play`: one turn of a session.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct PlayRequest<'a> {
    /// The session's number.
    pub(super) session: u64,
    seat: Option<u8>,
    #[serde(borrow, rename = "move")]
    mv: Option<&'a RawValue>,
    forfeit: Option<Forfeit>,
    /// What to answer.
    #[serde(default)]
    pub(super) want: Wants,
}

/// `show` and `copy`.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct ShowRequest {
    /// The session's number.
    pub(super) session: u64,
    /// What to answer.
    #[serde(default)]
    pub(super) want: Wants,
}

/// `close`.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Close {
    /// The session's number.
    pub(super) session: u64,
}

/// One turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnRequest<'a> {
    /// Whose turn it is; absent: the lowest seat that is to move.
    pub(super) seat: Option<u8>,
    /// What happened.
    pub(super) deed: Deed<'a>,
}

/// What happened in a turn.
#[derive(Clone, Copy, Debug)]
pub(super) enum Deed<'a> {
    /// A move, for the game to read.
    Move(&'a RawValue),
    /// No legal move came.
    Forfeit(Forfeit),
}

impl<'a> TurnRequest<'a> {
    /// Makes the turn in which the seat that is to move plays this move.
    pub(super) fn of(mv: &'a RawValue) -> Self {
        Self {
            seat: None,
            deed: Deed::Move(mv),
        }
    }

    fn either(
        seat: Option<u8>,
        mv: Option<&'a RawValue>,
        forfeit: Option<Forfeit>,
    ) -> Result<Self, String> {
        let deed = match (mv, forfeit) {
            (Some(mv), None) => Deed::Move(mv),
            (None, Some(why)) => Deed::Forfeit(why),
            (None, None) => return Err("a turn needs a move or a forfeit".to_owned()),
            (Some(_), Some(_)) => {
                return Err("a turn has a move or a forfeit, not both".to_owned());
            }
        };
        Ok(Self { seat, deed })
    }
}

impl<'a> TurnFields<'a> {
    /// Returns the turn.
    ///
    /// # Errors
    /// When the fields do not say one thing.
    pub(super) fn turn(&self) -> Result<TurnRequest<'a>, String> {
        TurnRequest::either(self.seat, self.mv, self.forfeit)
    }
}

impl<'a> PlayRequest<'a> {
    /// Returns the turn that is played.
    ///
    /// # Errors
    /// When the fields do not say one thing.
    pub(super) fn turn(&self) -> Result<TurnRequest<'a>, String> {
        TurnRequest::either(self.seat, self.mv, self.forfeit)
    }
}

/// Something that can be said of a position.
#[derive(Clone, Copy, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub(super) enum Want {
    /// The legal moves of each seat that is to move.
    Legal,
    /// What each seat that is to move sees.
    View,
    /// What every seat sees, whether or not it is to move.
    Views,
    /// The result, once the game is over.
    Outcome,
    /// The picture of the position.
    Frame,
}

/// What to answer.
#[derive(Clone, Copy, Deserialize, Debug)]
#[serde(from = "Option<Vec<Want>>")]
pub(super) struct Wants(u8);

impl Wants {
    /// Returns whether this was asked for.
    pub(super) const fn have(self, want: Want) -> bool {
        self.0 & (1 << want as u8) != 0
    }
}

impl From<Option<Vec<Want>>> for Wants {
    fn from(list: Option<Vec<Want>>) -> Self {
        let Some(list) = list else {
            return Self::default();
        };
        Self(list.iter().fold(0, |set, &want| set | 1 << want as u8))
    }
}

impl Default for Wants {
    /// What a turn tells a bot, and the result: cheap in every game.
    fn default() -> Self {
        Self(1 << Want::Legal as u8 | 1 << Want::View as u8 | 1 << Want::Outcome as u8)
    }
}

/// Reads a line.
///
/// # Errors
/// The reader's complaint.
pub(super) fn read(line: &[u8]) -> Result<Request<'_>, String> {
    if line.len() > LINE_BYTES_MAX {
        return Err(format!("the line has more than {LINE_BYTES_MAX} bytes"));
    }
    let text = std::str::from_utf8(line).map_err(|error| format!("not UTF-8: {error}"))?;
    if text.trim().is_empty() {
        return Err("the line is empty".to_owned());
    }
    plain::read(text).map(|Message(request)| request)
}
