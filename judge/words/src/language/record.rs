//! The record of one language.

use super::{Program, Syntax};

/// A language that submissions are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language {
    /// Its name in commands and folders, as `cpp`.
    pub name: &'static str,
    /// The endings of its files, without the dot.
    pub endings: &'static [&'static str],
    /// Those whose file is no program by itself: headers and interfaces.
    pub headers: &'static [&'static str],
    /// How its comments and texts are written; none where its sources are not compared.
    pub syntax: Option<Syntax>,
    /// How `JPlag` calls it; `text` where it has no parser for it.
    pub jplag: &'static str,
    /// Its compilers and interpreters; those of one list come in one folder. A machine for the
    /// language has at least the first one.
    pub toolchains: &'static [&'static [Program]],
    /// The files and folders outside of the system's folders of programs that its programs read.
    pub configuration: &'static [&'static str],
    /// The same for its compilers, which bots never see.
    pub compiler_files: &'static [&'static str],
    /// The folders that its tools make in a submission.
    pub made_folders: &'static [&'static str],
    /// How to print a line to standard error; empty if there is no hint.
    pub stderr: &'static str,
    /// How to flush standard output; empty if there is no hint.
    pub flush: &'static str,
    /// The bot that `judge new` makes of it for any game.
    pub template: Option<Template>,
}

/// A program for every game: a random legal move from the list that the judge sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// The name of its file.
    pub file: &'static str,
    /// The content; `@TITLE@` stands for the game's title.
    pub text: &'static str,
    /// How it is compiled and run: lines of its `judge.toml`; empty for a script.
    pub manifest: &'static str,
}

impl Language {
    /// A language of which nothing is known.
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
        template: None,
    };

    /// Returns the program that a machine for this language has; none where none is known.
    pub fn main_program(&self) -> Option<&'static Program> {
        self.programs().next()
    }

    pub(super) fn programs(&self) -> impl Iterator<Item = &'static Program> {
        self.toolchains.iter().copied().flatten()
    }
}
