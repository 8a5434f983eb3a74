//! Formats of `judge check` for other programs: graders, test viewers and code hosts.

mod annotations;

use crate::check::{Check, CheckReport, Verdict};
use crate::cli::out::{choice, whole};
use annotations::Places;
use clap::Args;
use report::exports::{EXPORTS, Graded, GraderReport, Outcome, Test, Visibility};
use std::path::Path;

#[derive(Clone, Copy)]
pub(super) enum CheckFormat {
    Text,
    Json,
    /// That of a grader, which scores one submission.
    Grader(&'static GraderReport),
    Github,
    Gitlab,
}

fn formats() -> Vec<(&'static str, &'static str, CheckFormat)> {
    use CheckFormat::{Github, Gitlab, Grader, Json, Text};
    let graders = EXPORTS.into_iter().filter_map(|export| {
        let report = export.report.as_ref()?;
        Some((export.name, report.about, Grader(report)))
    });
    let json = "One JSON object (protocol.md describes it); for a class, one on each line";
    let github = "The text, and an annotation of GitHub Actions for each finding";
    [("text", "For people", Text), ("json", json, Json)]
        .into_iter()
        .chain(graders)
        .chain([
            ("github", github, Github),
            ("gitlab", "GitLab's code quality report", Gitlab),
        ])
        .collect()
}

impl CheckFormat {
    pub(super) fn is_text(self) -> bool {
        matches!(self, Self::Text)
    }

    pub(super) fn is_graders(self) -> bool {
        matches!(self, Self::Grader(_))
    }
}

fn visibilities() -> Vec<(&'static str, &'static str, Visibility)> {
    vec![
        ("visible", "At once", Visibility::Visible),
        ("hidden", "Never", Visibility::Hidden),
        (
            "after-due-date",
            "When the assignment's due date has passed",
            Visibility::AfterDueDate,
        ),
        (
            "after-published",
            "When the grades are published",
            Visibility::AfterPublished,
        ),
    ]
}

const GRADERS: &str = "Graders";

/// How a report is printed.
#[derive(Args)]
pub(super) struct Form {
    /// Format of the report: text, json, or that of a grader
    #[arg(long, value_name = "FORMAT", value_parser = choice(formats()), default_value = "text", hide_default_value = true)]
    format: CheckFormat,
    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Full score of a submission, for Gradescope and Autolab
    #[arg(long, hide_short_help = true, help_heading = GRADERS, value_name = "POINTS", default_value_t = 100, value_parser = whole::<u32>(1..=1_000_000))]
    points: u32,
    /// Name of the problem in Autolab
    #[arg(long, hide_short_help = true, help_heading = GRADERS, value_name = "TITLE", default_value = "check")]
    title: String,
    /// When students see the marks for homework in Gradescope
    #[arg(long, hide_short_help = true, help_heading = GRADERS, default_value = "visible", value_parser = choice(visibilities()), value_name = "WHEN")]
    visibility: Visibility,
}

impl Form {
    pub(super) fn format(&self) -> CheckFormat {
        if self.json {
            CheckFormat::Json
        } else {
            self.format
        }
    }

    /// Formats a report on the submission at `path`; `words` is the text for people.
    pub(super) fn print(&self, report: &CheckReport, path: &Path, words: &str) -> String {
        let words = words.trim_end();
        match self.format() {
            CheckFormat::Text => words.to_owned(),
            CheckFormat::Json => serde_json::to_string(report).expect("plain data"),
            CheckFormat::Grader(format) => {
                let score = share(report).map(|share| f64::from(self.points) * share);
                let graded = graded(report, score, self.visibility);
                (format.text)(&graded, &self.title, words)
            }
            CheckFormat::Github => {
                let lines = annotations::github(report, &Places::find(path));
                format!("{}\n{lines}", annotations::without_commands(words))
            }
            CheckFormat::Gitlab => annotations::gitlab(report, &Places::find(path)),
        }
    }
}

/// Returns the share of the full score, from 0 to 1: the mean of the marks if the course sets homework,
/// else all or nothing. `None` if the judge did not get to everything that could have changed it.
fn share(report: &CheckReport) -> Option<f64> {
    let marks = report
        .checks
        .iter()
        .filter(|check| check.topic.is_homework())
        .map(|check| check.mark)
        .collect::<Option<Vec<f64>>>()?;
    let unreached = report
        .not_checked
        .iter()
        .filter(|topic| topic.is_homework())
        .count();
    let all = marks.len() + unreached;
    if all == 0 {
        let is_known = !report.ok || report.unreached.is_none();
        return is_known.then_some(if report.ok { 1.0 } else { 0.0 });
    }
    let all = f64::from(u32::try_from(all).expect("a kit has a few functions"));
    Some(marks.iter().sum::<f64>() / all)
}

/// Returns what a grader shows: each check is a test, with the same name for every submission.
fn graded(report: &CheckReport, score: Option<f64>, marks: Visibility) -> Graded {
    let unreached = report.not_checked.iter().map(|topic| {
        let name = topic.name();
        if topic.is_homework() {
            let why = "not tested, because of the other failures";
            return Test {
                visibility: Some(marks),
                ..Test::new(name, Outcome::Failed(name.to_owned()), why)
            };
        }
        Test {
            visibility: Some(Visibility::Visible),
            ..Test::new(name, Outcome::NotLookedAt, "")
        }
    });
    let checked = report.checks.iter().map(|check| test(check, marks));
    let name = &report.submission;
    Graded {
        name: name.clone(),
        class: "judge".to_owned(),
        score,
        output: if report.ok {
            format!("{name} can play")
        } else {
            format!("{name} is not ready: see the failed checks")
        },
        tests: checked.chain(unreached).collect(),
        ..Graded::default()
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
        visibility: Some(check.mark.map(|_| marks).unwrap_or_default()),
        ..Test::new(name, outcome, &check.message)
    }
}

/// A report for the tests of its formats, with text as strangers may write it.
#[cfg(test)]
mod sample {
    use crate::check::{Check, CheckReport, SampleGames, Topic, TurnTimes, Verdict};

    fn check(
        number: usize,
        topic: Topic,
        verdict: Verdict,
        message: &str,
        detail: &[&str],
    ) -> Check {
        Check {
            number,
            topic,
            verdict,
            message: message.to_owned(),
            detail: detail.iter().map(|line| (*line).to_owned()).collect(),
            mark: None,
        }
    }

    /// One check of each verdict, a mark of 0.5, and homework that was not tested.
    pub(super) fn report() -> CheckReport {
        let mut homework = check(
            4,
            Topic::Homework("has_won"),
            Verdict::Wrong,
            "100% <b>wrong</b>, see Cat.h:9: of 10",
            &["first\u{1b}[31m", "second"],
        );
        homework.mark = Some(0.5);
        CheckReport {
            submission: "ann & bob".to_owned(),
            game: Some("catch-the-cat"),
            language: "cpp",
            ok: false,
            checks: vec![
                check(1, Topic::Files, Verdict::Ok, "all there", &[]),
                check(
                    2,
                    Topic::Build,
                    Verdict::Warning,
                    "an unused variable",
                    &[
                        "./judge_agents.cpp:3:1: error: none of ours",
                        "./Cat.h:4:8: note: here",
                    ],
                ),
                check(
                    3,
                    Topic::IdleReport,
                    Verdict::NotLookedAt,
                    "it has faults",
                    &[],
                ),
                homework,
            ],
            not_checked: vec![Topic::Memory, Topic::Homework("make_move")],
            unreached: None,
            failed: None,
            seed: 1,
            games: SampleGames::default(),
            times: TurnTimes::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_become_tests_and_only_marks_are_hidden() {
        let graded = graded(&sample::report(), None, Visibility::AfterPublished);
        let tests = graded.tests.iter();
        let tests = tests.map(|test| (test.name.as_str(), test.outcome.clone(), test.visibility));
        let tests: Vec<(&str, Outcome, Option<Visibility>)> = tests.collect();
        let seen = Some(Visibility::Visible);
        let later = Some(Visibility::AfterPublished);
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

    #[test]
    fn without_homework_the_score_is_all_or_nothing() {
        let mut report = sample::report();
        report.checks.retain(|check| !check.topic.is_homework());
        report.not_checked.clear();
        assert_eq!(share(&report), Some(0.0));
        report.ok = true;
        assert_eq!(share(&report), Some(1.0));
        report.unreached = Some("a busy machine".to_owned());
        assert_eq!(share(&report), None);
    }

    #[test]
    fn unreached_homework_leaves_no_score() {
        // The sample has a mark of 0.5, and a function that its faults kept from being tested.
        let mut report = sample::report();
        assert_eq!(share(&report), Some(0.25));
        for check in &mut report.checks {
            check.mark = None;
        }
        assert_eq!(share(&report), None);
    }
}
