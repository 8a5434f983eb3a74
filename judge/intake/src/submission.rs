//! A submission: its files, and what it turned out to be.

use super::fingerprint::Fingerprints;
use super::platform::PlatformMark;
use super::received::ReceivedFiles;
use super::source::SourceFile;
use engines::{Kit, Sign};
use jiff::Timestamp;
use rules::Rules;
use std::sync::Arc;
use system::foreign::Owner;
use words::entrant::{About, Blame, Comment};
use words::lateness::ReceiptRecord;

/// The file that makes its author anonymous to the public.
pub const ANONYMOUS: &str = "anonymous";

/// What was submitted under one name, read whole, so that nothing that happens to the files
/// later changes what is built.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The entrant's name: the folder's, or the file's without its ending.
    pub name: String,
    /// What it turned out to be, or why it is nothing that can be played.
    pub form: Result<Form, String>,
    /// What is to blame where it is nothing that can be played.
    pub(super) blame: Blame,
    /// Its files, without the one that [`Submission::about`] was read from.
    pub files: Vec<SourceFile>,
    /// What it says of itself.
    pub about: About,
    /// Where it came from: a file's name, or a repository and its commit.
    pub origin: String,
    /// What its author should know, although it does not stop the submission.
    pub warnings: Vec<String>,
    /// What the way in which it came says of its receipt.
    pub record: Option<ReceiptRecord>,
    /// It has not been fetched yet, which says nothing of what there is.
    pub is_awaited: bool,
    /// When it was received, where that was before it is taken; none where that is now.
    pub received: Option<Timestamp>,
    /// Why it is only received now, and built later; none where it is built.
    pub waits: Option<String>,
    /// Whose it is.
    pub owner: Owner,
    /// Of each file and folder that it was read from; empty where it came from elsewhere, as from a
    /// repository or a zip of a class.
    pub fingerprints: Fingerprints,
    /// What the learning platform says that has given it its name; none where none has.
    pub mark: Option<PlatformMark>,
    /// What the same person had submitted before, oldest first, where both lie side by side.
    pub earlier: Vec<Submission>,
    /// Its `judge.toml`.
    pub(super) description: Option<SourceFile>,
    /// Its longest comment, where the course asks for one.
    pub(super) comment: Option<Comment>,
}

impl Submission {
    /// Copies what is known of it, but not its files.
    pub(super) fn without_files(&self) -> Self {
        Self {
            name: self.name.clone(),
            form: self.form.clone(),
            blame: self.blame,
            files: Vec::new(),
            about: self.about.clone(),
            origin: self.origin.clone(),
            warnings: self.warnings.clone(),
            record: self.record,
            is_awaited: self.is_awaited,
            received: self.received,
            waits: self.waits.clone(),
            owner: self.owner,
            fingerprints: self.fingerprints.clone(),
            mark: self.mark,
            earlier: Vec::new(),
            description: None,
            comment: None,
        }
    }

    /// Returns whether it is for a kit that takes a class of any name.
    pub(super) fn has_classes(&self) -> bool {
        matches!(&self.form, Ok(Form::Sources(_, kit)) if matches!(kit.sign, Sign::Text { .. }))
    }

    /// Returns whether its author wants a pseudonym.
    pub(super) fn is_anonymous(&self) -> bool {
        self.files.iter().any(|file| file.path == ANONYMOUS)
    }

    /// Returns the game that it is for, where it tells: by its `judge.toml`, or by being
    /// sources in a course's language.
    pub fn game(&self) -> Option<Arc<dyn Rules>> {
        let sources = match self.form {
            Ok(Form::Sources(game, _)) => Some(game),
            Ok(Form::Executable(_) | Form::Described) | Err(_) => None,
        };
        let slug = sources.or(self.about.game)?;
        rules::find(slug).ok()
    }

    /// Refuses a submission for another game.
    pub fn admit(&mut self, game: &dyn Rules) {
        let slug = game.info().slug;
        let Ok(form) = self.form else {
            return;
        };
        if let Some(own) = self.about.game.filter(|own| *own != slug) {
            let reason =
                format!("is a submission for {own} (game in its judge.toml), and {slug} is played");
            self.form = Err(reason);
        } else if let Form::Sources(other, _) = form
            && other != slug
        {
            self.form = Err(format!("is a submission for {}", title(other)));
        }
    }

    /// Returns everything that was submitted.
    pub(super) fn all_files(&self) -> Vec<SourceFile> {
        let all = self.files.iter().chain(&self.description);
        let mut all: Vec<SourceFile> = all.cloned().collect();
        all.sort_by(|a, b| a.path.cmp(&b.path));
        all
    }
}

impl Submission {
    /// Makes what is left of it where it is refused under a name.
    pub(super) fn refused_as(&self, name: String, reason: String) -> Self {
        let refused = ReceivedFiles {
            origin: self.origin.clone(),
            mark: self.mark,
            owner: self.owner,
            ..ReceivedFiles::refused(reason)
        };
        Self::new(name, refused, None)
    }

    /// Gives its name up to somebody else, and does not play: it is called as its own file, or nearly
    /// so where that name is taken.
    pub(super) fn give_up_name(&mut self, is_taken: impl Fn(&str) -> bool) {
        let given_up = &self.name;
        let reason = format!(
            "would have the entrant name {given_up:?}, which belongs to another user; rename it"
        );
        let mut name = self.origin.clone();
        while name == *given_up || is_taken(&name) {
            name.push('_');
        }
        *self = self.refused_as(name, reason);
    }

    /// Returns how many bytes it has, with what the same person had submitted before.
    pub(super) fn bytes(&self) -> usize {
        let own = self.files.iter().chain(&self.description);
        let own: usize = own.map(|file| file.bytes.len()).sum();
        own + self.earlier.iter().map(Self::bytes).sum::<usize>()
    }
}

/// Returns what people call the game with a slug.
pub(super) fn title(slug: &str) -> &str {
    rules::find(slug).map_or(slug, |rules| rules.info().title)
}

/// The kinds of submission.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// A program that speaks the protocol; the index of its file.
    Executable(usize),
    /// Sources in a course's language, to be built with the kit of the game with this slug.
    Sources(&'static str, &'static Kit),
    /// A program whose `judge.toml` tells how it is built and run.
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
