//! Text tables of the standings.

use super::columns::{TextColumn, Worth, fit};
use model::competition::Competition;
use model::tally::Tally;
use report::{close_totals, decimals, interval_meaning, no_prize, no_result, ranked_by};
use rulebook::scoring::{Beside, StandingsRow, StandingsTable};
use std::time::Duration;
use store::manifest::EntrantLine;

/// Draws the standings as a table with notes below it. The table fits this number of columns if
/// there is one, and else 80 for names of ordinary length. standings.csv has all columns.
pub fn final_table(
    competition: &Competition,
    roles: &[&str],
    table: &StandingsTable,
    entrants: &[EntrantLine],
    columns: Option<usize>,
) -> String {
    let cells = [before_names(table), behind_names(competition, roles, table)];
    let names = lines(table).map(|line| line.entrant().to_owned());
    let mut text = fit(cells, &names.collect::<Vec<_>>(), columns);
    for note in notes(competition, table, entrants) {
        text.push('\n');
        text.push_str(&note);
    }
    text
}

fn before_names(table: &StandingsTable) -> Vec<(Worth, TextColumn)> {
    let rank = ranked("rank", table, |row| row.standing.rank.to_string());
    let mut columns = vec![(Worth::Always, rank)];
    if table.silent.is_none() {
        let ranks = ranked("95 %", table, |row| {
            row.uncertainty
                .as_ref()
                .map(|u| interval(u.rank_best, u.rank_worst))
                .unwrap_or_default()
        });
        columns.push((Worth::Certainty, ranks));
    }
    columns
}

fn behind_names(
    competition: &Competition,
    roles: &[&str],
    table: &StandingsTable,
) -> Vec<(Worth, TextColumn)> {
    let mut columns = Vec::new();
    // Numbers as roles say little, and more than two roles would not fit.
    let told = roles.len() == 2
        && roles
            .iter()
            .all(|role| role.chars().all(char::is_alphabetic));
    for (seat, role) in roles.iter().enumerate().filter(|_| told) {
        let points = column(role, table, |line| {
            format!("{:.1}", line.by_role()[seat].points)
        });
        columns.push((Worth::ByRole, points));
    }
    let decimals = total_decimals(table);
    let mut add = |worth, column| columns.push((worth, column));
    let total = column("total", table, |line| {
        format!("{:.decimals$}", line.total().points)
    });
    add(Worth::Always, total);
    let wins = column("wins", table, |line| line.total().wins.to_string());
    add(Worth::Always, wins);
    let faults = column("faults", table, |line| line.total().faults.to_string());
    add(Worth::Always, faults);
    let cpu = column("CPU s", table, |line| {
        let cpu = Duration::from_micros(line.total().cpu_us);
        format!("{:.2}", cpu.as_secs_f64())
    });
    add(Worth::Cost, cpu);
    let scoring = &competition.scoring;
    if !scoring.podium.is_empty() {
        let place = ranked("place", table, |row| row.standing.place.to_string());
        add(Worth::Always, place);
    }
    if !scoring.prizes.is_empty() {
        let prize = ranked("prize", table, |row| {
            row.standing
                .prize
                .map_or_else(String::new, |prize| prize.to_string())
        });
        add(Worth::Always, prize);
    }
    if scoring.graded_games().is_some() {
        let graded = ranked("graded", table, |row| {
            let graded = row.standing.graded.as_ref();
            graded.map_or_else(String::new, |graded| format!("{:.1}", graded.points))
        });
        add(Worth::Always, graded);
    }
    if scoring.grades.is_some() {
        let grade = ranked("grade", table, |row| {
            row.standing.grade.clone().unwrap_or_default()
        });
        add(Worth::Always, grade);
    }
    columns
}

/// Returns the number of decimals of totals, at least one.
fn total_decimals(table: &StandingsTable) -> usize {
    let ranked = table.rows.iter().map(|row| row.standing.total.points);
    let beside = table.beside.iter().map(|beside| beside.total.points);
    decimals(ranked.chain(beside)).max(1)
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

/// Returns the lines of the table.
fn lines(table: &StandingsTable) -> impl Iterator<Item = TableLine<'_>> {
    table
        .rows
        .iter()
        .map(TableLine::Ranked)
        .chain(table.beside.iter().map(TableLine::Beside))
}

fn column(
    heading: &str,
    table: &StandingsTable,
    cell: impl Fn(&TableLine<'_>) -> String,
) -> TextColumn {
    TextColumn::of(heading, lines(table).map(|line| cell(&line)))
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
