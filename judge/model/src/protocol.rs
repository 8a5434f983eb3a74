//! The envelope messages between the judge and a bot; `protocol.md` is the contract.

use crate::advice;
use crate::clock::ClockMode;
use crate::draw::Secret;
use alloc::borrow::ToOwned;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;
use engines::{GameResult, Lifetime, SeatOutcome, TimeControl, plain};
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The version of the protocol.
pub const VERSION: u32 = 1;

/// The first message to a bot.
#[derive(Serialize, Debug)]
pub struct Hello<'a> {
    /// The protocol's version, [`VERSION`].
    pub protocol: u32,
    /// The game's slug.
    pub game: &'a str,
    /// The number of the bot's seat, from 0.
    pub seat: usize,
    /// The seat's name, such as `cat`.
    pub role: &'a str,
    /// The number of seats.
    pub seats: usize,
    /// The game's configuration.
    pub config: &'a RawValue,
    /// A number to seed the bot's randomness, so that a game can be repeated.
    pub seed: u32,
    /// A seed of 256 bits, which nobody can find by trying.
    pub long_seed: &'a Secret,
    /// The bot's time.
    pub time: TimeControl,
    /// The kind of time that the clock counts.
    pub counts: ClockMode,
    /// The lifetime of this process.
    pub lifetime: Lifetime,
    /// Whether an answer may have a note and marks; every judge that says so at all says yes.
    pub notes: bool,
}

/// The message at the start of a game.
#[derive(Serialize, Debug)]
pub struct Start<'a> {
    /// The number of the bot's seat in this game.
    pub seat: usize,
    /// The seat's name.
    pub role: &'a str,
    /// A number to seed the bot's randomness for this game.
    pub seed: u32,
    /// A seed of 256 bits, which nobody can find by trying.
    pub long_seed: &'a Secret,
}

/// The message at the end of a game.
#[derive(Serialize, Debug)]
pub struct GameOver<'a> {
    /// The bot's result.
    pub result: GameResult,
    /// The bot's place in this game, from 1.
    pub placement: u8,
    /// The points of the game's own formula.
    pub points: i64,
    /// The reason for the end.
    pub reason: &'a str,
}

impl<'a> GameOver<'a> {
    /// Makes the message from a seat's outcome.
    pub fn of(outcome: SeatOutcome, reason: &'a str) -> Self {
        Self {
            result: outcome.result,
            placement: outcome.placement,
            points: outcome.points,
            reason,
        }
    }
}

/// A message to a bot that does not depend on the game.
#[derive(Serialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum ToBot<'a> {
    /// The first one.
    Hello(Hello<'a>),
    /// At the start of a game.
    Start(Start<'a>),
    /// At the end of a game.
    End(GameOver<'a>),
}

/// Writes a message as a line.
pub fn write(out: &mut Vec<u8>, message: &ToBot<'_>) {
    put(out, &serde_json::to_string(message).expect("plain data"));
    out.push(b'\n');
}

/// Writes `ask` as a line: a call of one of a course's functions, with an object.
pub fn write_ask(out: &mut Vec<u8>, function: &str, arguments: &serde_json::Value) {
    let mut call = arguments.clone();
    call["function"] = function.into();
    put(out, &format!("{}\n", serde_json::json!({ "ask": call })));
}

/// The answer of a kit's program to `ask`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum KitAnswer {
    /// The function's result.
    Answer(serde_json::Value),
    /// The exception that the function raised.
    Raised(String),
}

/// The parts of a `turn` message that do not come from the game.
#[derive(Clone, Copy, Debug)]
pub struct TurnHead<'a> {
    /// The number of plies before this one.
    pub ply: u32,
    /// The maximum time of this turn, in microseconds.
    pub left_us: Option<u64>,
    /// The time in the bank, in microseconds.
    pub bank_us: Option<u64>,
    /// The moves since the seat's last turn, each as `[seat,move]`, separated by commas.
    pub moves: &'a str,
}

/// Writes `turn` as a line. `view` and `legal` append the game's own JSON.
pub fn write_turn<E>(
    out: &mut Vec<u8>,
    head: TurnHead<'_>,
    view: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    legal: Option<impl FnOnce(&mut Vec<u8>) -> Result<(), E>>,
) -> Result<(), E> {
    let TurnHead {
        ply,
        left_us,
        bank_us,
        moves,
    } = head;
    let amount = |us: Option<u64>| us.map_or_else(|| "null".to_owned(), |us| us.to_string());
    let (left, bank) = (amount(left_us), amount(bank_us));
    put(out, &format!("{{\"turn\":{{\"ply\":{ply},\"view\":"));
    view(out)?;
    put(
        out,
        &format!(",\"moves\":[{moves}],\"clock\":{{\"left_us\":{left},\"bank_us\":{bank}}}"),
    );
    if let Some(legal) = legal {
        put(out, ",\"legal\":");
        legal(out)?;
    }
    put(out, "}}\n");
    Ok(())
}

fn put(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

/// A message from a bot.
#[derive(Debug)]
pub enum FromBot<'a> {
    /// The answer to `hello` and to `start`.
    Ready(Ready),
    /// The answer to `turn`.
    Move(Answer<'a>),
}

/// An answer to `turn`, in the bot's own spelling.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// The move, which the game reads.
    pub mv: &'a RawValue,
    /// The note to its author; empty in most answers.
    pub said: Said<'a>,
}

/// The parts of an answer that only its author and staff see. [`crate::note`] reads them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Said<'a> {
    /// The value of `note`.
    pub note: Option<&'a RawValue>,
    /// The value of `marks`.
    pub marks: Option<&'a RawValue>,
    /// Whether one of the two was there twice. The first one counts.
    pub is_doubled: bool,
}

impl Said<'_> {
    /// Returns whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.note.is_none() && self.marks.is_none()
    }
}

#[derive(Deserialize)]
#[serde(variant_identifier, rename_all = "lowercase")]
enum Key {
    Ready,
    Move,
    Note,
    Marks,
}

impl<'de> Deserialize<'de> for FromBot<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FromBotReader)
    }
}

struct FromBotReader;

impl<'de> Visitor<'de> for FromBotReader {
    type Value = FromBot<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut ready, mut mv, mut said) = (None, None, Said::default());
        while let Some(key) = map.next_key()? {
            match key {
                Key::Ready if ready.is_some() => return Err(A::Error::duplicate_field("ready")),
                Key::Move if mv.is_some() => return Err(A::Error::duplicate_field("move")),
                Key::Ready => ready = Some(map.next_value()?),
                Key::Move => mv = Some(map.next_value()?),
                Key::Note => said.keep(map.next_value()?, |said| &mut said.note),
                Key::Marks => said.keep(map.next_value()?, |said| &mut said.marks),
            }
        }
        match (ready, mv) {
            (Some(ready), None) if said.is_empty() => Ok(FromBot::Ready(ready)),
            (None, Some(mv)) => Ok(FromBot::Move(Answer { mv, said })),
            (None, None) => Err(A::Error::custom("expected `ready` or `move`")),
            (Some(_), Some(_)) => Err(A::Error::custom("expected `ready` or `move`, found both")),
            (Some(_), None) => Err(A::Error::custom("a note or marks come with a move only")),
        }
    }
}

impl<'a> Said<'a> {
    fn keep(&mut self, value: &'a RawValue, part: fn(&mut Self) -> &mut Option<&'a RawValue>) {
        match part(self) {
            Some(_) => self.is_doubled = true,
            empty => *empty = Some(value),
        }
    }
}

/// The description that a bot may give when it is ready.
#[derive(Deserialize, Debug, Default, Clone, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
pub struct Ready {
    /// The bot's name for itself.
    pub name: Option<String>,
    /// Whether every turn must list the legal moves.
    pub legal_moves: bool,
}

/// Reads a bot's line.
pub fn read(line: &[u8]) -> Result<FromBot<'_>, String> {
    let read = match core::str::from_utf8(line) {
        Ok(text) if text.trim().is_empty() => Err("the line is empty".to_owned()),
        Ok(text) => plain::read(text),
        Err(error) => Err(format!("not UTF-8: {error}")),
    };
    read.map_err(|complaint| advice::on_answer(line).map_or(complaint, |advice| advice.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_tolerate_surrounding_blanks_and_carriage_returns() {
        for line in [
            "{\"move\":[0,1]}",
            "  { \"move\" : [0,1] } \t",
            "{\"move\":[0,1]}\r",
        ] {
            match read(line.as_bytes()) {
                Ok(FromBot::Move(answer)) => {
                    assert_eq!(answer.mv.get(), "[0,1]");
                    assert!(answer.said.is_empty());
                }
                other => panic!("{line:?} gave {other:?}"),
            }
        }
        let ready = read(br#"{"ready":{"name":"x","legal_moves":true}}"#);
        let Ok(FromBot::Ready(ready)) = ready else {
            panic!("{ready:?}")
        };
        assert!(ready.legal_moves);
    }

    #[test]
    fn anything_else_is_refused_with_a_reason() {
        let deep = "[".repeat(100_000);
        let deep = format!("{{\"move\":{deep}}}");
        let tab = "{\"move\":1,\"note\":\"a\tb\"}";
        let odd = ["", "   ", tab, "\u{feff}{\"move\":[0,1]}", &deep];
        for line in include_str!("refused_answers.txt").lines().chain(odd) {
            let complaint = read(line.as_bytes()).expect_err(line);
            assert!(!complaint.is_empty());
        }
        assert!(read(b"{\"move\":\"\xff\"}").is_err());
    }

    #[test]
    fn a_turn_is_one_line_of_json() {
        let mut out = Vec::new();
        let head = TurnHead {
            ply: 3,
            left_us: Some(5),
            bank_us: None,
            moves: "[1,[0,1]]",
        };
        let append = |text: &'static [u8]| {
            move |out: &mut Vec<u8>| {
                out.extend_from_slice(text);
                Ok::<_, ()>(())
            }
        };
        let written = write_turn(&mut out, head, append(b"{}"), Some(append(b"[[1,1]]")));
        written.expect("nothing fails");
        assert_eq!(
            String::from_utf8(out).expect("ASCII"),
            "{\"turn\":{\"ply\":3,\"view\":{},\"moves\":[[1,[0,1]]],\
             \"clock\":{\"left_us\":5,\"bank_us\":null},\"legal\":[[1,1]]}}\n"
        );
    }
}
