//! A report for graders that run a course's program for each submission. Each check is a test, with
//! the same name for every submission of a game.

use crate::check::{Check, CheckReport, Verdict};
use clap::ValueEnum;
use report::graders::{self, Outcome, Results, Suite, Test};

/// When a student sees the marks for homework in Gradescope; findings are always visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Visibility {
    /// At once
    #[default]
    Visible,
    /// Never
    Hidden,
    /// When the assignment's due date has passed
    AfterDueDate,
    /// When the grades are published
    AfterPublished,
}

impl From<Visibility> for graders::Visibility {
    fn from(visibility: Visibility) -> Self {
        match visibility {
            Visibility::Visible => Self::Visible,
            Visibility::Hidden => Self::Hidden,
            Visibility::AfterDueDate => Self::AfterDueDate,
            Visibility::AfterPublished => Self::AfterPublished,
        }
    }
}

/// Formats `results.json`: one score, if there is one, and the tests, without scores of their own.
pub(super) fn gradescope(report: &CheckReport, score: Option<f64>, marks: Visibility) -> String {
    let name = &report.submission;
    let output = if report.ok {
        format!("{name} can play")
    } else {
        format!("{name} is not ready: see the failed checks")
    };
    graders::gradescope(&Results {
        score,
        output: &output,
        visibility: graders::Visibility::Visible,
        tests: &suite(report, marks).tests,
        scoreboard: None,
    })
}

/// Returns the tests; those that were not reached come last.
pub(super) fn suite(report: &CheckReport, marks: Visibility) -> Suite {
    let unreached = report.not_checked.iter().map(|topic| {
        let name = topic.name();
        if topic.is_homework() {
            let why = "not tested, because of the other failures";
            return Test {
                visibility: Some(marks.into()),
                ..Test::new(name, Outcome::Failed(name.to_owned()), why)
            };
        }
        Test {
            visibility: Some(graders::Visibility::Visible),
            ..Test::new(name, Outcome::NotLookedAt, "")
        }
    });
    let checked = report.checks.iter().map(|check| test(check, marks));
    Suite {
        name: report.submission.clone(),
        class: "judge".to_owned(),
        properties: Vec::new(),
        tests: checked.chain(unreached).collect(),
    }
}

fn test(check: &Check, marks: Visibility) -> Test {
    let name = check.topic.name();
    let outcome = match check.verdict {
        Verdict::Ok => Outcome::Passed,
        Verdict::Warning => Outcome::Warned,
        Verdict::Wrong => Outcome::Failed(name.to_owned()),
        Verdict::NotLookedAt => Outcome::NotLookedAt,
    };
    Test {
        number: Some(check.number),
        detail: check.detail.clone(),
        visibility: Some(check.mark.map(|_| marks).unwrap_or_default().into()),
        ..Test::new(name, outcome, &check.message)
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::{Visibility, suite};
    use report::graders::{self, Outcome};

    #[test]
    fn each_check_is_a_test_and_only_marks_are_hidden() {
        let suite = suite(&sample::report(), Visibility::AfterPublished);
        let tests = suite.tests.iter();
        let tests = tests.map(|test| (test.name.as_str(), test.outcome.clone(), test.visibility));
        let tests: Vec<(&str, Outcome, Option<graders::Visibility>)> = tests.collect();
        let seen = Some(graders::Visibility::Visible);
        let later = Some(graders::Visibility::AfterPublished);
        let expected = [
            ("files", Outcome::Passed, seen),
            ("build", Outcome::Warned, seen),
            ("quiet", Outcome::NotLookedAt, seen),
            ("has_won", Outcome::Failed("has_won".to_owned()), later),
            ("memory", Outcome::NotLookedAt, seen),
            ("make_move", Outcome::Failed("make_move".to_owned()), later),
        ];
        assert_eq!(tests, expected);
    }
}
