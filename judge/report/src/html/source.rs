//! What a page is made from, and for whom.

use super::bot_stderr::BotStderr;
use crate::own_change::{OwnChange, OwnVersion};
use error::JudgeError;
use jiff::Timestamp;
use journal::manifest::{DrawLine, EntrantLine};
use journal::{MachineGames, MachineLine, MachineLines, Moment};
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
    /// How the run stood at earlier times, in their order, and how it stands now.
    pub moments: &'a [Moment],
    /// What is known of a page that looks for later ones in its place.
    pub live: Option<Live<'a>>,
}

/// What is known of a page that looks for later ones in its place.
#[derive(Clone, Copy, Debug)]
pub struct Live<'a> {
    /// What tells it from these.
    pub digest: &'a str,
    /// When it was made.
    pub made: Made,
}

/// When a page is made that is to be followed by others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made {
    /// The moment that it shows.
    pub at: Timestamp,
    /// From when on none follows, until the secret is revealed.
    pub freeze: Option<Timestamp>,
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
    fn wrote(&self, _number: usize, _record: &MatchRecord) -> Result<Vec<BotStderr>, JudgeError> {
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

/// What the page of an entrant's author has besides its games.
#[derive(Debug)]
pub(crate) struct OwnPage<'a> {
    /// Until when the author may submit, where that is not the deadline of all.
    pub(crate) extension: Option<Timestamp>,
    /// What was submitted last, and what plays, in words.
    pub(crate) submitted: &'a str,
    /// The number of the version that was received last.
    pub(crate) received: Option<usize>,
    /// The first errors of what the compiler wrote of it, where it does not play.
    pub(crate) errors: &'a str,
    /// What programs wrote.
    pub(crate) told: &'a Told,
    /// What the last version has changed.
    pub(crate) change: Option<OwnChange>,
    /// The versions that have played, the last one first.
    pub(crate) versions: Vec<OwnVersion>,
    /// See [`PageSource::live`].
    pub(crate) live: Option<Live<'a>>,
}

/// What programs wrote for an author.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// The compiler.
    pub(crate) build: Option<String>,
    /// The findings of `judge check`.
    pub(crate) check: Option<String>,
    /// The bot itself, on standard error.
    pub(crate) stderr: Option<String>,
}

impl Told {
    /// Lists the files that there are, and what is in them.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let all = [
            ("stderr.txt", &self.stderr),
            ("build.txt", &self.build),
            ("check.txt", &self.check),
        ];
        all.into_iter()
            .filter_map(|(name, text)| Some((name, text.as_deref()?)))
    }
}

/// For whom a page is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Audience<'a> {
    /// The entrant whose author reads it: only its games are shown.
    pub(super) own: Option<usize>,
    /// It is for the author of a submission, which may not play.
    pub(super) personal: bool,
    /// What only the author gets to see.
    pub(super) given: Option<&'a OwnPage<'a>>,
    /// Every game has a page of its own in the folder `games` beside the page.
    pub(super) full: bool,
}
