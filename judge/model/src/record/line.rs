//! A line of the journal without its moves, as a reader of JSON sees it.

use super::{End, SeatRecord};
use crate::FORMAT;
use crate::fault::Fault;
use crate::game_id::GameId;
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::hash::Hasher as _;
#[expect(deprecated, reason = "there is no other without the standard library")]
use core::hash::SipHasher;
use engines::{Outcome, Seat};
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The fields of [`MatchRecord`](super::MatchRecord).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordLine<'a> {
    pub(super) v: u32,
    pub(super) fixture: GameId,
    #[serde(rename = "game", borrow)]
    pub(super) _game: Cow<'a, str>,
    pub(super) state: u32,
    #[serde(borrow)]
    pub(super) setup: &'a RawValue,
    #[serde(borrow)]
    pub(super) draw: Cow<'a, str>,
    pub(super) seats: Vec<SeatRecord>,
    pub(super) turns: Turns,
    pub(super) faults: Vec<Fault>,
    pub(super) end: End,
    pub(super) outcome: Outcome,
    #[serde(default)]
    pub(super) overloaded: bool,
    #[serde(default)]
    pub(super) machine: Option<String>,
}

impl RecordLine<'_> {
    /// Returns whether every seat in the line is one of the game.
    pub(super) fn is_consistent(&self) -> bool {
        let seats = self.seats.len();
        let there = |seat: Seat| seat.index() < seats;
        self.v == FORMAT
            && self.outcome.seats.len() == seats
            && self.turns.seats <= seats
            && self.faults.iter().all(|fault| there(fault.seat))
            && self.end.charged().is_none_or(there)
    }
}

/// A turn in the form of the journal, without a copy of its move.
#[derive(Deserialize)]
struct TurnLine<'a>(Seat, #[serde(borrow)] Option<&'a RawValue>, u64, u64);

/// The part of a game's turns that is kept.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Turns {
    /// The minimum number of seats that the turns need.
    seats: usize,
    pub(super) plies: usize,
    /// The moves, one line each.
    moves: String,
}

/// Room for the moves of most games, in bytes.
const MOVES_BYTES: usize = 512;

impl Turns {
    pub(super) fn new() -> Self {
        Self {
            moves: String::with_capacity(MOVES_BYTES),
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, seat: Seat, mv: Option<&str>) {
        self.seats = self.seats.max(seat.index() + 1);
        self.plies += usize::from(mv.is_some());
        self.moves.push_str(mv.unwrap_or_default());
        self.moves.push('\n');
    }

    #[expect(deprecated, reason = "there is no other without the standard library")]
    pub(super) fn transcript(self, setup: &RawValue) -> u64 {
        let mut hasher = SipHasher::new();
        hasher.write(setup.get().as_bytes());
        hasher.write(b"\n");
        hasher.write(self.moves.as_bytes());
        hasher.finish()
    }
}

impl<'de> Deserialize<'de> for Turns {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        struct OneByOne;

        impl<'de> Visitor<'de> for OneByOne {
            type Value = Turns;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of turns")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Turns, A::Error> {
                let mut turns = Turns::new();
                while let Some(TurnLine(seat, mv, _cpu_us, _wall_us)) = list.next_element()? {
                    turns.add(seat, mv.map(RawValue::get));
                }
                Ok(turns)
            }
        }

        source.deserialize_seq(OneByOne)
    }
}
