//! A player's answer as it stands on the wire, and what makes it legal.
//!
//! Reading is strict about the shape (two dictionaries with known keys), so that a list in
//! a dictionary's place is malformed; what the numbers mean is for [`Action::check`] to say.

use super::Kind;
use super::geometry::{DIRECTIONS, Direction};
use crate::RuleBroken;
use core::fmt;
use serde::de::{
    Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// The steps that a spotter may take in a turn; further ones are cut off.
pub const SPOTTER_STEPS_MAX: usize = 2;
/// The steps that an assasin may take in a turn; further ones are cut off.
pub const ASSASIN_STEPS_MAX: usize = 4;

/// An answer: `{"Spotter": orders, "Assasin": orders}`, both required. A key `Debug`, which
/// bots from the course's template send, may be there too and is ignored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Action {
    /// What the spotter does, which it does first.
    pub spotter: Orders<SPOTTER_STEPS_MAX>,
    /// What the assasin does.
    pub assasin: Orders<ASSASIN_STEPS_MAX>,
}

/// Orders to one piece: `{"direction": [r,c], "moves": [[r,c], …]}`.
///
/// `direction` is required, `moves` may be absent (no move is made). Of `moves` the first
/// `STEPS_MAX` are read; what follows them is cut off unread, whatever it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Orders<const STEPS_MAX: usize> {
    /// Where the piece looks afterwards.
    pub direction: Step,
    /// The steps that it takes.
    pub moves: Steps<STEPS_MAX>,
}

/// Two integers that ought to be a direction: (rows, columns).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Step(pub i64, pub i64);

/// At most `STEPS_MAX` steps; a list of lists in JSON.
#[derive(Clone, Copy)]
pub struct Steps<const STEPS_MAX: usize> {
    steps: [Step; STEPS_MAX],
    count: usize,
}

impl Action {
    /// Checks that every direction and every step is one of the four.
    ///
    /// The orders to a dead piece are checked as well: its direction is stored.
    ///
    /// # Errors
    /// `bad-direction` or `bad-step`, for the first offender.
    pub fn check(&self) -> Result<(), RuleBroken> {
        self.spotter.check(Kind::Spotter)?;
        self.assasin.check(Kind::Assasin)
    }
}

impl<const STEPS_MAX: usize> Orders<STEPS_MAX> {
    /// Makes legal orders; steps beyond `STEPS_MAX` are cut off.
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

    fn check(&self, kind: Kind) -> Result<(), RuleBroken> {
        if self.direction.direction().is_none() {
            let message = format!(
                "the {kind}'s direction is {}; a direction is {DIRECTIONS}",
                self.direction
            );
            return Err(RuleBroken::new("bad-direction", message));
        }
        for (index, step) in self.moves.iter().enumerate() {
            if step.direction().is_none() {
                let message = format!(
                    "the {kind}'s move {} is {step}; a move is {DIRECTIONS}",
                    index + 1
                );
                return Err(RuleBroken::new("bad-step", message));
            }
        }
        Ok(())
    }
}

impl Step {
    /// Returns the direction that the two integers stand for.
    pub const fn direction(self) -> Option<Direction> {
        Direction::from_delta(self.0, self.1)
    }
}

impl From<Direction> for Step {
    fn from(direction: Direction) -> Self {
        let (rows, columns) = direction.delta();
        Self(rows.into(), columns.into())
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{},{}]", self.0, self.1)
    }
}

impl<const STEPS_MAX: usize> Steps<STEPS_MAX> {
    /// Walks through the steps in order.
    pub fn iter(&self) -> impl Iterator<Item = Step> + '_ {
        self.as_slice().iter().copied()
    }

    fn as_slice(&self) -> &[Step] {
        &self.steps[..self.count]
    }

    /// Appends a step, or cuts it off when there are `STEPS_MAX` already.
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
            steps: [Step::default(); STEPS_MAX],
            count: 0,
        }
    }
}

impl<const STEPS_MAX: usize> PartialEq for Steps<STEPS_MAX> {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl<const STEPS_MAX: usize> Eq for Steps<STEPS_MAX> {}

impl<const STEPS_MAX: usize> fmt::Debug for Steps<STEPS_MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Action", 2)?;
        fields.serialize_field("Spotter", &self.spotter)?;
        fields.serialize_field("Assasin", &self.assasin)?;
        fields.end()
    }
}

impl<const STEPS_MAX: usize> Serialize for Orders<STEPS_MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Orders", 2)?;
        fields.serialize_field("direction", &self.direction)?;
        fields.serialize_field("moves", self.moves.as_slice())?;
        fields.end()
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
    /// What bots from the course's template print with; ignored.
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

// By hand, because derived readers complain in the words of types.
impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(StepReader)
    }
}

struct StepReader;

impl<'de> Visitor<'de> for StepReader {
    type Value = Step;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{DIRECTIONS}")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Step, A::Error> {
        let mut next = |read: usize| {
            let number: Option<Whole> = list.next_element()?;
            number.ok_or_else(|| A::Error::invalid_length(read, &self))
        };
        Ok(Step(next(0)?.0, next(1)?.0))
    }
}

/// One of the two numbers of a direction.
struct Whole(i64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_i64(WholeReader)
    }
}

struct WholeReader;

impl Visitor<'_> for WholeReader {
    type Value = Whole;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number, as in {DIRECTIONS}")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Whole, E> {
        Ok(Whole(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Whole, E> {
        let refused = |_| E::invalid_value(Unexpected::Unsigned(number), &self);
        i64::try_from(number).map(Whole).map_err(refused)
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
        // Cut off: skipped without being kept, so a huge list costs no memory.
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::borrow::ToOwned;
    use alloc::string::String;
    use alloc::string::ToString;

    fn read(text: &str) -> Result<Action, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    fn rule(text: &str) -> (&'static str, String) {
        let broken = read(text).expect("readable").check().expect_err("illegal");
        (broken.rule, broken.message)
    }

    const STAY: &str = r#"{"direction":[1,0],"moves":[]}"#;

    #[test]
    fn an_answer_keeps_its_spelling() {
        let text = r#"{"Spotter":{"direction":[0,1],"moves":[[1,0],[0,-1]]},"Assasin":{"direction":[-1,0],"moves":[]}}"#;
        let action = read(text).expect("readable");
        action.check().expect("legal");
        assert_eq!(serde_json::to_string(&action).expect("data"), text);
    }

    #[test]
    fn absent_moves_mean_no_move_and_every_other_gap_is_malformed() {
        let silent = r#"{"Spotter":{"direction":[1,0]},"Assasin":{"direction":[1,0]}}"#;
        let action = read(silent).expect("readable");
        assert_eq!(action.spotter.moves.iter().count(), 0);
        for (text, complaint) in [
            (
                r#"{"Spotter":{"direction":[1,0]}}"#.to_owned(),
                "missing field `Assasin`",
            ),
            (
                format!(r#"{{"Assasin":{STAY}}}"#),
                "missing field `Spotter`",
            ),
            (
                format!(r#"{{"Spotter":{STAY},"Assasin":{{"moves":[]}}}}"#),
                "missing field `direction`",
            ),
            (
                format!(r#"{{"Spotter":{STAY},"Assasin":{STAY},"debug":1}}"#),
                "unknown field `debug`",
            ),
            (
                format!(r#"{{"Spotter":{STAY},"Assasin":{STAY},"Spotter":{STAY}}}"#),
                "duplicate field `Spotter`",
            ),
            (
                r#"[{"direction":[1,0]},{"direction":[1,0]}]"#.to_owned(),
                "invalid type: sequence",
            ),
            (
                format!(r#"{{"Spotter":[[1,0],[]],"Assasin":{STAY}}}"#),
                "invalid type: sequence",
            ),
            (
                format!(r#"{{"Spotter":{{"direction":[1,0],"moves":null}},"Assasin":{STAY}}}"#),
                "invalid type: null",
            ),
            (
                format!(r#"{{"Spotter":{{"direction":[1,0,0]}},"Assasin":{STAY}}}"#),
                "trailing characters",
            ),
            (
                format!(r#"{{"Spotter":{{"direction":[1.0,0]}},"Assasin":{STAY}}}"#),
                "invalid type: floating point",
            ),
        ] {
            let error = read(&text).expect_err("malformed");
            assert!(error.contains(complaint), "{text}: {error}");
        }
    }

    #[test]
    fn what_cannot_be_a_direction_is_told_what_one_is() {
        let directions = "one of [-1,0] (up), [1,0] (down), [0,-1] (left) and [0,1] (right)";
        for (direction, complaint) in [
            (
                r#""UP""#,
                format!("direction: expected {directions}, found \"UP\""),
            ),
            ("1", format!("direction: expected {directions}, found 1")),
            (
                "[1]",
                format!("direction: expected {directions}, found a list of 1"),
            ),
            (
                "[1,0.5]",
                format!("direction[1]: expected a whole number, as in {directions}, found 0.5"),
            ),
            (
                "[1,null]",
                format!("direction[1]: expected a whole number, as in {directions}, found null"),
            ),
        ] {
            let text = format!(r#"{{"Spotter":{{"direction":{direction}}},"Assasin":{STAY}}}"#);
            let words = crate::plain::read::<Action>(&text).expect_err("no direction");
            assert_eq!(words, format!("Spotter.{complaint}"));
        }
    }

    #[test]
    fn the_key_debug_of_the_course_s_template_is_ignored() {
        let plain = format!(r#"{{"Spotter":{STAY},"Assasin":{STAY}}}"#);
        for debug in ["null", "1", r#"{"board":[[1]],"why":"so"}"#] {
            let text = format!(r#"{{"Spotter":{STAY},"Debug":{debug},"Assasin":{STAY}}}"#);
            assert_eq!(read(&text), read(&plain), "{debug}");
        }
    }

    #[test]
    fn what_is_no_direction_is_named_with_its_place() {
        let (slug, message) =
            rule(r#"{"Spotter":{"direction":[1,1]},"Assasin":{"direction":[1,0]}}"#);
        assert_eq!(slug, "bad-direction");
        assert_eq!(
            message,
            "the spotter's direction is [1,1]; a direction is one of [-1,0] (up), [1,0] (down), \
             [0,-1] (left) and [0,1] (right)"
        );
        let (slug, message) = rule(&format!(
            r#"{{"Spotter":{STAY},"Assasin":{{"direction":[0,1],"moves":[[1,0],[{},{}]]}}}}"#,
            i64::MIN,
            i64::MAX
        ));
        assert_eq!(slug, "bad-step");
        assert!(
            message.starts_with(
                "the assasin's move 2 is [-9223372036854775808,9223372036854775807]; a move is"
            ),
            "{message}"
        );
        let (slug, _) = rule(&format!(
            r#"{{"Spotter":{STAY},"Assasin":{{"direction":[0,0]}}}}"#
        ));
        assert_eq!(slug, "bad-direction");
        let (slug, message) = rule(&format!(
            r#"{{"Spotter":{{"direction":[1,0],"moves":[[0,0]]}},"Assasin":{STAY}}}"#
        ));
        assert_eq!(slug, "bad-step");
        assert!(message.starts_with("the spotter's move 1 is [0,0]"));
    }

    #[test]
    fn steps_beyond_the_limit_are_cut_off_unread() {
        let tail = r#"[5,5],"north",null,{"a":[[]]}"#;
        let text = format!(
            r#"{{"Spotter":{{"direction":[1,0],"moves":[[1,0],[0,1],{tail}]}},"Assasin":{{"direction":[1,0],"moves":[[1,0],[1,0],[1,0],[1,0],{tail}]}}}}"#
        );
        let action = read(&text).expect("readable");
        action.check().expect("legal");
        assert_eq!(action.spotter.moves.iter().count(), SPOTTER_STEPS_MAX);
        assert_eq!(action.assasin.moves.iter().count(), ASSASIN_STEPS_MAX);
        assert_eq!(
            action.spotter,
            Orders::new(Direction::Down, &[Direction::Down, Direction::Right])
        );
    }
}
