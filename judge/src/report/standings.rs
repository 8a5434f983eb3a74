//! `standings.csv`.

use super::sheet::{Roles, Sheet, per_role, strings, text};
use crate::competition::{Competition, Disqualify, Tie};
use crate::scoring::{Row, Table};

pub(super) fn standings_sheet(competition: &Competition, roles: Roles, table: &Table) -> Sheet {
    let columns = Columns::of(competition);
    let mut header = strings(&["rank", "entrant"]);
    header.extend(per_role(roles, "points"));
    header.extend(strings(&[
        "total", "games", "wins", "draws", "losses", "cpu_us", "faults",
    ]));
    header.extend(columns.header());
    let mut sheet = Sheet::new(&header);
    for row in &table.rows {
        let standing = &row.standing;
        let total = &standing.total;
        let mut cells = vec![standing.rank.to_string(), text(&standing.entrant)];
        let by_role = standing
            .by_role
            .iter()
            .map(|tally| tally.points.to_string());
        cells.extend(by_role);
        cells.push(total.points.to_string());
        let counts = [total.games, total.wins, total.draws, total.losses];
        cells.extend(counts.map(|n| n.to_string()));
        cells.extend([total.cpu_us, total.faults].map(|n| n.to_string()));
        cells.extend(columns.cells(row));
        sheet.row(&cells);
    }
    for (entrant, reason) in &table.removed {
        let mut cells = vec![String::new(); header.len()];
        cells[1] = text(entrant);
        let mut put = |column: &str, cell: String| {
            if let Some(at) = header.iter().position(|name| name == column) {
                cells[at] = cell;
            }
        };
        put("disqualified", text(reason));
        if let Some(grades) = &competition.scoring.grades {
            put("grade", text(&grades.disqualified));
        }
        sheet.row(&cells);
    }
    sheet
}

/// A column's name, and what it holds in a row.
type Extra = (&'static str, fn(&Row) -> String);

/// The columns of the standings that only some competitions have.
struct Columns<'a>(&'a Competition);

impl<'a> Columns<'a> {
    fn of(competition: &'a Competition) -> Self {
        Self(competition)
    }

    /// Returns the names of the columns with what they hold in a row.
    fn list(&self) -> Vec<Extra> {
        let scoring = &self.0.scoring;
        let mut list: Vec<Extra> = vec![
            ("rank_best", |row| {
                or_empty(row.uncertainty.as_ref().map(|u| u.rank_best))
            }),
            ("rank_worst", |row| {
                or_empty(row.uncertainty.as_ref().map(|u| u.rank_worst))
            }),
            ("first_probability", |row| {
                let first = row.uncertainty.as_ref().and_then(|u| u.placing.first());
                or_empty(first.map(|share| format!("{share:.3}")))
            }),
            ("ahead_per_game", |row| {
                or_empty(row.ahead.map(|d| format!("{:.6}", d.mean)))
            }),
            ("ahead_low", |row| {
                or_empty(row.ahead.map(|d| format!("{:.6}", d.low)))
            }),
            ("ahead_high", |row| {
                or_empty(row.ahead.map(|d| format!("{:.6}", d.high)))
            }),
        ];
        if !scoring.ties.is_empty() || !scoring.podium.is_empty() {
            list.push(("tie_broken_by", |row| {
                or_empty(row.standing.decided_by.map(Tie::name))
            }));
        }
        if !scoring.podium.is_empty() {
            list.push(("place", |row| row.standing.place.to_string()));
        }
        if !scoring.prizes.is_empty() {
            list.push(("prize", |row| or_empty(row.standing.prize)));
        }
        if scoring.grades.is_some() {
            list.push(("grade", |row| {
                or_empty(row.standing.grade.as_deref().map(text))
            }));
        }
        if scoring.disqualify != Disqualify::Never {
            list.push(("disqualified", |row| {
                or_empty(row.standing.disqualified.as_deref().map(text))
            }));
        }
        list
    }

    fn header(&self) -> Vec<String> {
        self.list()
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect()
    }

    fn cells(&self, row: &Row) -> Vec<String> {
        self.list().iter().map(|(_, cell)| cell(row)).collect()
    }
}

fn or_empty(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
