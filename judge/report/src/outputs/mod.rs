//! The CSV files of a run, and the lists of all. A table is one list of columns: the name of each, its
//! value, and who may read it. The run's folder, the views and `judge verify` use these lists.

mod changes;
mod games;
mod machines;
mod standings;
mod submissions;

use crate::sheet::{Reader, Roles, Rows, SheetColumns};
use model::competition::Scoring;
use model::fault::Fault;
use model::record::MatchResult;
use model::tally::Tally;
use rulebook::scoring::{StandingsTable, tally};
use rulebook::{JudgeError, schedule};
use std::collections::BTreeMap;
use store::manifest::Manifest;

pub use self::changes::{ResultChange, results};
pub use self::standings::ranked_by;
pub use self::submissions::{copies_csv, write_identities};

pub(crate) use self::changes::changes_of;
pub(crate) use self::machines::{MachineRow, PlayedOn};
pub(crate) use self::submissions::names_csv;

/// The files that are made at the end, in the order of a run's list.
pub(crate) const GATHERED: &[GatheredOutput] = &[
    standings::STANDINGS,
    games::PAIRS,
    submissions::SUBMISSIONS,
    changes::CHANGES,
];

/// The files with rows for each game.
pub(crate) const PER_GAME: &[PerGameOutput] = &[games::GAMES, games::FAULTS];

/// A file that is made once all games have been added.
pub(crate) struct GatheredOutput {
    /// Returns the file's name for a run; `None` for a run without this file.
    pub(crate) name: fn(&OutputSource<'_>) -> Option<String>,
    /// Readers of the whole file.
    pub(crate) reader: Reader,
    /// The file in each student's folder with the part about that student.
    pub(crate) own: Option<&'static str>,
    pub(crate) csv: fn(&OutputSource<'_>, &Scored<'_>, Reader) -> Vec<u8>,
}

/// Takes a row.
type AddRow<'a> = dyn FnMut(&GameRow<'_>) + 'a;

/// A file with rows for each game, which everybody gets. Several cores may make rows at a time.
pub(crate) struct PerGameOutput {
    pub(crate) name: &'static str,
    pub(crate) columns: for<'c> fn(&OutputSource<'c>) -> SheetColumns<'c, GameRows>,
    /// Adds the rows of a game with its number, or only those about one entrant.
    pub(crate) rows: fn(usize, &MatchResult, Option<&str>, &mut AddRow<'_>),
}

/// The run behind the outputs, under the names that their readers may know.
#[derive(Clone, Copy)]
pub(crate) struct OutputSource<'a> {
    pub(crate) manifest: &'a Manifest,
    pub(crate) roles: Roles,
}

impl<'a> OutputSource<'a> {
    /// Creates a source with the roles of a run.
    pub(crate) fn new(manifest: &'a Manifest) -> Result<Self, JudgeError> {
        let roles = schedule::roles(&manifest.competition)?;
        Ok(Self { manifest, roles })
    }
}

/// The facts that are gathered from all games besides the standings.
pub(crate) struct Gathered {
    pairs: Pairs,
    /// The names that bots gave themselves.
    said: BTreeMap<String, String>,
}

impl Gathered {
    pub(crate) fn new(source: &OutputSource<'_>) -> Self {
        Self {
            pairs: Pairs::new(source.manifest),
            said: BTreeMap::new(),
        }
    }

    /// Adds a game; `counts` says whether the standings count it.
    pub(crate) fn add(&mut self, source: &OutputSource<'_>, result: &MatchResult, counts: bool) {
        if counts && source.roles.len() == 2 {
            self.pairs.add(&source.manifest.competition.scoring, result);
        }
        for seat in &result.seats {
            if let Some(name) = &seat.says
                && self.said.get(&seat.entrant) != Some(name)
            {
                self.said.insert(seat.entrant.clone(), name.clone());
            }
        }
    }
}

/// The results of a run after all games have been added.
pub(crate) struct Scored<'a> {
    pub(crate) table: &'a StandingsTable,
    pub(crate) gathered: &'a Gathered,
    /// Whether the machines of the games differ too much.
    pub(crate) is_mixed: bool,
}

/// A game with its number in fixture order, from 1, or one of its faults. Games that have not been
/// played have numbers, too.
pub(crate) struct GameRow<'a> {
    number: usize,
    result: &'a MatchResult,
    fault: Option<&'a Fault>,
}

impl<'a> GameRow<'a> {
    fn fault(&self) -> &'a Fault {
        self.fault.expect("a row of faults.csv")
    }

    /// Returns the entrant that made the fault.
    fn entrant(&self) -> &'a str {
        &self.result.seats[self.fault().seat.index()].entrant
    }
}

/// The rows of `games.csv` and `faults.csv`.
pub(crate) enum GameRows {}

impl Rows for GameRows {
    type Row<'a> = GameRow<'a>;
}

/// The games of each pair of entrants in the two seats.
pub(crate) struct Pairs {
    /// The entrants' names, sorted.
    names: Vec<String>,
    /// The tallies of both seats, by first entrant, then by second.
    tallies: Vec<Vec<[Tally; 2]>>,
}

impl Pairs {
    fn new(manifest: &Manifest) -> Self {
        let playing = manifest.entrants.iter();
        let names: Vec<String> = playing
            .filter(|line| line.artifact.is_some())
            .map(|line| line.name.clone())
            .collect();
        Self {
            tallies: vec![vec![Default::default(); names.len()]; names.len()],
            names,
        }
    }

    /// Adds a game of two seats.
    fn add(&mut self, scoring: &Scoring, result: &MatchResult) {
        let index = |seat: usize| self.names.binary_search(&result.seats[seat].entrant);
        if let (Ok(first), Ok(second)) = (index(0), index(1)) {
            for (seat, sum) in self.tallies[first][second].iter_mut().enumerate() {
                sum.add(&tally(scoring, result, seat));
            }
        }
    }
}
