//! `standings.csv`.

use super::sheet::{Roles, Rows, Sheet, SheetColumns, or_empty, text, text_or_empty, yes_or_empty};
use scoring::{StandingsRow, StandingsTable};
use words::competition::{Competition, Disqualify, Scoring, Tie};

/// What has a row in the table.
enum StandingsLine<'a> {
    Ranked(&'a StandingsRow),
    /// Who was removed, and why.
    Removed(&'a str, &'a str),
}

/// The rows of `standings.csv`.
enum StandingRows {}

impl Rows for StandingRows {
    type Row<'a> = StandingsLine<'a>;
}

pub(super) fn standings_csv(
    competition: &Competition,
    roles: Roles,
    table: &StandingsTable,
) -> Vec<u8> {
    let mut sheet = Sheet::new(columns(competition, roles, table));
    for row in &table.rows {
        sheet.row(&StandingsLine::Ranked(row));
    }
    for (entrant, reason) in &table.removed {
        sheet.row(&StandingsLine::Removed(entrant, reason));
    }
    sheet.finish()
}

impl<'c> SheetColumns<'c, StandingRows> {
    /// Adds a column that is empty for who was removed.
    fn ranked(
        self,
        name: &'static str,
        cell: impl Fn(&StandingsRow) -> String + Sync + 'c,
    ) -> Self {
        self.with(name, move |placed| match placed {
            StandingsLine::Ranked(row) => cell(row),
            StandingsLine::Removed(..) => String::new(),
        })
    }
}

/// Says what a table is ranked by: `ranked by wins, then points; ties by head-to-head`.
pub fn ranked_by(scoring: &Scoring) -> String {
    let then = |names: Vec<&str>| names.join(", then ");
    let ranking = then(scoring.ranking.iter().map(|key| key.name()).collect());
    let ties = scoring.ties.iter().map(|tie| tie.name());
    match then(ties.collect()) {
        ties if ties.is_empty() => format!("ranked by {ranking}"),
        ties => format!("ranked by {ranking}; ties by {ties}"),
    }
}

/// Lists the columns; some competitions have more than others.
fn columns<'c>(
    competition: &'c Competition,
    roles: Roles,
    table: &StandingsTable,
) -> SheetColumns<'c, StandingRows> {
    let scoring = &competition.scoring;
    let mut columns = SheetColumns::new()
        .ranked("rank", |row| row.standing.rank.to_string())
        .with("entrant", |placed| match placed {
            StandingsLine::Ranked(row) => text(&row.standing.entrant),
            StandingsLine::Removed(entrant, _) => text(entrant),
        })
        .with_roles(roles, "points", |placed, seat| match placed {
            StandingsLine::Ranked(row) => row.standing.by_role[seat].points.to_string(),
            StandingsLine::Removed(..) => String::new(),
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
            StandingsLine::Ranked(row) => text_or_empty(row.standing.grade.as_deref()),
            StandingsLine::Removed(..) => text(&grades.disqualified),
        });
    }
    if scoring.disqualify != Disqualify::Never {
        columns = columns.with("disqualified", |placed| match placed {
            StandingsLine::Ranked(row) => text_or_empty(row.standing.disqualified.as_deref()),
            StandingsLine::Removed(_, reason) => text(reason),
        });
    }
    if table.rows.iter().any(|row| row.knew_draw) {
        columns = columns.ranked("knew_draw", |row| yes_or_empty(row.knew_draw));
    }
    columns
}
