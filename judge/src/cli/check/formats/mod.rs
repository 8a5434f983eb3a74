//! Formats of `judge check` for other programs: graders, test viewers and code hosts.

mod annotations;
mod graders;
mod place;

use crate::check::CheckReport;
use crate::cli::out::whole;
use clap::{Args, ValueEnum};
use graders::Visibility;
use place::Places;
use report::graders::{autolab, junit};
use std::path::Path;

/// The form of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum CheckFormat {
    /// For people
    #[default]
    Text,
    /// One JSON object (protocol.md describes it); for a class, one on each line
    Json,
    /// `results.json` of Gradescope's autograder, with a test for each check
    Gradescope,
    /// The text, and in the last line the scores that Autolab reads
    Autolab,
    /// A `JUnit` file, which Artemis and test viewers read
    Junit,
    /// The text, and an annotation of GitHub Actions for each finding
    Github,
    /// GitLab's code quality report
    Gitlab,
}

impl CheckFormat {
    /// Returns whether a grader, which scores one submission, reads this format.
    pub(super) fn is_graders(self) -> bool {
        match self {
            Self::Gradescope | Self::Autolab | Self::Junit => true,
            Self::Text | Self::Json | Self::Github | Self::Gitlab => false,
        }
    }
}

/// Heading of the flags for graders.
const GRADERS: &str = "Graders";

/// How a report is printed.
#[derive(Args)]
pub(super) struct Form {
    /// Format of the report: text, json, or that of a grader
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "FORMAT",
        hide_default_value = true
    )]
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
    #[arg(long, hide_short_help = true, help_heading = GRADERS, value_enum, default_value_t, value_name = "WHEN")]
    visibility: Visibility,
}

impl Form {
    /// Returns the requested format, including `--json`.
    pub(super) fn format(&self) -> CheckFormat {
        if self.json {
            CheckFormat::Json
        } else {
            self.format
        }
    }

    /// Formats a report on the submission at `path`; `words` is the text for people.
    pub(super) fn print(&self, report: &CheckReport, path: &Path, words: &str) -> String {
        let score = share(report).map(|share| f64::from(self.points) * share);
        match self.format() {
            CheckFormat::Text => words.trim_end().to_owned(),
            CheckFormat::Json => serde_json::to_string(report).expect("plain data"),
            CheckFormat::Gradescope => graders::gradescope(report, score, self.visibility),
            CheckFormat::Autolab => {
                let line = score.map(|score| autolab(&self.title, score, None));
                format!("{}\n{}", words.trim_end(), line.unwrap_or_default())
            }
            CheckFormat::Junit => {
                let suite = graders::suite(report, self.visibility);
                junit(&[suite]).trim_end().to_owned()
            }
            CheckFormat::Github => {
                let lines = annotations::github(report, &Places::find(path));
                let words = annotations::without_commands(words.trim_end());
                format!("{words}\n{lines}")
            }
            CheckFormat::Gitlab => annotations::gitlab(report, &Places::find(path)),
        }
    }
}

/// Returns the share of the full score that a submission gets, from 0 to 1. It is the mean of its
/// marks if the course sets homework, else all or nothing. Returns `None` if the judge did not get to
/// everything that could have changed it.
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

#[cfg(test)]
pub(super) mod sample;

#[cfg(test)]
mod tests {
    use super::{sample, share};

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
    fn homework_that_the_judge_did_not_reach_leaves_no_score() {
        // The sample has a mark of 0.5, and a function that its faults kept from being tested.
        let mut report = sample::report();
        assert_eq!(share(&report), Some(0.25));
        for check in &mut report.checks {
            check.mark = None;
        }
        assert_eq!(share(&report), None);
    }
}
