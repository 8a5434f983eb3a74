//! The courses' languages that the judge builds: the interface, one file for each, and one list.

mod cpp;
mod haskell;
mod ocaml;
mod python;

use super::toolchain::Toolchain;
use crate::build_folder::BuildFolder;
use crate::failed_builds::BuildFailure;
use crate::program_store::ProgramStore;
use crate::source::SourceFile;
use crate::submission::Submission;
use crate::toolchain::FoundToolchain;
use crate::toolchains::Toolchains;
use engines::Kit;
use model::artifact::OpenToolchain;
use rulebook::JudgeError;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The languages that the judge can build.
const BUILT: &[&dyn KitLanguage] = &[&cpp::Cpp, &ocaml::OCaml, &haskell::Haskell, &python::Python];

/// Finds the language that a kit is written for.
pub(super) fn of(kit: &Kit) -> &'static dyn KitLanguage {
    BUILT
        .iter()
        .copied()
        .find(|language| language.name() == kit.language)
        .expect("a test goes through all kits")
}

/// A language that kits are written for.
pub(super) trait KitLanguage: Sync {
    /// Name by which kits ask for the language and [`model::language`] knows it.
    fn name(&self) -> &'static str;

    /// Finds the compiler, and everything else that a build depends on besides the sources.
    /// `libraries` are those that submissions may use.
    fn toolchain(
        &self,
        tools: &Toolchains,
        libraries: &[String],
    ) -> Result<FoundToolchain, JudgeError>;

    /// Returns the message that a library is not installed, with its package, or `None` if it is
    /// installed.
    fn lacks(&self, tools: &Toolchains, library: &str) -> Result<Option<String>, JudgeError>;

    /// Chooses the files that the program is built from, including the kit's own. Adds a warning,
    /// with the reason, for every replaced file.
    fn choose(&self, submission: &mut Submission, kit: &Kit) -> Result<Vec<SourceFile>, String>;

    /// Builds the program in the folder of `place`, which holds the chosen files. Parts that are
    /// made from the kit alone are kept in `programs`.
    fn build(
        &self,
        place: &BuildFolder<'_>,
        programs: &ProgramStore,
    ) -> Result<Result<BuiltProgram, BuildFailure>, JudgeError>;

    /// Builds a program that reports lines that misuse memory, in the folder of the build, and
    /// returns its name. Returns `None` if the language never misuses memory or the compiler cannot
    /// build such a program.
    fn build_with_sanitizers(
        &self,
        _place: &BuildFolder<'_>,
        _programs: &ProgramStore,
    ) -> Result<Option<&'static str>, JudgeError> {
        Ok(None)
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use model::language::Language;

    #[test]
    fn every_kit_is_written_for_a_language_that_can_be_built_and_whose_comments_are_known() {
        let kits = || rulebook::rules::built_in().flat_map(|rules| rules.kits());
        assert!(kits().count() >= BUILT.len());
        for kit in kits() {
            assert_eq!(of(kit).name(), kit.language);
            let known = Language::named(kit.language).expect(kit.language);
            assert!(known.syntax.is_some(), "{}", kit.language);
        }
    }
}
