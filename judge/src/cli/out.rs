//! Standard output. A missing reader stops nothing. The first failure to write is kept, and the
//! program then ends with an error.

use crate::terminal::{self, fitted};
use console::Term;
use run::commands::program;
use sandbox::Isolation;
use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether standard output is for programs only; text for people then uses standard error.
static ASIDE: AtomicBool = AtomicBool::new(false);
/// Whether details are printed that other places have too.
static VERBOSE: AtomicBool = AtomicBool::new(false);
/// The first failure to write.
static FAILURE: Mutex<Option<io::Error>> = Mutex::new(None);

/// Sends all text for people to standard error; only [`line`] still writes on standard output.
pub(super) fn say_aside() {
    ASIDE.store(true, Ordering::Relaxed);
}

/// Lets the program print details that other places have too.
pub(super) fn be_verbose() {
    VERBOSE.store(true, Ordering::Relaxed);
}

/// Returns whether to print details that other places have too.
pub(super) fn is_verbose() -> bool {
    VERBOSE.load(Ordering::Relaxed)
}

/// Prints a line for people.
pub(super) fn say(text: Arguments<'_>) {
    if ASIDE.load(Ordering::Relaxed) {
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

/// Returns the width of the terminal that text for people goes to, if it is one.
pub(super) fn columns() -> Option<usize> {
    if ASIDE.load(Ordering::Relaxed) {
        terminal::columns(&Term::stderr())
    } else {
        terminal::columns(&Term::stdout())
    }
}

/// Warns if programs have the user's rights on this machine.
pub(super) fn warn(isolation: &Isolation) {
    if let Some(words) = isolation.warning() {
        aside(format_args!("note: {words}"));
    }
}

/// Writes a line on standard error.
pub(super) fn aside(text: Arguments<'_>) {
    let text = text.to_string();
    let text = terminal::columns(&Term::stderr())
        .map_or(text.clone(), |columns| fitted(&text, columns, &program()));
    // There is nobody else to report to.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Writes a line on standard output.
pub(super) fn line(text: Arguments<'_>) {
    if let Err(error) = writeln!(io::stdout(), "{text}")
        && error.kind() != ErrorKind::BrokenPipe
    {
        let mut failure = FAILURE.lock().expect("nobody panics here");
        failure.get_or_insert(error);
    }
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
