//! The languages of the courses.

use super::language::Language;
use super::{cpp, haskell, ocaml, python};
use engines::Kit;

/// The languages that the judge can build.
const LANGUAGES: [&dyn Language; 4] =
    [&cpp::Cpp, &ocaml::OCaml, &haskell::Haskell, &python::Python];

/// Finds the language that a kit is written for.
pub(super) fn of(kit: &Kit) -> &'static dyn Language {
    LANGUAGES
        .into_iter()
        .find(|language| language.name() == kit.language)
        .expect("a test goes through all kits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kit_is_written_for_a_language_that_can_be_built() {
        let kits = || rules::built_in().flat_map(|rules| rules.kits());
        assert!(kits().count() >= LANGUAGES.len());
        for kit in kits() {
            assert_eq!(of(kit).name(), kit.language);
        }
    }
}
