//! The reader of a report, how the reader's language does basic things, and the parts of standard
//! error that locate an error.

use engines::{Advice, Kit, Lifetime};
use intake::{Form, Submission};
use model::fixture::Conditions;
use model::language::Language;

/// The reader of a report: the author of a program, or a student of a course. A student works with
/// the judge's kit and does not know the protocol.
#[derive(Clone, Copy, Debug)]
pub(super) struct Author {
    /// The language of the submission, if known.
    language: Option<&'static Language>,
    /// The course's kit that the submission is built with, if any.
    pub(super) kit: Option<&'static Kit>,
    /// How long a process of the submission lives.
    pub(super) lifetime: Lifetime,
}

impl Author {
    /// Determines the reader of the report on a submission.
    pub(super) fn of(submission: &Submission, conditions: &Conditions) -> Self {
        let kit = match submission.form {
            Ok(Form::Sources(_, kit)) => Some(kit),
            _ => None,
        };
        Self {
            language: language_of(submission),
            kit,
            lifetime: conditions.lifetime,
        }
    }

    /// Returns how to print to standard error, as `: …`; empty if the language is unknown.
    pub(super) fn stderr(&self) -> String {
        self.said(|language| language.stderr)
    }

    /// Returns how to flush, as `: …`; empty if the language is unknown.
    pub(super) fn flush(&self) -> String {
        self.said(|language| language.flush)
    }

    fn said(&self, words: impl Fn(&Language) -> &'static str) -> String {
        let words = self.language.map(words).filter(|words| !words.is_empty());
        words.map_or_else(String::new, |words| format!(": {words}"))
    }

    /// Returns the names in the course's interface; `None` for a program that speaks the protocol.
    pub(super) fn advice(&self) -> Option<&'static Advice> {
        self.kit.map(|kit| &kit.advice)
    }
}

/// Finds the language of a submission: the course's, that of the interpreter, or that of the
/// sources.
fn language_of(submission: &Submission) -> Option<&'static Language> {
    match submission.form {
        Ok(Form::Sources(_, kit)) => Language::named(kit.language),
        Ok(Form::Executable(program)) => of_first_line(&submission.files[program].bytes),
        Ok(Form::Described) => {
            let runs = submission.about.run.iter().flatten().next();
            let of_sources = || {
                submission
                    .files
                    .iter()
                    .find_map(|file| Language::of_file(&file.path))
            };
            runs.and_then(|program| Language::of_program(program))
                .or_else(of_sources)
        }
        Err(_) => None,
    }
}

/// Returns the language whose interpreter a script's first line names.
fn of_first_line(program: &[u8]) -> Option<&'static Language> {
    let first = program.split(|&byte| byte == b'\n').next()?;
    let line = String::from_utf8_lossy(first.strip_prefix(b"#!")?);
    line.split(['/', ' ']).find_map(Language::of_program)
}

/// Maximum number of lines quoted with a crash.
const LINES_MAX: usize = 12;

const HEAD: &str = "Traceback (most recent call last):";
/// Starts of the lines between tracebacks of errors that caused one another.
const CHAINED: [&str; 2] = ["During handling of the above", "The above exception was"];

/// Quotes the traceback of an exception, or else the end of the output, where a traceback names the
/// error.
pub(super) fn last_words(stderr: &str, exception: Option<&str>) -> Vec<String> {
    if stderr.trim().is_empty() {
        return vec!["it wrote nothing on standard error".to_owned()];
    }
    let lines: Vec<&str> = stderr.trim_end().lines().collect();
    let tail = one_traceback(&lines, exception).unwrap_or(&lines);
    let tail = &tail[tail.len().saturating_sub(LINES_MAX)..];
    let head = "its last words on standard error:".to_owned();
    let quoted = tail.iter().map(|line| format!("  {line}"));
    std::iter::once(head).chain(quoted).collect()
}

/// Finds the first traceback that ends with an exception, or else the last traceback.
fn one_traceback<'l, 'a>(lines: &'l [&'a str], exception: Option<&str>) -> Option<&'l [&'a str]> {
    let ends_it = |line: &&str| exception.is_some_and(|words| !line.is_empty() && words == *line);
    let end = lines.iter().position(ends_it);
    let lines = &lines[..end.map_or(lines.len(), |at| at + 1)];
    let heads = lines.iter().enumerate().filter(|(_, line)| **line == HEAD);
    let is_first = |&(at, _): &(usize, &&str)| {
        let words = lines[..at]
            .iter()
            .rev()
            .find(|line| !line.trim().is_empty());
        !words.is_some_and(|line| CHAINED.iter().any(|start| line.starts_with(start)))
    };
    let (begin, _) = heads.rev().find(is_first)?;
    Some(&lines[begin..])
}

/// Starts of the last messages without a traceback: in other languages, and of Python about the text
/// of a program.
const ENDS: [&str; 6] = [
    "Fatal error: exception ",
    "terminate called ",
    "Error: ",
    "SyntaxError: ",
    "IndentationError: ",
    "TabError: ",
];

/// Returns the line that names the error: the last one of a traceback, or one with a known start.
pub(super) fn error(stderr: &str) -> Option<&str> {
    let lines: Vec<&str> = stderr.trim_end().lines().collect();
    if lines.contains(&HEAD) {
        return one_traceback(&lines, None)?
            .last()
            .copied()
            .filter(|line| !line.starts_with(' ') && **line != *HEAD);
    }
    let says = |line: &&&str| ENDS.iter().any(|start| line.starts_with(start));
    lines.iter().find(says).copied()
}

/// Names the function in which the first error happened: one of several, or the import of their
/// file. Without a traceback it names them all.
pub(super) fn called(stderr: &str, names: &[&str]) -> String {
    let outermost = stderr
        .lines()
        .skip_while(|line| *line != HEAD)
        .nth(1)
        .and_then(|line| line.rsplit_once(", in "));
    match outermost {
        Some((_, "<module>")) => "import".to_owned(),
        Some((_, name)) if names.contains(&name) => name.to_owned(),
        _ => names.join(" or "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::starter;
    use std::fs;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn the_language_of_every_starter_is_found() {
        let rules = rulebook::rules::find("reversi").expect("registered");
        let mut looked_at = 0;
        for language in starter::languages_of_all() {
            let Ok(starter) = starter::find(&*rules, Some(language), false) else {
                // This course belongs to another game.
                continue;
            };
            let folder = tempfile::tempdir().expect("a temporary folder");
            let root = folder.path().join("bot");
            for file in starter.files(&*rules).expect("built in") {
                let path = root.join(&file.path);
                fs::create_dir_all(path.parent().expect("a folder")).expect("new");
                fs::write(path, file.text.as_bytes()).expect("new");
            }
            let made = intake::open_one(&root, None, &AtomicBool::new(false)).expect("it is there");
            let found = language_of(&made).map(|language| language.name);
            assert_eq!(found, Some(language));
            looked_at += 1;
        }
        assert!(looked_at > 5, "{looked_at} starters");
    }

    #[test]
    fn the_interpreter_is_found_however_the_first_line_is_written() {
        for (line, name) in [
            ("#!/usr/bin/env python3\nimport sys", Some("python")),
            ("#!/usr/bin/env -S python3 -u\n", Some("python")),
            ("#!/bin/sh\n", Some("shell")),
            ("#! /usr/bin/node --x\n", Some("javascript")),
            ("\x7fELF", None),
        ] {
            let found = of_first_line(line.as_bytes());
            assert_eq!(found.map(|language| language.name), name);
        }
    }

    const TWO: &str = "hello\nTraceback (most recent call last):\n  File \"bot.py\", line 3, in step\n    a()\n\
        ValueError: one\nmore\nTraceback (most recent call last):\n  File \"bot.py\", line 9, in step\n    \
        b()\nKeyError: 2\n\nDuring handling of the above exception, another exception occurred:\n\n\
        Traceback (most recent call last):\n  File \"bot.py\", line 8, in step\nTypeError: three\n";

    #[test]
    fn of_several_tracebacks_one_is_quoted_whole() {
        let first = last_words(TWO, Some("ValueError: one"));
        assert_eq!(first.len(), 5, "{first:?}");
        assert_eq!(first[2], "    File \"bot.py\", line 3, in step");
        let last = last_words(TWO, None);
        assert!(last.contains(&"  KeyError: 2".to_owned()), "{last:?}");
        assert!(!last.contains(&"  ValueError: one".to_owned()), "{last:?}");
        assert_eq!(last.last().expect("lines"), "  TypeError: three");
    }

    #[test]
    fn without_a_traceback_the_end_is_quoted() {
        let words = last_words(&"x\n".repeat(99), None);
        assert_eq!(words.len(), LINES_MAX + 1);
        assert_eq!(
            last_words(" \n", None),
            ["it wrote nothing on standard error"]
        );
    }

    #[test]
    fn the_error_itself_is_found() {
        assert_eq!(error(TWO), Some("TypeError: three"));
        let ocaml = "depth 3\nFatal error: exception Not_found\n";
        assert_eq!(error(ocaml), Some("Fatal error: exception Not_found"));
        let unread =
            "  File \"bot.py\", line 4\n    def f(:\n          ^\nSyntaxError: invalid syntax\n";
        assert_eq!(error(unread), Some("SyntaxError: invalid syntax"));
        assert_eq!(error("depth 3\n"), None);
    }

    #[test]
    fn the_outermost_call_is_the_one_that_failed() {
        let names = ["__init__", "step"];
        assert_eq!(called(TWO, &names), "step");
        let at_import = TWO.replace("in step", "in <module>");
        assert_eq!(called(&at_import, &names), "import");
        let inside = TWO.replace("in step", "in helper");
        assert_eq!(called(&inside, &names), "__init__ or step");
        assert_eq!(called("", &names), "__init__ or step");
    }
}
