//! The file of pairs.

use super::output::{Gathered, Made, Output, OutputSource, Scored};
use crate::sheet::{Reader, Roles, Rows, Sheet, SheetColumns, text};
use model::record::MatchResult;
use model::tally::Tally;
use rulebook::scoring::tally;

pub(super) const OUTPUT: Output = Output {
    name,
    reader: Reader::Public,
    made: Made::Gathered(|source| Box::new(Pairs::new(source))),
};

/// Returns the file's name, made from the two roles: `cats_vs_catchers.csv`.
fn name(source: &OutputSource<'_>) -> Option<String> {
    let [first, second] = source.roles else {
        return None;
    };
    let is_noun = |role: &str| role.chars().all(char::is_alphabetic);
    Some(if is_noun(first) && is_noun(second) {
        format!("{first}s_vs_{second}s.csv")
    } else {
        "pairs.csv".to_owned()
    })
}

/// The games of each pair of entrants in the two seats.
struct Pairs {
    /// The entrants' names, sorted.
    names: Vec<String>,
    /// The tallies of both seats, by first entrant, then by second.
    tallies: Vec<Vec<[Tally; 2]>>,
}

impl Pairs {
    fn new(source: &OutputSource<'_>) -> Self {
        let names: Vec<String> = source
            .manifest
            .entrants
            .iter()
            .filter(|line| line.artifact.is_some())
            .map(|line| line.name.clone())
            .collect();
        Self {
            tallies: vec![vec![Default::default(); names.len()]; names.len()],
            names,
        }
    }
}

impl Gathered for Pairs {
    fn add(&mut self, source: &OutputSource<'_>, result: &MatchResult, counts: bool) {
        let index = |seat: usize| self.names.binary_search(&result.seats[seat].entrant);
        let (true, Ok(first), Ok(second)) = (counts, index(0), index(1)) else {
            return;
        };
        let scoring = &source.manifest.competition.scoring;
        for (seat, sum) in self.tallies[first][second].iter_mut().enumerate() {
            sum.add(&tally(scoring, result, seat));
        }
    }

    fn csv(&self, source: &OutputSource<'_>, _: &Scored<'_>) -> Vec<u8> {
        let mut sheet = Sheet::new(columns(source.roles));
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

/// Two entrants and their tallies against each other, by seat.
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
