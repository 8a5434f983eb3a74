//! The record of one language, and the programs that compile or interpret it.

use super::Syntax;
use alloc::string::String;

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
    pub(super) const UNKNOWN: Self = Self {
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

    pub(super) fn programs(&self) -> impl Iterator<Item = &'static Program> {
        self.toolchains.iter().copied().flatten()
    }
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

pub(super) const VERSION: &[&str] = &["--version"];

impl Program {
    pub(super) const fn new(name: &'static str, package: &'static str) -> Self {
        Self {
            name,
            package: Some(package),
            version: VERSION,
        }
    }

    pub(super) const fn companion(name: &'static str) -> Self {
        Self {
            name,
            package: None,
            version: VERSION,
        }
    }

    pub(super) const fn asked(self, version: &'static [&'static str]) -> Self {
        Self { version, ..self }
    }

    pub(super) fn is_called(&self, name: &str) -> bool {
        without_version(self.name) == without_version(name)
    }
}

/// Returns a name such as `g++-13` or `python3.12` without the version.
pub(super) fn without_version(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
}
