//! Whom a report is for, and what its reader's language calls the things that beginners need.

use engines::{Advice, Kit, Lifetime};
use intake::{Form, Submission};
use std::time::Duration;
use words::fault::Phase;
use words::fixture::Conditions;

/// Who reads a report: the author of a program, or a student of a course, to whom the judge's
/// kit speaks and who has seen nothing of the protocol.
#[derive(Clone, Copy, Debug)]
pub(super) struct Author {
    /// What the language of the submission calls things.
    pub(super) dialect: Dialect,
    /// What the submission is built with, where that is the kit of a course.
    pub(super) kit: Option<&'static Kit>,
    /// How long a process of the submission lives.
    pub(super) lifetime: Lifetime,
    /// How long it is waited for.
    pub(super) waits: Waits,
}

/// How long a bot may be silent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waits {
    startup: Duration,
    answer: Duration,
}

impl Waits {
    /// Returns how long a silence in this phase may last.
    pub(super) fn limit(self, phase: Phase) -> Duration {
        match phase {
            Phase::Hello => self.startup,
            Phase::Start | Phase::Turn => self.answer,
        }
    }
}

impl Author {
    /// Finds whom the report on a submission is for.
    pub(super) fn of(submission: &Submission, conditions: &Conditions) -> Self {
        let kit = match submission.form {
            Ok(Form::Sources(_, kit)) => Some(kit),
            _ => None,
        };
        Self {
            dialect: Dialect::of(submission),
            kit,
            lifetime: conditions.lifetime,
            waits: Waits {
                startup: Duration::from_millis(conditions.startup_ms),
                answer: Duration::from_millis(conditions.backstop_ms),
            },
        }
    }

    /// Returns what the course's interface calls things; none for a program of the protocol.
    pub(super) fn advice(&self) -> Option<&'static Advice> {
        self.kit.map(|kit| &kit.advice)
    }
}

/// How a language prints to standard error and flushes; data, the first name is the one that
/// intake uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialect {
    names: &'static [&'static str],
    stderr: &'static str,
    flush: &'static str,
}

const DIALECTS: &[Dialect] = &[
    Dialect {
        names: &["python", "py"],
        stderr: "print(…, file=sys.stderr)",
        flush: "print(…, flush=True)",
    },
    Dialect {
        names: &["cpp", "cc", "c"],
        stderr: "std::cerr << …, or fprintf(stderr, …)",
        flush: "std::cout << … << std::endl, or fflush(stdout)",
    },
    Dialect {
        names: &["ocaml", "ml"],
        stderr: "prerr_endline …",
        flush: "print_endline …, or flush stdout",
    },
    Dialect {
        names: &["haskell", "hs"],
        stderr: "hPutStrLn stderr …, or Debug.Trace",
        flush: "hFlush stdout, or hSetBuffering stdout LineBuffering at the start",
    },
    Dialect {
        names: &["node", "js"],
        stderr: "console.error(…)",
        flush: "console.log(…) does",
    },
    Dialect {
        names: &["rust", "rs"],
        stderr: "eprintln!(…)",
        flush: "println!(…) does; a BufWriter needs flush()",
    },
    Dialect {
        names: &["sh", "bash", "dash"],
        stderr: "echo … >&2",
        flush: "echo does; a pipe such as | sed needs -u or stdbuf",
    },
];

/// Where the language is not known.
const NO_DIALECT: Dialect = Dialect {
    names: &[],
    stderr: "",
    flush: "",
};

impl Dialect {
    /// Finds the language of a submission: the course's, or that of the script's interpreter.
    fn of(submission: &Submission) -> Self {
        let name = match submission.form {
            Ok(Form::Executable(program)) => interpreter(&submission.files[program].bytes),
            Ok(form) => form.name().to_owned(),
            Err(_) => String::new(),
        };
        let fits = |dialect: &&Self| {
            // "python3.12" is Python.
            let letters = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            dialect.names.contains(&letters)
        };
        DIALECTS.iter().find(fits).copied().unwrap_or(NO_DIALECT)
    }

    /// How to print to standard error, as `: …`; empty where the language is not known.
    pub(super) fn stderr(self) -> String {
        said(self.stderr)
    }

    /// How to flush, as `: …`; empty where the language is not known.
    pub(super) fn flush(self) -> String {
        said(self.flush)
    }
}

fn said(words: &str) -> String {
    if words.is_empty() {
        String::new()
    } else {
        format!(": {words}")
    }
}

/// Takes the interpreter's name from a script's first line.
fn interpreter(program: &[u8]) -> String {
    let first = program
        .split(|&byte| byte == b'\n')
        .next()
        .unwrap_or_default();
    let line = String::from_utf8_lossy(first).into_owned();
    let Some(command) = line.strip_prefix("#!") else {
        return String::new();
    };
    let names = command
        .split_whitespace()
        .map(|word| word.rsplit('/').next().unwrap_or(word))
        .filter(|name| *name != "env" && !name.starts_with('-'));
    names.map(str::to_owned).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interpreter_is_found_however_the_first_line_is_written() {
        for (line, name) in [
            ("#!/usr/bin/env python3\nimport sys", "python3"),
            ("#!/usr/bin/env -S python3 -u\n", "python3"),
            ("#!/bin/sh\n", "sh"),
            ("#! /usr/bin/node --x\n", "node"),
            ("\x7fELF", ""),
        ] {
            assert_eq!(interpreter(line.as_bytes()), name);
        }
    }
}
