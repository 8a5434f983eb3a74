//! The ids of games in memory.

use crate::draw::{from_hexadecimal, hexadecimal};
use alloc::string::String;
use core::fmt;
use serde::{Deserialize, Serialize, Serializer};

/// The id of a game, as [`crate::fixture::Terms::id`] makes it, in 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct GameId(pub(crate) [u8; 16]);

impl GameId {
    /// Parses an id of 32 hexadecimal digits; none if the text is anything else.
    pub fn parse(text: &[u8]) -> Option<Self> {
        from_hexadecimal(text).map(Self)
    }

    /// Returns the id's own hash, for tables of ids: ids are hashes already.
    pub fn hash_of_table(self) -> u64 {
        u64::from_le_bytes(*self.0.first_chunk().expect("it has 16 bytes"))
    }

    /// Returns the 32 hexadecimal digits.
    pub fn text(self) -> String {
        hexadecimal(&self.0)
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl Serialize for GameId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

impl TryFrom<String> for GameId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        Self::parse(text.as_bytes()).ok_or(NO_ID)
    }
}

const NO_ID: &str = "the id of a game is 32 hexadecimal digits, 0-9 and a-f";

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn id_is_exactly_32_lowercase_hex_digits() {
        let text = "0123456789abcdef00ff00ff00ff00ff";
        let id = GameId::parse(text.as_bytes()).expect("an id");
        assert_eq!(&*id.text(), text);
        let json = serde_json::to_string(&id).expect("plain data");
        assert_eq!(json, format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<GameId>(&json).expect("an id"), id);
        let wrong = serde_json::from_str::<GameId>("\"f\"").expect_err("too short");
        assert!(wrong.to_string().starts_with(NO_ID), "{wrong}");
        let (upper, signed) = (text.to_uppercase(), text.replace('0', "+"));
        for other in ["", &text[1..], &upper, &signed] {
            assert_eq!(GameId::parse(other.as_bytes()), None, "{other}");
        }
    }
}
