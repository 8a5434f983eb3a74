//! A grader's view of one submission, as plain data.

use model::text::readable;
use serde::Serialize;
use std::time::Duration;

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
    pub rank: usize,
    pub total: f64,
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
