//! The line of an entrant in the manifest.

use jiff::Timestamp;
use model::entrant::{Blame, Comment, Entrant, Readiness, Replaced};
use model::lateness::Timing;
use model::points::Points;
use serde::{Deserialize, Serialize};
use std::ops::Not;

/// One entrant in the manifest.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the file")]
pub struct EntrantLine {
    /// The entrant's name.
    pub name: String,
    /// The kind of submission.
    pub form: String,
    /// The hash of its artifact; none if it cannot play.
    pub artifact: Option<String>,
    /// Its origin: a file's name, or a repository and its commit.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub origin: String,
    /// The number of the version that plays, or of the newest one, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<usize>,
    /// Why the newest version does not play, if an earlier one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
    /// The newest version, if an earlier one plays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<NewestLine>,
    /// The size of its sources in lexer tokens, where the language has a count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Why it cannot play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
    /// Who or what is to blame for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blame: Option<Blame>,
    /// Whether it was submitted with a file `anonymous`: the public knows it by a pseudonym.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub anonymous: bool,
    /// Whether a learning platform gave it its name, which may be the author's own.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub platform_named: bool,
    /// The nickname that it asks for in its `judge.toml`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nickname: Option<String>,
    /// Whether its artifact was submitted after anybody was shown what is drawn.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub knew_draw: bool,
    /// The receipt time of the version that plays, or of the newest one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
    /// Published instead of `timing`: the points that are taken off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub penalty: Option<Points>,
    /// Published instead of `timing`: whether it plays without a rank.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub unranked: bool,
    /// The bot's name in its `judge.toml`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The language of its sources, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Its longest comment, if the course asks for one that describes the bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<Comment>,
    /// Warnings for its author.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The newest version of an entrant, if an earlier one plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewestLine {
    /// Its number; none if it could not be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<usize>,
    /// When it was received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received: Option<Timestamp>,
    /// Why it does not play.
    pub reason: String,
}

impl From<&Replaced> for NewestLine {
    fn from(replaced: &Replaced) -> Self {
        let last = replaced.last.as_ref();
        Self {
            version: last.map(|last| last.number),
            received: last.and_then(|last| last.received.parse().ok()),
            reason: replaced.broken.to_string(),
        }
    }
}

impl EntrantLine {
    /// Makes the line of an entrant.
    pub(super) fn of(entrant: &Entrant) -> Self {
        // The file is in the run's folder.
        let here = "";
        let replaced = entrant.receipt.replaced.as_ref();
        let about = &entrant.receipt.about;
        let (artifact, broken) = match &entrant.readiness {
            Readiness::Ready(artifact) => (Some(artifact), None),
            Readiness::Broken(broken) => (None, Some(broken)),
        };
        Self {
            name: entrant.name.clone(),
            form: entrant.form.to_owned(),
            artifact: artifact.map(|artifact| artifact.hash.clone()),
            origin: entrant.receipt.origin.clone(),
            version: entrant.receipt.version.as_ref().map(|v| v.number),
            tokens: artifact.and_then(|artifact| artifact.tokens),
            replaced: replaced.map(|replaced| replaced.words(here)),
            newest: replaced.map(NewestLine::from),
            broken: broken.map(ToString::to_string),
            blame: broken.map(|broken| broken.blame),
            anonymous: entrant.receipt.anonymous,
            platform_named: entrant.receipt.platform_named,
            knew_draw: false,
            nickname: about.nickname.clone(),
            timing: entrant.receipt.timing,
            penalty: None,
            unranked: false,
            title: about.name.clone(),
            language: about.language.clone(),
            comment: entrant.receipt.comment.clone(),
            warnings: entrant.notes(here),
        }
    }

    /// Returns the points that lateness takes off, if any.
    pub fn penalty(&self) -> Option<Points> {
        self.timing
            .and_then(|timing| timing.lateness.penalty())
            .or(self.penalty)
    }

    /// Returns whether it was received too late for the competition. A withdrawn submission is not
    /// too late.
    pub fn is_too_late(&self) -> bool {
        let timing = self.timing.filter(|_| self.blame != Some(Blame::Withdrawn));
        timing.is_some_and(|timing| timing.is_too_late())
    }
}
