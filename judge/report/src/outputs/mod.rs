//! The CSV files of a run, and the lists of all. A table is one list of columns: the name of each, its
//! value, and who may read it. The run's folder, the views and `judge verify` use these lists.

mod changes;
mod games;
mod machines;
mod standings;
mod submissions;

pub use self::changes::{ResultChange, results};
pub use self::standings::ranked_by;
pub use self::submissions::{copies_csv, write_identities};

pub(crate) use self::changes::changes_of;
pub(crate) use self::machines::{MachineRow, PlayedOn};
pub(crate) use self::submissions::names_csv;

use self::games::{GameRow, GameRows, Pairs};
use crate::sheet::{Reader, Roles, SheetColumns};
use model::record::MatchResult;
use rulebook::JudgeError;
use rulebook::schedule;
use rulebook::scoring::StandingsTable;
use std::collections::BTreeMap;
use store::manifest::Manifest;

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

/// A file with rows for each game, which everybody gets. Several cores may make rows at a time.
pub(crate) struct PerGameOutput {
    pub(crate) name: &'static str,
    pub(crate) columns: for<'c> fn(&OutputSource<'c>) -> SheetColumns<'c, GameRows>,
    /// Adds the rows of a game with its number, or only those about one entrant.
    pub(crate) rows: fn(usize, &MatchResult, Option<&str>, &mut dyn FnMut(&GameRow<'_>)),
}

/// The files that are made at the end, in the order of a run's list.
pub(crate) const GATHERED: &[GatheredOutput] = &[
    standings::STANDINGS,
    games::PAIRS,
    submissions::SUBMISSIONS,
    changes::CHANGES,
];

/// The files with rows for each game.
pub(crate) const PER_GAME: &[PerGameOutput] = &[games::GAMES, games::FAULTS];

/// The run behind the outputs, under the names that their readers may know.
#[derive(Clone, Copy)]
pub(crate) struct OutputSource<'a> {
    pub(crate) manifest: &'a Manifest,
    pub(crate) roles: Roles,
}

impl<'a> OutputSource<'a> {
    /// Creates a source with the roles of a run.
    ///
    /// # Errors
    /// When the rules refuse the run's configuration.
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
