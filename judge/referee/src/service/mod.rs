//! The rules of one game as a service by `protocol.md` ("The referee as a service"): a line of JSON
//! in, a line of JSON out, in order, whatever the line contains. Lines, pending answers and
//! sessions are bounded. No bot is involved.

mod dispatch;
mod wire;

pub use dispatch::Service;

use engines::Seat;
use engines::quote::safe_sentence;
use rulebook::rules::{Position, RulesError};
use rulebook::{IoContext, JudgeError, Result};
use serde::Serialize;
use std::collections::HashMap;
use std::io::{self, BufRead, Write};

/// In bytes. Else a few short requests with long answers could fill the memory.
const ANSWERS_BYTES: usize = 1 << 16;

/// Answers every line of `input`; a last line needs no newline. Answers are flushed whenever
/// `input` has no further complete line: the next read may wait for as long as somebody types.
pub fn serve(mut service: Service, mut input: impl BufRead, mut output: impl Write) -> Result {
    let mut lines = Lines::default();
    let mut answers = Vec::new();
    loop {
        let bytes = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            filled => filled.or_io("read", "standard input")?,
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
        // The answers before a failure are as good as any.
        write_out(&mut output, &mut answers)?;
        output.flush().or_io("write to", "standard output")?;
        fed?;
        if count == 0 {
            return Ok(());
        }
    }
}

fn write_out(output: &mut impl Write, answers: &mut Vec<u8>) -> Result {
    output
        .write_all(answers)
        .or_io("write to", "standard output")?;
    answers.clear();
    Ok(())
}

#[cfg(test)]
mod tests;

/// Maximum length of a request, in bytes without its newline.
pub const LINE_BYTES_MAX: usize = 1 << 20;

#[derive(Default)]
struct Lines {
    /// One byte more than the limit shows that a line is too long; its rest is dropped.
    begun: Vec<u8>,
}

impl Lines {
    /// Passes every line that these bytes complete to `each`, without its newline. Of a line longer
    /// than [`LINE_BYTES_MAX`] bytes, `each` gets at least one byte more than that.
    fn feed<E>(
        &mut self,
        mut bytes: &[u8],
        mut each: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(at) = bytes.iter().position(|&byte| byte == b'\n') {
            let (line, rest) = bytes.split_at(at);
            bytes = &rest[1..];
            if self.begun.is_empty() {
                each(line)?;
            } else {
                self.keep(line);
                each(&self.begun)?;
                self.begun.clear();
            }
        }
        self.keep(bytes);
        Ok(())
    }

    /// Passes on a last line without a newline.
    fn end<E>(&mut self, mut each: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        if self.begun.is_empty() {
            return Ok(());
        }
        each(&std::mem::take(&mut self.begun))
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = LINE_BYTES_MAX + 1 - self.begun.len();
        self.begun
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

/// Maximum number of open sessions.
pub const SESSIONS_MAX: usize = 4096;

/// A position that the service manages.
#[derive(Debug)]
struct CountedPosition {
    game: Box<dyn Position>,
    /// Turns since the setup. A forfeit out of turn counts only if it ends the game.
    ply: u32,
}

#[derive(Debug, Default)]
struct Sessions {
    open: HashMap<u64, CountedPosition>,
    /// Counts from 1. A request for a closed session must not reach another one.
    last: u64,
}

impl Sessions {
    fn open(&mut self, position: CountedPosition) -> Result<(u64, &CountedPosition), Refusal> {
        if self.open.len() >= SESSIONS_MAX {
            let message =
                format!("{SESSIONS_MAX} sessions are open, which is the maximum; close one");
            return Err(Refusal::new(RefusalKind::Session, message));
        }
        self.last += 1;
        let kept = self.open.entry(self.last).or_insert(position);
        Ok((self.last, kept))
    }

    fn get(&mut self, number: u64) -> Result<&mut CountedPosition, Refusal> {
        let open = self.open.get_mut(&number);
        let unknown = || format!("no session {number} is open");
        open.ok_or_else(|| Refusal::new(RefusalKind::Session, unknown()))
    }

    fn close(&mut self, number: u64) -> Result<(), Refusal> {
        self.get(number)?;
        self.open.remove(&number);
        Ok(())
    }
}

/// A refused request changes nothing.
#[derive(Serialize, Debug)]
struct Refusal {
    kind: RefusalKind,
    /// Of the turn in the request's list, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seat: Option<Seat>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'static str>,
    message: String,
    /// The start of the line, if the line itself is the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<String>,
}

/// See `protocol.md`.
#[derive(Serialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum RefusalKind {
    Malformed,
    Config,
    Setup,
    UnreadableMove,
    IllegalMove,
    /// A move that is claimed to break a rule, but breaks none.
    LegalMove,
    WrongSeat,
    Over,
    Session,
}

/// Why a request gets no regular answer.
#[derive(Debug)]
enum Unanswered {
    Refused(Refusal),
    Failed(JudgeError),
}

impl Unanswered {
    /// A refusal by the rules gets this kind.
    fn of(error: RulesError, kind: RefusalKind) -> Self {
        match error {
            RulesError::Refused(refused) => Refusal::new(kind, refused.0).into(),
            RulesError::Failed(error) => error.into(),
        }
    }

    fn at(mut self, index: usize) -> Self {
        if let Self::Refused(refusal) = &mut self {
            refusal.index = Some(index);
        }
        self
    }
}

impl From<Refusal> for Unanswered {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<JudgeError> for Unanswered {
    fn from(error: JudgeError) -> Self {
        Self::Failed(error)
    }
}

impl Refusal {
    fn new(kind: RefusalKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            index: None,
            seat: None,
            rule: None,
            // The message may quote the request.
            message: safe_sentence(&message.into()),
            line: None,
        }
    }

    #[must_use]
    fn by(mut self, seat: Seat) -> Self {
        self.seat = Some(seat);
        self
    }
}
