//! The languages of submissions, and the programs that compile or interpret them.

mod syntax;
mod table;

pub use syntax::{Part, Syntax};
pub use table::LANGUAGES;

use alloc::string::String;
use alloc::vec::Vec;

/// A language of submissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language {
    /// The name in commands and folders, such as `cpp`.
    pub name: &'static str,
    /// The endings of its files, without the dot.
    pub endings: &'static [&'static str],
    /// The endings of files that are no programs by themselves: headers and interfaces.
    pub headers: &'static [&'static str],
    /// The syntax of its comments and texts; none if its sources are not compared.
    pub syntax: Option<Syntax>,
    /// The name of the language in `JPlag`; `text` if it has no parser for it.
    pub jplag: &'static str,
    /// Its compilers and interpreters by folder. A machine needs at least the first program.
    pub toolchains: &'static [&'static [Program]],
    /// The files and folders that its programs read outside the system's folders of programs.
    pub configuration: &'static [&'static str],
    /// The files and folders that only its compilers read. Bots never see them.
    pub compiler_files: &'static [&'static str],
    /// The folders that its tools make in a submission.
    pub made_folders: &'static [&'static str],
    /// A hint on how to print a line to standard error; empty if there is none.
    pub stderr: &'static str,
    /// A hint on how to flush standard output; empty if there is none.
    pub flush: &'static str,
    /// The lines of a `judge.toml` that build and run `@FILE@`, whose stem is `@STEM@`; may be empty.
    pub manifest: &'static str,
    /// The bot in this language that `judge new` makes for any game.
    pub template: Option<Template>,
}

/// A bot for every game. It plays a random legal move from the list that the judge sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// The name of its file.
    pub file: &'static str,
    /// The content. `@TITLE@` is replaced with the game's title.
    pub text: &'static str,
}

impl Language {
    const UNKNOWN: Self = Self {
        name: "",
        endings: &[],
        headers: &[],
        syntax: None,
        jplag: "text",
        toolchains: &[],
        configuration: &[],
        compiler_files: &[],
        made_folders: &[],
        stderr: "",
        flush: "",
        manifest: "",
        template: None,
    };

    /// Returns the lines of a `judge.toml` for a single source, if there is a usual way to run it.
    pub fn manifest_of(&self, file: &str) -> Option<String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let is_fit = file.chars().all(is_plain) && !file.starts_with('-');
        let lines = Some(self.manifest).filter(|lines| is_fit && !lines.is_empty())?;
        Some(lines.replace("@FILE@", file).replace("@STEM@", stem))
    }

    /// Returns the main program of a machine for this language; none if none is known.
    pub fn main_program(&self) -> Option<&'static Program> {
        self.programs().next()
    }

    fn programs(&self) -> impl Iterator<Item = &'static Program> {
        self.toolchains.iter().copied().flatten()
    }

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
        find(|language| language.programs().any(|one| one.is_called(program)))
    }

    /// Returns whether the tools of some language make a folder with this name.
    pub fn is_made_by_tools(folder: &str) -> bool {
        find(|language| language.made_folders.contains(&folder)).is_some()
    }

    /// Returns whether a file is a source that can be a whole submission.
    pub fn is_program_alone(path: &str) -> bool {
        let ending = ending(path);
        Self::of_file(path)
            .zip(ending)
            .is_some_and(|(language, ending)| !language.headers.contains(&ending))
    }
}

fn ending(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, ending) = name.rsplit_once('.')?;
    (!stem.is_empty()).then_some(ending)
}

fn find(is_it: impl Fn(&Language) -> bool) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| is_it(language))
}

/// A compiler or an interpreter, or a program that comes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// The name of the program.
    pub name: &'static str,
    /// The package that has it on Debian and Ubuntu; none for a program that nobody calls directly.
    pub package: Option<&'static str>,
    /// The arguments that make it print its version.
    pub version: &'static [&'static str],
}

const VERSION: &[&str] = &["--version"];

const fn program(name: &'static str, package: &'static str) -> Program {
    Program {
        package: Some(package),
        ..companion(name)
    }
}

const fn companion(name: &'static str) -> Program {
    Program {
        name,
        package: None,
        version: VERSION,
    }
}

impl Program {
    const fn asked(self, version: &'static [&'static str]) -> Self {
        Self { version, ..self }
    }

    fn is_called(&self, name: &str) -> bool {
        without_version(self.name) == without_version(name)
    }

    fn named(name: &str) -> Option<&'static Self> {
        folders().flatten().find(|program| program.name == name)
    }
}

/// Returns a name such as `g++-13` or `python3.12` without the version.
fn without_version(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
}

fn folders() -> impl Iterator<Item = &'static [Program]> {
    LANGUAGES
        .iter()
        .flat_map(|language| language.toolchains)
        .copied()
        .chain(table::TOOLS.chunks(1))
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
    Program::named(name)?.package
}

/// Returns the arguments that make a program print its version.
pub fn version_question(name: &str) -> &'static [&'static str] {
    Program::named(name).map_or(VERSION, |program| program.version)
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

    fn of_all<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
        let mut all: Vec<T> = all.collect();
        all.sort();
        all
    }

    #[test]
    fn name_ending_and_program_belong_to_one_language() {
        let languages = || LANGUAGES.iter();
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
