//! What every language of the courses has: how its sources are chosen and made into a program.

use super::build_folder::BuildFolder;
use super::failure::BuildFailure;
use super::source::SourceFile;
use super::submission::Submission;
use super::toolchain::{FoundToolchain, Toolchain};
use super::toolchains::Toolchains;
use engines::Kit;
use error::JudgeError;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use words::toolchain::OpenToolchain;

/// A language that kits are written for.
pub(super) trait Language: Sync {
    /// The name by which kits ask for it.
    fn name(&self) -> &'static str;

    /// Finds the compiler, and what else a build depends on besides the sources; `libraries` are
    /// those that submissions may use.
    ///
    /// # Errors
    /// When it is there and cannot be asked; inside, when it is not, with the package's name.
    fn toolchain(
        &self,
        tools: &Toolchains,
        libraries: &[String],
    ) -> Result<FoundToolchain, JudgeError>;

    /// Returns that a library is not installed, with its package; none where it is.
    ///
    /// # Errors
    /// When the program that knows cannot be run.
    fn lacks(&self, tools: &Toolchains, library: &str) -> Result<Option<String>, JudgeError>;

    /// Chooses the files that the program is made from, the kit's own included. Adds a
    /// warning, with the reason, for everything that is replaced.
    ///
    /// # Errors
    /// When the files cannot make a program, in plain words.
    fn choose(&self, submission: &mut Submission, kit: &Kit) -> Result<Vec<SourceFile>, String>;

    /// Makes the program in the folder of `place`, where the chosen files are.
    ///
    /// # Errors
    /// When a compiler cannot be run for reasons of ours, or is stopped.
    fn build(
        &self,
        place: &BuildFolder<'_>,
    ) -> Result<Result<BuiltProgram, BuildFailure>, JudgeError>;

    /// Makes in the folder of the build a program that tells which line misuses memory, and returns
    /// its name; none where the language never misuses any, or the compiler cannot.
    ///
    /// # Errors
    /// As [`Language::build`].
    fn build_with_sanitizers(
        &self,
        _place: &BuildFolder<'_>,
    ) -> Result<Option<&'static str>, JudgeError> {
        Ok(None)
    }
}

/// What a build gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BuiltProgram {
    /// The program: a file of the folder, or an interpreter's absolute path.
    pub(super) path: PathBuf,
    /// Its arguments.
    pub(super) args: Vec<String>,
    /// The size of the author's sources in lexer tokens, where the language has a count.
    pub(super) tokens: Option<u64>,
    /// See [`Artifact::startup_free_ms`](words::artifact::Artifact::startup_free_ms).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) startup_free_ms: Option<u64>,
    /// What the compiler said although all went well: warnings.
    pub(super) output: String,
    /// What the sources say of themselves.
    #[serde(default)]
    pub(super) says: Says,
    /// Whether it needs no file once it runs.
    #[serde(default)]
    pub(super) without_paths: bool,
    /// Whether its kit lets itself be forked.
    #[serde(default)]
    pub(super) forks: bool,
    /// See [`Artifact::toolchains`](words::artifact::Artifact::toolchains).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) toolchains: Vec<OpenToolchain>,
    /// See [`Artifact::versions`](words::artifact::Artifact::versions).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) versions: Vec<String>,
}

/// What a submission in a course's language says of itself, where the course's interface asks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Says {
    /// The name for tables.
    pub(super) nickname: Option<String>,
    /// Who wrote it; for staff only.
    pub(super) author: Option<String>,
}

impl BuiltProgram {
    /// A program that is a file of its folder and takes no arguments.
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

    /// Returns it with what is known of the toolchain that has made it.
    pub(super) fn by(self, toolchain: &Toolchain) -> Self {
        let needed = toolchain.opened.iter().filter(|_| toolchain.interprets);
        Self {
            toolchains: needed.cloned().collect(),
            versions: toolchain.versions.clone(),
            ..self
        }
    }
}

/// Returns the kit's files as they are written beside a submission's.
pub(super) fn kit_files(kit: &Kit) -> impl Iterator<Item = SourceFile> {
    kit.files.iter().map(|(name, text)| SourceFile {
        path: (*name).to_owned(),
        bytes: text.as_bytes().to_vec(),
        executable: false,
    })
}
