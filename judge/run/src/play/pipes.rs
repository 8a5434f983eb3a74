//! The pipes to and from a bot's process. Nothing here blocks except [`Pipes::poll`].

use model::stderr::KeptStderr;
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll, ppoll};
use rulebook::{JudgeError, Result};
use std::io::{ErrorKind, Read, Write};
use std::mem;
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::time::Duration;

const CHUNK_BYTES: usize = 8 << 10;

const STDERR_CHUNKS_MAX: usize = 8;

#[derive(Debug)]
pub(super) struct Pipes {
    /// None once it is closed, as are the others.
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    unsent: Vec<u8>,
    pub(super) output: LineBuffer,
    /// Buffer for every read; kept so that it is not zeroed each time.
    chunk: Box<[u8; CHUNK_BYTES]>,
    pub(super) stderr_kept: KeptStderr,
}

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "one per descriptor")]
pub(super) struct Polled {
    pub(super) exited: bool,
    pub(super) stdout: bool,
    pub(super) stderr: bool,
    pub(super) stdin: bool,
}

impl Pipes {
    pub(super) fn new(
        (stdin, stdout, stderr): (ChildStdin, ChildStdout, ChildStderr),
    ) -> Result<Self> {
        for pipe in [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()] {
            fcntl(pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))
                .map_err(|e| JudgeError::os("make a pipe non-blocking", e))?;
        }
        Ok(Self {
            stdin: Some(stdin),
            stdout: Some(stdout),
            stderr: Some(stderr),
            unsent: Vec::new(),
            output: LineBuffer::default(),
            chunk: Box::new([0; CHUNK_BYTES]),
            stderr_kept: KeptStderr::default(),
        })
    }

    /// A bot that no longer reads may still have answered, so a closed pipe only ends the writing.
    pub(super) fn send(&mut self, message: &[u8]) {
        if self.unsent.is_empty() {
            let taken = self.write(message);
            self.unsent.extend_from_slice(&message[taken..]);
            return;
        }
        self.unsent.extend_from_slice(message);
        let unsent = mem::take(&mut self.unsent);
        let taken = self.write(&unsent);
        self.unsent.extend_from_slice(&unsent[taken..]);
    }

    fn write(&mut self, message: &[u8]) -> usize {
        let mut taken = 0;
        while let Some(stdin) = self.stdin.as_mut().filter(|_| taken < message.len()) {
            match stdin.write(&message[taken..]) {
                Ok(count) => taken += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return taken,
                Err(_) => self.stdin = None,
            }
        }
        message.len()
    }

    /// Returns whether there was any output.
    pub(super) fn read(&mut self) -> bool {
        read_chunk(&mut self.stdout, &mut *self.chunk, |bytes| {
            self.output.push(bytes);
        })
    }

    /// Returns whether there may be output. A bot that wrote neither costs one system call. One
    /// that wrote standard error may write its output only now.
    pub(super) fn drain_stderr_and_poll(&mut self) -> bool {
        let (mut has_output, mut has_stderr) = (true, true);
        if let (Some(stdout), Some(stderr)) = (&self.stdout, &self.stderr) {
            let mut fds = [
                PollFd::new(stdout.as_fd(), PollFlags::POLLIN),
                PollFd::new(stderr.as_fd(), PollFlags::POLLIN),
            ];
            if poll(&mut fds, PollTimeout::ZERO).is_ok() {
                [has_output, has_stderr] = fds.map(|fd| fd.any() != Some(false));
            }
        }
        if has_stderr {
            self.read_all_stderr();
        }
        has_output || has_stderr
    }

    pub(super) fn take_stderr(&mut self) -> KeptStderr {
        self.read_all_stderr();
        mem::take(&mut self.stderr_kept)
    }

    pub(super) fn last_words(&mut self) -> String {
        self.read_all_stderr();
        self.stderr_kept.last_words()
    }

    /// At most the capacity of one pipe: a bot that writes endlessly cannot block the judge.
    fn read_all_stderr(&mut self) {
        for _ in 0..STDERR_CHUNKS_MAX {
            if !self.read_stderr() {
                break;
            }
        }
    }

    /// Returns whether there was any standard error.
    pub(super) fn read_stderr(&mut self) -> bool {
        read_chunk(&mut self.stderr, &mut *self.chunk, |bytes| {
            self.stderr_kept.push(bytes);
        })
    }

    pub(super) fn poll(&self, pidfd: BorrowedFd<'_>, timeout: Duration) -> Result<Polled> {
        let mut fds = [
            PollFd::new(pidfd, PollFlags::POLLIN),
            slot(self.stdout.as_ref(), pidfd, PollFlags::POLLIN),
            slot(self.stderr.as_ref(), pidfd, PollFlags::POLLIN),
            slot(self.stdin.as_ref(), pidfd, PollFlags::POLLOUT),
        ];
        let writing = !self.unsent.is_empty() && self.stdin.is_some();
        let used = if writing { 4 } else { 3 };
        match ppoll(&mut fds[..used], Some(timeout.into()), None) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(JudgeError::os("poll a bot's pipes", error)),
        }
        let is_ready = |index: usize| index < used && fds[index].any() == Some(true);
        Ok(Polled {
            exited: is_ready(0),
            stdout: is_ready(1) && self.stdout.is_some(),
            stderr: is_ready(2) && self.stderr.is_some(),
            stdin: is_ready(3),
        })
    }
}

/// Closes the pipe at its end. Returns whether there were any bytes.
fn read_chunk(pipe: &mut Option<impl Read>, chunk: &mut [u8], mut take: impl FnMut(&[u8])) -> bool {
    while let Some(open) = pipe {
        match open.read(chunk) {
            Ok(count @ 1..) => {
                take(&chunk[..count]);
                return true;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
            Ok(0) | Err(_) => *pipe = None,
        }
    }
    false
}

/// Returns a pipe's entry for a poll; a closed pipe gets one that waits for nothing.
fn slot<'a>(pipe: Option<&'a impl AsFd>, idle: BorrowedFd<'a>, interest: PollFlags) -> PollFd<'a> {
    match pipe {
        Some(pipe) => PollFd::new(pipe.as_fd(), interest),
        None => PollFd::new(idle, PollFlags::empty()),
    }
}

#[derive(Debug, Default)]
pub(super) struct LineBuffer {
    bytes: Vec<u8>,
    searched: usize,
}

impl LineBuffer {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Moves the first whole line, without its newline, into `line`. Returns whether there was one.
    pub(super) fn take_line(&mut self, line: &mut Vec<u8>) -> bool {
        let Some(offset) = self.bytes[self.searched..].iter().position(|&b| b == b'\n') else {
            self.searched = self.bytes.len();
            return false;
        };
        let end = self.searched + offset;
        line.clear();
        line.extend_from_slice(&self.bytes[..end]);
        self.bytes.drain(..=end);
        self.searched = 0;
        true
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.searched = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_whole_for_any_byte_chunks() {
        let mut inbox = LineBuffer::default();
        let mut line = Vec::new();
        for byte in b"ab\n\ncd" {
            inbox.push(&[*byte]);
        }
        assert!(inbox.take_line(&mut line));
        assert_eq!(line, b"ab");
        assert!(inbox.take_line(&mut line));
        assert_eq!(line, b"");
        assert!(!inbox.take_line(&mut line));
        assert_eq!(inbox.bytes(), b"cd");
        inbox.push(b"\n");
        assert!(inbox.take_line(&mut line));
        assert_eq!(line, b"cd");
        assert_eq!(inbox.bytes(), b"");
    }
}
