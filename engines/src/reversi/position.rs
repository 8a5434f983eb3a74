use super::board::{FIELDS, fields, flips, moves};
use super::{Board, Colour};
use crate::{Forfeit, RuleBroken};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A position of Reversi.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reversi {
    pub(super) board: Board,
    pub(super) to_move: Colour,
    /// Empty when the side to move must pass.
    legal: u64,
    pub(super) last: [Option<Move>; 2],
    pub(super) end: Option<End>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Neither side can move.
    Counted,
    Forfeited(Colour, Forfeit),
}

impl Reversi {
    /// The game may be over on this board.
    pub(super) fn new(board: Board, to_move: Colour) -> Self {
        let mut game = Self {
            board,
            to_move,
            legal: 0,
            last: [None; 2],
            end: None,
        };
        game.give_turn_to(to_move);
        game
    }

    pub(super) fn mover(&self) -> Option<Colour> {
        self.end.is_none().then_some(self.to_move)
    }

    /// Lists at least a pass.
    pub(super) fn moves(&self, colour: Colour) -> Vec<Move> {
        match self.legal(colour) {
            0 => vec![Move::Pass],
            legal => fields(legal)
                .map(|field| Move::Place(field.into()))
                .collect(),
        }
    }

    pub(super) fn advance(&mut self, colour: Colour, mv: Move) {
        if let Move::Place(field) = mv {
            let field = on_board(field).expect("checked by Game::check");
            self.board = self.board.after(colour, field);
        }
        self.last[colour.seat().index()] = Some(mv);
        self.give_turn_to(colour.other());
    }

    fn legal(&self, colour: Colour) -> u64 {
        if colour == self.to_move {
            self.legal
        } else {
            self.board.moves(colour)
        }
    }

    fn give_turn_to(&mut self, colour: Colour) {
        self.to_move = colour;
        self.legal = self.board.moves(colour);
        if self.legal == 0 && self.board.moves(colour.other()) == 0 {
            self.end = Some(End::Counted);
        }
    }

    pub(super) fn check_place(&self, colour: Colour, field: i64) -> Result<(), RuleBroken> {
        let broken = |rule, why: &str| {
            let message = format!("{colour} cannot play on field {field}: {why}");
            Err(RuleBroken::new(rule, message))
        };
        let Some(index) = on_board(field) else {
            return broken("outside", "the fields are 0 to 63");
        };
        let legal = self.legal(colour);
        if legal == 0 {
            broken("must-pass", "it has no legal move and has to pass")
        } else if self.board.empty() >> index & 1 == 0 {
            broken("occupied", "there is a disc already")
        } else if legal >> index & 1 == 0 {
            broken("flips-nothing", "no disc would change its colour")
        } else {
            Ok(())
        }
    }

    pub(super) fn check_pass(&self, colour: Colour) -> Result<(), RuleBroken> {
        let legal = self.legal(colour);
        if legal == 0 {
            return Ok(());
        }
        let listed: Vec<String> = fields(legal).map(|field| field.to_string()).collect();
        Err(RuleBroken::new(
            "may-not-pass",
            format!(
                "{colour} cannot pass: it has a legal move ({})",
                listed.join(", ")
            ),
        ))
    }
}

fn on_board(field: i64) -> Option<u32> {
    let field = u32::try_from(field).ok()?;
    ((field as usize) < FIELDS).then_some(field)
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

/// Counts as [`crate::Game::perft`], with the owner of `own` to move.
pub(super) fn perft(own: u64, other: u64, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let legal = moves(own, other);
    if depth == 1 {
        return u64::from(legal.count_ones().max(1));
    }
    if legal == 0 {
        return match moves(other, own) {
            0 => 1,
            _ => perft(other, own, depth - 1),
        };
    }
    fields(legal)
        .map(|field| {
            let flipped = flips(own, other, field);
            perft(other & !flipped, own | flipped | 1 << field, depth - 1)
        })
        .sum()
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
