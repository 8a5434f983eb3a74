//! A player's answer. The reader is strict about the shape: two dictionaries with known keys.

use super::Kind;
use super::field::{DIRECTIONS, Direction};
use crate::RuleBroken;
use core::fmt;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};

/// The maximum number of steps of a spotter in a turn. Further steps are cut off.
pub const SPOTTER_STEPS_MAX: usize = 2;
/// The maximum number of steps of an assasin in a turn. Further steps are cut off.
pub const ASSASIN_STEPS_MAX: usize = 4;

/// An answer: `{"Spotter": orders, "Assasin": orders}`, both required. Bots from the course's
/// template also send a key `Debug`, which is ignored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Action {
    /// The spotter's orders, which are carried out first.
    pub spotter: Orders<SPOTTER_STEPS_MAX>,
    /// The assasin's orders.
    pub assasin: Orders<ASSASIN_STEPS_MAX>,
}

/// Orders to one piece: `{"direction": [r,c], "moves": [[r,c], …]}`. Without `moves` the piece
/// makes no move. Beyond `STEPS_MAX` they are cut off unread, whatever they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Orders<const STEPS_MAX: usize> {
    /// The direction in which the piece looks afterwards.
    pub direction: Step,
    /// The steps of the piece.
    pub moves: Steps<STEPS_MAX>,
}

/// The value in the place of a direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Two integers: (rows, columns).
    Pair(i64, i64),
    /// Any other value. It is written again as `null`.
    NoPair,
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
        let mut steps = Steps::default();
        for &step in moves {
            steps.push(step.into());
        }
        Self {
            direction: direction.into(),
            moves: steps,
        }
    }

    pub(super) fn are_good(&self, strict: bool) -> bool {
        let mut steps = self.moves.iter();
        self.direction.direction().is_some() && steps.all(|step| step.is_good(strict))
    }

    fn check(&self, kind: Kind, strict: bool) -> Result<(), RuleBroken> {
        if self.are_good(strict) {
            return Ok(());
        }
        if self.direction.direction().is_none() {
            let message = format!(
                "the {kind}'s direction is {}; a direction is {DIRECTIONS}",
                self.direction
            );
            return Err(RuleBroken::new("bad-direction", message));
        }
        let bad = self
            .moves
            .iter()
            .enumerate()
            .find(|(_, step)| !step.is_good(strict));
        let (index, step) = bad.expect("the orders are bad, and the direction is not");
        let stay = if strict { "" } else { "[0,0] (stay) or " };
        let message = format!(
            "the {kind}'s move {} is {step}; a move is {stay}{DIRECTIONS}",
            index + 1
        );
        Err(RuleBroken::new("bad-step", message))
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

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Pair(rows, columns) => (rows, columns).serialize(serializer),
            Self::NoPair => serializer.serialize_unit(),
        }
    }
}

impl<const STEPS_MAX: usize> Steps<STEPS_MAX> {
    /// Iterates over the steps in order.
    pub fn iter(&self) -> impl Iterator<Item = Step> + '_ {
        self.as_slice().iter().copied()
    }

    fn as_slice(&self) -> &[Step] {
        &self.steps[..self.count]
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

impl<const STEPS_MAX: usize> Serialize for Steps<STEPS_MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_slice().serialize(serializer)
    }
}

// By hand, because derived readers of structs accept a list in a dictionary's place.
impl<'de> Deserialize<'de> for Action {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ActionReader)
    }
}

struct ActionReader;

impl<'de> Visitor<'de> for ActionReader {
    type Value = Action;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a dictionary with the keys \"Spotter\" and \"Assasin\"")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Action, A::Error> {
        let (mut spotter, mut assasin) = (None, None);
        while let Some(key) = map.next_key::<ActionKey>()? {
            match key {
                ActionKey::Spotter => set(&mut spotter, map.next_value()?, "Spotter")?,
                ActionKey::Assasin => set(&mut assasin, map.next_value()?, "Assasin")?,
                ActionKey::Debug => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Action {
            spotter: spotter.ok_or_else(|| A::Error::missing_field("Spotter"))?,
            assasin: assasin.ok_or_else(|| A::Error::missing_field("Assasin"))?,
        })
    }
}

#[derive(serde::Deserialize)]
#[serde(field_identifier)]
enum ActionKey {
    Spotter,
    Assasin,
    /// The output of bots from the course's template; ignored.
    Debug,
}

impl<'de, const STEPS_MAX: usize> Deserialize<'de> for Orders<STEPS_MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OrdersReader)
    }
}

struct OrdersReader<const STEPS_MAX: usize>;

impl<'de, const STEPS_MAX: usize> Visitor<'de> for OrdersReader<STEPS_MAX> {
    type Value = Orders<STEPS_MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a dictionary with the keys \"direction\" and \"moves\"")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut direction, mut moves) = (None, None);
        while let Some(key) = map.next_key::<OrdersKey>()? {
            match key {
                OrdersKey::Direction => set(&mut direction, map.next_value()?, "direction")?,
                OrdersKey::Moves => set(&mut moves, map.next_value()?, "moves")?,
            }
        }
        Ok(Orders {
            direction: direction.ok_or_else(|| A::Error::missing_field("direction"))?,
            moves: moves.unwrap_or_default(),
        })
    }
}

#[derive(serde::Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum OrdersKey {
    Direction,
    Moves,
}

fn set<T, E: Error>(slot: &mut Option<T>, value: T, name: &'static str) -> Result<(), E> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(E::duplicate_field(name)),
    }
}

// By hand, because a value that is no direction is a bad order and not a malformed answer.
impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let part = Part::deserialize(deserializer)?;
        Ok(match part {
            Part::List(step) => step,
            Part::Whole(_) | Part::Other => Self::NoPair,
        })
    }
}

enum Part {
    Whole(i64),
    /// [`Step::NoPair`] unless the list has two whole numbers.
    List(Step),
    Other,
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartReader)
    }
}

struct PartReader;

impl<'de> Visitor<'de> for PartReader {
    type Value = Part;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Part, E> {
        Ok(Part::Whole(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Part, E> {
        Ok(i64::try_from(number).map_or(Part::Other, Part::Whole))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Part, E> {
        Ok(Part::Other)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Part, E> {
        Ok(Part::Other)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Part, E> {
        Ok(Part::Other)
    }

    fn visit_unit<E: Error>(self) -> Result<Part, E> {
        Ok(Part::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Part, A::Error> {
        let pair = (list.next_element()?, list.next_element()?);
        let mut is_longer = false;
        while list.next_element::<IgnoredAny>()?.is_some() {
            is_longer = true;
        }
        Ok(Part::List(match pair {
            (Some(Part::Whole(rows)), Some(Part::Whole(columns))) if !is_longer => {
                Step::Pair(rows, columns)
            }
            _ => Step::NoPair,
        }))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Part, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Part::Other)
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
        // Skipped, not kept: a huge list costs no memory.
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::{String, ToString};

    fn read(text: &str) -> Result<Action, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    const STAY: &str = r#"{"direction":[1,0],"moves":[]}"#;

    #[test]
    fn an_answer_keeps_its_spelling() {
        let text = r#"{"Spotter":{"direction":[0,1],"moves":[[1,0],[0,-1]]},"Assasin":{"direction":[-1,0],"moves":[]}}"#;
        let action = read(text).expect("readable");
        action.check(true).expect("legal");
        assert_eq!(serde_json::to_string(&action).expect("data"), text);
    }

    #[test]
    fn absent_moves_mean_none() {
        let silent = r#"{"Spotter":{"direction":[1,0]},"Assasin":{"direction":[1,0]}}"#;
        let action = read(silent).expect("readable");
        assert_eq!(action.spotter.moves.iter().count(), 0);
    }

    #[test]
    fn debug_key_of_course_template_is_ignored() {
        let plain = format!(r#"{{"Spotter":{STAY},"Assasin":{STAY}}}"#);
        for debug in ["null", "1", r#"{"board":[[1]],"why":"so"}"#] {
            let text = format!(r#"{{"Spotter":{STAY},"Debug":{debug},"Assasin":{STAY}}}"#);
            assert_eq!(read(&text), read(&plain), "{debug}");
        }
    }

    #[test]
    fn steps_beyond_the_limit_are_cut_off_unread() {
        let tail = r#"[5,5],"north",null,{"a":[[]]}"#;
        let text = format!(
            r#"{{"Spotter":{{"direction":[1,0],"moves":[[1,0],[0,1],{tail}]}},"Assasin":{{"direction":[1,0],"moves":[[1,0],[1,0],[1,0],[1,0],{tail}]}}}}"#
        );
        let action = read(&text).expect("readable");
        action.check(true).expect("legal");
        assert_eq!(action.spotter.moves.iter().count(), SPOTTER_STEPS_MAX);
        assert_eq!(action.assasin.moves.iter().count(), ASSASIN_STEPS_MAX);
        assert_eq!(
            action.spotter,
            Orders::new(Direction::Down, &[Direction::Down, Direction::Right])
        );
    }
}
