//! The result of a build.

use crate::build::toolchain::Toolchain;
use model::artifact::OpenToolchain;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BuiltProgram {
    /// The program: a file in the folder, or an interpreter's absolute path.
    pub(crate) path: PathBuf,
    pub(crate) args: Vec<String>,
    pub(crate) tokens: Option<u64>,
    /// See [`Artifact::startup_free_ms`](model::artifact::Artifact::startup_free_ms).
    pub(crate) startup_free_ms: Option<u64>,
    pub(crate) output: String,
    pub(crate) says: Says,
    /// Whether it needs no file at run time.
    pub(crate) without_paths: bool,
    pub(crate) forks: bool,
    pub(crate) toolchains: Vec<OpenToolchain>,
    pub(crate) versions: Vec<String>,
}

/// Names that a submission declares, where the course's interface asks for them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Says {
    pub(crate) nickname: Option<String>,
    /// For staff only.
    pub(crate) author: Option<String>,
}

impl BuiltProgram {
    pub(crate) fn plain(path: &str) -> Self {
        Self {
            path: PathBuf::from(path),
            ..Self::default()
        }
    }

    pub(crate) fn by(self, toolchain: &Toolchain) -> Self {
        let needed = toolchain.opened.iter().filter(|_| toolchain.interprets);
        Self {
            toolchains: needed.cloned().collect(),
            versions: toolchain.versions.clone(),
            ..self
        }
    }
}
