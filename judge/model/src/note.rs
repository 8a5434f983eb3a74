//! Notes of bots to their authors. Whatever is wrong with one is cut, and never a fault.

use crate::protocol::Said;
use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use engines::plain;
use engines::quote::{safe_sentence, shown};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Maximum size of what is kept of one turn, in bytes: the text, and the marks as JSON.
pub const NOTE_BYTES_MAX: usize = 1 << 10;

/// Maximum size of what is kept of one seat's game, in bytes.
pub const NOTES_BYTES_MAX: usize = 64 << 10;

/// Maximum number of marks that are read. No more fit, and each that is read takes time.
const MARKS_READ_MAX: usize = 256;

const LABEL_CHARS_MAX: usize = 8;

/// The note of one turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// The number of the turn, from 1 over all seats.
    pub turn: u32,
    /// One line that is safe to show; empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The marks on the board.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// The parts that were cut and the reasons, for the author; empty if none were.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cut: String,
}

/// A mark on a cell, as `[column, row, percent, label]`; null percent is the full strength.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark(pub usize, pub usize, pub Option<u8>, pub String);

impl Note {
    /// Reads what a bot said. `cell` finds the cell of a mark, as (column, row), and `room` is what its seat
    /// has left, in bytes. None if nothing was said, or the note before has said that no room is left.
    pub fn read(
        said: Said<'_>,
        turn: u32,
        room: usize,
        cell: &dyn Fn(&str) -> Option<(usize, usize)>,
    ) -> Option<Self> {
        let is_said = |part: Option<&RawValue>| part.is_some_and(|part| part.get() != "null");
        if room == 0 || !is_said(said.note) && !is_said(said.marks) {
            return None;
        }
        let mut reader = Reader {
            room: room.min(NOTE_BYTES_MAX),
            is_spent: room < NOTE_BYTES_MAX,
            cut: Vec::new(),
            cell,
        };
        if said.is_doubled {
            reader.cut("a second note, or second marks");
        }
        let text = said.note.map_or_else(String::new, |note| reader.text(note));
        let marks = said
            .marks
            .map_or_else(Vec::new, |marks| reader.marks(marks));
        Some(Self {
            turn,
            text,
            marks,
            cut: reader.cut.join("; "),
        })
    }

    /// Returns the number of bytes that it takes of the room of its seat.
    pub fn bytes(&self) -> usize {
        let marks: usize = self.marks.iter().map(Mark::bytes).sum();
        self.text.len() + marks + self.cut.len()
    }
}

impl Mark {
    fn bytes(&self) -> usize {
        // The brackets, the commas, the quotes, and up to 3 digits for each number.
        16 + self.3.len()
    }
}

/// Returns the text as one line that is safe to show.
pub fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().flat_map(shown).collect()
}

struct Reader<'a> {
    room: usize,
    /// Whether the room is less than that of a turn, because earlier turns have taken it.
    is_spent: bool,
    cut: Vec<String>,
    cell: &'a dyn Fn(&str) -> Option<(usize, usize)>,
}

impl Reader<'_> {
    fn cut(&mut self, what: &str) {
        self.cut.push(safe_sentence(what));
    }

    fn limit(&self) -> &'static str {
        if self.is_spent {
            "64 KiB a game"
        } else {
            "1 KiB a turn"
        }
    }

    fn text(&mut self, note: &RawValue) -> String {
        let Some(text) = text_of(note) else {
            if note.get() != "null" {
                self.cut("the note, which is no text");
            }
            return String::new();
        };
        let mut line = one_line(&text);
        if line.len() > self.room {
            let most = self.room.saturating_sub('…'.len_utf8());
            let end = (0..=most).rev().find(|&at| line.is_char_boundary(at));
            line.truncate(end.unwrap_or(0));
            line.push('…');
            self.cut(&format!("the end of the note: at most {}", self.limit()));
        }
        self.room = self.room.saturating_sub(line.len());
        line
    }

    fn marks(&mut self, marks: &RawValue) -> Vec<Mark> {
        if marks.get() == "null" {
            return Vec::new();
        }
        let Ok(all) = serde_json::from_str::<Vec<&RawValue>>(marks.get()) else {
            self.cut("the marks, which are no list");
            return Vec::new();
        };
        let (mut kept, mut bad) = (Vec::new(), Vec::new());
        let mut left_over = all.len().saturating_sub(MARKS_READ_MAX);
        for (number, raw) in (1..).zip(all.iter().take(MARKS_READ_MAX)) {
            match self.mark(raw) {
                Ok(mark) if mark.bytes() <= self.room => {
                    self.room -= mark.bytes();
                    kept.push(mark);
                }
                Ok(_) => left_over += 1,
                Err(why) => bad.push(format!("mark {number}: {why}")),
            }
        }
        let all = all.len();
        if let Some(first) = bad.first() {
            self.cut(&format!("{} of {all} marks ({first})", bad.len()));
        }
        if left_over > 0 {
            let limit = self.limit();
            self.cut(&format!("{left_over} of {all} marks: at most {limit}"));
        }
        kept
    }

    fn mark(&self, raw: &RawValue) -> Result<Mark, String> {
        let mark: RawMark<'_> = plain::read(raw.get())?;
        let (column, row) = (self.cell)(mark.at.get()).ok_or_else(|| {
            safe_sentence(&format!("at: no cell of this board is {}", mark.at.get()))
        })?;
        let strength = mark.strength.map(percent).transpose()?;
        let label = mark.label.map(label).transpose()?.unwrap_or_default();
        Ok(Mark(column, row, strength, label))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMark<'a> {
    #[serde(borrow)]
    at: &'a RawValue,
    #[serde(borrow, default)]
    label: Option<&'a RawValue>,
    #[serde(borrow, default)]
    strength: Option<&'a RawValue>,
}

fn percent(raw: &RawValue) -> Result<u8, String> {
    let strength: Option<f64> = serde_json::from_str(raw.get()).ok();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to 100"
    )]
    strength
        .filter(|strength| (0.0..=1.0).contains(strength))
        .map(|strength| (strength * 100.0 + 0.5) as u8)
        .ok_or_else(|| "strength: expected a number from 0 to 1".to_string())
}

/// Reads a label: a text, or a number in the bot's own spelling.
fn label(raw: &RawValue) -> Result<String, String> {
    let is_number = raw
        .get()
        .starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let text = if is_number {
        raw.get().to_string()
    } else {
        text_of(raw).ok_or("label: expected a text or a number")?
    };
    let line = one_line(&text);
    if line.chars().count() <= LABEL_CHARS_MAX {
        Ok(line)
    } else {
        Err(format!("label: at most {LABEL_CHARS_MAX} characters"))
    }
}

/// Reads a JSON string, with a replacement for each half of a character (a lone surrogate).
fn text_of(raw: &RawValue) -> Option<String> {
    // Bytes, because `serde_json` refuses lone surrogates in strings.
    #[derive(Deserialize)]
    struct Bytes<'a>(#[serde(borrow)] Cow<'a, [u8]>);

    let Bytes(bytes) = serde_json::from_str(raw.get()).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{self, FromBot};
    use crate::tests::rows;

    /// Reads an answer on a board of 3 by 3 cells that are named as `[column,row]`.
    fn read(answer: &str, room: usize) -> Option<Note> {
        let Ok(FromBot::Move(answer)) = protocol::read(answer.as_bytes()) else {
            panic!("{answer}");
        };
        let cell = |at: &str| {
            let cell: (usize, usize) = serde_json::from_str(at).ok()?;
            (cell.0 < 3 && cell.1 < 3).then_some(cell)
        };
        Note::read(answer.said, 5, room, &cell)
    }

    fn note(answer: &str) -> Note {
        read(answer, NOTES_BYTES_MAX).expect(answer)
    }

    #[test]
    fn notes_are_sanitised_invalid_parts_cut_with_reason() {
        // The answer's keys, text, marks as JSON, what was cut.
        for [keys, text, marks, cut] in &rows(include_str!("notes.txt")) {
            for answer in [
                format!("{{\"move\":1,{keys}}}"),
                format!("{{{keys},\"move\":1}}"),
            ] {
                let Some(note) = read(&answer, NOTES_BYTES_MAX) else {
                    assert_eq!([text, marks, cut], ["", "[]", ""], "{keys}");
                    continue;
                };
                assert_eq!((note.turn, &note.text, &note.cut), (5, text, cut), "{keys}");
                let kept = serde_json::to_string(&note.marks).expect("plain data");
                assert_eq!(kept, *marks, "{keys}");
                assert_eq!(one_line(&note.text), note.text, "{keys}");
            }
        }
    }

    #[test]
    fn excess_text_and_marks_are_cut_to_limits() {
        let long = "é".repeat(30_000);
        let long = note(&format!("{{\"move\":1,\"note\":\"{long}\"}}"));
        assert!(long.text.len() <= NOTE_BYTES_MAX && long.text.ends_with("é…"));
        assert_eq!(long.cut, "the end of the note: at most 1 KiB a turn");
        let marks = "{\"at\":[1,1],\"label\":\"x\"},".repeat(10_000);
        let marks = marks.trim_end_matches(',');
        let many = note(&format!("{{\"move\":1,\"marks\":[{marks}]}}"));
        assert!(many.bytes() <= NOTE_BYTES_MAX + many.cut.len());
        assert!(serde_json::to_string(&many.marks).expect("data").len() <= NOTE_BYTES_MAX);
        let kept = many.marks.len();
        assert!(kept > 50, "{kept}");
        let cut = format!("{} of 10000 marks: at most 1 KiB a turn", 10_000 - kept);
        assert_eq!(many.cut, cut);
        let deep = "[".repeat(20_000) + &"]".repeat(20_000);
        let answer = format!("{{\"move\":1,\"note\":{deep},\"marks\":[{deep}]}}");
        let deep = note(&answer);
        let words = "the note, which is no text; 1 of 1 marks";
        assert!(deep.cut.starts_with(words));
        assert!(deep.cut.chars().count() < 300, "{}", deep.cut);
    }

    #[test]
    fn seat_notes_per_game_fit_64_kib() {
        let answer = r#"{"move":1,"note":"abcdefgh","marks":[{"at":[0,0]}]}"#;
        let spent = read(answer, 7).expect("it is cut");
        assert_eq!((&*spent.text, spent.marks.len()), ("abcd…", 0));
        assert!(spent.cut.ends_with("1 of 1 marks: at most 64 KiB a game"));
        assert!(read(answer, 0).is_none());
        assert!(read(r#"{"move":1}"#, 9).is_none());
    }
}
