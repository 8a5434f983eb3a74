//! The file of pairs.

use super::sheet::{Roles, Sheet, column, text};
use scoring::{Tally, tally};
use words::competition::Competition;
use words::points::Points;
use words::record::MatchResult;

/// The file of pairs is named after the roles: `cats_vs_catchers.csv`.
pub(super) fn pairs_name(roles: Roles) -> String {
    let nouns = roles
        .iter()
        .all(|role| role.chars().all(char::is_alphabetic));
    match roles {
        [first, second] if nouns => format!("{first}s_vs_{second}s.csv"),
        _ => "pairs.csv".to_owned(),
    }
}

/// What each pair of entrants did in the first two seats.
pub(super) struct Pairs {
    names: Vec<String>,
    /// By first entrant, then by second; the tallies of both seats.
    tallies: Vec<Vec<[Tally; 2]>>,
}

impl Pairs {
    /// Begins with nothing; `names` are sorted.
    pub(super) fn new(names: &[String]) -> Self {
        Self {
            names: names.to_vec(),
            tallies: vec![vec![Default::default(); names.len()]; names.len()],
        }
    }

    pub(super) fn add(&mut self, competition: &Competition, result: &MatchResult) {
        let index = |seat: usize| self.names.binary_search(&result.seats[seat].entrant);
        let (Ok(first), Ok(second)) = (index(0), index(1)) else {
            return;
        };
        for (seat, sum) in self.tallies[first][second].iter_mut().enumerate() {
            sum.add(&tally(&competition.scoring, result, seat));
        }
    }

    pub(super) fn sheet(&self, roles: Roles) -> Sheet {
        let roles = [column(roles[0]), column(roles[1])];
        let mut header = roles.to_vec();
        header.push("games".to_owned());
        for what in ["wins", "points", "cpu_us", "faults"] {
            header.extend(roles.iter().map(|role| format!("{role}_{what}")));
        }
        let mut sheet = Sheet::new(&header);
        for (first, row) in self.names.iter().zip(&self.tallies) {
            for (second, [a, b]) in self.names.iter().zip(row) {
                if a.games > 0 {
                    sheet.row(&pair_row(first, second, a, b));
                }
            }
        }
        sheet
    }
}

fn pair_row(first: &str, second: &str, a: &Tally, b: &Tally) -> Vec<String> {
    let points = |p: Points| p.to_string();
    let mut cells = vec![text(first), text(second), a.games.to_string()];
    cells.extend([a.wins, b.wins].map(|n| n.to_string()));
    cells.extend([points(a.points), points(b.points)]);
    cells.extend([a.cpu_us, b.cpu_us, a.faults, b.faults].map(|n| n.to_string()));
    cells
}
