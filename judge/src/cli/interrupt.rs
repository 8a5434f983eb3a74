//! Interrupts by Ctrl-C or by closing the terminal.

#![expect(clippy::disallowed_methods, reason = "it is a file of the kernel's")]

use super::exit::EXIT_INTERRUPTED;
use rulebook::JudgeError;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::pipe;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use system::cleanup;

/// Action before the second interrupt ends the program.
type LastAct = Box<dyn FnOnce() + Send>;

static LAST_ACT: Mutex<Option<LastAct>> = Mutex::new(None);

/// Command that completes the work that the second interrupt leaves unfinished.
static CATCH_UP: Mutex<Option<String>> = Mutex::new(None);

/// Sets the command that the second interrupt names: it writes the tables and the page of the games
/// played.
pub(super) fn name_when_leaving(command: String) {
    *CATCH_UP.lock().unwrap_or_else(PoisonError::into_inner) = Some(command);
}

/// Sets an action before the second interrupt ends the program. A third interrupt does not wait for
/// it.
pub(super) fn before_leaving(act: impl FnOnce() + Send + 'static) {
    *LAST_ACT.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(act));
}

/// Lists the signals that interrupt. A closed terminal is not among them under `nohup`.
pub(super) fn interrupts() -> impl Iterator<Item = i32> {
    let of_terminal = (!is_ignored(SIGHUP)).then_some(SIGHUP);
    [SIGINT, SIGTERM].into_iter().chain(of_terminal)
}

/// Returns whether this program was started with a signal ignored.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let set = set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
    set.is_some_and(|set| set >> (signal - 1) & 1 == 1)
}

/// Returns a flag that the first interrupt sets. A second one removes what would be left over and
/// ends the program, and with it the workers and the bots. A third one does not wait for that.
pub(super) fn stop_on_interrupt() -> Result<Arc<AtomicBool>, JudgeError> {
    let failed = |e| JudgeError::io("listen for", "interrupts", e);
    let stop = Arc::new(AtomicBool::new(false));
    let ending = Arc::new(AtomicBool::new(false));
    let (heard, signalled) = UnixStream::pair().map_err(failed)?;
    for signal in interrupts() {
        let code = i32::from(EXIT_INTERRUPTED);
        let signalled = signalled.try_clone().map_err(failed)?;
        flag::register_conditional_shutdown(signal, code, Arc::clone(&ending))
            .and_then(|_| flag::register(signal, Arc::clone(&stop)))
            .and_then(|_| pipe::register(signal, signalled))
            .map_err(failed)?;
    }
    std::thread::Builder::new()
        .spawn(move || end_at_the_second(heard, &ending))
        .map_err(|e| JudgeError::io("start", "a thread", e))?;
    Ok(stop)
}

/// Waits for two signals; each is a byte.
fn end_at_the_second(mut heard: UnixStream, ending: &AtomicBool) {
    if heard.read_exact(&mut [0; 2]).is_ok() {
        ending.store(true, Ordering::SeqCst);
        cleanup::sweep();
        let last_act = LAST_ACT
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(act) = last_act {
            act();
        }
        let command = CATCH_UP.lock().unwrap_or_else(PoisonError::into_inner);
        let catch_up = command.iter().map(|command| {
            format!(
                "\nthe tables and the page do not have the last games yet; to write them: {command}"
            )
        });
        // Nobody may be left to read this.
        let _ = writeln!(
            std::io::stderr(),
            "\ninterrupted again: stopped at once; finished games are kept; rerun the same command to continue{}",
            catch_up.collect::<String>()
        );
        std::process::exit(EXIT_INTERRUPTED.into());
    }
}
