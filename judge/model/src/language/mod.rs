//! The languages of submissions: one record for each, and one list.

mod programs;
mod record;
mod syntax;
mod table;

pub use programs::{are_together, package_of, packaged, version_question};
pub use record::{Language, Program, Template};
pub use syntax::{Part, Syntax};

/// All languages, in the order of listings.
pub const LANGUAGES: &[&Language] = &[
    &table::CPP,
    &table::C,
    &table::PYTHON,
    &table::OCAML,
    &table::HASKELL,
    &table::RUST,
    &table::JAVASCRIPT,
    &table::JAVA,
    &table::GO,
    &table::CSHARP,
    &table::SHELL,
    &table::ADA,
    &table::ASSEMBLY,
    &table::AWK,
    &table::D,
    &table::ELIXIR,
    &table::ERLANG,
    &table::JULIA,
    &table::KOTLIN,
    &table::LISP,
    &table::LUA,
    &table::NIM,
    &table::PASCAL,
    &table::PERL,
    &table::PHP,
    &table::PROLOG,
    &table::R,
    &table::RACKET,
    &table::RUBY,
    &table::SCHEME,
    &table::TYPESCRIPT,
    &table::VALA,
];

impl Language {
    /// Finds a language by its name.
    pub fn named(name: &str) -> Option<&'static Self> {
        find(|language| language.name == name)
    }

    /// Finds the language of a file by its ending.
    pub fn of_file(path: &str) -> Option<&'static Self> {
        let ending = ending(path)?;
        find(|language| language.endings.contains(&ending))
    }

    /// Finds the language that a program compiles or interprets, whatever its version.
    pub fn of_program(program: &str) -> Option<&'static Self> {
        find(|language| {
            language
                .programs()
                .any(|one: &Program| one.is_called(program))
        })
    }

    /// Returns whether the tools of some language make a folder with this name.
    pub fn is_made_by_tools(folder: &str) -> bool {
        find(|language| language.made_folders.contains(&folder)).is_some()
    }

    /// Returns whether a file is a source that can be a whole submission.
    pub fn is_program_alone(path: &str) -> bool {
        let language = Self::of_file(path);
        language.is_some_and(|language| {
            ending(path).is_some_and(|ending| !language.headers.contains(&ending))
        })
    }
}

fn ending(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, ending) = name.rsplit_once('.')?;
    (!stem.is_empty()).then_some(ending)
}

fn find(is_it: impl Fn(&Language) -> bool) -> Option<&'static Language> {
    LANGUAGES.iter().copied().find(|language| is_it(language))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn of_all<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
        let mut all: Vec<T> = all.collect();
        all.sort();
        all
    }

    #[test]
    fn name_ending_and_program_belong_to_one_language() {
        let languages = || LANGUAGES.iter().copied();
        for mut all in [
            of_all(languages().map(|one| one.name)),
            of_all(languages().flat_map(|one| one.endings).copied()),
            of_all(languages().flat_map(Language::programs).map(|one| one.name)),
        ] {
            let listed = all.len();
            all.dedup();
            assert_eq!(all.len(), listed, "{all:?}");
        }
        for language in languages() {
            let known = |header: &&str| language.endings.contains(header);
            assert!(language.headers.iter().all(known), "{}", language.name);
        }
    }

    #[test]
    fn language_is_found_by_name_file_or_program() {
        let named = |found: Option<&Language>| found.map(|language| language.name);
        assert_eq!(named(Language::named("cpp")), Some("cpp"));
        assert_eq!(named(Language::named("C++")), None);
        for (path, language) in [
            ("src/Cat.h", Some("cpp")),
            ("a/bot.py", Some("python")),
            ("go", None),
            (".py", None),
            ("a.go/readme", None),
        ] {
            assert_eq!(named(Language::of_file(path)), language, "{path}");
        }
        for (program, language) in [
            ("python3.12", Some("python")),
            ("python", Some("python")),
            ("g++-13", Some("cpp")),
            ("node", Some("javascript")),
            ("make", None),
            ("", None),
        ] {
            assert_eq!(named(Language::of_program(program)), language, "{program}");
        }
    }

    #[test]
    fn single_source_has_default_run_command() {
        let manifest = |path: &str| Language::of_file(path).expect(path).manifest_of(path);
        for (path, line) in [
            ("mine.cpp", "-o bot mine.cpp\""),
            ("a.c", "\"gcc -O2 -o bot a.c -lm\""),
            ("My.java", "PerfData My\""),
            ("x.rs", "-o bot x.rs\""),
            ("x.go", "\"go build -o bot x.go\""),
            ("x.cs", "-out:bot.exe x.cs\""),
            ("x.y.py", "run = \"python3 x.y.py\""),
        ] {
            let lines = manifest(path).expect(path);
            assert!(lines.contains(line), "{lines}");
        }
        for odd in ["my bot.py", "-x.py", "x;y.py", "x.hs"] {
            assert_eq!(manifest(odd), None);
        }
    }

    #[test]
    fn a_header_is_no_submission_by_itself() {
        for (path, alone) in [
            ("bot.cpp", true),
            ("Cat.h", false),
            ("assignment.ml", true),
            ("assignment.mli", false),
            ("bot.kt", true),
            ("readme.md", false),
        ] {
            assert_eq!(Language::is_program_alone(path), alone, "{path}");
        }
    }
}
