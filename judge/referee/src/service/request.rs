//! Reading requests: a JSON object with one key, which names the request.

use super::LINE_BYTES_MAX;
use engines::object::{Message, Object};
use engines::{Forfeit, plain};
use serde::Deserialize;
use serde_json::value::RawValue;

/// A request as written on the line. Parts that belong to the game (setups, configurations, moves)
/// stay unparsed, for the game to read.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Request<'a> {
    /// Asks for the game and the service's limits.
    About(Object<AboutRequest>),
    /// Asks for facts about this position.
    #[serde(borrow)]
    Position(Object<Opening<'a>>),
    /// Keeps this position as a session.
    #[serde(borrow)]
    New(Object<Opening<'a>>),
    /// Plays a turn in a session.
    #[serde(borrow)]
    Play(Object<PlayRequest<'a>>),
    /// Asks for facts about a session's position.
    Show(Object<ShowRequest>),
    /// Copies a session's position into a new session.
    Copy(Object<ShowRequest>),
    /// Closes a session.
    Close(Object<Close>),
    /// Completes a configuration.
    #[serde(borrow)]
    Config(Object<Settings<'a>>),
    /// Asks how a person would type a move.
    #[serde(borrow)]
    Spell(Object<Spelled<'a>>),
    /// Reads a move that a person has typed.
    Read(Object<Typed>),
}

/// The request `about`, which has no fields.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct AboutRequest {}

/// A position: the initial state and the turns since.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Opening<'a> {
    /// The initial state.
    #[serde(borrow)]
    pub(super) setup: Option<&'a RawValue>,
    /// The seed to draw the initial state from, in place of `setup`.
    pub(super) seed: Option<u64>,
    /// The configuration to draw it for; omitted fields have the game's defaults.
    #[serde(borrow)]
    pub(super) config: Option<&'a RawValue>,
    /// Moves, each by the seat that is to move.
    #[serde(borrow)]
    pub(super) moves: Option<Vec<&'a RawValue>>,
    /// Turns, in place of `moves`: moves and forfeits of any seat.
    #[serde(borrow)]
    pub(super) turns: Option<Vec<Object<TurnFields<'a>>>>,
    /// The facts to answer with.
    #[serde(default)]
    pub(super) want: Wants,
}

/// The source of a game's initial state.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin<'a> {
    /// This initial state.
    Setup(&'a RawValue),
    /// The initial state that belongs to a seed and a configuration, without one to the service's own.
    Seed(u64, Option<&'a RawValue>),
}

impl<'a> Opening<'a> {
    /// Returns the source of the initial state.
    pub(super) fn origin(&self) -> Result<Origin<'a>, String> {
        match (self.setup, self.seed, self.config) {
            (Some(setup), None, None) => Ok(Origin::Setup(setup)),
            (None, Some(seed), config) => Ok(Origin::Seed(seed, config)),
            (None, None, _) => Err("a position needs a setup or a seed".to_owned()),
            (Some(_), _, _) => Err("with a setup, leave out seed and config".to_owned()),
        }
    }

    /// Returns the turns since the initial state, in order. A turn with no deed or with two is
    /// replaced by its complaint.
    pub(super) fn turns(&self) -> Result<Vec<Result<TurnRequest<'a>, String>>, String> {
        match (&self.moves, &self.turns) {
            (None, None) => Ok(Vec::new()),
            (Some(moves), None) => Ok(moves.iter().map(|mv| Ok(TurnRequest::of(mv))).collect()),
            (None, Some(turns)) => {
                let turns = turns
                    .iter()
                    .map(|Object(turn)| TurnRequest::either(turn.seat, turn.mv, turn.forfeit));
                Ok(turns.collect())
            }
            (Some(_), Some(_)) => Err("give moves or turns, not both".to_owned()),
        }
    }
}

/// The fields of a turn, not yet checked to describe exactly one deed.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct TurnFields<'a> {
    /// Whose turn it is.
    seat: Option<u8>,
    /// A move.
    #[serde(borrow, rename = "move")]
    mv: Option<&'a RawValue>,
    /// Why there was no move.
    forfeit: Option<Forfeit>,
}

/// The request `play`: one turn of a session.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct PlayRequest<'a> {
    /// The session's number.
    pub(super) session: u64,
    pub(super) seat: Option<u8>,
    #[serde(borrow, rename = "move")]
    pub(super) mv: Option<&'a RawValue>,
    pub(super) forfeit: Option<Forfeit>,
    /// The facts to answer with.
    #[serde(default)]
    pub(super) want: Wants,
}

/// The requests `show` and `copy`.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct ShowRequest {
    /// The session's number.
    pub(super) session: u64,
    /// The facts to answer with.
    #[serde(default)]
    pub(super) want: Wants,
}

/// The request `close`.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Close {
    /// The session's number.
    pub(super) session: u64,
}

/// The request `config`.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings<'a> {
    /// Any of the game's settings.
    #[serde(borrow)]
    pub(super) settings: &'a RawValue,
}

/// The request `spell`.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Spelled<'a> {
    /// The session's number.
    pub(super) session: u64,
    /// The seat that would play the move.
    pub(super) seat: u8,
    /// The move.
    #[serde(borrow, rename = "move")]
    pub(super) mv: &'a RawValue,
}

/// The request `read`.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Typed {
    /// The session's number.
    pub(super) session: u64,
    /// The seat that would play the move.
    pub(super) seat: u8,
    /// The text.
    pub(super) text: String,
}

/// One turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnRequest<'a> {
    /// The seat of the turn; `None` = the lowest seat that is to move.
    pub(super) seat: Option<u8>,
    /// The move or forfeit.
    pub(super) deed: Deed<'a>,
}

/// The move or forfeit of a turn.
#[derive(Clone, Copy, Debug)]
pub(super) enum Deed<'a> {
    /// A move, unparsed.
    Move(&'a RawValue),
    /// A move claimed to break a rule; the game carries out what it can of it.
    Broken(&'a RawValue),
    /// No legal move came.
    Forfeit(Forfeit),
}

impl<'a> TurnRequest<'a> {
    /// Creates a turn in which the seat to move plays this move.
    pub(super) fn of(mv: &'a RawValue) -> Self {
        Self {
            seat: None,
            deed: Deed::Move(mv),
        }
    }

    /// Returns the turn of a seat with a move or a forfeit.
    pub(super) fn either(
        seat: Option<u8>,
        mv: Option<&'a RawValue>,
        forfeit: Option<Forfeit>,
    ) -> Result<Self, String> {
        let deed = match (mv, forfeit) {
            (Some(mv), None) => Deed::Move(mv),
            (None, Some(why)) => Deed::Forfeit(why),
            (None, None) => return Err("a turn needs a move or a forfeit".to_owned()),
            (Some(mv), Some(Forfeit::Illegal)) => Deed::Broken(mv),
            (Some(_), Some(_)) => {
                let words = "a turn has a move or a forfeit; both only where it is \"illegal\"";
                return Err(words.to_owned());
            }
        };
        Ok(Self { seat, deed })
    }
}

/// A kind of fact about a position.
#[derive(Clone, Copy, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub(super) enum Want {
    /// The legal moves of each seat that is to move.
    Legal,
    /// The view of each seat that is to move.
    View,
    /// The view of every seat, to move or not.
    Views,
    /// The result, once the game is over.
    Outcome,
    /// The picture of the position.
    Frame,
    /// The number of seats.
    Seats,
    /// The setup, in the game's own spelling.
    Setup,
    /// The move just played, in the game's own spelling.
    Move,
    /// The picture of what each seat sees.
    Seen,
    /// The range of points that each seat can still end with.
    Points,
    /// The count for spectators.
    Measure,
}

impl Want {
    /// The facts that a service need not know, by their names.
    pub(super) const OPTIONAL: [&'static str; 6] =
        ["seats", "setup", "move", "seen", "points", "measure"];
}

/// The set of facts to answer with.
#[derive(Clone, Copy, Deserialize, Debug)]
#[serde(from = "Option<Vec<Want>>")]
pub(super) struct Wants(u16);

impl Wants {
    /// Returns whether this fact was requested.
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
    /// Returns the facts that a turn gives to a bot, and the result: cheap in every game.
    fn default() -> Self {
        Self(1 << Want::Legal as u8 | 1 << Want::View as u8 | 1 << Want::Outcome as u8)
    }
}

/// Parses a line.
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
