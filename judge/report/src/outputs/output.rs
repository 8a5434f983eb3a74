//! A CSV file of a run: what it is called, who may read it, and how it is made.

use crate::sheet::{Lines, Reader, Roles};
use competition::schedule;
use error::JudgeError;
use journal::manifest::Manifest;
use journal::{MachineLines, UnequalMachines};
use scoring::StandingsTable;
use words::record::MatchResult;

/// A CSV file of a run. Its columns, and who may read each, are where it is made.
pub(crate) struct Output {
    /// Returns its name, for runs that have it.
    pub(crate) name: fn(&OutputSource<'_>) -> Option<String>,
    /// Who may read the whole file; `made` has an author's own part.
    pub(crate) reader: Reader,
    /// Folders that older versions of judge have written lack it.
    pub(crate) came_later: bool,
    /// How it is made.
    pub(crate) made: Made,
}

/// How an output is made, and the name of the file in each student's folder that has the part
/// about the student.
pub(crate) enum Made {
    /// When all games have been added up.
    AtEnd {
        own: Option<&'static str>,
        csv: fn(&OutputSource<'_>, &Scored<'_>) -> Vec<u8>,
    },
    /// From what it gathers of the games.
    Gathered(fn(&OutputSource<'_>) -> Box<dyn Gathered>),
    /// With rows for each game.
    ByGame {
        own: &'static str,
        rows: for<'c> fn(&OutputSource<'c>, Reader) -> Box<dyn ByGame + 'c>,
    },
}

impl Made {
    /// Returns the name of the file in a student's folder.
    pub(crate) fn own(&self) -> Option<&'static str> {
        match self {
            Self::AtEnd { own, .. } => *own,
            Self::Gathered(_) => None,
            Self::ByGame { own, .. } => Some(own),
        }
    }
}

/// The run that outputs are of, under the names that their readers may know.
#[derive(Clone, Copy)]
pub(crate) struct OutputSource<'a> {
    pub(crate) manifest: &'a Manifest,
    pub(crate) roles: Roles,
}

impl<'a> OutputSource<'a> {
    /// Finds the roles of a run.
    ///
    /// # Errors
    /// When the rules refuse the run's configuration.
    pub(crate) fn new(manifest: &'a Manifest) -> Result<Self, JudgeError> {
        let roles = schedule::roles(&manifest.competition)?;
        Ok(Self { manifest, roles })
    }
}

/// The results of a run, when all games have been added up.
pub(crate) struct Scored<'a> {
    pub(crate) table: &'a StandingsTable,
    /// The machines that games were played on, by the digests that games have for them; none
    /// for readers who do not see these.
    pub(crate) machines: &'a MachineLines,
    /// The fastest and the slowest of the machines, where they differ too much.
    pub(crate) unequal: Option<&'a UnequalMachines>,
}

/// An output in the making that needs something of each game.
pub(crate) trait Gathered {
    /// Adds a game; `counts` says whether the table counts it.
    fn add(&mut self, source: &OutputSource<'_>, result: &MatchResult, counts: bool);
    /// Makes the file.
    fn csv(&self, source: &OutputSource<'_>, scored: &Scored<'_>) -> Vec<u8>;
}

/// An output with rows for each game. Several cores may make rows at a time.
pub(crate) trait ByGame: Sync {
    /// Adds the names of the columns.
    fn head(&self, lines: &mut Lines);
    /// Adds the rows of a game with its number; where `own` names an entrant, only those that
    /// are for its author.
    fn rows(&self, number: usize, result: &MatchResult, own: Option<&str>, lines: &mut Lines);
}
