//! The reader of a report, and how the reader's language does basic things.

use engines::{Advice, Kit, Lifetime};
use intake::{Form, Submission};
use model::fixture::Conditions;
use model::language::Language;

/// The reader of a report. A student works with the judge's kit and does not know the protocol.
#[derive(Clone, Copy, Debug)]
pub(super) struct Author {
    language: Option<&'static Language>,
    pub(super) kit: Option<&'static Kit>,
    pub(super) lifetime: Lifetime,
}

impl Author {
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

    pub(super) fn advice(&self) -> Option<&'static Advice> {
        self.kit.map(|kit| &kit.advice)
    }
}

/// Finds the language: the course's, that of the interpreter, or that of the sources.
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

fn of_first_line(program: &[u8]) -> Option<&'static Language> {
    let first = program.split(|&byte| byte == b'\n').next()?;
    let line = String::from_utf8_lossy(first.strip_prefix(b"#!")?);
    line.split(['/', ' ']).find_map(Language::of_program)
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
    fn interpreter_is_found_in_any_shebang_form() {
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
}
