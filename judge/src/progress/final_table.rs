//! Tables as text.

use report::{interval_meaning, ranked_by};
use scoring::{StandingsRow, StandingsTable};
use std::time::Duration;
use words::competition::Competition;

/// The longest name that the table shows whole.
const NAME_CHARS_MAX: usize = 24;

/// Draws the standings as a table, with notes below it; within 80 columns for names of
/// ordinary length.
pub fn final_table(competition: &Competition, roles: &[&str], table: &StandingsTable) -> String {
    let mut columns = vec![column("rank", table, |row| row.standing.rank.to_string())];
    if table.silent.is_none() {
        columns.push(column("95 %", table, |row| {
            let uncertainty = row.uncertainty.as_ref();
            uncertainty
                .map(|u| interval(u.rank_best, u.rank_worst))
                .unwrap_or_default()
        }));
    }
    columns.push(column("entrant", table, |row| shorten(&row.standing.entrant)).left());
    // Roles that are only numbered say little, and more than two would not fit; standings.csv
    // has them all.
    let told = roles.len() == 2
        && roles
            .iter()
            .all(|role| role.chars().all(char::is_alphabetic));
    for (seat, role) in roles.iter().enumerate().filter(|_| told) {
        columns.push(column(role, table, |row| {
            format!("{:.1}", row.standing.by_role[seat].points)
        }));
    }
    columns.push(column("total", table, |row| {
        format!("{:.1}", row.standing.total.points)
    }));
    columns.push(column("wins", table, |row| {
        row.standing.total.wins.to_string()
    }));
    columns.push(column("faults", table, |row| {
        row.standing.total.faults.to_string()
    }));
    columns.push(column("CPU s", table, |row| {
        let cpu = Duration::from_micros(row.standing.total.cpu_us);
        format!("{:.2}", cpu.as_secs_f64())
    }));
    if !competition.scoring.prizes.is_empty() {
        columns.push(column("prize", table, |row| {
            row.standing
                .prize
                .map_or_else(String::new, |prize| prize.to_string())
        }));
    }
    if competition.scoring.grades.is_some() {
        columns.push(column("grade", table, |row| {
            row.standing.grade.clone().unwrap_or_default()
        }));
    }
    let mut text = draw(&columns);
    for note in notes(competition, table) {
        text.push('\n');
        text.push_str(&note);
    }
    text
}

/// A column of text, its heading first.
pub(super) struct TextColumn {
    cells: Vec<String>,
    /// Whether it is aligned to the left.
    left: bool,
}

impl TextColumn {
    /// Makes one that is aligned to the right.
    pub(super) fn of(heading: &str, cells: impl Iterator<Item = String>) -> Self {
        Self {
            cells: [heading.to_owned()].into_iter().chain(cells).collect(),
            left: false,
        }
    }

    /// Aligns it to the left.
    pub(super) fn left(self) -> Self {
        Self { left: true, ..self }
    }
}

fn column(
    heading: &str,
    table: &StandingsTable,
    cell: impl Fn(&StandingsRow) -> String,
) -> TextColumn {
    TextColumn::of(heading, table.rows.iter().map(cell))
}

/// Draws columns as lines; two blanks stand between them.
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

/// Writes ranks from one to another.
pub(super) fn interval(best: usize, worst: usize) -> String {
    if best == worst {
        best.to_string()
    } else {
        format!("{best}-{worst}")
    }
}

/// What the table does not say: who is disqualified, and how sure the ranks are.
fn notes(competition: &Competition, table: &StandingsTable) -> Vec<String> {
    let mut notes = Vec::new();
    for row in &table.rows {
        if let Some(reason) = &row.standing.disqualified {
            notes.push(format!("{}: disqualified: {reason}", row.standing.entrant));
        }
    }
    for row in table.rows.iter().filter(|row| row.knew_draw) {
        let entrant = &row.standing.entrant;
        notes.push(format!(
            "{entrant}: submitted after games on these initial states had been shown"
        ));
    }
    for (entrant, reason) in &table.removed {
        notes.push(format!("{entrant}: disqualified and removed: {reason}"));
    }
    notes.push(ranked_by(&competition.scoring));
    notes.push(match &table.silent {
        None => format!("95 %: {}", interval_meaning(competition)),
        Some(reason) => format!("no confidence intervals for the ranks: {reason}"),
    });
    notes
}

/// Cuts a long name.
pub(super) fn shorten(name: &str) -> String {
    if name.chars().count() <= NAME_CHARS_MAX {
        return name.to_owned();
    }
    let head: String = name.chars().take(NAME_CHARS_MAX - 1).collect();
    format!("{head}…")
}
