use crate::Refused;
use crate::prelude::*;
use core::str::FromStr;
use serde::{Deserialize, Serialize};

/// The notation in which people read a game's board and type its moves.
#[derive(Clone, Copy, Debug)]
pub struct Notation {
    /// How to type moves, for people who know the rules: lines of at most 76 characters.
    pub help: &'static [&'static str],
    /// The labels above the columns.
    pub columns: Labels,
    /// The labels next to the rows.
    pub rows: Labels,
    /// The size of a cell in a drawing, in characters: (columns, lines).
    pub cell: (usize, usize),
}

/// The names of a board's columns or rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Labels {
    /// a, b, c, …
    Letters,
    /// 0, 1, 2, …
    FromZero,
    /// 1, 2, 3, …
    FromOne,
    /// …, 3, 2, 1: counted from the last, like the ranks of a chess board.
    FromOneBackwards,
    /// …, -1, 0, 1, … with 0 in the middle.
    Centred,
}

impl Labels {
    /// Returns the name of a column or row: number `index` (from 0) of `count`.
    pub fn of(self, index: usize, count: usize) -> String {
        match self {
            Self::Letters => u8::try_from(index)
                .ok()
                .filter(|&index| index < 26)
                .map_or("?".to_owned(), |index| char::from(b'a' + index).to_string()),
            Self::FromZero => index.to_string(),
            Self::FromOne => (index + 1).to_string(),
            Self::FromOneBackwards => (count - index).to_string(),
            Self::Centred if index < count / 2 => format!("-{}", count / 2 - index),
            Self::Centred => (index - count / 2).to_string(),
        }
    }
}

impl Notation {
    /// Returns the cell that people call by this name, as (column, row), on a board of `width` by
    /// `height` cells. A comma may be between the two labels, and must be if both are numbers.
    pub fn cell(&self, name: &str, (width, height): (usize, usize)) -> Option<(usize, usize)> {
        let row = |label: &str| (0..height).find(|&row| self.rows.of(row, height) == label);
        let find = |column: usize| {
            let rest = name.strip_prefix(&self.columns.of(column, width))?;
            let bare = Some(rest).filter(|_| self.columns == Labels::Letters);
            Some((column, row(rest.strip_prefix(',').or(bare)?)?))
        };
        (0..width).find_map(find)
    }
}

/// Reads two numbers with a comma or blanks between and brackets or none around them.
pub(crate) fn pair<N: FromStr>(text: &str, example: &str) -> Result<(N, N), Refused> {
    let bare = text.trim_matches(|c: char| c.is_whitespace() || "()[]".contains(c));
    let mut parts = bare
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|part| !part.is_empty());
    let mut number = || parts.next().and_then(|part| part.parse().ok());
    number()
        .zip(number())
        .filter(|_| parts.next().is_none())
        .ok_or_else(|| no_move(text, &format!("two numbers, as {example}")))
}

pub(crate) fn no_move(text: &str, expected: &str) -> Refused {
    let text = text.trim();
    Refused(if text.is_empty() {
        format!("nothing was typed: expected {expected}")
    } else {
        format!("{text:?} is not a move: expected {expected}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_rows_are_named_in_five_ways() {
        let all = |labels: Labels| {
            (0..3)
                .map(|i| labels.of(i, 3))
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(all(Labels::Letters), "a b c");
        assert_eq!(all(Labels::FromZero), "0 1 2");
        assert_eq!(all(Labels::FromOne), "1 2 3");
        assert_eq!(all(Labels::FromOneBackwards), "3 2 1");
        assert_eq!(all(Labels::Centred), "-1 0 1");
        assert_eq!(Labels::Letters.of(26, 30), "?");
    }

    #[test]
    fn cell_label_joins_column_and_row_labels() {
        let notation = |columns, rows| Notation {
            help: &[],
            columns,
            rows,
            cell: (1, 1),
        };
        let chess = notation(Labels::Letters, Labels::FromOneBackwards);
        let centred = notation(Labels::Centred, Labels::Centred);
        let rows = [
            (chess, "a1", Some((0, 7))),
            (chess, "h8", Some((7, 0))),
            (chess, "c,2", Some((2, 6))),
            (chess, "i1", None),
            (chess, "a9", None),
            (chess, "a", None),
            (chess, "", None),
            (chess, "?1", None),
            (centred, "-4,0", Some((0, 4))),
            (centred, "3,-1", Some((7, 3))),
            (centred, "3-1", None),
            (centred, "4,0", None),
        ];
        for (notation, name, cell) in rows {
            assert_eq!(notation.cell(name, (8, 8)), cell, "{name}");
        }
    }

    #[test]
    fn pair_is_two_numbers_with_any_separator() {
        for text in ["3,-4", " 3 -4 ", "(3,-4)", "[3, -4]", "3  ,  -4"] {
            assert_eq!(pair::<i32>(text, "3,4"), Ok((3, -4)), "{text}");
        }
        for text in ["", "3", "3,4,5", "3;4", "a,b", "3,99999999999", "--3 4"] {
            let refused = pair::<i32>(text, "3,4").expect_err("no pair");
            assert!(refused.0.contains("two numbers, as 3,4"), "{refused}");
        }
    }
}
