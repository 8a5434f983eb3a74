//! The trait of a course's language: how its sources are chosen and built into a program.

use crate::build_folder::BuildFolder;
use crate::built_program::BuiltProgram;
use crate::failure::BuildFailure;
use crate::program_store::ProgramStore;
use crate::source::SourceFile;
use crate::submission::Submission;
use crate::toolchain::FoundToolchain;
use crate::toolchains::Toolchains;
use engines::Kit;
use rulebook::JudgeError;

/// A language that kits are written for.
pub(in super::super) trait KitLanguage: Sync {
    /// Name by which kits ask for the language and [`model::language`] knows it.
    fn name(&self) -> &'static str;

    /// Finds the compiler, and everything else that a build depends on besides the sources.
    /// `libraries` are those that submissions may use.
    ///
    /// # Errors
    /// When the compiler exists and cannot be asked. The inner error names the package of a
    /// compiler that is not installed.
    fn toolchain(
        &self,
        tools: &Toolchains,
        libraries: &[String],
    ) -> Result<FoundToolchain, JudgeError>;

    /// Returns the message that a library is not installed, with its package, or `None` if it is
    /// installed.
    ///
    /// # Errors
    /// When the program that knows cannot be run.
    fn lacks(&self, tools: &Toolchains, library: &str) -> Result<Option<String>, JudgeError>;

    /// Chooses the files that the program is built from, including the kit's own. Adds a warning,
    /// with the reason, for every replaced file.
    ///
    /// # Errors
    /// When the files cannot make a program, in plain words.
    fn choose(&self, submission: &mut Submission, kit: &Kit) -> Result<Vec<SourceFile>, String>;

    /// Builds the program in the folder of `place`, which holds the chosen files. Parts that are
    /// made from the kit alone are kept in `programs`.
    ///
    /// # Errors
    /// When a compiler is stopped, or cannot be run for a reason on our side.
    fn build(
        &self,
        place: &BuildFolder<'_>,
        programs: &ProgramStore,
    ) -> Result<Result<BuiltProgram, BuildFailure>, JudgeError>;

    /// Builds a program that reports lines that misuse memory, in the folder of the build, and
    /// returns its name. Returns `None` if the language never misuses memory or the compiler cannot
    /// build such a program.
    ///
    /// # Errors
    /// As [`KitLanguage::build`].
    fn build_with_sanitizers(
        &self,
        _place: &BuildFolder<'_>,
        _programs: &ProgramStore,
    ) -> Result<Option<&'static str>, JudgeError> {
        Ok(None)
    }
}
