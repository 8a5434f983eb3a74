//! The courses' languages that the judge builds: the interface, one file for each, and one list.

mod cpp;
mod haskell;
mod ocaml;
mod python;

use crate::build::build_folder::BuildFolder;
use crate::build::built_program::BuiltProgram;
use crate::build::failed_builds::{BuildError, built};
use crate::build::toolchains::Toolchains;
use crate::build::toolchains::found::Toolchain;
use crate::read::source::SourceFile;
use crate::read::submission::Submission;
use engines::Kit;
use model::competition::CourseKit;
use model::language::{Language, Syntax};
use rulebook::Result;

const BUILT: &[(&str, &dyn KitLanguage)] = &[
    ("cpp", &cpp::Cpp),
    ("ocaml", &ocaml::OCaml),
    ("haskell", &haskell::Haskell),
    ("python", &python::Python),
];

pub(crate) fn of(kit: &Kit) -> &'static dyn KitLanguage {
    let mut built = BUILT.iter().filter(|(name, _)| *name == kit.language);
    built.next().expect("a test goes through all kits").1
}

fn syntax_of(language: &str) -> Syntax {
    let language = Language::named(language);
    let syntax = language.and_then(|language| language.syntax);
    syntax.expect("it has comments")
}

pub(crate) trait KitLanguage: Sync {
    /// Finds the compiler and all else that a build depends on; submissions may use `libraries`.
    fn toolchain(&self, tools: &Toolchains, libraries: &[String]) -> Result<Toolchain, BuildError>;

    fn has_library(&self, _tools: &Toolchains, _library: &str) -> Result<(), BuildError> {
        Ok(())
    }

    fn choose(&self, submission: &mut Submission, kit: &Kit) -> Result<Vec<SourceFile>, String>;

    fn build(&self, place: &BuildFolder<'_>) -> Result<BuiltProgram, BuildError>;

    /// Returns the name of a program that reports misused memory, if the language can misuse it.
    fn build_with_sanitizers(
        &self,
        _place: &BuildFolder<'_>,
    ) -> Result<Option<&'static str>, BuildError> {
        Ok(None)
    }
}

/// Returns the tool that submissions of a course lack on this machine, with its package.
pub fn lacks_for_kit(tools: &Toolchains, kit: &'static Kit) -> Result<Option<String>> {
    let libraries = CourseKit::default().libraries_of(kit.libraries);
    reason_of(of(kit).toolchain(tools, &libraries))
}

/// Returns the message that a library of a kit's language is not installed, with its package.
pub fn lacks_library(
    tools: &Toolchains,
    kit: &'static Kit,
    library: &str,
) -> Result<Option<String>> {
    reason_of(of(kit).has_library(tools, library))
}

fn reason_of<T>(found: Result<T, BuildError>) -> Result<Option<String>> {
    Ok(built(found)?.err().map(|failure| failure.reason))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::language::Language;

    #[test]
    fn every_kit_has_buildable_language_with_known_comments() {
        let kits = || rulebook::rules::built_in().flat_map(|rules| rules.kits());
        assert!(kits().count() >= BUILT.len());
        for kit in kits() {
            assert!(BUILT.iter().any(|(name, _)| *name == kit.language));
            let known = Language::named(kit.language).expect(kit.language);
            assert!(known.syntax.is_some(), "{}", kit.language);
        }
    }
}
