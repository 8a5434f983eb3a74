//! Standard output, for people or for programs, and values of flags. A missing reader stops nothing;
//! the first failure to write ends the program with an error.

use crate::progress::print;
use crate::terminal::{self, fitted};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use console::Term;
use run::commands::program;
use sandbox::Isolation;
use serde::Serialize;
use std::fmt::{Arguments, Display};
use std::io::{self, ErrorKind, Write};
use std::ops::RangeInclusive;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether standard output is for programs only; text for people then uses standard error.
static ASIDE: AtomicBool = AtomicBool::new(false);
/// Whether details are printed that other places have too.
static VERBOSE: AtomicBool = AtomicBool::new(false);
static FAILURE: Mutex<Option<io::Error>> = Mutex::new(None);

/// Sends all text for people to standard error; only [`line`] still writes on standard output.
pub(super) fn redirect_to_stderr() {
    ASIDE.store(true, Ordering::Relaxed);
}

pub(super) fn is_redirected() -> bool {
    ASIDE.load(Ordering::Relaxed)
}

pub(super) fn be_verbose() {
    VERBOSE.store(true, Ordering::Relaxed);
}

pub(super) fn is_verbose() -> bool {
    VERBOSE.load(Ordering::Relaxed)
}

pub(super) fn say(text: Arguments<'_>) {
    if is_redirected() {
        aside(text);
        return;
    }
    match columns() {
        Some(columns) => {
            let text = fitted(&text.to_string(), columns, &program());
            line(format_args!("{text}"));
        }
        None => line(text),
    }
}

pub(super) fn columns() -> Option<usize> {
    if is_redirected() {
        terminal::columns(&Term::stderr())
    } else {
        terminal::columns(&Term::stdout())
    }
}

/// Prints lines for people, each after the same words.
pub(super) fn say_each(before: &str, lines: impl IntoIterator<Item = impl Display>) {
    for line in lines {
        say(format_args!("{before}{line}"));
    }
}

/// Prints the first lines, or all if details are asked for. Returns the number of the others.
pub(super) fn say_first(before: &str, lines: &[String], shown_max: usize) -> usize {
    let shown = if is_verbose() {
        lines.len()
    } else {
        lines.len().min(shown_max)
    };
    say_each(before, &lines[..shown]);
    lines.len() - shown
}

/// Warns if programs have the user's rights on this machine.
pub(super) fn warn(isolation: &Isolation) {
    if let Some(words) = isolation.warning() {
        aside(format_args!("note: {words}"));
    }
}

pub(super) fn aside(text: Arguments<'_>) {
    print(&text.to_string());
}

pub(super) fn line(text: Arguments<'_>) {
    if let Err(error) = writeln!(io::stdout(), "{text}")
        && error.kind() != ErrorKind::BrokenPipe
    {
        let mut failure = FAILURE.lock().expect("nobody panics here");
        failure.get_or_insert(error);
    }
}

pub(super) fn json(value: &impl Serialize) {
    let text = serde_json::to_string_pretty(value).expect("plain data");
    line(format_args!("{text}"));
}

/// Returns the first failure to write, if any, and clears it.
pub(super) fn failure() -> Option<io::Error> {
    // Standard output may still hold an unfinished line.
    if let Err(error) = io::stdout().flush()
        && error.kind() != ErrorKind::BrokenPipe
    {
        return Some(error);
    }
    FAILURE.lock().expect("nobody panics here").take()
}

#[derive(Args)]
pub(super) struct Form {
    /// Form of the answer
    #[arg(long, default_value = "text", hide_default_value = true, value_name = "FORM", value_parser = ["text", "json"])]
    format: String,
    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl Form {
    pub(super) fn is_json(&self) -> bool {
        self.json || self.format == "json"
    }
}

pub(super) fn choice<T: Clone + Send + Sync + 'static>(
    all: Vec<(&'static str, &'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let names = all
        .iter()
        .map(|(name, help, _)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(names).map(move |asked| {
        all.iter()
            .find(|(name, ..)| *name == asked)
            .expect("a possible value")
            .2
            .clone()
    })
}

pub(super) fn whole<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        text.parse()
            .ok()
            .filter(|number| range.contains(number))
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| match (range.start(), range.end()) {
                (_, &u64::MAX) if !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit()) => {
                    "is too large".to_owned()
                }
                (first, &u64::MAX) => format!("must be a whole number from {first}"),
                (first, last) => format!("must be a whole number from {first} to {last}"),
            })
    }
}

pub(super) fn number(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|number: &f64| !number.is_nan())
        .ok_or_else(|| "must be a number, such as 0.5".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn out_of_range_number_is_refused_with_range() {
        let jobs = whole::<u16>(1..=1024);
        assert_eq!(jobs("7"), Ok(7));
        for text in ["", "x", "0", "-1", "1025", "1.5", "99999999999999999999"] {
            let reason = jobs(text).expect_err(text);
            assert_eq!(reason, "must be a whole number from 1 to 1024");
        }
        let reason = whole::<u64>(0..=u64::MAX)("x").expect_err("no number");
        assert_eq!(reason, "must be a whole number from 0");
        let reason = whole::<u64>(0..=u64::MAX)("99999999999999999999").expect_err("too long");
        assert_eq!(reason, "is too large");
        assert_eq!(number("0.5"), Ok(0.5));
        assert!(number("NaN").is_err() && number("half").is_err());
    }
}
