use super::{Board, Colour};
use crate::Forfeit;
use core::fmt;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The maximum number of random plies before a game. A third of the fields stays empty for play.
pub const OPENING_PLIES_MAX: u32 = 40;

/// The settings that a competition may vary.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The number of random plies before a game, at most [`OPENING_PLIES_MAX`]; the course has 0.
    pub opening_plies: u32,
}

/// An initial state with any board, on which the game may be over.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The board.
    pub board: Board,
    /// The side to move. It may be one that must pass.
    pub to_move: Colour,
}

/// A position of Reversi.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reversi {
    pub(super) board: Board,
    pub(super) to_move: Colour,
    pub(super) last: [Option<Move>; 2],
    pub(super) end: Option<End>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Neither side can move.
    Counted,
    Forfeited(Colour, Forfeit),
}

/// A player's answer. [`crate::Game::check`] explains the fault of a number that is no field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// No disc is placed.
    Pass,
    /// A disc is placed on this field. A legal one is 0 to 63.
    Place(i64),
}

impl Serialize for Move {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Pass => serializer.serialize_str("pass"),
            Self::Place(field) => serializer.serialize_i64(field),
        }
    }
}

impl<'de> Deserialize<'de> for Move {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Wire)
    }
}

struct Wire;

impl de::Visitor<'_> for Wire {
    type Value = Move;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"pass\" or the number of a field, 0 to 63")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Move, E> {
        match text {
            "pass" => Ok(Move::Pass),
            _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
        }
    }

    fn visit_i64<E: de::Error>(self, field: i64) -> Result<Move, E> {
        Ok(Move::Place(field))
    }

    fn visit_u64<E: de::Error>(self, field: u64) -> Result<Move, E> {
        let out_of_range = |_| E::invalid_value(de::Unexpected::Unsigned(field), &self);
        i64::try_from(field).map(Move::Place).map_err(out_of_range)
    }
}

/// A player's view.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// The board.
    pub board: Board,
    /// The colour of this seat.
    pub you: Colour,
    /// The opponent's last move; null before its first.
    pub last: Option<Move>,
}
