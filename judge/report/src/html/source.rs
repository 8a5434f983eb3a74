//! What a page is made from, and for whom.

use super::wrote::BotWrote;
use error::JudgeError;
use journal::manifest::{DrawLine, EntrantLine};
use journal::{MachineGames, MachineLine, MachineLines};
use scoring::StandingsTable;
use words::competition::Competition;
use words::record::MatchRecord;

/// The page's name in a run's folder.
pub const FILE_NAME: &str = "report.html";

/// What a page is made from. Nothing else gets into it, so that a page for the public is made
/// by giving public names.
#[derive(Clone, Copy, Debug)]
pub struct PageSource<'a> {
    /// The run's folder as `judge view RUN` names it; none for readers who do not have it.
    pub run: Option<&'a str>,
    /// The competition.
    pub competition: &'a Competition,
    /// What is told of submissions besides their games.
    pub entrants: &'a [EntrantLine],
    /// How many games the schedule has.
    pub scheduled: usize,
    /// Games have numbers from 1 to this one, inclusive.
    pub numbers: usize,
    /// What is known of the draw.
    pub draw: &'a DrawLine,
    /// The machines that games were played on.
    pub machines: PageMachines<'a>,
    /// Who stands where.
    pub table: &'a StandingsTable,
}

/// The machines that games were played on.
#[derive(Clone, Copy, Debug)]
pub enum PageMachines<'a> {
    /// Each game names its own.
    Named(&'a MachineLines),
    /// Each is told with the number of its games.
    Counted(&'a [MachineGames]),
}

impl<'a> PageMachines<'a> {
    /// Lists what is known of them.
    pub(super) fn lines(self) -> Box<dyn Iterator<Item = &'a MachineLine> + 'a> {
        match self {
            Self::Named(lines) => Box::new(lines.values()),
            Self::Counted(machines) => Box::new(machines.iter().map(|one| &one.line)),
        }
    }
}

/// Reads finished games as a page may show them. A closure that reads records is enough where
/// nothing is told of what bots wrote.
pub trait ReadGames {
    /// Reads a game by its number; none if it has not been played.
    ///
    /// # Errors
    /// When it cannot be read.
    fn record(&self, number: usize) -> Result<Option<MatchRecord>, JudgeError>;

    /// Returns what bots wrote on standard error in a game that was read, as far as the reader may
    /// see it.
    ///
    /// # Errors
    /// When it cannot be read.
    fn wrote(&self, _number: usize, _record: &MatchRecord) -> Result<Vec<BotWrote>, JudgeError> {
        Ok(Vec::new())
    }
}

impl<F: Fn(usize) -> Result<Option<MatchRecord>, JudgeError>> ReadGames for F {
    fn record(&self, number: usize) -> Result<Option<MatchRecord>, JudgeError> {
        self(number)
    }
}

/// What reads the games of a page.
pub type ReadGame<'a> = &'a dyn ReadGames;

/// For whom a page is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Audience<'a> {
    /// The entrant whose author reads it: only its games are shown.
    pub(super) own: Option<usize>,
    /// It is for the author of a submission, which may not play.
    pub(super) personal: bool,
    /// What the compiler wrote of the author's submission.
    pub(super) build: Option<&'a str>,
    /// Every game has a page of its own in the folder `games` beside the page.
    pub(super) full: bool,
}
