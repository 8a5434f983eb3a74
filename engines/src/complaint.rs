//! Reasons in words: for refusing a JSON value, a move, a configuration or a setup.

use crate::quote::{NAME_CHARS_MAX, shortened};
use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Display};
use serde::de::{Error, Expected, Unexpected};

#[derive(Debug, PartialEq)]
pub(super) enum Complaint {
    UnknownField(String),
    Value(String),
}

impl Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::UnknownField(words) | Self::Value(words)) = self;
        f.write_str(words)
    }
}

impl core::error::Error for Complaint {}

impl Error for Complaint {
    fn custom<T: Display>(message: T) -> Self {
        Self::Value(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        // serde_json reads a whole number beyond 64 bits as a fraction.
        let is_exceeded = matches!(found, Unexpected::Float(n) if n.abs() >= WHOLE_NUMBERS_END);
        Self::mismatch(found, wanted, is_exceeded)
    }

    fn invalid_value(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::mismatch(found, wanted, true)
    }

    fn invalid_length(length: usize, wanted: &dyn Expected) -> Self {
        let wanted = expected(&wanted.to_string(), false);
        Self::Value(format!("expected {wanted}, found a list of {length}"))
    }

    fn unknown_variant(name: &str, known: &'static [&'static str]) -> Self {
        Self::Value(unknown("name", name, known))
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> Self {
        Self::UnknownField(unknown("field", name, known))
    }
}

impl Complaint {
    fn mismatch(found: Unexpected<'_>, wanted: &dyn Expected, is_exceeded: bool) -> Self {
        let wanted = expected(&wanted.to_string(), is_exceeded);
        let found = shortened(&self::found(found), NAME_CHARS_MAX);
        Self::Value(format!("expected {wanted}, found {found}"))
    }
}

fn unknown(kind: &str, name: &str, known: &[&str]) -> String {
    let name = shortened(name, NAME_CHARS_MAX);
    let known = match known {
        [] => "there are none".to_owned(),
        [only] => format!("expected `{only}`"),
        [one, other] => format!("expected `{one}` or `{other}`"),
        several => format!("expected one of `{}`", several.join("`, `")),
    };
    format!("unknown {kind} `{name}`, {known}")
}

/// The smallest magnitude at which a number read as a fraction may be whole.
const WHOLE_NUMBERS_END: f64 = 9.2e18;

fn found(value: Unexpected<'_>) -> String {
    match value {
        Unexpected::Bool(value) => value.to_string(),
        Unexpected::Unsigned(value) => value.to_string(),
        Unexpected::Signed(value) => value.to_string(),
        Unexpected::Float(value) if value.abs() >= WHOLE_NUMBERS_END => format!("{value:e}"),
        // The decimal shows that it is no whole number.
        Unexpected::Float(value) if value % 1.0 == 0.0 => format!("{value:.1}"),
        Unexpected::Float(value) => value.to_string(),
        Unexpected::Str(text) => format!("\"{text}\""),
        Unexpected::Unit | Unexpected::Option => "null".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "an object".to_owned(),
        Unexpected::UnitVariant => "the name alone".to_owned(),
        other => other.to_string(),
    }
}

/// Translates serde's names of expected values. Large limits appear only if a value exceeds them.
fn expected(wanted: &str, is_exceeded: bool) -> String {
    let whole =
        |min: &dyn Display, max: &dyn Display| format!("a whole number from {min} to {max}");
    let words: Vec<&str> = wanted.split(' ').collect();
    match words.as_slice() {
        ["i32" | "i64" | "u32" | "u64" | "usize"] if !is_exceeded => "a whole number".to_owned(),
        ["i8"] => whole(&i8::MIN, &i8::MAX),
        ["i16"] => whole(&i16::MIN, &i16::MAX),
        ["i32"] => whole(&i32::MIN, &i32::MAX),
        ["i64"] => whole(&i64::MIN, &i64::MAX),
        ["u8"] => whole(&0, &u8::MAX),
        ["u16"] => whole(&0, &u16::MAX),
        ["u32"] => whole(&0, &u32::MAX),
        ["u64" | "usize"] => whole(&0, &u64::MAX),
        ["f64"] => "a number".to_owned(),
        ["a", "boolean"] => "true or false".to_owned(),
        ["a", "sequence"] => "a list".to_owned(),
        ["tuple", "struct", _, "with", count, ..]
        | ["a", "tuple", "of", "size", count]
        | ["an", "array", "of", "length", count] => format!("a list of {count}"),
        ["tuple", "struct", _] => "a list of numbers".to_owned(),
        ["enum", ..] | ["variant", "identifier"] => "a name".to_owned(),
        ["newtype" | "struct" | "tuple", "variant"] => "an object with one key".to_owned(),
        ["a", "map"] | ["struct", ..] => "an object".to_owned(),
        ["unit", "variant"] => "the name alone".to_owned(),
        ["unit" | "null"] => "null".to_owned(),
        _ => wanted.to_owned(),
    }
}

/// The rule that a move breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleBroken {
    /// A fixed name for the rule, such as `blocked-cell`.
    pub rule: &'static str,
    /// The fault in words, such as `the cat cannot move to (1,0): the cell is blocked`.
    pub message: String,
}

impl RuleBroken {
    /// Makes an error from the rule's name and a message that says how the move breaks it.
    pub fn new(rule: &'static str, message: impl Into<String>) -> Self {
        Self {
            rule,
            message: message.into(),
        }
    }
}

impl Display for RuleBroken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for RuleBroken {}

/// A configuration or setup that the rules do not allow, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

impl Refused {
    /// Makes a refusal with its reason.
    pub fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for Refused {}
