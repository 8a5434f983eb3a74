//! Formats of platforms, graders and test viewers: each is one file and a line in [`EXPORTS`].

mod autograders;
mod homework;
mod junit;
mod platform;
mod row;
mod tables;

use self::row::GradeRow;
use crate::run_data::PlayedRun;
pub use crate::submission_result::SubmissionResult;
pub use homework::Marks;
use model::entrants_folder::EntrantsFolder;
use model::text::readable;
pub use platform::Filled;
pub use row::{GradeValue, grade_rows, mark_notes, people_of_run};
use rulebook::JudgeError;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;
pub use tables::sections;

/// All formats, in the order of the help.
pub const EXPORTS: [&Export; 6] = [
    &tables::CSV,
    &tables::CANVAS,
    &platform::MOODLE,
    &autograders::GRADESCOPE,
    &autograders::AUTOLAB,
    &junit::JUNIT,
];

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
    /// Fills files that the platform has exported. The text says why one cannot be filled.
    pub fill: Option<Fill>,
    /// Reports the checks of one submission.
    pub report: Option<GraderReport>,
}

type Write = fn(&ExportSource<'_>) -> Result<Exported, JudgeError>;

type Fill = fn(&ExportSource<'_>, &[u8]) -> Result<Filled, String>;

/// How a grader's report on one submission is written.
pub struct GraderReport {
    /// The report, for the help.
    pub about: &'static str,
    /// Formats the report; `title` is the name of the problem, `words` the report for people.
    pub text: fn(&Graded, title: &str, words: &str) -> String,
}

/// The grades of a run, and the request of staff.
pub struct ExportSource<'a> {
    /// The run.
    pub run: &'a PlayedRun<'a>,
    /// The rows of all people.
    pub rows: &'a [GradeRow<'a>],
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

/// Files to write: paths relative to the place, with their contents.
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
    fn is_entrant(&self, row: &GradeRow<'_>) -> bool {
        self.has_entrant(&row.who.submission)
    }

    fn has_entrant(&self, name: &str) -> bool {
        self.run
            .manifest
            .entrants
            .iter()
            .any(|line| line.name == name)
    }

    /// Returns the name of a person's file: that of the submission, or of the id if there is none.
    fn file_of(&self, row: &GradeRow<'_>, ending: &str) -> String {
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

/// The place of a submission next to the others.
#[derive(Clone, Copy, Debug)]
pub struct Scoreboard {
    rank: usize,
    total: f64,
    wins: u64,
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

const NOT_LOOKED_AT: &str = "not checked";

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

    fn text(&self) -> String {
        readable(
            &[std::slice::from_ref(&self.message), &self.detail]
                .concat()
                .join("\n"),
        )
    }
}

#[cfg(test)]
mod sample {
    use super::{Graded, Outcome, Test, Visibility};
    use std::time::Duration;

    /// Returns a submission with one test of each outcome, and with hostile text.
    fn graded() -> Graded {
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
