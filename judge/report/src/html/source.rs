//! The data behind a page, and its reader.

use super::bot_stderr::BotStderr;
use super::gather::Summary;
use super::phrases;
use crate::own_change::{OwnChange, OwnVersion};
use crate::words::decimals;
use jiff::Timestamp;
use model::clock::ClockMode;
use model::competition::Competition;
use model::record::MatchRecord;
use model::tally::Tally;
use rulebook::JudgeError;
use rulebook::scoring::StandingsTable;
use store::manifest::{DrawLine, EntrantLine};
use store::{MachineGames, MachineLine, MachineLines, Moment};

/// The page's name in a run's folder.
pub const FILE_NAME: &str = "report.html";

/// The data behind a page. Nothing else gets into the page: with public names, it is a page for the
/// public.
#[derive(Clone, Copy, Debug)]
pub struct PageSource<'a> {
    /// Whether readers have the run's folder. The page does not name it, because it may be renamed.
    pub has_run: bool,
    /// The competition.
    pub competition: &'a Competition,
    /// The lines about submissions, besides their games.
    pub entrants: &'a [EntrantLine],
    /// Number of games in the schedule.
    pub scheduled: usize,
    /// The highest number of a game; numbers start at 1.
    pub numbers: usize,
    /// The known part of the draw.
    pub draw: &'a DrawLine,
    /// The machines that games were played on.
    pub machines: PageMachines<'a>,
    /// The table with the ranks.
    pub table: &'a StandingsTable,
    /// The moments of the run in order, with the present one last.
    pub moments: &'a [Moment],
    /// Data of a page that looks for newer pages in its place.
    pub live: Option<Live<'a>>,
}

/// Data of a page that looks for newer pages in its place.
#[derive(Clone, Copy, Debug)]
pub struct Live<'a> {
    /// The digest that identifies this page among them.
    pub digest: &'a str,
    /// The time of the page.
    pub made: Made,
}

/// The time of a page that newer ones will follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made {
    /// The moment on the page.
    pub at: Timestamp,
    /// The time from which no page follows, until the secret is revealed.
    pub freeze: Option<Timestamp>,
}

/// The machines that games were played on.
#[derive(Clone, Copy, Debug)]
pub enum PageMachines<'a> {
    /// Each game names its own machine.
    Named(&'a MachineLines),
    /// Each machine has the number of its games.
    Counted(&'a [MachineGames]),
}

impl<'a> PageMachines<'a> {
    /// Lists the known lines about the machines.
    pub(super) fn lines(self) -> Box<dyn Iterator<Item = &'a MachineLine> + 'a> {
        match self {
            Self::Named(lines) => Box::new(lines.values()),
            Self::Counted(machines) => Box::new(machines.iter().map(|one| &one.line)),
        }
    }
}

/// Reads finished games in the form that a page may show, on any core. A closure that reads records suffices if
/// the page shows no standard error.
pub trait ReadGames: Sync {
    /// Reads a game by its number; `None` if it has not been played.
    fn record(&self, number: usize) -> Result<Option<MatchRecord>, JudgeError>;

    /// Returns the bots' standard error in a game, as far as the page's reader may see it.
    fn wrote(&self, _number: usize, _record: &MatchRecord) -> Result<Vec<BotStderr>, JudgeError> {
        Ok(Vec::new())
    }
}

impl<F: Fn(usize) -> Result<Option<MatchRecord>, JudgeError> + Sync> ReadGames for F {
    fn record(&self, number: usize) -> Result<Option<MatchRecord>, JudgeError> {
        self(number)
    }
}

/// The source of a page's games.
pub type ReadGame<'a> = &'a dyn ReadGames;

/// Content of an author's page besides the entrant's games.
#[derive(Debug)]
pub(crate) struct OwnPage<'a> {
    /// The author's own deadline, if it differs from the deadline of all.
    pub(crate) extension: Option<Timestamp>,
    /// The last submission and the version that plays, in words.
    pub(crate) submitted: &'a str,
    /// The number of the version received last.
    pub(crate) received: Option<usize>,
    /// The first errors in the compiler's output, if the version does not play.
    pub(crate) errors: &'a str,
    /// The programs' output.
    pub(crate) told: &'a Told,
    /// The effect of the last version.
    pub(crate) change: Option<OwnChange>,
    /// The versions that have played, the last one first.
    pub(crate) versions: Vec<OwnVersion>,
    /// See [`PageSource::live`].
    pub(crate) live: Option<Live<'a>>,
}

/// Programs' output for an author.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// The compiler's output.
    pub(crate) build: Option<String>,
    /// The findings of `judge check`.
    pub(crate) check: Option<String>,
    /// The bot's standard error.
    pub(crate) stderr: Option<String>,
}

impl Told {
    /// Lists the existing files and their contents.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [
            ("stderr.txt", &self.stderr),
            ("build.txt", &self.build),
            ("check.txt", &self.check),
        ]
        .into_iter()
        .filter_map(|(name, text)| Some((name, text.as_deref()?)))
    }
}

/// The reader of a page.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Audience<'a> {
    /// The entrant whose author reads the page: it shows only that entrant's games.
    pub(super) own: Option<usize>,
    /// Content that only the author may see; the author need not have an entrant that plays.
    pub(super) given: Option<&'a OwnPage<'a>>,
    /// Whether every game has a page of its own in the folder `games` beside the page.
    pub(super) full: bool,
}

/// A page that is being made: its data, its reader, and what several of its sections share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page<'a> {
    pub(super) source: &'a PageSource<'a>,
    pub(super) summary: &'a Summary,
    pub(super) roles: &'static [&'static str],
    pub(super) reader: Audience<'a>,
    /// Number of decimals of points.
    pub(super) decimals: usize,
    /// The end of the axes of times, in microseconds.
    pub(super) end_us: u64,
    pub(super) limit_us: Option<u64>,
}

impl<'a> Page<'a> {
    pub(super) fn new(
        source: &'a PageSource<'a>,
        summary: &'a Summary,
        reader: Audience<'a>,
    ) -> Result<Self, JudgeError> {
        let limit_us = source.competition.conditions.time.turn_us;
        let longest = summary
            .conduct
            .iter()
            .map(|conduct| conduct.turns.max_us)
            .max();
        let rows = source.table.rows.iter();
        Ok(Self {
            source,
            summary,
            roles: rulebook::schedule::roles(source.competition)?,
            reader,
            decimals: decimals(rows.map(|row| row.standing.total.points)),
            end_us: longest.unwrap_or(1).max(limit_us.unwrap_or(1)),
            limit_us,
        })
    }

    /// Returns what the clock counts.
    pub(super) fn times_called(&self) -> &'static str {
        match self.source.competition.conditions.mode {
            ClockMode::Cpu => "CPU time",
            ClockMode::Wall => "Wall time",
        }
    }

    /// Formats points with the decimals of the standings.
    pub(super) fn points(&self, tally: &Tally) -> String {
        phrases::points(tally.points, self.decimals)
    }
}
