//! The standard error of a bot in one game, turn by turn.

use crate::note::Note;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Bytes kept of the beginning, and of the end: a crash gives its reason last.
pub const KEPT_BYTES_MAX: usize = 8 << 10;

const LAST_BYTES: usize = 2 << 10;

/// Standard error as it comes in: its beginning and its end.
#[derive(Clone, Debug, Default)]
pub struct KeptStderr {
    begin: Vec<u8>,
    end: VecDeque<u8>,
    written: usize,
}

impl KeptStderr {
    /// Returns the number of bytes written, kept or not.
    pub fn written(&self) -> usize {
        self.written
    }

    /// Adds what was written next.
    pub fn push(&mut self, bytes: &[u8]) {
        self.written += bytes.len();
        let room = KEPT_BYTES_MAX - self.begin.len();
        let (begin, end) = bytes.split_at(room.min(bytes.len()));
        self.begin.extend_from_slice(begin);
        self.end
            .extend(&end[end.len().saturating_sub(KEPT_BYTES_MAX)..]);
        let surplus = self.end.len().saturating_sub(KEPT_BYTES_MAX);
        self.end.drain(..surplus);
    }

    /// Adds what another process wrote next.
    pub fn append(&mut self, mut next: Self) {
        self.push(&next.begin);
        let left_out = next.left_out();
        if left_out > 0 {
            self.written += left_out;
            self.end.clear();
        }
        self.push(next.end.make_contiguous());
    }

    /// Returns the last of it as text, where programs say why they end.
    pub fn last_words(&self) -> String {
        let kept: Vec<u8> = self.begin.iter().chain(&self.end).copied().collect();
        let last = kept.len().saturating_sub(LAST_BYTES);
        String::from_utf8_lossy(&kept[last..]).into_owned()
    }

    fn left_out(&self) -> usize {
        self.written - self.begin.len() - self.end.len()
    }

    /// Converts it to text. The marks count all bytes that were written.
    pub fn into_stderr(mut self, marks: &[TurnMark]) -> Stderr {
        let left_out = self.left_out();
        let notice = match left_out {
            0 => String::new(),
            _ => format!("\n-- {left_out} bytes left out --\n"),
        };
        let end_at = self.written - self.end.len();
        let moved = |byte: usize| match byte {
            _ if byte <= self.begin.len() => byte,
            _ if byte < end_at => self.begin.len(),
            _ => byte - left_out + notice.len(),
        };
        let marks: Vec<TurnMark> = marks
            .iter()
            .map(|&TurnMark(turn, byte)| TurnMark(turn, moved(byte)))
            .collect();
        let bytes = [&self.begin, notice.as_bytes(), self.end.make_contiguous()].concat();
        let mut wrote = Stderr::of(&bytes, &marks);
        // Of turns that begin at one place, all but the last wrote nothing that was kept.
        let mut later = wrote.turns.iter().skip(1).map(|mark| mark.1);
        let length = wrote.text.len();
        wrote.turns = wrote
            .turns
            .iter()
            .filter(|mark| mark.1 < length && later.next() != Some(mark.1))
            .copied()
            .collect();
        wrote
    }
}

/// The standard error of one seat's bot in a game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stderr {
    /// The whole text.
    pub text: String,
    /// The beginning of each turn's output, in rising order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnMark>,
    /// The bot's notes, in the order of its turns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

/// `[turn, byte]`: the turn from 1 over all seats, the byte in the text. It lasts until the next question.
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

    /// Returns the text by turn, from 0 for that before. Marks of a foreign file may not fit.
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
    fn flood_keeps_beginning_and_end_with_turns() {
        let mut kept = KeptStderr::default();
        kept.push(b"first ");
        let mut next = KeptStderr::default();
        for _ in 0..4 {
            next.push(&[b'x'; KEPT_BYTES_MAX]);
        }
        next.push(b" last words");
        kept.append(next);
        assert_eq!(kept.written(), 4 * KEPT_BYTES_MAX + 17);
        let end = kept.written() - 11;
        let marks = [(1, 0), (2, 6), (3, 9_000), (4, 9_500), (5, end)];
        let wrote = kept.into_stderr(&marks.map(|(turn, byte)| TurnMark(turn, byte)));
        assert!(wrote.text.len() < 2 * KEPT_BYTES_MAX + 40);
        assert!(wrote.text.contains("x\n-- 16401 bytes left out --\nx"));
        let by_turn = wrote.by_turn();
        let turns: Vec<u32> = by_turn.iter().map(|(turn, _)| *turn).collect();
        assert_eq!(turns, [1, 2, 4, 5]);
        assert_eq!(by_turn[0].1, "first ");
        assert_eq!(by_turn[3].1, " last words");
    }

    #[test]
    fn little_output_is_kept_whole() {
        let mut kept = KeptStderr::default();
        kept.push(&[b'a'; KEPT_BYTES_MAX]);
        kept.push(&[b'b'; KEPT_BYTES_MAX]);
        let marks = [TurnMark(1, KEPT_BYTES_MAX), TurnMark(3, 2 * KEPT_BYTES_MAX)];
        let wrote = kept.into_stderr(&marks);
        assert_eq!(wrote.text.len(), 2 * KEPT_BYTES_MAX);
        assert_eq!(wrote.turns, [TurnMark(1, KEPT_BYTES_MAX)]);
    }

    #[test]
    fn output_is_reported_turn_by_turn() {
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
    fn stderr_marks_outside_text_are_dropped() {
        let mut wrote = Stderr {
            text: "äb".into(),
            turns: vec![
                TurnMark(1, 1),
                TurnMark(2, 2),
                TurnMark(3, 1),
                TurnMark(4, 99),
            ],
            notes: Vec::new(),
        };
        assert_eq!(wrote.by_turn(), [(0, "ä"), (2, "b")]);
        wrote.turns.clear();
        assert_eq!(wrote.by_turn(), [(0, "äb")]);
        assert_eq!(Stderr::of(b"ab", &[TurnMark(1, 99)]).by_turn(), [(0, "ab")]);
    }
}
