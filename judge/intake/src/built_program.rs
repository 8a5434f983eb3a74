//! The result of a build.

use super::toolchain::Toolchain;
use model::artifact::OpenToolchain;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The result of a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BuiltProgram {
    /// The program: a file in the folder, or an interpreter's absolute path.
    pub(super) path: PathBuf,
    /// Its arguments.
    pub(super) args: Vec<String>,
    /// Size of the author's sources in lexer tokens, if the language has a count.
    pub(super) tokens: Option<u64>,
    /// See [`Artifact::startup_free_ms`](model::artifact::Artifact::startup_free_ms).
    pub(super) startup_free_ms: Option<u64>,
    /// The warnings of the compiler.
    pub(super) output: String,
    /// Names that the sources declare.
    pub(super) says: Says,
    /// Whether it needs no file at run time.
    pub(super) without_paths: bool,
    /// Whether its kit supports forking.
    pub(super) forks: bool,
    /// See [`Artifact::toolchains`](model::artifact::Artifact::toolchains).
    pub(super) toolchains: Vec<OpenToolchain>,
    /// See [`Artifact::versions`](model::artifact::Artifact::versions).
    pub(super) versions: Vec<String>,
}

/// Names that a submission in a course's language declares, where the course's interface asks for
/// them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Says {
    /// Name for tables.
    pub(super) nickname: Option<String>,
    /// Author; for staff only.
    pub(super) author: Option<String>,
}

impl BuiltProgram {
    /// Returns a program that is a file in its folder and takes no arguments.
    pub(super) fn plain(path: &str) -> Self {
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
    pub(super) fn by(self, toolchain: &Toolchain) -> Self {
        let needed = toolchain.opened.iter().filter(|_| toolchain.interprets);
        Self {
            toolchains: needed.cloned().collect(),
            versions: toolchain.versions.clone(),
            ..self
        }
    }
}
