//! What was handed in becomes what can be run: submissions are read from folders, zips and
//! git repositories, each is recognised, built and kept as an
//! [`words::artifact::Artifact`].

mod archive;
mod collect;
mod cpp;
mod described;
mod disk;
mod executable;
mod failure;
mod git;
mod haskell;
mod haskell_pragmas;
mod inbox;
mod judge_toml;
mod kept_program;
mod kit_fit;
mod language;
mod missing;
mod names;
mod needs;
mod ocaml;
mod ocaml_dune;
mod ocaml_given;
mod ocaml_modules;
mod plain_text;
mod prepare;
mod python;
mod received;
mod recognise;
mod repositories;
pub mod roster;
mod shelf;
mod single;
mod source;
mod toolchain;
mod utc;
mod versions;
mod workshop;

pub use collect::{Collected, collect, collect_one};
pub use kept_program::find_kept_program;
pub use needs::{SYSTEM_ONLY, lacks_for_kit, lacks_program};
pub use prepare::{Site, prepare};
pub use source::SourceFile;

use engines::{Entry, Kit, Sign};
use received::ReceivedFiles;
use words::entrant::About;

/// The file that makes its author anonymous to the public.
pub const ANONYMOUS: &str = "anonymous";

/// What was handed in under one name, read whole, so that nothing that happens to the files
/// later changes what is built.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The entrant's name: the folder's, or the file's without its ending.
    pub name: String,
    /// What it turned out to be, or why it is nothing that can be played.
    pub form: Result<Form, String>,
    /// Its files, without the one that [`Submission::about`] was read from.
    pub files: Vec<SourceFile>,
    /// What it says of itself.
    pub about: About,
    /// Where it came from: a file's name, or a repository and its commit.
    pub origin: String,
    /// What its author should know, although it does not stop the submission.
    pub warnings: Vec<String>,
    description: Option<SourceFile>,
}

impl Submission {
    /// Finds out what was handed in; where a game is given, it must be for that game.
    fn new(name: String, received: ReceivedFiles, game: Option<&Entry>) -> Self {
        let is_description = |file: &SourceFile| file.path == judge_toml::FILE_NAME;
        let (mut description, files): (Vec<_>, Vec<_>) =
            received.files.into_iter().partition(is_description);
        let description = description.pop();
        let about = description
            .as_ref()
            .map(|file| judge_toml::read(&file.bytes));
        let about = about.unwrap_or_else(|| Ok(About::default()));
        let form = match (received.refusal, &about) {
            (Some(reason), _) => Err(reason),
            (None, Err(reason)) => Err(reason.clone()),
            (None, Ok(about)) if about.run.is_some() => Ok(Form::Described),
            (None, Ok(_)) => recognise::recognise(&files, game),
        };
        let mut submission = Self {
            name,
            form,
            files,
            about: about.unwrap_or_default(),
            origin: received.origin,
            warnings: received.warnings,
            description,
        };
        if let Ok(Form::Sources(_, kit)) = submission.form {
            let language = submission.about.language.take();
            submission.about.language = language.or_else(|| Some(kit.language.to_owned()));
        }
        if submission.about.class.is_some() && !submission.has_classes() {
            let note = "judge.toml: class has no effect here: it chooses between Python classes";
            submission.warnings.push(note.to_owned());
        }
        if let (Ok(Form::Sources(entry, _)), Some(own)) = (&submission.form, submission.about.game)
            && own != entry.info.slug
        {
            submission.form = Err(format!(
                "judge.toml: game is {own}, and the sources are for {}; correct that key",
                entry.info.title
            ));
        }
        if let Some(game) = game {
            submission.admit(game);
        }
        submission
    }

    /// Copies what is known of it, but not its files.
    fn without_files(&self) -> Self {
        Self {
            name: self.name.clone(),
            form: self.form.clone(),
            files: Vec::new(),
            about: self.about.clone(),
            origin: self.origin.clone(),
            warnings: self.warnings.clone(),
            description: None,
        }
    }

    /// Returns whether it is for a kit that takes a class of any name.
    fn has_classes(&self) -> bool {
        matches!(&self.form, Ok(Form::Sources(_, kit)) if matches!(kit.sign, Sign::Text { .. }))
    }

    /// Returns whether its author wants a pseudonym.
    fn is_anonymous(&self) -> bool {
        self.files.iter().any(|file| file.path == ANONYMOUS)
    }

    /// Returns the game that it is for, where it tells: by its `judge.toml`, or by being
    /// sources in a course's language.
    pub fn game(&self) -> Option<&'static Entry> {
        let sources = match self.form {
            Ok(Form::Sources(entry, _)) => Some(entry),
            Ok(Form::Executable(_) | Form::Described) | Err(_) => None,
        };
        sources.or_else(|| self.about.game.and_then(engines::game))
    }

    /// Refuses a submission for another game.
    pub fn admit(&mut self, game: &Entry) {
        let slug = game.info.slug;
        let Ok(form) = self.form else {
            return;
        };
        if let Some(own) = self.about.game.filter(|own| *own != slug) {
            let reason =
                format!("judge.toml: game is {own}, and {slug} is played; correct that key");
            self.form = Err(reason);
        } else if let Form::Sources(other, _) = form
            && other.info.slug != slug
        {
            self.form = Err(format!("is a submission for {}", other.info.title));
        }
    }

    /// Returns everything that was handed in.
    fn all_files(&self) -> Vec<SourceFile> {
        let all = self.files.iter().chain(&self.description);
        let mut all: Vec<SourceFile> = all.cloned().collect();
        all.sort_by(|a, b| a.path.cmp(&b.path));
        all
    }
}

/// The kinds of submission.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// A program that speaks the protocol; the index of its file.
    Executable(usize),
    /// Sources in a course's language, to be built with a game's kit.
    Sources(&'static Entry, &'static Kit),
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
