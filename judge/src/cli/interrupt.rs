//! Ctrl-C.

use super::EXIT_INTERRUPTED;
use crate::error::JudgeError;
use crate::leavings;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::pipe;
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The first interrupt sets the flag that is returned; a second one removes what would stay and
/// ends the program, and with it the workers and the bots; a third one does not wait for that.
pub(super) fn stop_on_interrupt() -> Result<Arc<AtomicBool>, JudgeError> {
    let failed = |e| JudgeError::io("listen for", "interrupts", e);
    let stop = Arc::new(AtomicBool::new(false));
    let ending = Arc::new(AtomicBool::new(false));
    let (heard, signalled) = UnixStream::pair().map_err(failed)?;
    for signal in [SIGINT, SIGTERM] {
        let code = i32::from(EXIT_INTERRUPTED);
        let signalled = signalled.try_clone().map_err(failed)?;
        flag::register_conditional_shutdown(signal, code, Arc::clone(&ending))
            .and_then(|_| flag::register(signal, Arc::clone(&stop)))
            .and_then(|_| pipe::register(signal, signalled))
            .map_err(failed)?;
    }
    let listen = move || end_at_the_second(heard, &ending);
    let listener = std::thread::Builder::new().spawn(listen);
    listener.map_err(|e| JudgeError::io("start", "a thread", e))?;
    Ok(stop)
}

/// Waits for two signals; each is a byte.
fn end_at_the_second(mut heard: UnixStream, ending: &AtomicBool) {
    if heard.read_exact(&mut [0; 2]).is_ok() {
        ending.store(true, Ordering::SeqCst);
        leavings::sweep();
        std::process::exit(EXIT_INTERRUPTED.into());
    }
}
