//! `standings.csv`.

use super::sheet::{Columns, Roles, Rows, Sheet, or_empty, text, text_or_empty};
use scoring::{Row, Table};
use words::competition::{Competition, Disqualify, Tie};

/// What has a row in the table.
enum Placed<'a> {
    Ranked(&'a Row),
    /// Who was removed, and why.
    Removed(&'a str, &'a str),
}

/// The rows of `standings.csv`.
enum Standings {}

impl Rows for Standings {
    type Row<'a> = Placed<'a>;
}

pub(super) fn standings_csv(competition: &Competition, roles: Roles, table: &Table) -> Vec<u8> {
    let mut sheet = Sheet::new(columns(competition, roles));
    for row in &table.rows {
        sheet.row(&Placed::Ranked(row));
    }
    for (entrant, reason) in &table.removed {
        sheet.row(&Placed::Removed(entrant, reason));
    }
    sheet.finish()
}

impl<'c> Columns<'c, Standings> {
    /// Adds a column that is empty for who was removed.
    fn ranked(self, name: &'static str, cell: impl Fn(&Row) -> String + 'c) -> Self {
        self.with(name, move |placed| match placed {
            Placed::Ranked(row) => cell(row),
            Placed::Removed(..) => String::new(),
        })
    }
}

/// Lists the columns; some competitions have more than others.
fn columns(competition: &Competition, roles: Roles) -> Columns<'_, Standings> {
    let scoring = &competition.scoring;
    let mut columns = Columns::new()
        .ranked("rank", |row| row.standing.rank.to_string())
        .with("entrant", |placed| match placed {
            Placed::Ranked(row) => text(&row.standing.entrant),
            Placed::Removed(entrant, _) => text(entrant),
        })
        .with_roles(roles, "points", |placed, seat| match placed {
            Placed::Ranked(row) => row.standing.by_role[seat].points.to_string(),
            Placed::Removed(..) => String::new(),
        })
        .ranked("total", |row| row.standing.total.points.to_string())
        .ranked("games", |row| row.standing.total.games.to_string())
        .ranked("wins", |row| row.standing.total.wins.to_string())
        .ranked("draws", |row| row.standing.total.draws.to_string())
        .ranked("losses", |row| row.standing.total.losses.to_string())
        .ranked("cpu_us", |row| row.standing.total.cpu_us.to_string())
        .ranked("faults", |row| row.standing.total.faults.to_string())
        .ranked("rank_best", |row| {
            or_empty(row.uncertainty.as_ref().map(|u| u.rank_best))
        })
        .ranked("rank_worst", |row| {
            or_empty(row.uncertainty.as_ref().map(|u| u.rank_worst))
        })
        .ranked("first_probability", |row| {
            let first = row.uncertainty.as_ref().and_then(|u| u.placing.first());
            or_empty(first.map(|share| format!("{share:.3}")))
        })
        .ranked("ahead_per_game", |row| {
            or_empty(row.ahead.map(|d| format!("{:.6}", d.mean)))
        })
        .ranked("ahead_low", |row| {
            or_empty(row.ahead.map(|d| format!("{:.6}", d.low)))
        })
        .ranked("ahead_high", |row| {
            or_empty(row.ahead.map(|d| format!("{:.6}", d.high)))
        });
    if !scoring.ties.is_empty() || !scoring.podium.is_empty() {
        columns = columns.ranked("tie_broken_by", |row| {
            or_empty(row.standing.decided_by.map(Tie::name))
        });
    }
    if !scoring.podium.is_empty() {
        columns = columns.ranked("place", |row| row.standing.place.to_string());
    }
    if !scoring.prizes.is_empty() {
        columns = columns.ranked("prize", |row| or_empty(row.standing.prize));
    }
    if let Some(grades) = &scoring.grades {
        columns = columns.with("grade", |placed| match placed {
            Placed::Ranked(row) => text_or_empty(row.standing.grade.as_deref()),
            Placed::Removed(..) => text(&grades.disqualified),
        });
    }
    if scoring.disqualify != Disqualify::Never {
        columns = columns.with("disqualified", |placed| match placed {
            Placed::Ranked(row) => text_or_empty(row.standing.disqualified.as_deref()),
            Placed::Removed(_, reason) => text(reason),
        });
    }
    columns
}
