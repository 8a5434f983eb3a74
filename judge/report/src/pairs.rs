//! The file of pairs.

use super::sheet::{Roles, Rows, Sheet, SheetColumns, text};
use scoring::tally;
use words::competition::Competition;
use words::record::MatchResult;
use words::tally::Tally;

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

    pub(super) fn csv(&self, roles: Roles) -> Vec<u8> {
        let mut sheet = Sheet::new(columns(&roles[..2]));
        for (first, row) in self.names.iter().zip(&self.tallies) {
            for (second, tallies) in self.names.iter().zip(row) {
                if tallies[0].games > 0 {
                    let names = [first, second];
                    sheet.row(&PairTallies { names, tallies });
                }
            }
        }
        sheet.finish()
    }
}

/// Two entrants and what they did against each other, by seat.
struct PairTallies<'a> {
    names: [&'a String; 2],
    tallies: &'a [Tally; 2],
}

/// The rows of the file of pairs.
enum PairRows {}

impl Rows for PairRows {
    type Row<'a> = PairTallies<'a>;
}

fn columns(roles: Roles) -> SheetColumns<'static, PairRows> {
    SheetColumns::<PairRows>::new()
        .with_roles(roles, "", |pair, seat| text(pair.names[seat]))
        .with("games", |pair| pair.tallies[0].games.to_string())
        .with_roles(roles, "wins", |pair, seat| {
            pair.tallies[seat].wins.to_string()
        })
        .with_roles(roles, "points", |pair, seat| {
            pair.tallies[seat].points.to_string()
        })
        .with_roles(roles, "cpu_us", |pair, seat| {
            pair.tallies[seat].cpu_us.to_string()
        })
        .with_roles(roles, "faults", |pair, seat| {
            pair.tallies[seat].faults.to_string()
        })
}
