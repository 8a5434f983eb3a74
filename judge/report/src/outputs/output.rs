//! A CSV file of a run: its name, its readers, and its making.

use crate::sheet::{Lines, Reader, Roles};
use model::record::MatchResult;
use rulebook::JudgeError;
use rulebook::schedule;
use rulebook::scoring::StandingsTable;
use store::manifest::Manifest;
use store::{MachineLines, UnequalMachines};

/// A CSV file of a run. The code that makes it defines its columns and who may read each.
pub(crate) struct Output {
    /// Returns the file's name for a run; `None` for a run without this file.
    pub(crate) name: fn(&OutputSource<'_>) -> Option<String>,
    /// Readers of the whole file; `made` has the part for an author.
    pub(crate) reader: Reader,
    /// How it is made.
    pub(crate) made: Made,
}

/// How an output is made. `own` is the name of the file in each student's folder with the part
/// about that student.
pub(crate) enum Made {
    /// Once all games have been added.
    AtEnd {
        own: Option<&'static str>,
        csv: fn(&OutputSource<'_>, &Scored<'_>) -> Vec<u8>,
    },
    /// From data gathered from the games.
    Gathered(fn(&OutputSource<'_>) -> Box<dyn Gathered>),
    /// With rows for each game.
    ByGame {
        own: &'static str,
        rows: for<'c> fn(&OutputSource<'c>, Reader) -> Box<dyn ByGame + 'c>,
    },
}

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

/// The results of a run after all games have been added.
pub(crate) struct Scored<'a> {
    pub(crate) table: &'a StandingsTable,
    /// The machines of the games, by the digests in the games' records; empty for readers who may
    /// not see them.
    pub(crate) machines: &'a MachineLines,
    /// The fastest and the slowest machine, if they differ too much.
    pub(crate) unequal: Option<&'a UnequalMachines>,
}

/// An output that gathers data from each game.
pub(crate) trait Gathered {
    /// Adds a game; `counts` says whether the table counts it.
    fn add(&mut self, source: &OutputSource<'_>, result: &MatchResult, counts: bool);
    /// Returns the file's content.
    fn csv(&self, source: &OutputSource<'_>, scored: &Scored<'_>) -> Vec<u8>;
}

/// An output with rows for each game. Several cores may call it at the same time.
pub(crate) trait ByGame: Sync {
    /// Adds the names of the columns.
    fn head(&self, lines: &mut Lines);
    /// Adds the rows of a game with its number; if `own` names an entrant, only the rows for its
    /// author.
    fn rows(&self, number: usize, result: &MatchResult, own: Option<&str>, lines: &mut Lines);
}
