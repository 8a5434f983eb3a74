//! Results of a verb, exit codes, and interrupts by Ctrl-C or by closing the terminal.

use super::out;
use rulebook::{IoContext, JudgeError, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::pipe;
use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{env, fs};
use system::cleanup;

/// The judge or the machine failed.
pub(super) const EXIT_JUDGE: u8 = 1;
/// The command or its input is wrong.
pub(super) const EXIT_INPUT: u8 = 2;
/// The run was interrupted; the finished games are kept.
pub(super) const EXIT_INTERRUPTED: u8 = 130;
#[derive(PartialEq)]
#[repr(u8)]
pub(super) enum Done {
    Success = 0,
    /// A repeated game ended differently.
    Differently = 3,
    /// A check found something wrong.
    Wrong = 4,
    /// Verification found a difference from the journal.
    Unverified = 5,
    Interrupted = EXIT_INTERRUPTED,
}

pub(super) fn exit_code(result: Result<Done>) -> ExitCode {
    match (result, out::failure()) {
        // A verb whose output was not written has failed.
        (Ok(_), Some(error)) => failed(JudgeError::io("write to", "standard output", error)),
        (Ok(done), None) => (done as u8).into(),
        (Err(error), _) => failed(error),
    }
}

fn failed(error: JudgeError) -> ExitCode {
    let error = match next_step(&error) {
        Some(next) => JudgeError::input(format!("{error}; {next}")),
        None => error,
    };
    let (whose, code) = match error {
        JudgeError::Input(_) => ("judge", EXIT_INPUT),
        JudgeError::Interrupted => ("judge", EXIT_INTERRUPTED),
        JudgeError::Lacking { .. } | JudgeError::RecordEnds(_) => ("judge", EXIT_JUDGE),
        _ => ("judge error", EXIT_JUDGE),
    };
    out::aside(format_args!("{whose}: {error}"));
    code.into()
}

/// Returns the next step if the error is about a place that the command names, or a folder above it:
/// that is wrong input. A watch may find its places later, so it is exempt.
fn next_step(error: &JudgeError) -> Option<&'static str> {
    let JudgeError::Io { path, source, .. } = error else {
        return None;
    };
    let words = || env::args_os().skip(2);
    if !error.is_of_one_place() || words().any(|word| word == "--watch") {
        return None;
    }
    let is_named = path == Path::new(".") || words().any(|word| is_named(path, &word));
    is_named.then(|| match source.kind() {
        ErrorKind::IsADirectory | ErrorKind::InvalidInput => "give a file",
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            "a file is in the way; choose another place"
        }
        ErrorKind::NotFound => "check the name, and make the folder first",
        _ => "choose another place, or change its permissions",
    })
}

/// Returns whether a word, such as `DIR` or `--out=DIR`, names a path or a place below it.
fn is_named(path: &Path, word: &OsStr) -> bool {
    let value = word.to_str().and_then(|word| word.split_once('='));
    let places = [Some(word), value.map(|(_, place)| OsStr::new(place))];
    let real = |path: &Path| path.canonicalize().ok();
    places.into_iter().flatten().map(Path::new).any(|place| {
        let is_below = !path.as_os_str().is_empty() && place.starts_with(path);
        is_below || real(place).is_some_and(|place| real(path) == Some(place))
    })
}

static LAST_ACT: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// Completes the work that the second interrupt leaves unfinished.
static CATCH_UP: Mutex<Option<String>> = Mutex::new(None);

/// Sets the command, named by the second interrupt, that writes the tables of the games played.
pub(super) fn name_when_leaving(command: String) {
    *lock(&CATCH_UP) = Some(command);
}

/// Sets an action before the second interrupt ends the program; a third does not wait for it.
pub(super) fn before_leaving(act: impl FnOnce() + Send + 'static) {
    *lock(&LAST_ACT) = Some(Box::new(act));
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns a stream that has a byte for each interrupt from now on.
pub(super) fn hear() -> Result<UnixStream> {
    let (heard, signalled) = UnixStream::pair().or_io("listen for", "interrupts")?;
    for signal in interrupts() {
        signalled
            .try_clone()
            .and_then(|signalled| pipe::register(signal, signalled))
            .or_io("listen for", "interrupts")?;
    }
    Ok(heard)
}

/// Lists the signals that interrupt. A closed terminal is not among them under `nohup`.
fn interrupts() -> impl Iterator<Item = i32> {
    let of_terminal = (!is_ignored(SIGHUP)).then_some(SIGHUP);
    [SIGINT, SIGTERM].into_iter().chain(of_terminal)
}

#[expect(clippy::disallowed_methods, reason = "it is a file of the kernel's")]
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|set| u64::from_str_radix(set.trim(), 16).ok())
        .is_some_and(|set| set >> (signal - 1) & 1 == 1)
}

/// Returns a flag that the first interrupt sets. A second one cleans up and ends the program, and with
/// it the workers and the bots. A third one does not wait for that.
pub(super) fn stop_on_interrupt() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let ending = Arc::new(AtomicBool::new(false));
    for signal in interrupts() {
        let code = i32::from(EXIT_INTERRUPTED);
        flag::register_conditional_shutdown(signal, code, Arc::clone(&ending))
            .and_then(|_| flag::register(signal, Arc::clone(&stop)))
            .or_io("listen for", "interrupts")?;
    }
    let heard = hear()?;
    std::thread::Builder::new()
        .spawn(move || end_at_the_second(heard, &ending))
        .or_io("start", "a thread")?;
    Ok(stop)
}

/// Waits for two signals; each is a byte.
fn end_at_the_second(mut heard: UnixStream, ending: &AtomicBool) {
    if heard.read_exact(&mut [0; 2]).is_ok() {
        ending.store(true, Ordering::SeqCst);
        cleanup::sweep();
        let last_act = lock(&LAST_ACT).take();
        if let Some(act) = last_act {
            act();
        }
        let catch_up = lock(&CATCH_UP).as_ref().map_or_else(String::new, |command| {
            format!(
                "\nthe tables and the page do not have the last games yet; to write them: {command}"
            )
        });
        // Nobody may be left to read this.
        let _ = writeln!(
            io::stderr(),
            "\njudge: interrupted again: stopped at once; finished games are kept; rerun the same command to continue{catch_up}"
        );
        std::process::exit(EXIT_INTERRUPTED.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn argument_names_path_and_its_parents() {
        for (path, word, named) in [
            ("a/b", "a/b", true),
            ("a", "a/b", true),
            ("a/b", "--out=a/b", true),
            ("a/b", "a", false),
            ("a/b", "a/bc", false),
            ("", "a", false),
            ("a", "", false),
        ] {
            let found = is_named(Path::new(path), OsStr::new(word));
            assert_eq!(found, named, "{path} {word}");
        }
    }
}
