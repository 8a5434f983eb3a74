//! The data behind a page, and its reader.

use super::gather::Summary;
use super::phrases;
use crate::own_change::OwnChange;
use crate::run_data::RunData;
use crate::words::decimals;
use jiff::Timestamp;
use model::clock::ClockMode;
use model::competition::Competition;
use model::tally::Tally;
use rulebook::JudgeError;
use rulebook::scoring::StandingsTable;
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
pub(super) struct Audience<'a> {
    /// The entrant whose author reads the page: it shows only that entrant's games.
    pub(super) own: Option<usize>,
    /// Content that only the author may see; the author need not have an entrant that plays.
    pub(super) given: Option<&'a OwnPage<'a>>,
    /// Whether every game has a page of its own in the folder `games` next to the page.
    pub(super) full: bool,
    pub(super) live: Option<Live<'a>>,
}

#[derive(Clone, Copy)]
pub(super) struct Page<'a> {
    pub(super) run: &'a RunData<'a>,
    pub(super) competition: &'a Competition,
    pub(super) table: &'a StandingsTable,
    pub(super) summary: &'a Summary,
    pub(super) roles: &'static [&'static str],
    pub(super) reader: Audience<'a>,
    pub(super) decimals: usize,
    /// The end of the axes of times, in microseconds.
    pub(super) end_us: u64,
    pub(super) limit_us: Option<u64>,
}

impl<'a> Page<'a> {
    pub(super) fn new(
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

    pub(super) fn times_called(&self) -> &'static str {
        match self.competition.conditions.mode {
            ClockMode::Cpu => "CPU time",
            ClockMode::Wall => "Wall time",
        }
    }

    pub(super) fn points(&self, tally: &Tally) -> String {
        phrases::points(tally.points, self.decimals)
    }
}
