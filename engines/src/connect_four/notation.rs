//! Moves as people type them.

use super::Move;
use crate::notation::no_move;
use crate::{Labels, Notation, Refused};
use alloc::string::{String, ToString};

pub(super) const NOTATION: Notation = Notation {
    help: &["a column by its letter, as d, or by its number from 0, as 3"],
    columns: Labels::Letters,
    rows: Labels::FromOneBackwards,
    cell: (4, 2),
};

pub(super) fn spell(mv: Move) -> String {
    match u8::try_from(mv.0) {
        Ok(column @ 0..26) => char::from(b'a' + column).to_string(),
        _ => mv.0.to_string(),
    }
}

/// Reads a move on a board of `width` columns. A later letter is no column.
pub(super) fn read(width: usize, text: &str) -> Result<Move, Refused> {
    let word = text.trim().to_ascii_lowercase();
    if let [column @ b'a'..=b'z'] = *word.as_bytes()
        && usize::from(column - b'a') < width
    {
        return Ok(Move(i64::from(column - b'a')));
    }
    word.parse().map(Move).map_err(|_| {
        let last = spell(Move(i64::try_from(width).unwrap_or(i64::MAX) - 1));
        no_move(
            text,
            &format!("a column from a to {last}, or its number from 0"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_a_letter_or_a_number() {
        for (text, column) in [("a", 0), (" D ", 3), ("g", 6), ("3", 3), ("-1", -1)] {
            assert_eq!(read(7, text), Ok(Move(column)), "{text}");
        }
        for column in [0, 3, 25, 26, -1, i64::MAX] {
            assert_eq!(read(26, &spell(Move(column))), Ok(Move(column)));
        }
        assert_eq!(spell(Move(3)), "d");
        for text in ["", "h", "x", "dd", "d1", "ä", "1.0", "99999999999999999999"] {
            assert!(read(7, text).is_err(), "{text}");
        }
    }
}
