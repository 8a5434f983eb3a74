//! `latest.json`, by which an open page learns of a newer one (it is not in `SHA256SUMS`), and programs' output in a
//! form that its author may read. The paths of staff's folders are not shown.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]

use super::hidden_names::HiddenNames;
use crate::html::{Made, cut, readable_times, second_words, waiting};
use crate::words::joined;
use jiff::Timestamp;
use model::entrants_folder::EntrantsFolder;
use model::fault::quote;
use model::stderr::without_folders;
use rulebook::{IoContext, Result};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use store::manifest::EntrantLine;
use system::files::if_there;

/// The file's name.
pub const LATEST_NAME: &str = "latest.json";
const REASON_CHARS_MAX: usize = 500;

/// The description of the page in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Latest {
    /// The time of the page; empty if there is no page yet.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub made: String,
    /// The time from which the page is frozen, until the secret is revealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freeze: Option<Timestamp>,
    /// The digest that identifies the page.
    pub digest: String,
    /// The round.
    pub round: String,
    /// Number of games played.
    pub played: usize,
    /// Number of games in the schedule.
    pub of: usize,
    /// The student's last submission; only in the folder of a student.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submission: Option<LatestSubmission>,
}

/// A student's last submission, and the version that plays. It has nothing about games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatestSubmission {
    /// The version received last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<usize>,
    /// The time when it was received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received: Option<Timestamp>,
    /// Whether this version plays.
    pub plays: bool,
    /// The version that plays; `None` if none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub playing: Option<usize>,
    /// Why the last version does not play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The whole description in words.
    pub words: String,
    /// The first errors in the compiler's output for the last version, if it does not play.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub wrote: String,
}

impl Latest {
    /// Returns the time of the page; `None` if there is no page.
    pub fn made(&self) -> Option<Made> {
        Some(Made {
            at: self.made.parse().ok()?,
            freeze: self.freeze,
        })
    }

    /// Returns the file's content.
    pub fn text(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec(self).expect("plain data");
        text.push(b'\n');
        text
    }

    /// Parses a file; `None` if it is invalid.
    pub fn read(text: &[u8]) -> Option<Self> {
        serde_json::from_slice(text).ok()
    }
}

impl LatestSubmission {
    /// Describes an entrant's submission in a run's folder, without hidden names.
    pub fn of(run: &Path, hidden_names: &HiddenNames, line: &EntrantLine) -> Result<Self> {
        let build = log_of(run, "build", &line.name)?.unwrap_or_default();
        let mask = |text: &str| hidden_names.mask(text, &line.name);
        let build = mask(&without_folders(&build));
        Ok(Self::of_line(&for_author(line, mask), &build))
    }

    /// Returns a page with this description, for authors without another page.
    pub fn page(&self, title: &str) -> String {
        waiting(
            &cut(&quote(title), REASON_CHARS_MAX),
            &self.words,
            &self.wrote,
        )
    }

    pub(super) fn of_line(line: &EntrantLine, build: &str) -> Self {
        let own = line.timing.map(|timing| timing.received);
        let (version, received, reason) = match &line.newest {
            Some(newest) => (newest.version, newest.received, Some(&newest.reason)),
            None => (line.version, own, line.broken.as_ref()),
        };
        let mut last = Self {
            version,
            received,
            plays: reason.is_none(),
            playing: line.version.filter(|_| line.artifact.is_some()),
            reason: reason.map(|reason| cut(&quote(reason), REASON_CHARS_MAX)),
            ..Self::default()
        };
        if !last.plays {
            last.wrote = first_errors(build);
        }
        last.words = last.in_words();
        last
    }

    fn in_words(&self) -> String {
        let when = self.received.map(|at| format!(", {}", second_words(at)));
        let version = self.version.map(|version| format!("version {version}"));
        let which = version.as_deref().unwrap_or("a submission");
        let last = format!("{which}{}", when.unwrap_or_default());
        let Some(reason) = self.reason.as_deref().map(readable_times) else {
            return format!("Received last: {last}. It plays.");
        };
        let plays = match self.playing {
            Some(playing) => format!("Version {playing} keeps playing."),
            None => "None of your versions plays.".to_owned(),
        };
        match version {
            Some(_) => format!("Received last: {last}. It does not play: {reason}. {plays}"),
            // For example, a repository does not answer.
            None => format!("What you submitted last could not be received: {reason}. {plays}"),
        }
    }
}

/// Number of lines shown at once of a compiler's output, and number of them before its first error.
const FIRST_LINES: usize = 10;
const LINES_BEFORE: usize = 3;
const LINE_CHARS_MAX: usize = 200;

pub(super) fn log_of(run: &Path, kind: &str, name: &str) -> Result<Option<String>> {
    let file = EntrantsFolder::Logs.file_of(name, ".txt");
    let path = run.join("logs").join(kind).join(file);
    let bytes = if_there(fs::read(&path)).or_io("read", path)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

pub(super) fn for_author(line: &EntrantLine, mask: impl Fn(&str) -> String) -> EntrantLine {
    let file = EntrantsFolder::Logs.file_of(&line.name, ".txt");
    let log = format!("logs/build/{file}");
    let own = |text: &String| mask(&without_folders(&text.replace(&log, "build.txt")));
    let mut line = line.clone();
    line.broken = line.broken.as_ref().map(own);
    line.replaced = line.replaced.as_ref().map(own);
    line.warnings = line.warnings.iter().map(own).collect();
    if let Some(newest) = &mut line.newest {
        newest.reason = own(&newest.reason);
    }
    line
}

/// Returns the lines around the first error in a compiler's output, or else its first lines.
pub(super) fn first_errors(text: &str) -> String {
    let is_error = |line: &str| line.to_ascii_lowercase().contains("error");
    let at = text.lines().position(is_error).unwrap_or_default();
    let shown = text
        .lines()
        .skip(at.saturating_sub(LINES_BEFORE))
        .take(FIRST_LINES);
    let short = |line| quote(line).chars().take(LINE_CHARS_MAX).collect::<String>();
    joined(shown.map(short), "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::manifest::NewestLine;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let latest = Latest {
            digest: "d".to_owned(),
            submission: Some(LatestSubmission {
                version: Some(2),
                received: Some(Timestamp::UNIX_EPOCH),
                plays: false,
                reason: Some("it \"does\" not build".to_owned()),
                ..LatestSubmission::default()
            }),
            ..Latest::default()
        };
        assert_eq!(Latest::read(&latest.text()), Some(latest));
        assert_eq!(Latest::read(b"<html>"), None);
    }

    #[test]
    fn newest_and_playing_versions_are_both_stated() {
        let received: Timestamp = "2026-12-02T10:20:30Z".parse().expect("a time");
        let plays = EntrantLine {
            name: "ann".to_owned(),
            version: Some(1),
            artifact: Some("program".to_owned()),
            ..EntrantLine::default()
        };
        let replaced = EntrantLine {
            newest: Some(NewestLine {
                version: Some(2),
                received: Some(received),
                reason: "received 2026-12-02T10:20:30Z, late".to_owned(),
            }),
            ..plays.clone()
        };
        let broken = EntrantLine {
            version: Some(3),
            broken: Some("no program in it".to_owned()),
            ..EntrantLine::default()
        };
        let wrote = "ann.cpp:1: error: no";
        let reported =
            [&plays, &replaced, &broken].map(|line| LatestSubmission::of_line(line, wrote));
        for (one, words) in reported.iter().zip([
            "Received last: version 1. It plays.",
            "Received last: version 2, 2026-12-02 10:20:30 UTC. It does not play: received 2026-12-02 10:20:30 UTC, late. Version 1 keeps playing.",
            "Received last: version 3. It does not play: no program in it. None of your versions plays.",
        ]) {
            assert_eq!(one.words, words);
        }
        let numbers = reported.each_ref().map(|one| (one.version, one.playing));
        let expected = [(Some(1), Some(1)), (Some(2), Some(1)), (Some(3), None)];
        assert_eq!(numbers, expected);
        let wrotes = reported.each_ref().map(|one| one.wrote.as_str());
        assert_eq!(wrotes, ["", wrote, wrote]);
    }

    #[test]
    fn author_reads_log_path_of_view() {
        let line = EntrantLine {
            name: "ann".to_owned(),
            warnings: vec!["built with compiler warnings: see logs/build/ann.txt".to_owned()],
            ..EntrantLine::default()
        };
        let reported = for_author(&line, str::to_owned).warnings;
        assert_eq!(reported, ["built with compiler warnings: see build.txt"]);
    }

    #[test]
    fn first_error_is_shown_with_its_context() {
        let mut lines: Vec<String> = (0..40).map(|n| format!("warning {n}")).collect();
        lines[20] = "bot.cpp:3: Error: no\u{202e}".to_owned();
        let shown = first_errors(&lines.join("\n"));
        assert!(shown.starts_with("warning 17\n"), "{shown}");
        assert!(shown.contains("Error: no\\u{202e}"), "{shown}");
        assert_eq!(shown.lines().count(), FIRST_LINES);
        assert_eq!(first_errors("make: no rule"), "make: no rule");
        assert_eq!(first_errors(""), "");
    }
}
