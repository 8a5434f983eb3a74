//! The report of `judge check` as text, and in the formats of graders, test viewers and code hosts.

use super::{Check, CheckReport, Verdict};
use crate::cli::out::{choice, whole};
use crate::terminal::joined;
use clap::Args;
use model::draw::hash;
use model::text::readable;
use report::exports::{EXPORTS, Graded, GraderReport, Outcome, Test, Visibility};
use serde_json::json;
use std::iter::once;
use std::path::Path;
use system::foreign::ForeignFolder;

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
    let due = "When the assignment's due date has passed";
    let published = "When the grades are published";
    vec![
        ("visible", "At once", Visibility::Visible),
        ("hidden", "Never", Visibility::Hidden),
        ("after-due-date", due, Visibility::AfterDueDate),
        ("after-published", published, Visibility::AfterPublished),
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
                (format.text)(&graded(report, score, self.visibility), &self.title, words)
            }
            CheckFormat::Github => {
                let lines = github(report, &Places::find(path));
                format!("{}\n{lines}", without_commands(words))
            }
            CheckFormat::Gitlab => gitlab(report, &Places::find(path)),
        }
    }
}
pub(super) fn findings(report: &CheckReport) -> impl Iterator<Item = &Check> {
    let of = |verdict| report.checks.iter().filter(move |c| c.verdict == verdict);
    of(Verdict::Wrong).chain(of(Verdict::Warning))
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
    let unreached = report.not_checked.iter().filter(|t| t.is_homework());
    let all = marks.len() + unreached.count();
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
        let (visibility, outcome, why) = if topic.is_homework() {
            let why = "not tested, because of the other failures";
            (marks, Outcome::Failed(name.to_owned()), why)
        } else {
            (Visibility::Visible, Outcome::NotLookedAt, "")
        };
        Test {
            visibility: Some(visibility),
            ..Test::new(name, outcome, why)
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

/// Maximum number of detail lines in an annotation; both hosts cut long ones.
const LINES_MAX: usize = 30;

fn lines(check: &Check) -> String {
    let detail = check.detail.iter().take(LINES_MAX);
    readable(&joined(once(&check.message).chain(detail), "\n"))
}

fn github(report: &CheckReport, places: &Places) -> String {
    let command = |check: &Check| {
        let kind = if check.verdict == Verdict::Wrong {
            "error"
        } else {
            "warning"
        };
        let place = places.of(check).map_or_else(String::new, |at| {
            format!("file={},line={},", property(&at.file), at.line)
        });
        let name = property(check.topic.name());
        let text = data(&lines(check));
        format!("::{kind} {place}title=judge check%3A {name}::{text}")
    };
    joined(findings(report).map(command), "\n")
}

/// Returns a text in which GitHub's runner finds no command, whatever programs have written in it. It
/// takes one at the beginning of a line after blanks, or after `##[`; a carriage return begins a line.
fn without_commands(text: &str) -> String {
    let lines = text.split(['\n', '\r']).map(|line| {
        let start = line.trim_start();
        let blanks = &line[..line.len() - start.len()];
        let start = match start.strip_prefix("::") {
            Some(rest) => format!(": :{rest}"),
            None => start.to_owned(),
        };
        let harmless = start.replace("##[", "## [").replace("##vso[", "## vso[");
        format!("{blanks}{harmless}")
    });
    joined(lines, "\n")
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Formats the report as a list of findings. GitLab requires a file and a line for each.
fn gitlab(report: &CheckReport, places: &Places) -> String {
    let issue = |check: &Check| {
        let place = places.of(check).unwrap_or_else(|| places.first());
        let name = check.topic.name();
        // The fingerprint must be the same for the same finding in the next pipeline.
        let parts = [name, place.file.as_str(), check.message.as_str()];
        let fingerprint = hash(&parts.map(str::as_bytes));
        let severity = if check.verdict == Verdict::Wrong {
            "major"
        } else {
            "minor"
        };
        json!({
            "description": lines(check),
            "check_name": format!("judge-{name}"),
            "fingerprint": fingerprint,
            "severity": severity,
            "location": {"path": place.file, "lines": {"begin": place.line}},
        })
    };
    let issues: Vec<_> = findings(report).map(issue).collect();
    serde_json::to_string_pretty(&issues).expect("plain data")
}

/// Maximum number of files of a submission that are searched, and their maximum depth.
const FILES_MAX: usize = 1000;
const DEPTH_MAX: usize = 8;

#[derive(Debug, PartialEq)]
struct Place {
    /// Path of the file, starting with the submission's path on the command line.
    file: String,
    /// Number of the line, from 1.
    line: u32,
}

struct Places {
    /// Prefix of the paths; empty in the current folder.
    folder: String,
    files: Vec<String>,
}

impl Places {
    /// Lists the files of the submission at `path`. An unreadable one has no places.
    fn find(path: &Path) -> Self {
        let mut files = Vec::new();
        if let Ok(folder) = ForeignFolder::open(path) {
            list(&folder, "", 0, &mut files);
        }
        files.sort();
        let named = path.to_string_lossy();
        Self {
            folder: match named.trim_start_matches("./").trim_end_matches('/') {
                "." => String::new(),
                folder => folder.to_owned(),
            },
            files,
        }
    }

    fn of(&self, check: &Check) -> Option<Place> {
        once(&check.message)
            .chain(&check.detail)
            .find_map(|line| self.named_in(line))
    }

    /// Returns the first line of the first file, or of the submission if it is a file.
    fn first(&self) -> Place {
        self.place(self.files.first().map_or("", String::as_str), 1)
    }

    fn place(&self, file: &str, line: u32) -> Place {
        let file = match (self.folder.as_str(), file) {
            ("", "") => ".".to_owned(),
            ("", file) => file.to_owned(),
            (folder, "") => folder.to_owned(),
            (folder, file) => format!("{folder}/{file}"),
        };
        Place { file, line }
    }

    fn named_in(&self, text: &str) -> Option<Place> {
        // g++ and GHC write `Cat.h:4:8:`.
        let colons = |word: &str| {
            let (file, rest) = word.split_once(':')?;
            self.own(file, number(rest)?)
        };
        // Python and OCaml write `File "bot.py", line 3`.
        text.split_whitespace().find_map(colons).or_else(|| {
            let (_, rest) = text.split_once("File \"")?;
            let (file, rest) = rest.split_once("\", line ")?;
            self.own(file, number(rest)?)
        })
    }

    /// Returns the place if the file is the submission's, perhaps in a folder that builds do not have.
    fn own(&self, file: &str, line: u32) -> Option<Place> {
        let file = file.trim_start_matches("./");
        let is_same = |own: &&String| {
            let end = own.strip_suffix(file);
            !file.is_empty() && end.is_some_and(|end| end.is_empty() || end.ends_with('/'))
        };
        let mut named = self.files.iter().filter(is_same);
        let (own, None) = (named.next()?, named.next()) else {
            return None;
        };
        Some(self.place(own, line))
    }
}

fn number(text: &str) -> Option<u32> {
    let digits = text.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok().filter(|line| *line > 0)
}

fn list(folder: &ForeignFolder, prefix: &str, depth: usize, files: &mut Vec<String>) {
    for own in folder.names().into_iter().flatten().flatten() {
        if files.len() >= FILES_MAX {
            return;
        }
        let name = own.to_string_lossy();
        if name.starts_with('.') {
            continue;
        }
        let path = format!("{prefix}{name}");
        match folder.folder(&own) {
            Ok(inner) if depth < DEPTH_MAX => list(&inner, &format!("{path}/"), depth + 1, files),
            Ok(_) => {}
            Err(_) => files.push(path),
        }
    }
}

/// A report for the tests of its formats, with text as strangers may write it.
#[cfg(test)]
mod sample {
    use crate::cli::check::{Check, CheckReport, SampleGames, Topic, TurnTimes, Verdict};

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
                check(3, Topic::Quiet, Verdict::NotLookedAt, "it has faults", &[]),
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
    use serde_json::Value;

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

    fn places(folder: &str, files: &[&str]) -> Places {
        Places {
            folder: folder.to_owned(),
            files: files.iter().map(|&file| file.to_owned()).collect(),
        }
    }

    #[test]
    fn github_gets_one_escaped_command_for_each_finding() {
        let text = github(
            &sample::report(),
            &places("bots/ann", &["Cat.h", "src/Catcher.h"]),
        );
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "::error file=bots/ann/Cat.h,line=9,title=judge check%3A has_won::100%25 <b>wrong</b>, see Cat.h:9: of 10%0Afirst\\u{1b}[31m%0Asecond"
        );
        assert!(
            lines[1].starts_with(
                "::warning file=bots/ann/Cat.h,line=4,title=judge check%3A build::an unused variable%0A"
            ),
            "{text}"
        );
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn what_programs_write_is_no_command() {
        let hostile = "      ::stop-commands::x\nsaid ::error::no\r::error::\u{2003}##[error]no";
        assert_eq!(
            without_commands(hostile),
            "      : :stop-commands::x\nsaid ::error::no\n: :error::\u{2003}## [error]no"
        );
    }

    #[test]
    fn gitlab_gets_file_and_line_for_every_finding() {
        let text = gitlab(&sample::report(), &places("", &["bot.py"]));
        let issues: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(issues[0]["severity"], "major");
        assert_eq!(issues[0]["location"]["path"], "bot.py");
        assert_eq!(issues[0]["location"]["lines"]["begin"], 1);
        assert_ne!(issues[0]["fingerprint"], issues[1]["fingerprint"]);
    }

    #[test]
    fn compiler_and_interpreter_output_yields_authors_line() {
        let ann = places("ann", &["Cat.h", "src/assignment.ml", "a/x.py", "b/x.py"]);
        for (text, place) in [
            ("./Cat.h:4:8: error: what", Some(("ann/Cat.h", 4))),
            (
                "File \"assignment.ml\", line 3, characters 1-2:",
                Some(("ann/src/assignment.ml", 3)),
            ),
            ("./judge_agents.cpp:3:1: error: what", None),
            ("ratio 3:4 and a:b", None),
            ("which of both? x.py:3", None),
            (
                "  File \"a/x.py\", line 12, in step",
                Some(("ann/a/x.py", 12)),
            ),
        ] {
            let expected = place.map(|(file, line)| Place {
                file: file.to_owned(),
                line,
            });
            assert_eq!(ann.named_in(text), expected, "{text}");
        }
    }
}
