//! A submission after intake: its receipt, and whether it can play.

use crate::artifact::Artifact;
use crate::competition::WordCount;
use crate::fixture::Participant;
use crate::lateness::Timing;
use crate::numbers::counted;
use crate::text::{listed, readable};
use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A submission after intake.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// The entrant's name.
    pub name: String,
    /// The kind of submission, such as `cpp`; empty if it is not known.
    pub form: &'static str,
    /// Its program, or why it cannot play.
    pub program: Result<Artifact, Broken>,
    /// Warnings for its author, except the compiler's.
    pub warnings: Vec<String>,
    /// The path of the compiler's warnings, below the run's folder; none if it gave none.
    pub compiler_warnings: Option<String>,
    /// The description in the version that plays, or else in the newest one.
    pub about: About,
    /// Whether a file `anonymous` is in the submission's top folder.
    pub anonymous: bool,
    /// Whether a learning platform has given it its name, which may be the author's own.
    pub platform_named: bool,
    /// The source of that version.
    pub origin: String,
    /// The name of that version; none if nothing could be kept.
    pub version: Option<VersionName>,
    /// The receipt of that version and its lateness; none if nothing could be kept.
    pub timing: Option<Timing>,
    /// The reason why the newest version does not play, if an earlier one does.
    pub replaced: Option<Replaced>,
    /// Its longest comment, if the course asks for a comment that describes it.
    pub comment: Option<Comment>,
}

/// A comment in a source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comment {
    /// The file.
    pub file: String,
    /// The line in which it begins, counted from 1; 0 if there is none.
    pub line: usize,
    /// The number of words.
    pub words: u64,
}

const TOP_LINES_MAX: usize = 40;

impl Comment {
    /// Returns whether it is about as long as asked, a tenth more or less, and near the top.
    pub fn is_as_asked(&self, asked: WordCount) -> bool {
        let WordCount { least, most } = asked;
        let tenths = self.words.saturating_mul(10);
        let is_long_enough = tenths >= least.saturating_mul(9);
        is_long_enough && tenths <= most.saturating_mul(11) && self.is_near_top()
    }

    fn is_near_top(&self) -> bool {
        self.line <= TOP_LINES_MAX
    }

    /// Says how long the comment is and how long the course asks it to be, without a verdict.
    pub fn words(&self, asked: WordCount) -> String {
        let Self { file, line, words } = self;
        let WordCount { least, most } = asked;
        let found = match words {
            0 => format!("{file} has no comment"),
            _ => format!(
                "the longest comment in {file} has {} (line {line}{})",
                counted(*words, "word"),
                if self.is_near_top() {
                    ""
                } else {
                    ", not near the top"
                }
            ),
        };
        format!("{found}; the course asks for a description of about {least} to {most} words")
    }
}

impl Entrant {
    /// Makes an entrant of whom nothing but this is known.
    pub fn new(name: String, form: &'static str, program: Result<Artifact, Broken>) -> Self {
        Self {
            name,
            form,
            program,
            warnings: Vec::new(),
            compiler_warnings: None,
            about: About::default(),
            anonymous: false,
            platform_named: false,
            origin: String::new(),
            version: None,
            timing: None,
            replaced: None,
            comment: None,
        }
    }

    /// Returns its artifact; none if it cannot play.
    pub fn artifact(&self) -> Option<&Artifact> {
        self.program.as_ref().ok()
    }

    /// Returns why the newest version does not play; none if it does. An earlier version may play.
    pub fn broken_newest(&self) -> Option<&Broken> {
        let replaced = self.replaced.as_ref();
        (self.program.as_ref().err()).or(replaced.map(|replaced| &replaced.broken))
    }

    /// Returns the newest version, if it could be kept.
    pub fn newest(&self) -> Option<&VersionName> {
        match &self.replaced {
            Some(replaced) => replaced.last.as_ref(),
            None => self.version.as_ref(),
        }
    }

    /// Lists all notes for its author. `run` is the run's folder in the form to show.
    pub fn notes(&self, run: &str) -> Vec<String> {
        let compiler = self.compiler_warnings.iter().map(|log| {
            let log = in_folder(run, log);
            format!("built with compiler warnings: see {log}")
        });
        self.warnings.iter().cloned().chain(compiler).collect()
    }
}

/// An empty folder is the reader's own, and the path stays alone.
fn in_folder(folder: &str, path: &str) -> String {
    if folder.is_empty() {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    }
}

/// The cause for which a submission does not play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Blame {
    /// The submission. Its author must change it.
    Submission,
    /// Its author, who has withdrawn it.
    Withdrawn,
    /// This machine, which lacks a program or a library. Another one may build it.
    Lacking,
    /// This machine for another reason, such as a folder that cannot be read.
    Machine,
    /// Nobody. It has been received and will be built later.
    Waiting,
}

impl Blame {
    /// Returns whether the cause is on the author's side, and not on ours.
    pub fn is_authors(self) -> bool {
        match self {
            Self::Submission | Self::Withdrawn => true,
            Self::Lacking | Self::Machine | Self::Waiting => false,
        }
    }
}

/// The reason why a submission does not play. Its text is one line.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The cause.
    pub blame: Blame,
    /// The reason, in one line.
    pub reason: String,
    /// The path of the compiler's output, if there is any.
    pub log: Option<String>,
}

impl Broken {
    /// The beginning of its text if the cause is a judge error.
    pub const OURS: &str = "judge error: ";

    /// Says what happens to the submission, before the reason.
    pub fn what(&self) -> &'static str {
        match self.blame {
            Blame::Waiting => "waits",
            Blame::Submission | Blame::Withdrawn | Blame::Lacking | Blame::Machine => {
                "does not play"
            }
        }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.blame {
            Blame::Submission | Blame::Withdrawn | Blame::Waiting => f.write_str(&self.reason),
            Blame::Lacking | Blame::Machine => write!(f, "{}{}", Self::OURS, self.reason),
        }
    }
}

/// The reason why the newest version does not play while an earlier one does.
#[derive(Clone, Debug)]
pub struct Replaced {
    /// The newest version; none if it could not be kept.
    pub last: Option<VersionName>,
    /// The reason. Its log's path is below the run's folder.
    pub broken: Broken,
    /// The version that plays.
    pub playing: VersionName,
}

impl Replaced {
    /// Describes the replacement in words. `run` is the run's folder in the form to show.
    pub fn words(&self, run: &str) -> String {
        let last = self
            .last
            .as_ref()
            .map_or_else(|| "the newest submission".to_owned(), ToString::to_string);
        let log = self.broken.log.as_ref();
        let see = log.map(|log| format!(" (see {})", in_folder(run, log)));
        let what = self.broken.what();
        format!(
            "{last} {what}: {}{}; playing {}",
            self.broken,
            see.unwrap_or_default(),
            self.playing
        )
    }
}

/// A submission's description of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The bot's name.
    pub name: Option<String>,
    /// The name for tables: at most 20 ASCII characters.
    pub nickname: Option<String>,
    /// Whether its sources have an empty nickname in place of one.
    pub has_empty_nickname: bool,
    /// The authors, for staff only.
    pub authors: Vec<String>,
    /// The language of the sources.
    pub language: Option<String>,
    /// The slug of the game that it plays.
    pub game: Option<String>,
    /// The class that plays, `NAME` or `FILE:NAME`, if the sources contain several.
    pub class: Option<String>,
    /// The command that builds it, one string a word.
    pub build: Option<Vec<String>>,
    /// The command that runs it, one string a word.
    pub run: Option<Vec<String>>,
}

/// A version's number, counted from 1, and when it was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionName {
    /// The number.
    pub number: usize,
    /// The time, as `2026-11-21T14:02:00Z`.
    pub received: String,
}

impl fmt::Display for VersionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "version {} of {}", self.number, self.received)
    }
}

/// One line of a roster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Person {
    /// The name of the person's entrant; empty if there is none.
    pub submission: String,
    /// The key that distinguishes the person from all others.
    pub id: String,
    /// The person's name.
    pub name: String,
    /// The person's address.
    pub email: String,
    /// The class or group.
    pub section: String,
    /// The person's own deadline, if it is not the deadline of all.
    pub extension: Option<Timestamp>,
    /// The time at which the platform received this person's submission, if the roster has one.
    pub received: Option<Timestamp>,
}

impl Person {
    /// Returns the best name for messages: the person's own, else the id, else the submission's.
    pub fn shown(&self) -> String {
        [&self.name, &self.id, &self.submission]
            .into_iter()
            .find(|text| !text.is_empty())
            .map_or_else(String::new, |text| readable(text))
    }
}

/// The people behind the submissions. Several people may share one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Roster {
    /// All people, in the order of the file.
    pub people: Vec<Person>,
    /// Lines that give no person, each with its number and the reason.
    pub left_out: Vec<String>,
}

impl Roster {
    /// Lists the people whose submission is not among `there`.
    pub fn absent<'a>(&self, there: impl Iterator<Item = &'a str>) -> Vec<&Person> {
        let there: BTreeSet<&str> = there.collect();
        let absent = |person: &&Person| !there.contains(person.submission.as_str());
        self.people.iter().filter(absent).collect()
    }

    /// Names the people whose submission is not among `there`, if there are any.
    pub fn not_submitted<'a>(&self, there: impl Iterator<Item = &'a str>) -> Option<String> {
        let absent = self.absent(there);
        let names: Vec<String> = absent.iter().map(|person| person.shown()).collect();
        (!names.is_empty()).then(|| format!("on the roster, but no submission: {}", listed(&names)))
    }
}

/// An entrant that can play.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// The entrant's name.
    pub name: String,
    /// Its artifact.
    pub artifact: Artifact,
}

impl Contestant {
    /// Returns the participant for its seats.
    pub fn participant(&self) -> Participant {
        Participant {
            entrant: self.name.as_str().into(),
            artifact: self.artifact.hash.as_str().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roster_names_send_no_escapes_to_terminal() {
        let cem = Person {
            name: "\u{1b}]0;x\u{7}Cem\u{202e}".to_owned(),
            ..Person::default()
        };
        let roster = Roster {
            people: [cem].into(),
            left_out: Vec::new(),
        };
        let said = roster.not_submitted([].into_iter()).expect("one is absent");
        assert!(said.ends_with("\\u{1b}]0;x\\u{7}Cem\\u{202e}"), "{said}");
    }

    #[test]
    fn description_starts_near_top_with_required_word_count() {
        let asked = WordCount {
            least: 100,
            most: 500,
        };
        for (line, words, is_as_asked) in [
            (1, 100, true),
            (TOP_LINES_MAX, 500, true),
            (TOP_LINES_MAX + 1, 500, false),
            (1, 90, true),
            (1, 89, false),
            (1, 550, true),
            (1, 551, false),
        ] {
            let file = "ReversiAI.hs".to_owned();
            let comment = Comment { file, line, words };
            assert_eq!(comment.is_as_asked(asked), is_as_asked, "{comment:?}");
        }
    }
}
