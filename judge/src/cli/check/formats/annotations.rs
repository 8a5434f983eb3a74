//! Findings in the formats of code hosts, which show them beside their lines: workflow commands of
//! GitHub Actions, and GitLab's code quality report.

use super::place::{Place, Places};
use crate::check::{Check, CheckReport, Verdict};
use model::hash::hash;
use model::text::readable;
use serde_json::{Value as Json, json};

/// Maximum number of detail lines in an annotation; both hosts cut long ones.
const LINES_MAX: usize = 30;

fn findings(report: &CheckReport) -> impl Iterator<Item = &Check> {
    let of = |verdict| report.checks.iter().filter(move |c| c.verdict == verdict);
    of(Verdict::Wrong).chain(of(Verdict::Warning))
}

fn lines(check: &Check) -> String {
    let lines = check.detail.iter().take(LINES_MAX).map(String::as_str);
    let lines = std::iter::once(check.message.as_str()).chain(lines);
    readable(&lines.collect::<Vec<_>>().join("\n"))
}

/// Formats each finding as a command, one a line.
pub(super) fn github(report: &CheckReport, places: &Places) -> String {
    let command = |check: &Check| {
        let kind = if check.verdict == Verdict::Wrong {
            "error"
        } else {
            "warning"
        };
        let place = match places.of(check) {
            Some(Place { file, line }) => format!("file={},line={line},", property(&file)),
            None => String::new(),
        };
        let name = property(check.topic.name());
        let text = data(&lines(check));
        format!("::{kind} {place}title=judge check: {name}::{text}").replacen(
            "judge check:",
            "judge check%3A",
            1,
        )
    };
    let commands: Vec<String> = findings(report).map(command).collect();
    commands.join("\n")
}

/// Returns a text in which GitHub's runner finds no command, whatever programs have written in it.
/// The runner takes a command at the beginning of a line after blanks, or after `##[`. For it, a
/// carriage return begins a line.
pub(super) fn without_commands(text: &str) -> String {
    text.split(['\n', '\r'])
        .map(|line| {
            let start = line.trim_start();
            let blanks = &line[..line.len() - start.len()];
            let start = match start.strip_prefix("::") {
                Some(rest) => format!(": :{rest}"),
                None => start.to_owned(),
            };
            format!(
                "{blanks}{}",
                start.replace("##[", "## [").replace("##vso[", "## vso[")
            )
        })
        .collect::<Vec<_>>()
        .join("\n")
}

/// Escapes the text of a command for GitHub's runner.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes the value of a command's property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Formats the report as a list of findings. GitLab requires a file and a line, which is why a
/// finding about no line is at the beginning of the submission's first file.
pub(super) fn gitlab(report: &CheckReport, places: &Places) -> String {
    let issue = |check: &Check| -> Json {
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
    let issues: Vec<Json> = findings(report).map(issue).collect();
    serde_json::to_string_pretty(&issues).expect("plain data")
}

#[cfg(test)]
mod tests {
    use super::super::place::Places;
    use super::super::sample;
    use super::{github, gitlab, without_commands};
    use serde_json::Value;

    fn places() -> Places {
        Places::among("bots/ann", &["Cat.h", "src/Catcher.h"])
    }

    #[test]
    fn github_gets_one_escaped_command_for_each_finding() {
        let text = github(&sample::report(), &places());
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
    fn gitlab_gets_a_file_and_a_line_for_every_finding() {
        let text = gitlab(&sample::report(), &Places::among("", &["bot.py"]));
        let issues: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(issues[0]["severity"], "major");
        assert_eq!(issues[0]["location"]["path"], "bot.py");
        assert_eq!(issues[0]["location"]["lines"]["begin"], 1);
        assert_ne!(issues[0]["fingerprint"], issues[1]["fingerprint"]);
    }
}
