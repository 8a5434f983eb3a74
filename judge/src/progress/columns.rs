//! Columns of text, and how they fit a terminal.

use console::measure_text_width;
use std::collections::HashSet;

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

/// A column of text, its heading first.
pub(super) struct TextColumn {
    cells: Vec<String>,
    /// Whether the cells are aligned to the left.
    left: bool,
}

impl TextColumn {
    /// Makes a column that is aligned to the right.
    pub(super) fn of(heading: &str, cells: impl Iterator<Item = String>) -> Self {
        Self {
            cells: [heading.to_owned()].into_iter().chain(cells).collect(),
            left: false,
        }
    }

    /// Returns the width, in columns of a terminal.
    fn width(&self) -> usize {
        self.cells
            .iter()
            .map(|cell| measure_text_width(cell))
            .max()
            .unwrap_or(0)
    }

    /// Aligns the column to the left.
    pub(super) fn left(self) -> Self {
        Self { left: true, ..self }
    }
}

/// Draws the columns around the names. Where they do not fit, names are cut down to a few
/// characters, and then the columns of least worth are left out.
pub(super) fn fit(
    [mut before, mut behind]: [Vec<(Worth, TextColumn)>; 2],
    names: &[String],
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
            let taken: usize = before
                .iter()
                .chain(&behind)
                .map(|(_, column)| column.width() + BETWEEN.len())
                .sum();
            let left = columns.saturating_sub(taken);
            chars_max = left.max(NAME_CHARS_MIN);
            let least = before.iter().chain(&behind).map(|(worth, _)| *worth).min();
            if left >= longest.min(NAME_CHARS_MIN) || least == Some(Worth::Always) {
                break;
            }
            before.retain(|(worth, _)| Some(*worth) > least);
            behind.retain(|(worth, _)| Some(*worth) > least);
        }
    }
    let names = shortened(names, chars_max);
    let names = TextColumn::of("entrant", names.into_iter()).left();
    let columns = before.into_iter().map(|(_, column)| column);
    let behind = behind.into_iter().map(|(_, column)| column);
    let columns: Vec<TextColumn> = columns.chain([names]).chain(behind).collect();
    draw(&columns)
}

/// Blanks between two columns.
const BETWEEN: &str = "  ";

/// Draws columns as lines, with two blanks between the columns.
pub(super) fn draw(columns: &[TextColumn]) -> String {
    let widths: Vec<usize> = columns.iter().map(TextColumn::width).collect();
    let lines = (0..columns[0].cells.len()).map(|line| {
        let cells = columns.iter().zip(&widths).map(|(column, &width)| {
            let cell = &column.cells[line];
            let blanks = width - measure_text_width(cell);
            if column.left {
                format!("{cell}{:blanks$}", "")
            } else {
                format!("{:blanks$}{cell}", "")
            }
        });
        let line = cells.collect::<Vec<String>>().join(BETWEEN);
        format!("{}\n", line.trim_end())
    });
    lines.collect()
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
        let cut: Vec<String> = names
            .iter()
            .map(|name| cut_in_the_middle(name, left - tail, tail))
            .collect();
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
    fn long_names_are_cut_in_the_middle_and_stay_different() {
        let cut = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            shortened(&names, 11)
        };
        assert_eq!(cut(&["ann", "eleven-char"]), ["ann", "eleven-char"]);
        assert_eq!(
            cut(&["the-first-team-of-ann", "the-first-team-of-bob"]),
            ["the-f…f-ann", "the-f…f-bob"]
        );
        // Both ends are alike: another cut shows the difference.
        assert_eq!(
            cut(&["alphabet-x-and-the-end", "alphabet-y-and-the-end"]),
            ["alphabet-x…", "alphabet-y…"]
        );
        let alike = [
            "a".repeat(20) + "x" + &"a".repeat(20),
            "a".repeat(20) + "y" + &"a".repeat(20),
        ];
        let alike = shortened(&alike, 11);
        assert_eq!(alike, ["aaaaaaaaa…1", "aaaaaaaaa…2"]);
    }

    #[test]
    fn columns_of_little_worth_are_left_out_where_not_all_fit() {
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
            let table = fit(columns(), &names, width);
            let widest = table.lines().map(measure_text_width).max();
            let heading = table.lines().next().unwrap_or_default();
            let words = heading.split_whitespace().collect::<Vec<_>>().join(" ");
            (words, widest.unwrap_or_default())
        };
        let all = "rank entrant catcher total CPU s";
        assert_eq!(heading(None).0, all);
        assert_eq!(heading(Some(100)), (all.to_owned(), 68));
        assert_eq!(heading(Some(60)), (all.to_owned(), 60));
        assert_eq!(
            heading(Some(40)),
            ("rank entrant total CPU s".to_owned(), 40)
        );
        assert_eq!(heading(Some(32)), ("rank entrant total".to_owned(), 32));
    }

    #[test]
    fn a_column_of_times_of_different_widths_is_aligned_to_the_right() {
        let cells = |cells: [&'static str; 3]| cells.into_iter().map(str::to_owned);
        let columns = [
            TextColumn::of("entrant", cells(["ann", "bob", "zoe"])).left(),
            TextColumn::of("CPU s", cells(["0.05", "12.34", "1234.56"])),
            TextColumn::of("grade", cells(["A", "", "B"])),
        ];
        let expected = [
            "entrant    CPU s  grade",
            "ann         0.05      A",
            "bob        12.34",
            "zoe      1234.56      B",
        ];
        assert_eq!(draw(&columns).lines().collect::<Vec<_>>(), expected);
    }
}
