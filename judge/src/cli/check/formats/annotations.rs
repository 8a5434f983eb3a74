//! Findings in the formats of GitHub Actions and GitLab, at the author's file and line that compilers
//! and interpreters have named.

use crate::check::{Check, CheckReport, Verdict};
use model::draw::hash;
use model::text::readable;
use serde_json::{Value as Json, json};
use std::path::Path;
use system::foreign::ForeignFolder;

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

/// Returns a text in which GitHub's runner finds no command, whatever programs have written in it. It
/// takes one at the beginning of a line after blanks, or after `##[`; a carriage return begins a line.
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

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Formats the report as a list of findings. GitLab requires a file and a line for each.
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

/// Maximum number of files of a submission that are searched, and their maximum depth.
const FILES_MAX: usize = 1000;
const DEPTH_MAX: usize = 8;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Path of the file, starting with the submission's path on the command line.
    pub(super) file: String,
    /// Number of the line, from 1.
    pub(super) line: u32,
}

pub(super) struct Places {
    /// Prefix of the paths; empty in the current folder.
    folder: String,
    files: Vec<String>,
}

impl Places {
    /// Lists the files of the submission at `path`. An unreadable one has no places.
    pub(super) fn find(path: &Path) -> Self {
        let mut files = Vec::new();
        if let Ok(folder) = ForeignFolder::open(path) {
            list(&folder, "", 0, &mut files);
        }
        files.sort();
        let folder = path.to_string_lossy();
        let folder = folder.trim_start_matches("./").trim_end_matches('/');
        let folder = if folder == "." { "" } else { folder };
        Self {
            folder: folder.to_owned(),
            files,
        }
    }

    pub(super) fn of(&self, check: &Check) -> Option<Place> {
        std::iter::once(&check.message)
            .chain(&check.detail)
            .find_map(|line| self.named_in(line))
    }

    /// Returns the first line of the first file, or of the submission if it is a file.
    pub(super) fn first(&self) -> Place {
        let file = self.files.first().map_or("", String::as_str);
        self.place(file, 1)
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
        let words: Vec<&str> = text.split_whitespace().collect();
        let by_word = words.iter().find_map(|word| self.colons(word));
        // Python and OCaml write `File "bot.py", line 3`.
        by_word.or_else(|| {
            let (_, rest) = text.split_once("File \"")?;
            let (file, rest) = rest.split_once("\", line ")?;
            self.own(file, number(rest)?)
        })
    }

    /// Parses `Cat.h:4:8:`, the form of g++ and GHC.
    fn colons(&self, word: &str) -> Option<Place> {
        let (file, rest) = word.split_once(':')?;
        self.own(file, number(rest)?)
    }

    /// Returns the place if the file is the submission's, perhaps in a folder that builds do not have.
    fn own(&self, file: &str, line: u32) -> Option<Place> {
        let file = file.trim_start_matches("./");
        let same = |own: &&String| {
            let end = own.strip_suffix(file);
            !file.is_empty() && end.is_some_and(|end| end.is_empty() || end.ends_with('/'))
        };
        let mut named = self.files.iter().filter(same);
        let own = named.next()?;
        named.next().is_none().then(|| self.place(own, line))
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

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;
    use serde_json::Value;

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
