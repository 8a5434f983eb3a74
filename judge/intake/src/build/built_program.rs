//! The result of a build.

use crate::build::toolchain::Toolchain;
use model::artifact::{Artifact, OpenToolchain};
use rulebook::JudgeError;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use system::files::text_of;
use system::kept_folder;

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

#[derive(Debug)]
pub(crate) struct Product {
    pub(crate) artifact: Artifact,
    pub(crate) output: String,
    pub(crate) says: Says,
}

impl Product {
    /// Finds a program in the folder `artifacts` by its hash, unless it is gone or changed.
    pub(crate) fn find(artifacts: &Path, hash: &str) -> Result<Option<Self>, JudgeError> {
        let program = kept_folder::recall::<BuiltProgram>(&artifacts.join(hash))?.intact();
        program
            .map(|program| Self::of(program, artifacts, hash))
            .transpose()
    }

    pub(crate) fn of(
        program: BuiltProgram,
        artifacts: &Path,
        hash: &str,
    ) -> Result<Self, JudgeError> {
        let directory = artifacts.join(hash);
        let artifact = Artifact {
            hash: hash.to_owned(),
            program: text_of(&directory.join(program.path))?,
            args: program.args,
            tokens: program.tokens,
            without_paths: program.without_paths,
            startup_free_ms: program.startup_free_ms,
            forks: program.forks,
            toolchains: program.toolchains,
            versions: program.versions,
            directory: text_of(&directory)?,
        };
        Ok(Self {
            artifact,
            output: program.output,
            says: program.says,
        })
    }
}
