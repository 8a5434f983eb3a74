//! Standard output. A missing reader stops nothing. The first failure to write is kept, and the
//! program then ends with an error.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether standard output is for programs only; text for people then uses standard error.
static ASIDE: AtomicBool = AtomicBool::new(false);
/// The first failure to write.
static FAILURE: Mutex<Option<io::Error>> = Mutex::new(None);

/// Sends all text for people to standard error; only [`line`] still writes on standard output.
pub(super) fn say_aside() {
    ASIDE.store(true, Ordering::Relaxed);
}

/// Prints a line for people.
pub(super) fn say(text: Arguments<'_>) {
    if ASIDE.load(Ordering::Relaxed) {
        aside(text);
    } else {
        line(text);
    }
}

/// Writes a line on standard error.
pub(super) fn aside(text: Arguments<'_>) {
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
