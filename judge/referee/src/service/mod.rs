//! The rules of one game as a service: a line of JSON in, a line of JSON out, in order.
//!
//! It serves authors, tests and training loops; `protocol.md` ("The referee as a service") is the
//! contract. Every line gets one answer, whatever it contains, and the service continues. Lines,
//! answers not yet written and sessions are bounded. This crate knows no process, no clock and no
//! list of games, and no bot is involved.

mod answer;
mod dispatch;
mod lines;
mod position;
mod refusal;
mod request;
mod sessions;

pub use dispatch::Service;
pub use lines::LINE_BYTES_MAX;
pub use sessions::SESSIONS_MAX;

use lines::Lines;
use rulebook::JudgeError;
use rulebook::rules::Rules;
use std::io::{self, BufRead, Write};
use std::sync::Arc;

/// Size at which pending answers are written out, in bytes. Without it a few short requests with
/// long answers could fill the memory.
const ANSWERS_BYTES: usize = 1 << 16;

/// Answers every line of `input` until it ends; a last line needs no newline.
///
/// Answers are flushed whenever `input` has no further complete line in its buffer. The next read
/// may wait for as long as somebody types.
///
/// # Errors
/// When the rules fail, the input cannot be read, or the output cannot be written, for example
/// because its reader has closed it.
pub fn serve(
    rules: Arc<dyn Rules>,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<(), JudgeError> {
    let mut service = Service::new(rules);
    let mut lines = Lines::default();
    let mut answers = Vec::new();
    loop {
        let bytes = match input.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(JudgeError::io("read", "standard input", error)),
        };
        let count = bytes.len();
        let mut each = |line: &[u8]| {
            service.answer(line, &mut answers)?;
            if answers.len() < ANSWERS_BYTES {
                return Ok(());
            }
            write_out(&mut output, &mut answers)
        };
        let fed = if count == 0 {
            lines.end(&mut each)
        } else {
            lines.feed(bytes, &mut each)
        };
        input.consume(count);
        // The answers before a failure of the rules are as good as any.
        write_out(&mut output, &mut answers)?;
        output.flush().map_err(unwritten)?;
        fed?;
        if count == 0 {
            return Ok(());
        }
    }
}

fn write_out(output: &mut impl Write, answers: &mut Vec<u8>) -> Result<(), JudgeError> {
    output.write_all(answers).map_err(unwritten)?;
    answers.clear();
    Ok(())
}

fn unwritten(error: io::Error) -> JudgeError {
    JudgeError::io("write to", "standard output", error)
}

#[cfg(test)]
mod tests;
