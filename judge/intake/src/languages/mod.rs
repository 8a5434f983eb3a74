//! The courses' languages that the judge builds: one file for each, and one list.

mod cpp;
mod haskell;
mod kit_language;
mod ocaml;
mod python;

use self::kit_language::KitLanguage;
use engines::Kit;

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
