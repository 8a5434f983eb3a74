//! The programs of all languages, by their names.

use super::record::{VERSION, without_version};
use super::table::TOOLS;
use super::{LANGUAGES, Program};
use alloc::vec::Vec;

fn folders() -> impl Iterator<Item = &'static [Program]> {
    LANGUAGES
        .iter()
        .flat_map(|language| language.toolchains)
        .copied()
        .chain(TOOLS.chunks(1))
}

fn find(name: &str) -> Option<&'static Program> {
    folders().flatten().find(|program| program.name == name)
}

/// Lists the programs that have a package, in alphabetical order.
pub fn packaged() -> Vec<&'static Program> {
    let mut all: Vec<&Program> = folders()
        .flatten()
        .filter(|program| program.package.is_some())
        .collect();
    all.sort_by_key(|program| program.name.to_ascii_lowercase());
    all
}

/// Returns the Debian package of a program; none if it is not known.
pub fn package_of(name: &str) -> Option<&'static str> {
    find(name)?.package
}

/// Returns the arguments that make a program print its version.
pub fn version_question(name: &str) -> &'static [&'static str] {
    find(name).map_or(VERSION, |program| program.version)
}

/// Returns whether two programs come in the same toolchain folder.
pub fn are_together(one: &str, other: &str) -> bool {
    let has = |folder: &[Program], name: &str| folder.iter().any(|own| own.is_called(name));
    without_version(one) == without_version(other)
        || folders().any(|folder| has(folder, one) && has(folder, other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_folder_serves_programs_of_one_toolchain() {
        for (one, other, together) in [
            ("g++", "gcc", true),
            ("g++-13", "g++", true),
            ("g++", "python3", false),
            ("g++", "clang", false),
            ("g++", "gfortran", true),
            ("ghc", "ghc-pkg", true),
            ("ocamlfind", "ocamlopt", true),
            ("python3.12", "python3", true),
            ("python3", "pypy3", false),
            ("python3", "node", false),
            ("java", "kotlinc", true),
            ("swipl", "swipl", true),
            ("swipl", "ruby", false),
            ("make", "cmake", false),
            ("own", "own-2", true),
        ] {
            assert_eq!(are_together(one, other), together, "{one} {other}");
        }
    }

    #[test]
    fn program_has_package_and_version_query() {
        assert_eq!(package_of("node"), Some("nodejs"));
        assert_eq!(package_of("make"), Some("make"));
        assert_eq!(package_of("gofmt"), None);
        assert_eq!(package_of("my-tool"), None);
        assert_eq!(version_question("go"), ["version"]);
        assert_eq!(version_question("java"), ["-version"]);
        assert_eq!(version_question("my-tool"), ["--version"]);
        let names: Vec<&str> = packaged().iter().map(|program| program.name).collect();
        assert_eq!(names[..4], ["as", "awk", "bash", "c++"]);
    }
}
