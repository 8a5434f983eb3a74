//! A player's answer. The reader is strict about the shape: two dictionaries with known keys.

use super::Kind;
use super::field::{DIRECTIONS, Direction};
use crate::{RuleBroken, plain};
use core::fmt;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

/// The maximum number of steps of a spotter in a turn. Further steps are cut off.
pub const SPOTTER_STEPS_MAX: usize = 2;
/// The maximum number of steps of an assasin in a turn. Further steps are cut off.
pub const ASSASIN_STEPS_MAX: usize = 4;

/// An answer: `{"Spotter": orders, "Assasin": orders}`, both required. Bots from the course's
/// template also send a key `Debug`, which is ignored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", from = "Answer")]
pub struct Action {
    /// The spotter's orders, which are carried out first.
    pub spotter: Orders<SPOTTER_STEPS_MAX>,
    /// The assasin's orders.
    pub assasin: Orders<ASSASIN_STEPS_MAX>,
}

#[derive(Deserialize)]
#[serde(
    rename_all = "PascalCase",
    deny_unknown_fields,
    expecting = "a dictionary with the keys \"Spotter\" and \"Assasin\""
)]
struct Answer {
    spotter: Orders<SPOTTER_STEPS_MAX>,
    assasin: Orders<ASSASIN_STEPS_MAX>,
    #[serde(default)]
    _debug: IgnoredAny,
}

impl From<Answer> for Action {
    fn from(answer: Answer) -> Self {
        let Answer {
            spotter, assasin, ..
        } = answer;
        Self { spotter, assasin }
    }
}

/// Orders to one piece: `{"direction": [r,c], "moves": [[r,c], …]}`. Without `moves` the piece
/// makes no move. Beyond `STEPS_MAX` they are cut off unread, whatever they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a dictionary with the keys \"direction\" and \"moves\""
)]
pub struct Orders<const STEPS_MAX: usize> {
    /// The direction in which the piece looks afterwards.
    pub direction: Step,
    /// The steps of the piece.
    #[serde(default)]
    pub moves: Steps<STEPS_MAX>,
}

/// The value in the place of a direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum Step {
    /// Two integers: (rows, columns).
    Pair(i64, i64),
    /// Any other value. It is written again as `null`.
    NoPair,
}

// A value that is no direction is a bad order, whatever is in it, and not a malformed answer.
impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&RawValue>::deserialize(deserializer)?.get();
        let pair = serde_json::from_str(text)
            .ok()
            .or_else(|| plain::read(text).ok());
        Ok(pair.map_or(Self::NoPair, |(rows, columns)| Self::Pair(rows, columns)))
    }
}

/// At most `STEPS_MAX` steps; a list of lists in JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Steps<const STEPS_MAX: usize> {
    /// Those beyond the count stay.
    steps: [Step; STEPS_MAX],
    count: usize,
}

impl Action {
    /// Checks that every direction and step is one of the four. A step may also be [`Step::STAY`],
    /// unless the rules are strict. The orders to a dead piece count too, because its direction is
    /// stored.
    pub fn check(&self, strict: bool) -> Result<(), RuleBroken> {
        self.spotter.check(Kind::Spotter, strict)?;
        self.assasin.check(Kind::Assasin, strict)
    }
}

impl<const STEPS_MAX: usize> Orders<STEPS_MAX> {
    /// Makes legal orders. Steps beyond `STEPS_MAX` are cut off.
    pub fn new(direction: Direction, moves: &[Direction]) -> Self {
        Self {
            direction: direction.into(),
            moves: moves.iter().map(|&step| step.into()).collect(),
        }
    }

    pub(super) fn are_good(&self, strict: bool) -> bool {
        self.direction.direction().is_some() && self.moves.iter().all(|step| step.is_good(strict))
    }

    fn check(&self, kind: Kind, strict: bool) -> Result<(), RuleBroken> {
        if self.direction.direction().is_none() {
            let message = format!(
                "the {kind}'s direction is {}; a direction is {DIRECTIONS}",
                self.direction
            );
            return Err(RuleBroken::new("bad-direction", message));
        }
        let stay = if strict { "" } else { "[0,0] (stay) or " };
        match (1..)
            .zip(self.moves.iter())
            .find(|(_, step)| !step.is_good(strict))
        {
            None => Ok(()),
            Some((number, step)) => Err(RuleBroken::new(
                "bad-step",
                format!("the {kind}'s move {number} is {step}; a move is {stay}{DIRECTIONS}"),
            )),
        }
    }
}

impl Step {
    /// The step that stays on its tile.
    pub const STAY: Self = Self::Pair(0, 0);

    /// Returns the direction that the two integers mean, if any.
    pub const fn direction(self) -> Option<Direction> {
        match self {
            Self::Pair(rows, columns) => Direction::from_delta(rows, columns),
            Self::NoPair => None,
        }
    }

    fn is_good(self, strict: bool) -> bool {
        self.direction().is_some() || (self == Self::STAY && !strict)
    }
}

impl From<Direction> for Step {
    fn from(direction: Direction) -> Self {
        let (rows, columns) = direction.delta();
        Self::Pair(rows.into(), columns.into())
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pair(rows, columns) => write!(f, "[{rows},{columns}]"),
            Self::NoPair => f.write_str("not a pair of whole numbers"),
        }
    }
}

impl<const STEPS_MAX: usize> Steps<STEPS_MAX> {
    /// Iterates over the steps in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Step> + '_ {
        self.steps[..self.count].iter().copied()
    }

    pub(super) fn push(&mut self, step: Step) {
        if self.count < STEPS_MAX {
            self.steps[self.count] = step;
            self.count += 1;
        }
    }
}

impl<const STEPS_MAX: usize> Default for Steps<STEPS_MAX> {
    fn default() -> Self {
        Self {
            steps: [Step::STAY; STEPS_MAX],
            count: 0,
        }
    }
}

impl<const STEPS_MAX: usize> FromIterator<Step> for Steps<STEPS_MAX> {
    fn from_iter<I: IntoIterator<Item = Step>>(all: I) -> Self {
        let mut steps = Self::default();
        all.into_iter().for_each(|step| steps.push(step));
        steps
    }
}

impl<const STEPS_MAX: usize> Serialize for Steps<STEPS_MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de, const STEPS_MAX: usize> Deserialize<'de> for Steps<STEPS_MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(StepsReader)
    }
}

struct StepsReader<const STEPS_MAX: usize>;

impl<'de, const STEPS_MAX: usize> Visitor<'de> for StepsReader<STEPS_MAX> {
    type Value = Steps<STEPS_MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of steps")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut steps = Steps::default();
        while steps.count < STEPS_MAX {
            match list.next_element()? {
                Some(step) => steps.push(step),
                None => return Ok(steps),
            }
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(steps)
    }
}
