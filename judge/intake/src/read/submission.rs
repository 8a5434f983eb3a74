//! A submission: its files and its form.

use crate::read::source::{
    Allowance, Fingerprints, PlatformMark, SourceFile, too_large, too_many_files,
};
use engines::{Kit, Sign};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use model::entrant::{About, Blame, Comment};
use model::lateness::ReceiptRecord;
use rulebook::rules::Rules;
use std::mem;

/// Name of the file that makes its author anonymous to the public.
pub(crate) const ANONYMOUS: &str = "anonymous";

/// Files under one name, read completely: a later change of them does not affect the build.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The entrant's name: the folder's, or the file's without its ending.
    pub name: String,
    /// Its form, or why it cannot be played; an empty reason until its files have been looked at.
    pub form: Result<Form, String>,
    /// Why there is no content to judge, if there is none.
    pub(crate) absent: Option<Absent>,
    pub(crate) blame: Blame,
    /// Its files, without the one that [`Submission::about`] was read from.
    pub files: Vec<SourceFile>,
    /// Its author's description of it.
    pub about: About,
    /// Where it came from, fit to be shown to everybody.
    pub origin: String,
    /// Notes for its author that do not stop the submission.
    pub warnings: Vec<String>,
    /// Notes on left-out entries that nobody misses.
    pub left_out: Vec<String>,
    /// Evidence of its receipt from its origin, if any.
    pub record: Option<ReceiptRecord>,
    /// When it was received, if that was before now.
    pub received: Option<Timestamp>,
    /// Why it is only received now and built later; `None` if it is built.
    pub waits: Option<String>,
    /// Fingerprints of what it was read from; empty for a repository or a zip of a class.
    pub fingerprints: Fingerprints,
    /// The mark of the learning platform that has named it, if one has.
    pub mark: Option<PlatformMark>,
    /// Earlier submissions of the same person that are next to it, oldest first.
    pub earlier: Vec<Submission>,
    pub(crate) description: Option<SourceFile>,
    /// Its longest comment, where the course asks for one.
    pub(crate) comment: Option<Comment>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absent {
    NotYet,
    /// It does not answer, or the list is wrong. Its author is not to blame.
    Unreachable,
    Empty,
    /// It answers, and does not have what the list names, or has too much.
    Unfit,
}

impl Submission {
    /// Makes a nameless submission of files that nobody has looked at.
    pub(crate) fn of(files: Vec<SourceFile>) -> Self {
        Self {
            name: String::new(),
            form: Err(String::new()),
            absent: None,
            blame: Blame::Submission,
            files,
            about: About::default(),
            origin: String::new(),
            warnings: Vec::new(),
            left_out: Vec::new(),
            record: None,
            received: None,
            waits: None,
            fingerprints: Fingerprints::new(),
            mark: None,
            earlier: Vec::new(),
            description: None,
            comment: None,
        }
    }

    pub(crate) fn unreadable(reason: String) -> Self {
        Self {
            form: Err(reason),
            ..Self::of(Vec::new())
        }
    }

    pub(crate) fn absent(absent: Absent, reason: String) -> Self {
        Self {
            absent: Some(absent),
            ..Self::unreadable(reason)
        }
    }

    /// Refuses it; only its name, origin and mark remain.
    pub(crate) fn refuse(&mut self, reason: String) {
        *self = Self {
            name: mem::take(&mut self.name),
            origin: mem::take(&mut self.origin),
            mark: self.mark,
            ..Self::unreadable(reason)
        };
    }

    pub(crate) fn refusal(&self) -> Option<&String> {
        self.form.as_ref().err().filter(|reason| !reason.is_empty())
    }

    pub(crate) fn within_bounds(self) -> Result<Self, String> {
        let Allowance { files, bytes, .. } = Allowance::whole();
        if self.files.len() > files {
            return Err(too_many_files());
        }
        if self.bytes() > bytes {
            return Err(too_large());
        }
        Ok(self)
    }

    /// Returns whether it has not been fetched yet. This says nothing about the content.
    pub fn is_awaited(&self) -> bool {
        self.absent == Some(Absent::NotYet)
    }
}

/// Dates the submissions whose platform's names have a time. Returns whether there are any.
pub fn date_receipts(submissions: &mut [Submission], zone: &TimeZone, now: Timestamp) -> bool {
    let mut is_any = false;
    for one in submissions {
        let record = one
            .mark
            .and_then(|mark| mark.received?.to_zoned(zone.clone()).ok())
            .map(|at| at.timestamp())
            .filter(|at| *at <= now)
            .map(ReceiptRecord::At);
        is_any |= record.is_some();
        one.record = one.record.or(record);
        is_any |= date_receipts(&mut one.earlier, zone, now);
    }
    is_any
}

impl Submission {
    pub(crate) fn has_classes(&self) -> bool {
        matches!(&self.form, Ok(Form::Sources(_, kit)) if matches!(kit.sign, Sign::Text { .. }))
    }

    pub(crate) fn is_anonymous(&self) -> bool {
        self.files.iter().any(|file| file.path == ANONYMOUS)
    }

    /// Returns the slug of its game, by its `judge.toml` or its sources. There may be no such game.
    pub fn game(&self) -> Option<&str> {
        match self.form {
            Ok(Form::Sources(game, _)) => Some(game),
            Ok(Form::Executable(_) | Form::Described) | Err(_) => self.about.game.as_deref(),
        }
    }

    /// Refuses a submission for another game.
    pub fn admit(&mut self, game: &dyn Rules) {
        let slug = game.info().slug;
        self.form = match (&self.form, self.about.game.as_deref()) {
            (Ok(_), Some(own)) if own != slug => Err(format!(
                "is a submission for {own} (game in its judge.toml), but the game here is {slug}"
            )),
            (Ok(Form::Sources(other, _)), _) if *other != slug => {
                Err(format!("is a submission for {}", title(other)))
            }
            _ => return,
        };
    }

    pub(crate) fn all_files(&self) -> Vec<SourceFile> {
        let mut all = self.files.clone();
        all.extend(self.description.clone());
        all.sort_by(|a, b| a.path.cmp(&b.path));
        all
    }

    /// Returns its size in bytes, with the earlier submissions of the same person.
    pub(crate) fn bytes(&self) -> usize {
        let own = self.files.iter().chain(&self.description);
        own.map(|file| file.bytes.len())
            .chain(self.earlier.iter().map(Self::bytes))
            .sum()
    }
}

pub(crate) fn title(slug: &str) -> &str {
    rulebook::rules::find(slug).map_or(slug, |rules| rules.info().title)
}

/// The kinds of submission.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// A program that speaks the protocol; the index of its file.
    Executable(usize),
    /// Sources in a course's language, to be built with the kit of the game with this slug.
    Sources(&'static str, &'static Kit),
    /// A program whose `judge.toml` describes how it is built and run.
    Described,
}

impl Form {
    /// Returns the name that files and messages use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Executable(_) => "executable",
            Self::Sources(_, kit) => kit.language,
            Self::Described => "described",
        }
    }
}
