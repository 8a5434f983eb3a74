//! Moves as people type them.

use super::Move;
use crate::notation::no_move;
use crate::{Labels, Notation, Refused};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::string::ToString;

pub(super) const NOTATION: Notation = Notation {
    help: &[
        "a field by its column and row, as d3, or by its number, as 19",
        "pass, where there is no other move",
    ],
    columns: Labels::Letters,
    rows: Labels::FromOne,
    cell: (4, 2),
};

pub(super) fn spell(mv: Move) -> String {
    match mv {
        Move::Pass => "pass".to_owned(),
        Move::Place(field) => match u8::try_from(field) {
            Ok(field @ 0..64) => {
                format!("{}{}", char::from(b'a' + field % 8), field / 8 + 1)
            }
            _ => field.to_string(),
        },
    }
}

pub(super) fn read(text: &str) -> Result<Move, Refused> {
    let word = text.trim().to_ascii_lowercase();
    if word == "pass" {
        return Ok(Move::Pass);
    }
    if let [column @ b'a'..=b'h', row @ b'1'..=b'8'] = *word.as_bytes() {
        return Ok(Move::Place(
            i64::from(row - b'1') * 8 + i64::from(column - b'a'),
        ));
    }
    word.parse()
        .map(Move::Place)
        .map_err(|_| no_move(text, "a field, a1 to h8 or 0 to 63, or pass"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_a_letter_and_a_digit_or_a_number() {
        let rows = [
            ("a1", 0),
            ("D3", 19),
            ("h8", 63),
            ("19", 19),
            ("64", 64),
            ("-1", -1),
        ];
        for (text, field) in rows {
            assert_eq!(read(text), Ok(Move::Place(field)), "{text}");
        }
        assert_eq!(read(" Pass "), Ok(Move::Pass));
        assert_eq!(spell(Move::Place(19)), "d3");
        for text in ["", "i1", "a9", "a", "d33", "ä1", "99999999999999999999"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
