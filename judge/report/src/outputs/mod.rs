//! The CSV files of a run, and the lists of all. A table is one list of columns and their readers.

mod changes;
mod games;
mod standings;
mod submissions;

use crate::blame::{FirstFault, FirstFaults};
use crate::run_data::{NumberedGame, RunData};
use crate::sheet::{Reader, Roles};
use crate::slowest::WallTimes;
use model::competition::Scoring;
use model::record::MatchResult;
use model::tally::Tally;
use rulebook::scoring::{StandingsTable, tally};
use rulebook::{JudgeError, schedule};
use std::collections::BTreeMap;
use store::manifest::{EntrantLine, Manifest};

pub use self::changes::{ResultChange, results};
pub use self::standings::ranked_by;
pub use self::submissions::{copies_csv, write_identities};

pub(crate) use self::changes::changes_of;
pub(crate) use self::submissions::names_csv;

pub(crate) const GATHERED: &[GatheredOutput] = &[
    standings::STANDINGS,
    games::PAIRS,
    submissions::SUBMISSIONS,
    changes::CHANGES,
];

pub(crate) const PER_GAME: &[PerGameOutput] = &[games::GAMES, games::FAULTS];

pub(crate) struct GatheredOutput {
    pub(crate) name: fn(&OutputSource<'_>) -> Option<String>,
    pub(crate) reader: Reader,
    /// The file in each student's folder with the part about that student.
    pub(crate) own: Option<&'static str>,
    pub(crate) csv: fn(&OutputSource<'_>, &Scored<'_>) -> Vec<u8>,
}

/// A file with rows for each game, which everybody gets. Several cores may make rows at a time.
pub(crate) struct PerGameOutput {
    pub(crate) name: &'static str,
    /// Returns the file of some games, or only the rows about one entrant.
    pub(crate) csv: fn(&OutputSource<'_>, &[NumberedGame], Option<&str>) -> Vec<u8>,
}

#[derive(Clone, Copy)]
pub(crate) struct OutputSource<'a> {
    pub(crate) manifest: &'a Manifest,
    people: &'a [EntrantLine],
    pub(crate) roles: Roles,
    reader: Reader,
}

impl<'a> OutputSource<'a> {
    pub(crate) fn new(run: &'a RunData<'_>, reader: Reader) -> Result<Self, JudgeError> {
        Ok(Self {
            manifest: run.manifest,
            people: run.people,
            roles: schedule::roles(&run.manifest.competition)?,
            reader,
        })
    }
}

pub(crate) struct Gathered<'a> {
    scoring: &'a Scoring,
    roles: Roles,
    pairs: Pairs,
    said: BTreeMap<String, String>,
    firsts: FirstFaults,
    pub(crate) first_faults: Vec<FirstFault>,
    pub(crate) overloaded: Vec<usize>,
    pub(crate) wall_times: WallTimes<'a>,
}

impl<'a> Gathered<'a> {
    pub(crate) fn new(manifest: &'a Manifest, roles: Roles) -> Self {
        let names = manifest.entrants.iter().map(|line| line.name.as_str());
        let competition = &manifest.competition;
        Self {
            scoring: &competition.scoring,
            roles,
            pairs: Pairs::new(manifest),
            said: BTreeMap::new(),
            firsts: FirstFaults::new(roles),
            first_faults: Vec::new(),
            overloaded: Vec::new(),
            wall_times: WallTimes::of(names, competition.conditions.lifetime),
        }
    }

    pub(crate) fn add(&mut self, number: usize, result: &MatchResult, counts: bool) {
        if counts && self.roles.len() == 2 {
            self.pairs.add(self.scoring, result);
        }
        for seat in &result.seats {
            if let Some(name) = &seat.bot_name
                && self.said.get(&seat.entrant) != Some(name)
            {
                self.said.insert(seat.entrant.clone(), name.clone());
            }
        }
        let firsts = self.firsts.of(number, result);
        self.first_faults.extend(firsts);
        self.overloaded.extend(result.overloaded.then_some(number));
        self.wall_times.add(result);
    }
}

pub(crate) struct Scored<'a> {
    pub(crate) table: &'a StandingsTable,
    pub(crate) gathered: &'a Gathered<'a>,
    pub(crate) is_mixed: bool,
}

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

    fn add(&mut self, scoring: &Scoring, result: &MatchResult) {
        let index = |seat: usize| self.names.binary_search(&result.seats[seat].entrant);
        if let (Ok(first), Ok(second)) = (index(0), index(1)) {
            for (seat, sum) in self.tallies[first][second].iter_mut().enumerate() {
                sum.add(&tally(scoring, result, seat));
            }
        }
    }
}
