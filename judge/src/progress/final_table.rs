//! Text tables of the standings, and their columns.

use console::{measure_text_width, truncate_str};
use model::competition::{Competition, Scoring};
use model::tally::Tally;
use report::{close_totals, decimals, interval_meaning, no_prize, no_result, ranked_by};
use rulebook::scoring::{Rating, Standing, StandingsTable};
use std::collections::HashSet;
use std::time::Duration;
use store::manifest::EntrantLine;

/// Draws the standings as a table with notes below it, in `columns` if there is such a width, and else
/// in 80 for names of ordinary length. standings.csv has all columns.
pub fn final_table(
    competition: &Competition,
    roles: &[&str],
    table: &StandingsTable,
    entrants: &[EntrantLine],
    columns: Option<usize>,
) -> String {
    let without = without_rank(&competition.scoring, table, entrants);
    let [before, mut behind] = columns_around(competition, roles, table);
    if competition.scoring.grades.is_some()
        && let Some((_, grade)) = behind.last_mut()
    {
        let others = without.iter().map(|one| one.grade.clone());
        grade.cells.extend(others);
    }
    let names = lines(table).map(|line| line.entrant.to_owned());
    let others = without.iter().map(|one| one.entrant.clone());
    let names: Vec<String> = names.chain(others).collect();
    let reasons: Vec<String> = without.into_iter().map(|one| one.reason).collect();
    let left = ("entrant", &*names, &*reasons);
    let mut text = fit([before, behind], left, columns);
    let mut notes = notes(competition, table);
    if shows_elo(roles, table) {
        let rating = "Elo: strength with half its 95 % interval; 0 is the mean of all who played";
        notes.push(rating.to_owned());
    }
    for note in notes {
        text.push('\n');
        text.push_str(&note);
    }
    text
}

struct WithoutRank {
    entrant: String,
    grade: String,
    reason: String,
}

fn without_rank(
    scoring: &Scoring,
    table: &StandingsTable,
    entrants: &[EntrantLine],
) -> Vec<WithoutRank> {
    let removed = table.removed.iter().map(|removed| WithoutRank {
        entrant: removed.entrant.clone(),
        grade: removed.grade.clone().unwrap_or_default(),
        reason: format!("disqualified and removed: {}", removed.reason),
    });
    let others = no_result(entrants).filter_map(|(entrant, result)| {
        let (kind, reason) = result.problem()?;
        Some(WithoutRank {
            entrant: entrant.to_owned(),
            grade: result.grade(scoring).unwrap_or_default().to_owned(),
            reason: format!("{kind}: {reason}"),
        })
    });
    removed.chain(others).collect()
}

/// Returns the columns before the names, and those behind; grades are the last.
fn columns_around(
    competition: &Competition,
    roles: &[&str],
    table: &StandingsTable,
) -> [Vec<(Worth, TextColumn)>; 2] {
    let scoring = &competition.scoring;
    let add = |to: &mut Vec<_>, worth, heading: &str, cell: &dyn Fn(&TableLine<'_>) -> String| {
        to.push((
            worth,
            TextColumn::of(heading, lines(table).map(|line| cell(&line))),
        ));
    };
    // Empty for entrants without a rank.
    let ranked = |line: &TableLine<'_>, cell: &dyn Fn(&Standing) -> Option<String>| {
        line.ranked.and_then(cell).unwrap_or_default()
    };
    let (mut before, mut behind) = (Vec::new(), Vec::new());
    add(&mut before, Worth::Always, "rank", &|line| {
        ranked(line, &|row| Some(row.rank.to_string()))
    });
    if table.silent.is_none() {
        add(&mut before, Worth::Certainty, "95 %", &|line| {
            ranked(line, &|row| {
                let ranks = row.uncertainty.as_ref()?;
                Some(interval(ranks.rank_best, ranks.rank_worst))
            })
        });
    }
    // Numbers as roles say little, and more than two roles would not fit.
    let is_word = |role: &&str| role.chars().all(char::is_alphabetic);
    if roles.len() == 2 && roles.iter().all(is_word) {
        for (seat, role) in roles.iter().enumerate() {
            add(&mut behind, Worth::ByRole, role, &|line| {
                format!("{:.1}", line.by_role[seat].points)
            });
        }
    }
    let decimals = total_decimals(table);
    add(&mut behind, Worth::Always, "total", &|line| {
        format!("{:.decimals$}", line.total.points)
    });
    add(&mut behind, Worth::Always, "wins", &|line| {
        line.total.wins.to_string()
    });
    if shows_elo(roles, table) {
        add(&mut behind, Worth::Certainty, "Elo", &|line| {
            elo(table, line.entrant)
        });
    }
    add(&mut behind, Worth::Always, "faults", &|line| {
        line.total.faults.to_string()
    });
    add(&mut behind, Worth::Cost, "CPU s", &|line| {
        let cpu = Duration::from_micros(line.total.cpu_us);
        format!("{:.2}", cpu.as_secs_f64())
    });
    if !scoring.podium.is_empty() {
        add(&mut behind, Worth::Always, "place", &|line| {
            ranked(line, &|row| Some(row.place.to_string()))
        });
    }
    if !scoring.prizes.is_empty() {
        add(&mut behind, Worth::Always, "prize", &|line| {
            ranked(line, &|row| Some(row.prize?.to_string()))
        });
    }
    if scoring.graded_games().is_some() {
        add(&mut behind, Worth::Always, "graded", &|line| {
            ranked(line, &|row| {
                Some(format!("{:.1}", row.graded.as_ref()?.points))
            })
        });
    }
    if scoring.grades.is_some() {
        add(&mut behind, Worth::Always, "grade", &|line| {
            ranked(line, &|row| row.grade.clone())
        });
    }
    [before, behind]
}

/// Returns whether a table has strengths on Elo's scale: in games for two, where there are intervals.
fn shows_elo(roles: &[&str], table: &StandingsTable) -> bool {
    roles.len() == 2 && table.silent.is_none()
}

/// Returns the strength of an entrant with half its interval; without one if an end is not bounded.
fn elo(table: &StandingsTable, entrant: &str) -> String {
    let strengths = table.strengths.as_ref();
    let Some(Rating { elo, low, high }) = strengths.and_then(|all| all.rating(entrant)) else {
        return String::new();
    };
    let half = low
        .zip(high)
        .map(|(low, high)| format!(" ±{:.0}", (high - low) / 2.0));
    format!("{}{}", signed(elo, 0), half.unwrap_or_default())
}

/// Formats a number with its sign; zero has none.
pub(crate) fn signed(number: f64, digits: usize) -> String {
    if number.is_infinite() {
        return if number > 0.0 { "+∞" } else { "-∞" }.to_owned();
    }
    let text = format!("{:.digits$}", number.abs());
    let is_zero = text.chars().all(|c| matches!(c, '0' | '.'));
    match number {
        _ if is_zero => text,
        number if number < 0.0 => format!("-{text}"),
        _ => format!("+{text}"),
    }
}

fn total_decimals(table: &StandingsTable) -> usize {
    decimals(lines(table).map(|line| line.total.points)).max(1)
}

struct TableLine<'a> {
    entrant: &'a str,
    by_role: &'a [Tally],
    total: &'a Tally,
    ranked: Option<&'a Standing>,
}

fn lines(table: &StandingsTable) -> impl Iterator<Item = TableLine<'_>> {
    let ranked = table.rows.iter().map(|row| TableLine {
        entrant: &row.entrant,
        by_role: &row.by_role,
        total: &row.total,
        ranked: Some(row),
    });
    let unranked = table.unranked.iter().map(|row| TableLine {
        entrant: &row.entrant,
        by_role: &row.by_role,
        total: &row.total,
        ranked: None,
    });
    ranked.chain(unranked)
}

pub(super) fn interval(best: usize, worst: usize) -> String {
    if best == worst {
        best.to_string()
    } else {
        format!("{best}-{worst}")
    }
}

/// Lists what the table lacks: the disqualified, who has no prize and why, how certain the ranks are.
fn notes(competition: &Competition, table: &StandingsTable) -> Vec<String> {
    let scoring = &competition.scoring;
    let mut notes = Vec::new();
    for row in &table.rows {
        if let Some(reason) = &row.disqualified {
            notes.push(format!("{}: disqualified: {reason}", row.entrant));
        }
    }
    for row in &table.rows {
        if let Some(reason) = no_prize(row) {
            notes.push(format!("{}: no prize: {reason}", row.entrant));
        }
    }
    for row in table.rows.iter().filter(|row| row.knew_draw) {
        let entrant = &row.entrant;
        notes.push(format!(
            "{entrant}: submitted after games on these initial states had been shown"
        ));
    }
    if !table.unranked.is_empty() {
        notes.push("built-in bots take no rank (rank_builtins)".to_owned());
    }
    notes.push(ranked_by(&competition.scoring));
    notes.extend(close_totals(scoring, total_decimals(table)));
    notes.push(match &table.silent {
        None => format!("95 %: {}", interval_meaning(competition)),
        Some(reason) => format!("no confidence intervals for the ranks: {reason}"),
    });
    notes
}

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
    cells: Vec<String>,
    left: bool,
}

impl TextColumn {
    pub(super) fn of(heading: &str, cells: impl Iterator<Item = String>) -> Self {
        Self {
            cells: [heading.to_owned()].into_iter().chain(cells).collect(),
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
    let (width, mut chars_max) = (columns, NAME_CHARS_MAX);
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
    let short = shortened(names, chars_max);
    let column = TextColumn::of(heading, short.into_iter()).left();
    let columns = before.into_iter().map(|(_, column)| column);
    let behind = behind.into_iter().map(|(_, column)| column);
    let columns: Vec<TextColumn> = columns.chain([column]).chain(behind).collect();
    let table = draw(&columns, reasons);
    let with_reason = 1 + names.len() - reasons.len();
    let lines = table.lines().enumerate().map(|(number, line)| match width {
        Some(width) if number >= with_reason => truncate_str(line, width, "…").into_owned(),
        _ => line.to_owned(),
    });
    lines.map(|line| line + "\n").collect()
}

const BETWEEN: &str = "  ";

pub(super) fn draw(columns: &[TextColumn], reasons: &[String]) -> String {
    let widths: Vec<usize> = columns.iter().map(TextColumn::width).collect();
    let count = columns.iter().map(|column| column.cells.len()).max();
    let count = count.unwrap_or(0);
    let lines = (0..count).map(|line| {
        let cell = |column: &TextColumn| column.cells.get(line).cloned().unwrap_or_default();
        let last = columns.iter().rposition(|column| !cell(column).is_empty());
        let last = last.map_or(0, |last| last + 1);
        let cells = columns[..last].iter().zip(&widths).map(|(column, &width)| {
            let cell = cell(column);
            let blanks = width - measure_text_width(&cell);
            if column.left {
                format!("{cell}{:blanks$}", "")
            } else {
                format!("{:blanks$}{cell}", "")
            }
        });
        let reason = (line + reasons.len()).checked_sub(count);
        let reason = reason.and_then(|number| reasons.get(number)).cloned();
        let text = cells.chain(reason).collect::<Vec<String>>().join(BETWEEN);
        format!("{}\n", text.trim_end())
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
    fn long_names_are_shortened_and_stay_distinct() {
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
        assert_eq!(
            heading(Some(40)),
            ("rank entrant total CPU s".to_owned(), 40)
        );
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
