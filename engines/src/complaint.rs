//! Reasons in words: for refusing a JSON value, a move, a configuration or a setup.

use crate::prelude::*;
use crate::quote::{NAME_CHARS_MAX, shortened};
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

/// The types of whole numbers with their limits, and whether these are so small that they are always
/// named.
const WHOLE: &[(&str, &str, &str, bool)] = &[
    ("i8", "-128", "127", true),
    ("i16", "-32768", "32767", true),
    ("i32", "-2147483648", "2147483647", false),
    ("i64", "-9223372036854775808", "9223372036854775807", false),
    ("u8", "0", "255", true),
    ("u16", "0", "65535", true),
    ("u32", "0", "4294967295", false),
    ("u64", "0", "18446744073709551615", false),
    ("usize", "0", "18446744073709551615", false),
];

/// Translates serde's names of expected values. Large limits appear only if a value exceeds them.
fn expected(wanted: &str, is_exceeded: bool) -> String {
    let range = WHOLE.iter().find(|(name, ..)| *name == wanted);
    if let Some((_, min, max, is_small)) = range {
        return if *is_small || is_exceeded {
            format!("a whole number from {min} to {max}")
        } else {
            "a whole number".to_owned()
        };
    }
    let words: Vec<&str> = wanted.split(' ').collect();
    match words.as_slice() {
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

pub(crate) fn refuse<T>(reason: impl Into<String>) -> Result<T, Refused> {
    Err(Refused(reason.into()))
}

impl Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for Refused {}
