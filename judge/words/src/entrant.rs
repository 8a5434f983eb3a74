//! A submission after intake: what was received, and whether it can play.

use crate::artifact::Artifact;
use crate::competition::WordCount;
use crate::fixture::Participant;
use crate::lateness::Timing;
use crate::numbers::counted;
use crate::text::listed;
use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::format;
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
    /// The kind of submission, as `cpp`; empty where that is not known.
    pub form: &'static str,
    /// What its author should know, but for the compiler's warnings.
    pub warnings: Vec<String>,
    /// Where the compiler's warnings are, below the run's folder; none if it gave none.
    pub compiler_warnings: Option<String>,
    /// Whether it can play.
    pub readiness: Readiness,
    /// What was received.
    pub receipt: Receipt,
}

/// What was received under one name, and which version of it plays.
#[derive(Clone, Debug, Default)]
pub struct Receipt {
    /// What the version that plays, or came last, says of itself.
    pub about: About,
    /// A file `anonymous` lies in the submission's folder itself.
    pub anonymous: bool,
    /// A learning platform has given it its name, which may be the author's own.
    pub platform_named: bool,
    /// Where that version came from.
    pub origin: String,
    /// That version; none where nothing could be kept.
    pub version: Option<VersionName>,
    /// When that version was received; none where nothing could be kept.
    pub timing: Option<Timing>,
    /// Why the version that came last does not play, where an earlier one does.
    pub replaced: Option<Replaced>,
    /// Its longest comment, where the course asks for one that describes it.
    pub comment: Option<Comment>,
}

/// A comment in a source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comment {
    /// The file.
    pub file: String,
    /// The line in which it begins, counted from 1; 0 where there is none.
    pub line: usize,
    /// How many words it has.
    pub words: u64,
}

impl Comment {
    /// Says how long it is, and what the course asks for, without a verdict.
    pub fn words(&self, asked: WordCount) -> String {
        let Self { file, line, words } = self;
        let WordCount { least, most } = asked;
        let found = match words {
            0 => format!("{file} has no comment"),
            _ => format!(
                "the longest comment in {file} has {} (line {line})",
                counted(*words, "word")
            ),
        };
        format!("{found}; the course asks for a description of about {least} to {most} words")
    }
}

/// Whether a submission can play.
#[derive(Clone, Debug)]
pub enum Readiness {
    /// With this.
    Ready(Artifact),
    /// It cannot, for this reason.
    Broken(Broken),
}

impl Entrant {
    /// Returns what it plays with; none where it cannot.
    pub fn artifact(&self) -> Option<&Artifact> {
        match &self.readiness {
            Readiness::Ready(artifact) => Some(artifact),
            Readiness::Broken(_) => None,
        }
    }

    /// Returns why what came last does not play; none where it does. An earlier version may play.
    pub fn broken_newest(&self) -> Option<&Broken> {
        let replaced = self.receipt.replaced.as_ref();
        match &self.readiness {
            Readiness::Broken(broken) => Some(broken),
            Readiness::Ready(_) => replaced.map(|replaced| &replaced.broken),
        }
    }

    /// Lists all that its author should know; `run` is the run's folder as it is to be shown.
    pub fn notes(&self, run: &str) -> Vec<String> {
        let compiler = self.compiler_warnings.iter();
        let compiler = compiler.map(|log| {
            let log = in_folder(run, log);
            format!("built with compiler warnings: see {log}")
        });
        self.warnings.iter().cloned().chain(compiler).collect()
    }
}

/// Returns a path below a folder as text; the path alone where the folder is the reader's own.
fn in_folder(folder: &str, path: &str) -> String {
    if folder.is_empty() {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    }
}

/// What is to blame where a submission does not play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Blame {
    /// The submission: its author has to change it.
    Submission,
    /// Its author, who has taken it away.
    Withdrawn,
    /// This machine, which lacks a program or a library: another one may build it.
    Lacking,
    /// This machine in another way, as where a folder cannot be read.
    Machine,
    /// Nobody: it has been received and is built later.
    Waiting,
}

impl Blame {
    /// Returns whether it is on the author's side, and not on ours.
    pub fn is_authors(self) -> bool {
        match self {
            Self::Submission | Self::Withdrawn => true,
            Self::Lacking | Self::Machine | Self::Waiting => false,
        }
    }
}

/// Why a submission does not play; as text, in one line.
#[derive(Clone, Debug)]
pub struct Broken {
    /// What is to blame.
    pub blame: Blame,
    /// Why, in one line.
    pub reason: String,
    /// Where the compiler's output is, if there is any.
    pub log: Option<String>,
}

impl Broken {
    /// What its text begins with where it is not on the author's side.
    pub const OURS: &str = "judge error: ";

    /// Says what becomes of it, before the reason.
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

/// Why the version that came last does not play, where an earlier one does.
#[derive(Clone, Debug)]
pub struct Replaced {
    /// The version that came last; none where it could not be kept.
    pub last: Option<VersionName>,
    /// Why it does not play; its log's path is below the run's folder.
    pub broken: Broken,
    /// The version that plays.
    pub playing: VersionName,
}

impl Replaced {
    /// Says it; `run` is the run's folder as it is to be shown.
    pub fn words(&self, run: &str) -> String {
        let last = self.last.as_ref().map(ToString::to_string);
        let last = last.unwrap_or_else(|| "the newest submission".to_owned());
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

/// What a submission says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The bot's name.
    pub name: Option<String>,
    /// The name for tables: at most 20 ASCII characters.
    pub nickname: Option<String>,
    /// Who wrote it; for staff only.
    pub authors: Vec<String>,
    /// The language that it is written in.
    pub language: Option<String>,
    /// The slug of the game that it plays.
    pub game: Option<&'static str>,
    /// The class that plays, `NAME` or `FILE:NAME`, where the sources hold several.
    pub class: Option<String>,
    /// The command that builds it, in words.
    pub build: Option<Vec<String>>,
    /// The command that runs it, in words.
    pub run: Option<Vec<String>>,
    /// Its size in tokens.
    pub tokens: Option<u64>,
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
    /// The entrant's name that the person plays under; empty where there is none.
    pub submission: String,
    /// What tells the person from all others.
    pub id: String,
    /// The person's name.
    pub name: String,
    /// The person's address.
    pub email: String,
    /// The class or group.
    pub section: String,
    /// Until when this person may submit, where that is not the deadline of all.
    pub extension: Option<Timestamp>,
    /// When the platform received this person's submission, where the roster says so.
    pub received: Option<Timestamp>,
}

/// Who is behind which submission; several people may share one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Roster {
    /// Everybody, in the order of the file.
    pub people: Vec<Person>,
    /// Lines that nobody is taken from, each with its number and the reason.
    pub left_out: Vec<String>,
}

impl Roster {
    /// Lists the people who submitted none of what is there.
    pub fn absent<'a>(&self, there: impl Iterator<Item = &'a str>) -> Vec<&Person> {
        let there: BTreeSet<&str> = there.collect();
        let absent = |person: &&Person| !there.contains(person.submission.as_str());
        self.people.iter().filter(absent).collect()
    }

    /// Says who submitted none of what is there; none where everybody has.
    pub fn not_submitted<'a>(&self, there: impl Iterator<Item = &'a str>) -> Option<String> {
        let absent = self.absent(there);
        let ids: Vec<&str> = absent.iter().map(|person| person.id.as_str()).collect();
        (!ids.is_empty()).then(|| format!("on the roster, but no submission: {}", listed(&ids)))
    }
}

/// An entrant that can play.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// The entrant's name.
    pub name: String,
    /// What it plays with.
    pub artifact: Artifact,
}

impl Contestant {
    /// Returns who sits on a chair where this one does.
    pub fn participant(&self) -> Participant {
        Participant {
            entrant: self.name.as_str().into(),
            artifact: self.artifact.hash.as_str().into(),
        }
    }
}
