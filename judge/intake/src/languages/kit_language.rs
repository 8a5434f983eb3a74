//! The trait of a course's language: how its sources are chosen and made into a program.

use crate::build_folder::BuildFolder;
use crate::built_program::BuiltProgram;
use crate::failure::BuildFailure;
use crate::source::SourceFile;
use crate::submission::Submission;
use crate::toolchain::FoundToolchain;
use crate::toolchains::Toolchains;
use engines::Kit;
use error::JudgeError;

/// A language that kits are written for.
pub(in super::super) trait KitLanguage: Sync {
    /// Its name, by which kits ask for it and [`words::language`] knows it.
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
    /// As [`KitLanguage::build`].
    fn build_with_sanitizers(
        &self,
        _place: &BuildFolder<'_>,
    ) -> Result<Option<&'static str>, JudgeError> {
        Ok(None)
    }
}

/// Returns the kit's files as they are written beside a submission's.
pub(in super::super) fn kit_files(kit: &Kit) -> impl Iterator<Item = SourceFile> {
    kit.files.iter().map(|(name, text)| SourceFile {
        path: (*name).to_owned(),
        bytes: text.as_bytes().to_vec(),
        executable: false,
    })
}
