//! Ctrl-C.

use super::EXIT_INTERRUPTED;
use crate::error::JudgeError;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The first interrupt sets the flag that is returned; a second one ends the program, and
/// with it the workers and the bots.
pub(super) fn stop_on_interrupt() -> Result<Arc<AtomicBool>, JudgeError> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        let code = i32::from(EXIT_INTERRUPTED);
        flag::register_conditional_shutdown(signal, code, Arc::clone(&stop))
            .and_then(|_| flag::register(signal, Arc::clone(&stop)))
            .map_err(|e| JudgeError::io("listen for", "interrupts", e))?;
    }
    Ok(stop)
}
