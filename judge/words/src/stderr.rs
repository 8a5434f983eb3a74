//! The standard error of a bot in one game, turn by turn.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// The standard error of one seat's bot in a game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stderr {
    /// The whole text.
    pub text: String,
    /// The beginning of each turn's output, in rising order. The text before the first mark was
    /// written before the seat's first turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnMark>,
}

/// The beginning of one turn's output, as `[turn, byte]`. The turn is counted from 1 over all
/// seats, and the byte is an index into the text. A turn lasts until the seat's next question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnMark(pub u32, pub usize);

impl Stderr {
    /// Converts the bytes that were read to text. The marks count bytes of `bytes`.
    pub fn of(bytes: &[u8], marks: &[TurnMark]) -> Self {
        let mut wrote = Self::default();
        let mut from = 0;
        for &TurnMark(turn, byte) in marks {
            let to = byte.clamp(from, bytes.len());
            wrote.push(&bytes[from..to]);
            wrote.turns.push(TurnMark(turn, wrote.text.len()));
            from = to;
        }
        wrote.push(&bytes[from..]);
        wrote
    }

    fn push(&mut self, bytes: &[u8]) {
        self.text.push_str(&String::from_utf8_lossy(bytes));
    }

    /// Returns the text turn by turn. Text before the first turn has the number 0. Marks that do
    /// not fit the text come from a foreign file and are ignored.
    pub fn by_turn(&self) -> Vec<(u32, &str)> {
        let mut pieces = Vec::new();
        let (mut turn, mut from) = (0, 0);
        for &TurnMark(next, byte) in &self.turns {
            if let Some(piece) = self.text.get(from..byte) {
                pieces.push((turn, piece));
                (turn, from) = (next, byte);
            }
        }
        pieces.push((turn, &self.text[from..]));
        pieces.retain(|(_, piece)| !piece.trim().is_empty());
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    #[test]
    fn output_is_told_turn_by_turn() {
        let wrote = Stderr::of(
            b"up\none\xFFthree\n",
            &[TurnMark(1, 3), TurnMark(3, 7), TurnMark(5, 13)],
        );
        assert_eq!(
            wrote.by_turn(),
            [(0, "up\n"), (1, "one\u{FFFD}"), (3, "three\n")]
        );
    }

    #[test]
    fn marks_that_do_not_fit_the_text_are_left_out() {
        let mut wrote = Stderr {
            text: "äb".into(),
            turns: vec![
                TurnMark(1, 1),
                TurnMark(2, 2),
                TurnMark(3, 1),
                TurnMark(4, 99),
            ],
        };
        assert_eq!(wrote.by_turn(), [(0, "ä"), (2, "b")]);
        wrote.turns.clear();
        assert_eq!(wrote.by_turn(), [(0, "äb")]);
        assert_eq!(Stderr::of(b"ab", &[TurnMark(1, 99)]).by_turn(), [(0, "ab")]);
    }
}
