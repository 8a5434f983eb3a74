//! What was handed in becomes what can be run: a folder of submissions is read, each is
//! recognised, built and kept as an [`crate::artifact::Artifact`].

mod collect;
mod cpp;
mod executable;
mod haskell;
mod kept;
mod language;
mod ocaml;
mod prepare;
mod python;
mod recognise;
mod source;

pub use collect::{Collected, collect, collect_one};
pub use kept::kept;
pub(crate) use prepare::file_stem;
pub use prepare::{Entrant, Readiness, prepare};
pub use source::SourceFile;

use engines::{Entry, Kit};

/// What was handed in under one name, read whole, so that nothing that happens to the files
/// later changes what is built.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The entrant's name: the folder's, or the file's without its ending.
    pub name: String,
    /// What it turned out to be, or why it is nothing that can be played.
    pub form: Result<Form, String>,
    /// Its files.
    pub files: Vec<SourceFile>,
    /// What its author should know, although it does not stop the submission.
    pub warnings: Vec<String>,
}

/// The kinds of submission.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// A program that speaks the protocol; the index of its file.
    Executable(usize),
    /// Sources in a course's language, to be built with a game's kit.
    Sources(&'static Entry, &'static Kit),
}

impl Form {
    /// Gives the name that files and messages use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Executable(_) => "executable",
            Self::Sources(_, kit) => kit.language,
        }
    }
}
