//! A format of grades, its source, and what a grader is given of a check.

use super::fill::Filled;
use super::row::{GradeRow, GradeValue};
use model::entrants_folder::EntrantsFolder;
use model::game_id::GameId;
use model::text::readable;
use rulebook::scoring::StandingsTable;
use rulebook::{JudgeError, schedule};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;
use store::Games;
use store::manifest::Manifest;
use store::names::PublicNames;

/// A format.
pub struct Export {
    /// The name for flags.
    pub name: &'static str,
    /// The files of a run, for the help.
    pub about: &'static str,
    /// The name in the run's folder.
    pub file_name: &'static str,
    /// Writes the grades of a run, or says why it needs a file to fill.
    pub write: Result<Write, &'static str>,
    /// Fills files that the platform has exported.
    pub fill: Option<Fill>,
    /// Reports the checks of one submission.
    pub report: Option<GraderReport>,
}

/// Makes the files of a run.
type Write = fn(&ExportSource<'_>) -> Result<Exported, JudgeError>;

/// How files of a platform are filled.
pub struct Fill {
    /// Returns whether the platform has exported a file.
    pub is_of: fn(&[u8]) -> bool,
    /// Fills a file. The text says why it cannot be filled.
    pub put: fn(&ExportSource<'_>, Vec<u8>) -> Result<Filled, String>,
}

/// How a grader's report on one submission is written.
pub struct GraderReport {
    /// The report, for the help.
    pub about: &'static str,
    /// Formats the report. `title` is the name of the problem; the last argument is the report for
    /// people.
    pub text: fn(&Graded, title: &str, words: &str) -> String,
}

/// The grades of a run, and the request of staff.
pub struct ExportSource<'a> {
    /// The run's manifest.
    pub manifest: &'a Manifest,
    /// The ids of all its games, in fixture order.
    pub ids: &'a [GameId],
    /// The games that have been finished.
    pub games: &'a Games,
    /// Returns the public names and the public's table.
    pub public: &'a dyn Fn() -> Result<(PublicNames, StandingsTable), JudgeError>,
    /// The rows of all people.
    pub rows: &'a [GradeRow],
    /// The value that the rows have.
    pub value: GradeValue,
    /// Whether the values have points for homework.
    pub has_marks: bool,
    /// The name of the assignment or problem.
    pub title: &'a str,
    /// The heading of the column to fill.
    pub column: Option<&'a str>,
    /// The full points, if they are not those of the competition or of the file.
    pub points_possible: Option<f64>,
}

/// Files to write: paths relative to the place, with their contents. There are notes for staff.
#[derive(Default)]
pub struct Exported {
    /// The files; a path may occur twice, with equal contents.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    /// One note a line.
    pub notes: Vec<String>,
}

impl From<Vec<u8>> for Exported {
    /// Makes the place itself a file.
    fn from(bytes: Vec<u8>) -> Self {
        Self {
            files: vec![(PathBuf::new(), bytes)],
            notes: Vec::new(),
        }
    }
}

impl ExportSource<'_> {
    pub(super) fn roles(&self) -> Result<&'static [&'static str], JudgeError> {
        schedule::roles(&self.manifest.competition)
    }

    /// Returns whether a row is of a submission, and not of a person without one.
    pub(super) fn is_entrant(&self, row: &GradeRow) -> bool {
        self.has_entrant(&row.who.submission)
    }

    fn has_entrant(&self, name: &str) -> bool {
        self.manifest.entrants.iter().any(|line| line.name == name)
    }

    /// Returns the name of a person's file: that of the submission, or of the id if there is none.
    pub(super) fn file_of(&self, row: &GradeRow, ending: &str) -> String {
        let id = &row.who.id;
        let folder = EntrantsFolder::Grades;
        if self.is_entrant(row) {
            folder.file_of(&row.who.submission, ending)
        } else if self.has_entrant(id) {
            folder.apart(id, ending)
        } else {
            folder.file_of(id, ending)
        }
    }
}

/// Returns rows as CSV text.
pub(super) fn csv<const N: usize>(rows: Vec<[String; N]>) -> Vec<u8> {
    let mut sheet = ::csv::Writer::from_writer(Vec::new());
    for row in rows {
        sheet.write_record(row).expect("rows in memory");
    }
    sheet.into_inner().expect("rows in memory")
}

/// One submission, or a person without one.
#[derive(Clone, Debug, Default)]
pub struct Graded {
    /// The submission's name.
    pub name: String,
    /// The class of its tests.
    pub class: String,
    /// Facts about the submission, by name.
    pub properties: Vec<(&'static str, String)>,
    /// Points; `None` leaves the submission without a score.
    pub score: Option<f64>,
    /// Text above the tests.
    pub output: String,
    /// When the author sees it.
    pub visibility: Visibility,
    /// Its tests, in order.
    pub tests: Vec<Test>,
    /// Its place on the leaderboard; `None` without a rank.
    pub scoreboard: Option<Scoreboard>,
}

/// A test and its result.
#[derive(Clone, Debug)]
pub struct Test {
    /// Name, unique in the suite.
    pub name: String,
    /// Number in the author's report.
    pub number: Option<usize>,
    /// The result.
    pub outcome: Outcome,
    /// The outcome in one sentence; may be empty.
    pub message: String,
    /// More lines about the outcome.
    pub detail: Vec<String>,
    /// CPU time of the test.
    pub cpu: Option<Duration>,
    /// When the author sees it; `None` = together with the whole result.
    pub visibility: Option<Visibility>,
}

/// The result of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing is wrong.
    Passed,
    /// Not a failure, but the author should look at it.
    Warned,
    /// Something is wrong. The text is the kind of failure, which is the same for all authors.
    Failed(String),
    /// The test was skipped.
    NotLookedAt,
}

/// The place of a submission beside the others.
#[derive(Clone, Copy, Debug)]
pub struct Scoreboard {
    /// Rank.
    pub rank: usize,
    /// Points of all games.
    pub total: f64,
    /// Number of games won.
    pub wins: u64,
}

/// When an author sees something; the words are Gradescope's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// At once.
    #[default]
    Visible,
    /// Never.
    Hidden,
    /// When the assignment's due date has passed.
    AfterDueDate,
    /// When the grades are published.
    AfterPublished,
}

/// The word for a skipped test.
pub(super) const NOT_LOOKED_AT: &str = "not checked";

impl Test {
    /// Creates a test with an outcome and a message only.
    pub fn new(name: &str, outcome: Outcome, message: &str) -> Self {
        Self {
            name: name.to_owned(),
            number: None,
            outcome,
            message: message.to_owned(),
            detail: Vec::new(),
            cpu: None,
            visibility: None,
        }
    }

    /// Returns message and detail as lines, safe to show.
    pub(super) fn text(&self) -> String {
        let lines: Vec<&str> = std::iter::once(&self.message)
            .chain(&self.detail)
            .map(String::as_str)
            .collect();
        readable(&lines.join("\n"))
    }
}

#[cfg(test)]
pub(super) mod sample {
    use super::{Graded, Outcome, Test, Visibility};
    use std::time::Duration;

    /// Returns a submission with one test of each outcome, and with hostile text.
    pub(in super::super) fn graded() -> Graded {
        let failed = Test {
            number: Some(3),
            detail: vec![
                "first\u{1b}[31m".to_owned(),
                "]]>\u{ffff}\tsecond".to_owned(),
            ],
            visibility: Some(Visibility::AfterPublished),
            ..Test::new(
                "has_won",
                Outcome::Failed("homework".to_owned()),
                "100% <b>wrong</b>\u{202e} & \"no\"",
            )
        };
        let passed = Test {
            cpu: Some(Duration::from_micros(1234)),
            ..Test::new("files", Outcome::Passed, "")
        };
        let warned = Test {
            number: Some(2),
            detail: vec!["Cat.h:4:8: note".to_owned()],
            ..Test::new("build", Outcome::Warned, "an unused variable")
        };
        let tests = vec![
            passed,
            warned,
            failed,
            Test::new("quiet", Outcome::NotLookedAt, "it has faults"),
            Test::new("memory", Outcome::NotLookedAt, ""),
        ];
        Graded {
            name: "ann & \u{0}bob".to_owned(),
            class: "judge".to_owned(),
            properties: vec![("grade", "<1>".to_owned())],
            tests,
            ..Graded::default()
        }
    }
}
