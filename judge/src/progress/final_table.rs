//! Text tables of the standings.

use journal::manifest::EntrantLine;
use report::{close_totals, decimals, interval_meaning, no_prize, no_result, ranked_by};
use scoring::{Beside, StandingsRow, StandingsTable};
use std::time::Duration;
use words::competition::Competition;
use words::tally::Tally;

/// Length of the longest name that the table shows whole, in characters.
const NAME_CHARS_MAX: usize = 24;

/// Draws the standings as a table with notes below it. It fits 80 columns for names of ordinary
/// length.
pub fn final_table(
    competition: &Competition,
    roles: &[&str],
    table: &StandingsTable,
    entrants: &[EntrantLine],
) -> String {
    let mut columns = vec![ranked("rank", table, |row| row.standing.rank.to_string())];
    if table.silent.is_none() {
        columns.push(ranked("95 %", table, |row| {
            let uncertainty = row.uncertainty.as_ref();
            uncertainty
                .map(|u| interval(u.rank_best, u.rank_worst))
                .unwrap_or_default()
        }));
    }
    columns.push(column("entrant", table, |line| shorten(line.entrant())).left());
    // Numbers as roles say little, and more than two roles would not fit; standings.csv has them
    // all.
    let told = roles.len() == 2
        && roles
            .iter()
            .all(|role| role.chars().all(char::is_alphabetic));
    for (seat, role) in roles.iter().enumerate().filter(|_| told) {
        columns.push(column(role, table, |line| {
            format!("{:.1}", line.by_role()[seat].points)
        }));
    }
    let decimals = total_decimals(table);
    columns.push(column("total", table, |line| {
        format!("{:.decimals$}", line.total().points)
    }));
    columns.push(column("wins", table, |line| line.total().wins.to_string()));
    columns.push(column("faults", table, |line| {
        line.total().faults.to_string()
    }));
    columns.push(column("CPU s", table, |line| {
        let cpu = Duration::from_micros(line.total().cpu_us);
        format!("{:.2}", cpu.as_secs_f64())
    }));
    if !competition.scoring.podium.is_empty() {
        columns.push(ranked("place", table, |row| row.standing.place.to_string()));
    }
    if !competition.scoring.prizes.is_empty() {
        columns.push(ranked("prize", table, |row| {
            row.standing
                .prize
                .map_or_else(String::new, |prize| prize.to_string())
        }));
    }
    if competition.scoring.graded_games().is_some() {
        columns.push(ranked("graded", table, |row| {
            let graded = row.standing.graded.as_ref();
            graded.map_or_else(String::new, |graded| format!("{:.1}", graded.points))
        }));
    }
    if competition.scoring.grades.is_some() {
        columns.push(ranked("grade", table, |row| {
            row.standing.grade.clone().unwrap_or_default()
        }));
    }
    let mut text = draw(&columns);
    for note in notes(competition, table, entrants) {
        text.push('\n');
        text.push_str(&note);
    }
    text
}

/// Returns the number of decimals of totals, at least one.
fn total_decimals(table: &StandingsTable) -> usize {
    let ranked = table.rows.iter().map(|row| row.standing.total.points);
    let beside = table.beside.iter().map(|beside| beside.total.points);
    decimals(ranked.chain(beside)).max(1)
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

    /// Aligns the column to the left.
    pub(super) fn left(self) -> Self {
        Self { left: true, ..self }
    }
}

/// A line of the table, with or without a rank.
enum TableLine<'a> {
    Ranked(&'a StandingsRow),
    Beside(&'a Beside),
}

impl TableLine<'_> {
    fn entrant(&self) -> &str {
        match self {
            Self::Ranked(row) => &row.standing.entrant,
            Self::Beside(beside) => &beside.entrant,
        }
    }

    fn by_role(&self) -> &[Tally] {
        match self {
            Self::Ranked(row) => &row.standing.by_role,
            Self::Beside(beside) => &beside.by_role,
        }
    }

    fn total(&self) -> &Tally {
        match self {
            Self::Ranked(row) => &row.standing.total,
            Self::Beside(beside) => &beside.total,
        }
    }
}

fn column(
    heading: &str,
    table: &StandingsTable,
    cell: impl Fn(&TableLine<'_>) -> String,
) -> TextColumn {
    let ranked = table.rows.iter().map(TableLine::Ranked);
    let lines = ranked.chain(table.beside.iter().map(TableLine::Beside));
    TextColumn::of(heading, lines.map(|line| cell(&line)))
}

/// Makes a column that is empty for entrants without a rank.
fn ranked(
    heading: &str,
    table: &StandingsTable,
    cell: impl Fn(&StandingsRow) -> String,
) -> TextColumn {
    column(heading, table, |line| match line {
        TableLine::Ranked(row) => cell(row),
        TableLine::Beside(_) => String::new(),
    })
}

/// Draws columns as lines, with two blanks between the columns.
pub(super) fn draw(columns: &[TextColumn]) -> String {
    let widths = columns.iter().map(|column| {
        let widths = column.cells.iter().map(|cell| cell.chars().count());
        widths.max().unwrap_or(0)
    });
    let widths: Vec<usize> = widths.collect();
    let lines = (0..columns[0].cells.len()).map(|line| {
        let cells = columns.iter().zip(&widths).map(|(column, &width)| {
            let cell = &column.cells[line];
            if column.left {
                format!("{cell:width$}")
            } else {
                format!("{cell:>width$}")
            }
        });
        let line = cells.collect::<Vec<String>>().join("  ");
        format!("{}\n", line.trim_end())
    });
    lines.collect()
}

/// Formats an interval of ranks, both ends inclusive.
pub(super) fn interval(best: usize, worst: usize) -> String {
    if best == worst {
        best.to_string()
    } else {
        format!("{best}-{worst}")
    }
}

/// Lists the facts that the table lacks: disqualified entrants, entrants without a prize or a game,
/// and how certain the ranks are.
fn notes(
    competition: &Competition,
    table: &StandingsTable,
    entrants: &[EntrantLine],
) -> Vec<String> {
    let scoring = &competition.scoring;
    let graded = |grade: &str| format!(", grade {grade}");
    let mut notes = Vec::new();
    for row in &table.rows {
        if let Some(reason) = &row.standing.disqualified {
            notes.push(format!("{}: disqualified: {reason}", row.standing.entrant));
        }
    }
    for row in &table.rows {
        if let Some(reason) = no_prize(&row.standing) {
            notes.push(format!("{}: no prize: {reason}", row.standing.entrant));
        }
    }
    for row in table.rows.iter().filter(|row| row.knew_draw) {
        let entrant = &row.standing.entrant;
        notes.push(format!(
            "{entrant}: submitted after games on these initial states had been shown"
        ));
    }
    for removed in &table.removed {
        let (entrant, reason) = (&removed.entrant, &removed.reason);
        let grade = removed.grade.as_deref().map(graded).unwrap_or_default();
        notes.push(format!(
            "{entrant}: disqualified and removed{grade}: {reason}"
        ));
    }
    // All others who do not play were named before the games.
    for line in no_result(scoring, entrants) {
        let grade = line.grade.as_deref().map(graded);
        if grade.is_some() || line.is_too_late {
            let (entrant, grade) = (line.entrant, grade.unwrap_or_default());
            let (kind, reason) = (line.kind(), &line.reason);
            notes.push(format!("{entrant}: {kind}{grade}: {reason}"));
        }
    }
    if !table.beside.is_empty() {
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

/// Shortens a long name.
pub(super) fn shorten(name: &str) -> String {
    if name.chars().count() <= NAME_CHARS_MAX {
        return name.to_owned();
    }
    let head: String = name.chars().take(NAME_CHARS_MAX - 1).collect();
    format!("{head}…")
}

#[cfg(test)]
mod tests {
    use super::*;

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
