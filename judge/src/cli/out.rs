//! Standard output: whoever reads it may be gone, which stops nothing; a failure to write is
//! remembered, so that the program does not end well.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Standard output is for programs; what is said goes to standard error.
static ASIDE: AtomicBool = AtomicBool::new(false);
/// The first failure to write.
static FAILURE: Mutex<Option<io::Error>> = Mutex::new(None);

/// From now on says everything on standard error; only [`line`] writes on standard output.
pub(super) fn say_aside() {
    ASIDE.store(true, Ordering::Relaxed);
}

/// Says a line to people.
pub(super) fn say(text: Arguments<'_>) {
    if ASIDE.load(Ordering::Relaxed) {
        aside(text);
    } else {
        line(text);
    }
}

/// Writes a line on standard error.
pub(super) fn aside(text: Arguments<'_>) {
    // There is nobody else to tell.
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

/// Takes the first failure to write, if there was one.
pub(super) fn failure() -> Option<io::Error> {
    // What waits for the end of its line is written now.
    if let Err(error) = io::stdout().flush()
        && error.kind() != ErrorKind::BrokenPipe
    {
        return Some(error);
    }
    FAILURE.lock().expect("nobody panics here").take()
}
