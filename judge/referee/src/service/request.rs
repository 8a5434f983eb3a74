//! Reading requests: a JSON object with one key, which names the request.

use super::LINE_BYTES_MAX;
use engines::Forfeit;
use engines::plain::{self, Message};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Setups, configurations and moves stay unparsed, for the game to read.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Request<'a> {
    About(AboutRequest),
    #[serde(borrow)]
    Position(Opening<'a>),
    #[serde(borrow)]
    New(Opening<'a>),
    #[serde(borrow)]
    Play(PlayRequest<'a>),
    Show(ShowRequest),
    Copy(ShowRequest),
    Close(Close),
    #[serde(borrow)]
    Config(Settings<'a>),
    #[serde(borrow)]
    Spell(Spelled<'a>),
    Read(Typed),
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct AboutRequest {}

/// An initial state and the turns since.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Opening<'a> {
    #[serde(borrow)]
    pub(super) setup: Option<&'a RawValue>,
    /// In place of `setup`.
    pub(super) seed: Option<u64>,
    /// Omitted fields have the game's defaults.
    #[serde(borrow)]
    pub(super) config: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) moves: Option<Vec<&'a RawValue>>,
    /// In place of `moves`.
    #[serde(borrow)]
    pub(super) turns: Option<Vec<TurnFields<'a>>>,
    #[serde(default)]
    pub(super) want: ResponseParts,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Origin<'a> {
    Setup(&'a RawValue),
    /// Without a configuration, the service's own.
    Seed(u64, Option<&'a RawValue>),
}

impl<'a> Opening<'a> {
    pub(super) fn origin(&self) -> Result<Origin<'a>, String> {
        match (self.setup, self.seed, self.config) {
            (Some(setup), None, None) => Ok(Origin::Setup(setup)),
            (None, Some(seed), config) => Ok(Origin::Seed(seed, config)),
            (None, None, _) => Err("a position needs a setup or a seed".to_owned()),
            (Some(_), _, _) => Err("with a setup, leave out seed and config".to_owned()),
        }
    }

    /// Returns the turns in order. One with no deed or with two is replaced by its complaint.
    pub(super) fn turns(&self) -> Result<Vec<Result<TurnRequest<'a>, String>>, String> {
        match (&self.moves, &self.turns) {
            (None, None) => Ok(Vec::new()),
            (Some(moves), None) => Ok(moves.iter().map(|mv| Ok(TurnRequest::of(mv))).collect()),
            (None, Some(turns)) => {
                let turns = turns
                    .iter()
                    .map(|turn| TurnRequest::either(turn.seat, turn.mv, turn.forfeit));
                Ok(turns.collect())
            }
            (Some(_), Some(_)) => Err("give moves or turns, not both".to_owned()),
        }
    }
}

/// Not yet checked to have exactly one deed.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct TurnFields<'a> {
    seat: Option<u8>,
    #[serde(borrow, rename = "move")]
    mv: Option<&'a RawValue>,
    forfeit: Option<Forfeit>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct PlayRequest<'a> {
    pub(super) session: u64,
    pub(super) seat: Option<u8>,
    #[serde(borrow, rename = "move")]
    pub(super) mv: Option<&'a RawValue>,
    pub(super) forfeit: Option<Forfeit>,
    #[serde(default)]
    pub(super) want: ResponseParts,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct ShowRequest {
    pub(super) session: u64,
    #[serde(default)]
    pub(super) want: ResponseParts,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Close {
    pub(super) session: u64,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings<'a> {
    #[serde(borrow)]
    pub(super) settings: &'a RawValue,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Spelled<'a> {
    pub(super) session: u64,
    pub(super) seat: u8,
    #[serde(borrow, rename = "move")]
    pub(super) mv: &'a RawValue,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Typed {
    pub(super) session: u64,
    pub(super) seat: u8,
    pub(super) text: String,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct TurnRequest<'a> {
    /// `None` = the lowest seat that is to move.
    pub(super) seat: Option<u8>,
    pub(super) action: TurnAction<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum TurnAction<'a> {
    Move(&'a RawValue),
    /// A move claimed to break a rule.
    Broken(&'a RawValue),
    Forfeit(Forfeit),
}

impl<'a> TurnRequest<'a> {
    pub(super) fn of(mv: &'a RawValue) -> Self {
        Self {
            seat: None,
            action: TurnAction::Move(mv),
        }
    }

    pub(super) fn either(
        seat: Option<u8>,
        mv: Option<&'a RawValue>,
        forfeit: Option<Forfeit>,
    ) -> Result<Self, String> {
        let action = match (mv, forfeit) {
            (Some(mv), None) => TurnAction::Move(mv),
            (None, Some(why)) => TurnAction::Forfeit(why),
            (None, None) => return Err("a turn needs a move or a forfeit".to_owned()),
            (Some(mv), Some(Forfeit::Illegal)) => TurnAction::Broken(mv),
            (Some(_), Some(_)) => {
                let words = "a turn has a move or a forfeit; both only where it is \"illegal\"";
                return Err(words.to_owned());
            }
        };
        Ok(Self { seat, action })
    }
}

#[derive(Clone, Copy, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub(super) enum ResponsePart {
    /// Of each seat that is to move.
    Legal,
    /// Of each seat that is to move.
    View,
    /// Of every seat.
    Views,
    Outcome,
    Frame,
    Seats,
    /// The setup, in the game's own spelling.
    Setup,
    Move,
    Seen,
    Points,
    Measure,
}

impl ResponsePart {
    /// Fields that a service need not know.
    pub(super) const OPTIONAL: [&'static str; 6] =
        ["seats", "setup", "move", "seen", "points", "measure"];
}

#[derive(Clone, Copy, Deserialize, Debug)]
#[serde(from = "Option<Vec<ResponsePart>>")]
pub(super) struct ResponseParts(u16);

impl ResponseParts {
    pub(super) const fn contains(self, want: ResponsePart) -> bool {
        self.0 & (1 << want as u8) != 0
    }
}

impl From<Option<Vec<ResponsePart>>> for ResponseParts {
    fn from(list: Option<Vec<ResponsePart>>) -> Self {
        let Some(list) = list else {
            return Self::default();
        };
        Self(list.iter().fold(0, |set, &want| set | 1 << want as u8))
    }
}

impl Default for ResponseParts {
    /// The facts that a turn gives to a bot, and the result: cheap in every game.
    fn default() -> Self {
        Self(
            1 << ResponsePart::Legal as u8
                | 1 << ResponsePart::View as u8
                | 1 << ResponsePart::Outcome as u8,
        )
    }
}

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
