//! The result of a build.

use crate::build::toolchain::Toolchain;
use model::artifact::OpenToolchain;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The result of a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BuiltProgram {
    /// The program: a file in the folder, or an interpreter's absolute path.
    pub(crate) path: PathBuf,
    /// Its arguments.
    pub(crate) args: Vec<String>,
    /// Size of the author's sources in lexer tokens, if the language has a count.
    pub(crate) tokens: Option<u64>,
    /// See [`Artifact::startup_free_ms`](model::artifact::Artifact::startup_free_ms).
    pub(crate) startup_free_ms: Option<u64>,
    /// The warnings of the compiler.
    pub(crate) output: String,
    /// Names that the sources declare.
    pub(crate) says: Says,
    /// Whether it needs no file at run time.
    pub(crate) without_paths: bool,
    /// Whether its kit supports forking.
    pub(crate) forks: bool,
    /// See [`Artifact::toolchains`](model::artifact::Artifact::toolchains).
    pub(crate) toolchains: Vec<OpenToolchain>,
    /// See [`Artifact::versions`](model::artifact::Artifact::versions).
    pub(crate) versions: Vec<String>,
}

/// Names that a submission in a course's language declares, where the course's interface asks for
/// them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Says {
    /// Name for tables.
    pub(crate) nickname: Option<String>,
    /// Author; for staff only.
    pub(crate) author: Option<String>,
}

impl BuiltProgram {
    /// Returns a program that is a file in its folder and takes no arguments.
    pub(crate) fn plain(path: &str) -> Self {
        Self {
            path: PathBuf::from(path),
            args: Vec::new(),
            tokens: None,
            startup_free_ms: None,
            output: String::new(),
            says: Says::default(),
            without_paths: false,
            forks: false,
            toolchains: Vec::new(),
            versions: Vec::new(),
        }
    }

    /// Adds the toolchain that has built it.
    pub(crate) fn by(self, toolchain: &Toolchain) -> Self {
        let needed = toolchain.opened.iter().filter(|_| toolchain.interprets);
        Self {
            toolchains: needed.cloned().collect(),
            versions: toolchain.versions.clone(),
            ..self
        }
    }
}
