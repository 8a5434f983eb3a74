//! `report.html`: a run as one page that needs only a browser, and pages of single games.

mod bot_stderr;
mod choose;
mod conduct;
mod encode;
mod entrants;
mod games;
mod gather;
mod history;
mod overview;
mod pages;
mod phrases;
mod shell;
mod standings;
mod verdict;
mod yours;
use self::gather::Summary;
use crate::moments::OwnChange;
use crate::run_data::RunData;
use crate::words::decimals;
pub(crate) use bot_stderr::BotStderr;
pub use bot_stderr::{BotWords, bot_words_of_game};
pub use games::{FOLDER_NAME as GAMES_FOLDER, GAMES_MAX, write_game};
use jiff::Timestamp;
use model::clock::ClockMode;
use model::competition::Competition;
use model::tally::Tally;
pub use pages::Pages;
pub(crate) use phrases::{cut, readable_times, second_words};
use rulebook::JudgeError;
use rulebook::scoring::StandingsTable;
pub(crate) use shell::{data_of, waiting};
use store::{Moment, MomentEntrant};

/// The page's name in a run's folder.
pub const FILE_NAME: &str = "report.html";

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

#[derive(Debug)]
pub(crate) struct OwnPage<'a> {
    /// The author's own deadline, if it differs from the deadline of all.
    pub(crate) extension: Option<Timestamp>,
    pub(crate) submitted: &'a str,
    pub(crate) received: Option<usize>,
    pub(crate) errors: &'a str,
    pub(crate) reported: &'a StaffReports,
    pub(crate) change: Option<OwnChange<'a>>,
    pub(crate) versions: Vec<(&'a Moment, &'a MomentEntrant)>,
    pub(crate) live: Option<Live<'a>>,
}

#[derive(Debug, Default)]
pub(crate) struct StaffReports {
    pub(crate) build: Option<String>,
    pub(crate) check: Option<String>,
    pub(crate) stderr: Option<String>,
}

impl StaffReports {
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

#[derive(Clone, Copy, Debug, Default)]
struct Audience<'a> {
    /// The entrant whose author reads the page: it shows only that entrant's games.
    own: Option<usize>,
    /// Content that only the author may see; the author need not have an entrant that plays.
    given: Option<&'a OwnPage<'a>>,
    /// Whether every game has a page of its own in the folder `games` next to the page.
    full: bool,
    live: Option<Live<'a>>,
}

#[derive(Clone, Copy)]
struct Page<'a> {
    run: &'a RunData<'a>,
    competition: &'a Competition,
    table: &'a StandingsTable,
    summary: &'a Summary,
    roles: &'static [&'static str],
    reader: Audience<'a>,
    decimals: usize,
    /// The end of the axes of times, in microseconds.
    end_us: u64,
    limit_us: Option<u64>,
}

impl<'a> Page<'a> {
    fn new(
        run: &'a RunData<'a>,
        table: &'a StandingsTable,
        summary: &'a Summary,
        reader: Audience<'a>,
    ) -> Result<Self, JudgeError> {
        let competition = &run.manifest.competition;
        let limit_us = competition.conditions.time.turn_us;
        let conduct = summary.conduct.iter();
        let longest = conduct.map(|conduct| conduct.turns.max_us).max();
        let rows = table.rows.iter();
        Ok(Self {
            run,
            competition,
            table,
            summary,
            roles: rulebook::schedule::roles(competition)?,
            reader,
            decimals: decimals(rows.map(|row| row.total.points)),
            end_us: longest.unwrap_or(1).max(limit_us.unwrap_or(1)),
            limit_us,
        })
    }

    fn times_called(&self) -> &'static str {
        match self.competition.conditions.mode {
            ClockMode::Cpu => "CPU time",
            ClockMode::Wall => "Wall time",
        }
    }

    fn points(&self, tally: &Tally) -> String {
        phrases::points(tally.points, self.decimals)
    }
}
