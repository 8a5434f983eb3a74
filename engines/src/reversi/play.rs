//! A move in the form of the protocol: the string `"pass"` or the number of a field.

use core::fmt;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A player's answer.
///
/// Numbers that are no field can be read too, so that [`crate::Game::check`] can explain the fault.
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

#[cfg(test)]
mod tests {
    use super::Move;
    use alloc::string::ToString;

    #[test]
    fn a_move_is_pass_or_a_whole_number() {
        let read = |text: &str| serde_json::from_str::<Move>(text).map_err(|e| e.to_string());
        assert_eq!(read("\"pass\""), Ok(Move::Pass));
        assert_eq!(read("19"), Ok(Move::Place(19)));
        assert_eq!(read("-9223372036854775808"), Ok(Move::Place(i64::MIN)));
        assert_eq!(read("9223372036854775807"), Ok(Move::Place(i64::MAX)));
        for other in [
            "9223372036854775808",
            "18446744073709551615",
            "19.0",
            "1e3",
            "true",
            "null",
            "\"Pass\"",
            "\"19\"",
            "[19]",
            "{\"place\":19}",
        ] {
            let refused = read(other).expect_err("no move");
            assert!(
                refused.contains("expected \"pass\" or the number of a field, 0 to 63"),
                "{other}: {refused}"
            );
        }
        for mv in [Move::Pass, Move::Place(0), Move::Place(63)] {
            let json = serde_json::to_string(&mv).expect("plain data");
            assert_eq!(read(&json), Ok(mv));
        }
    }
}
