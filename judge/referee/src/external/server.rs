//! The other end of the protocol.

use rulebook::JudgeError;
use std::fmt::Debug;

/// Maximum length of an answer, in bytes without its newline.
pub(crate) const LINE_BYTES_MAX: usize = 1 << 20;

/// A running program that answers requests.
pub trait Server {
    /// Sends a request, a line without its newline. Puts the answer into `answer`, also without
    /// its newline.
    ///
    /// Returns the reason in words if the program gives none. It is then of no further use.
    ///
    /// # Errors
    /// When the judge or the machine fails.
    fn ask(
        &mut self,
        request: &[u8],
        answer: &mut Vec<u8>,
    ) -> Result<Result<(), String>, JudgeError>;

    /// Returns the last line that the program has written to standard error, for staff.
    fn complaints(&mut self) -> String {
        String::new()
    }
}

/// Starts a [`Server`]. Each thread that uses the rules has one of its own.
pub trait Connect: Debug + Send + Sync {
    /// Starts the program.
    ///
    /// # Errors
    /// When it cannot be started.
    fn connect(&self) -> Result<Box<dyn Server>, JudgeError>;
}
