//! Text tables: their columns, what is left out where not all fits, and the drawing.

use crate::terminal::joined;
use console::{measure_text_width, truncate_str};
use std::collections::HashSet;
use std::iter::once;

/// Length of the longest name that a table shows whole, in characters, if no width is known.
pub(super) const NAME_CHARS_MAX: usize = 24;
/// Length down to which names are cut before columns are left out.
const NAME_CHARS_MIN: usize = 16;

/// The worth of a column where not all fit. Those of the least worth are left out first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Worth {
    ByRole,
    Cost,
    Certainty,
    Always,
}

pub(super) struct TextColumn {
    pub(super) cells: Vec<String>,
    left: bool,
}

impl TextColumn {
    pub(super) fn of(heading: &str, cells: impl Iterator<Item = String>) -> Self {
        Self {
            cells: once(heading.to_owned()).chain(cells).collect(),
            left: false,
        }
    }

    fn width(&self) -> usize {
        self.cells
            .iter()
            .map(|cell| measure_text_width(cell))
            .max()
            .unwrap_or(0)
    }

    pub(super) fn left(self) -> Self {
        Self { left: true, ..self }
    }
}

/// Draws the columns around the names: where they do not fit, names are cut, then columns left out.
pub(super) fn fit(
    [mut before, mut behind]: [Vec<(Worth, TextColumn)>; 2],
    (heading, names, reasons): (&str, &[String], &[String]),
    columns: Option<usize>,
) -> String {
    let longest = names
        .iter()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or_default();
    let mut chars_max = NAME_CHARS_MAX;
    if let Some(columns) = columns {
        loop {
            let all = || before.iter().chain(&behind);
            let taken: usize = all()
                .map(|(_, column)| column.width() + BETWEEN.len())
                .sum();
            let left = columns.saturating_sub(taken);
            chars_max = left.max(NAME_CHARS_MIN);
            let least = all().map(|(worth, _)| *worth).min();
            if left >= longest.min(NAME_CHARS_MIN) || least == Some(Worth::Always) {
                break;
            }
            before.retain(|(worth, _)| Some(*worth) > least);
            behind.retain(|(worth, _)| Some(*worth) > least);
        }
    }
    let short = shortened(names, chars_max).into_iter();
    let names_column = (Worth::Always, TextColumn::of(heading, short).left());
    let all: Vec<TextColumn> = before
        .into_iter()
        .chain([names_column])
        .chain(behind)
        .map(|(_, column)| column)
        .collect();
    let with_reason = 1 + names.len() - reasons.len();
    draw(&all, reasons)
        .into_iter()
        .zip(0..)
        .map(|(line, number)| match columns {
            Some(columns) if number >= with_reason => {
                truncate_str(&line, columns, "…").into_owned() + "\n"
            }
            _ => line + "\n",
        })
        .collect()
}

const BETWEEN: &str = "  ";

/// Draws the lines of a table. The last lines have a reason behind their last cells.
pub(super) fn draw(columns: &[TextColumn], reasons: &[String]) -> Vec<String> {
    let widths: Vec<usize> = columns.iter().map(TextColumn::width).collect();
    let count = columns
        .iter()
        .map(|column| column.cells.len())
        .max()
        .unwrap_or(0);
    let line = |number: usize| {
        let cell = |column: &TextColumn| column.cells.get(number).cloned().unwrap_or_default();
        let is_there = |column: &TextColumn| !cell(column).is_empty();
        let last = columns
            .iter()
            .rposition(is_there)
            .map_or(0, |last| last + 1);
        let cells = columns[..last].iter().zip(&widths).map(|(column, &width)| {
            let cell = cell(column);
            let blanks = width - measure_text_width(&cell);
            if column.left {
                format!("{cell}{:blanks$}", "")
            } else {
                format!("{:blanks$}{cell}", "")
            }
        });
        let reason = (number + reasons.len())
            .checked_sub(count)
            .and_then(|number| reasons.get(number));
        joined(cells.chain(reason.cloned()), BETWEEN)
            .trim_end()
            .to_owned()
    };
    (0..count).map(line).collect()
}

/// Cuts long names in the middle to a number of characters. Names that differ stay different.
pub(super) fn shortened(names: &[String], chars_max: usize) -> Vec<String> {
    let distinct = |names: &[String]| names.iter().collect::<HashSet<_>>().len();
    let left = chars_max.saturating_sub(1);
    let middle = left / 2;
    // The ends of many names are alike, and then more of the beginning tells them apart, or less.
    for tail in (0..=middle)
        .flat_map(|by| [middle - by, middle + by])
        .filter(|tail| *tail <= left)
    {
        let shorter = |name: &String| cut_in_the_middle(name, left - tail, tail);
        let cut: Vec<String> = names.iter().map(shorter).collect();
        if distinct(&cut) == distinct(names) {
            return cut;
        }
    }
    names
        .iter()
        .zip(1..)
        .map(|(name, number)| {
            if name.chars().count() <= chars_max {
                return name.clone();
            }
            let number = format!("…{number}");
            let head = chars_max.saturating_sub(number.chars().count());
            name.chars().take(head).chain(number.chars()).collect()
        })
        .collect()
}

fn cut_in_the_middle(name: &str, head: usize, tail: usize) -> String {
    let chars: Vec<char> = name.chars().collect();
    if chars.len() <= head + tail + 1 {
        return name.to_owned();
    }
    let end = &chars[chars.len() - tail..];
    chars[..head].iter().chain(&['…']).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_shortened_and_stay_distinct() {
        let short = ["ann", "eleven-char"].map(str::to_owned);
        assert_eq!(shortened(&short, 11), short);
        let of_team = ["ann", "bob"].map(|name| format!("the-first-team-of-{name}"));
        assert_eq!(shortened(&of_team, 11), ["the-f…f-ann", "the-f…f-bob"]);
        // Both ends are alike: another cut shows the difference.
        let apart = ["x", "y"].map(|name| format!("alphabet-{name}-and-the-end"));
        assert_eq!(shortened(&apart, 11), ["alphabet-x…", "alphabet-y…"]);
        let a = "a".repeat(20);
        let alike = ["x", "y"].map(|name| format!("{a}{name}{a}"));
        assert_eq!(shortened(&alike, 11), ["aaaaaaaaa…1", "aaaaaaaaa…2"]);
    }

    #[test]
    fn low_priority_columns_are_dropped_on_narrow_tables() {
        let columns = || {
            let of =
                |heading: &str, cell: &str| TextColumn::of(heading, [cell.to_owned()].into_iter());
            let before = vec![(Worth::Always, of("rank", "1"))];
            let behind = vec![
                (Worth::ByRole, of("catcher", "15365.9")),
                (Worth::Always, of("total", "24265.6")),
                (Worth::Cost, of("CPU s", "0.42")),
            ];
            [before, behind]
        };
        let names = ["a-name-that-is-longer-than-all-others".to_owned()];
        let heading = |width| {
            let table = fit(columns(), ("entrant", &names, &[]), width);
            let widest = table.lines().map(measure_text_width).max();
            let heading = table.lines().next().unwrap_or_default();
            let words = heading.split_whitespace().collect::<Vec<_>>().join(" ");
            (words, widest.unwrap_or_default())
        };
        let all = "rank entrant catcher total CPU s";
        assert_eq!(heading(None).0, all);
        assert_eq!(heading(Some(100)), (all.to_owned(), 68));
        assert_eq!(heading(Some(60)), (all.to_owned(), 60));
        let costs = "rank entrant total CPU s".to_owned();
        assert_eq!(heading(Some(40)), (costs, 40));
        assert_eq!(heading(Some(32)), ("rank entrant total".to_owned(), 32));
    }

    #[test]
    fn reasons_follow_last_cells_of_their_lines() {
        let cells = |cells: &[&str]| {
            let cells: Vec<String> = cells.iter().map(|cell| (*cell).to_owned()).collect();
            cells.into_iter()
        };
        let columns = || {
            let before = vec![(Worth::Always, TextColumn::of("rank", cells(&["1"])))];
            let behind = vec![
                (Worth::Always, TextColumn::of("total", cells(&["12.0"]))),
                (
                    Worth::Always,
                    TextColumn::of("grade", cells(&["A", "", "F"])),
                ),
            ];
            [before, behind]
        };
        let names = ["ann", "bobby", "eve"].map(str::to_owned);
        let reasons = ["does not play: no program", "too late: by an hour"].map(str::to_owned);
        let lines = |width| fit(columns(), ("entrant", &names, &reasons), width);
        let expected = "rank  entrant  total  grade\n   1  ann       12.0      A\n      bobby    does not play: no program\n      eve                 F  too late: by an hour\n";
        assert_eq!(lines(None), expected);
        let cut = "rank  entrant  total  grade\n   1  ann       12.0      A\n      bobby    does not play: no …\n      eve                 F  too …\n";
        assert_eq!(lines(Some(34)), cut);
    }
}
