//! A bot that is a process, asked through pipes in one poll loop that reads and writes
//! together.

mod quiet;

pub use quiet::Quiet;

use super::cpu_clock::CpuClock;
use super::inbox::Inbox;
use super::patience::{Exhausted, Patience};
use super::{Allowance, Farewell, Player, Remains, Spent};
use crate::error::JudgeError;
use crate::fault::{Cause, Exit, Offence};
use crate::sandbox::{Launch, Running};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use std::io::{ErrorKind, Read, Write};
use std::mem;
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

/// The longest line that a bot may write.
pub(super) const LINE_BYTES_MAX: usize = 64 << 10;

/// How much of a bot's standard error is kept per process.
pub const STDERR_BYTES_MAX: usize = 16 << 10;

/// How long a bot that has closed its output may take to exit, so that the exit and not
/// the closing is named as its fault; and how long a bot may linger after a polite farewell.
const EXIT_GRACE: Duration = Duration::from_millis(100);

/// A bot's process with its pipes and its CPU clock.
#[derive(Debug)]
pub struct ProcessPlayer {
    running: Running,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    /// What the pipe to the bot did not take yet.
    unsent: Vec<u8>,
    inbox: Inbox,
    /// Where every read goes first; kept so that it is not zeroed for each.
    chunk: Box<[u8; CHUNK_BYTES]>,
    line: Vec<u8>,
    stderr_kept: Vec<u8>,
    cpu: CpuClock,
    /// How fast CPU time can pass: 1 when bots are pinned, else the number of CPUs.
    cpus: u32,
    /// Answers to questions that were given up; they are thrown away when they come.
    owed: u32,
}

/// What waiting brought.
enum Event {
    /// An answer; it is in `line`.
    Answer,
    Offence(Offence),
}

/// What one read of a pipe brought.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chunk {
    Some,
    Nothing,
    End,
}

/// What a poll found.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one per descriptor")]
struct Ready {
    exited: bool,
    stdout: bool,
    stderr: bool,
    stdin: bool,
}

impl ProcessPlayer {
    /// Starts a bot; `cpus` tells how many CPUs it can keep busy at once.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn start(launch: &Launch<'_>, cpus: u32) -> Result<Self, JudgeError> {
        let mut running = launch.start()?;
        let cpu = CpuClock::of(running.pid())?;
        let (stdin, stdout, stderr) = running.take_pipes();
        for pipe in [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()] {
            fcntl(pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))
                .map_err(|e| JudgeError::os("make a pipe non-blocking", e))?;
        }
        Ok(Self {
            running,
            stdin: Some(stdin),
            stdout: Some(stdout),
            stderr: Some(stderr),
            unsent: Vec::new(),
            inbox: Inbox::default(),
            chunk: Box::new([0; CHUNK_BYTES]),
            line: Vec::new(),
            stderr_kept: Vec::new(),
            cpu,
            cpus,
            owed: 0,
        })
    }

    fn converse(
        &mut self,
        message: &[u8],
        began: Instant,
        allowance: Allowance,
    ) -> Result<Event, JudgeError> {
        if let Some(offence) = self.unasked() {
            return Ok(Event::Offence(offence));
        }
        self.send(message);
        // A quick bot on the same CPU has answered by now: the write lets it run at once.
        self.read();
        if let Some(event) = self.take_answer() {
            return Ok(event);
        }
        let mut patience = Patience::new(allowance, self.cpus);
        loop {
            if self.stdout.is_none() {
                return self.output_closed(allowance.wall);
            }
            let left = match patience.left(began.elapsed(), &self.cpu)? {
                Ok(left) => left,
                Err(Exhausted::Cpu) => {
                    return Ok(self.give_up(Cause::Time, "the CPU time ran out before an answer"));
                }
                Err(Exhausted::Silence) => {
                    let limit = allowance.wall.as_secs_f64();
                    let detail = format!("no answer within {limit} s (did you flush the output?)");
                    return Ok(self.give_up(Cause::Silence, &detail));
                }
            };
            let ready = self.poll(!self.unsent.is_empty(), left)?;
            if ready.stdin {
                self.send(&[]);
            }
            if ready.stderr {
                self.read_stderr();
            }
            if ready.stdout {
                self.read();
                if let Some(event) = self.take_answer() {
                    return Ok(event);
                }
            }
            if ready.exited {
                return self.exited();
            }
        }
    }

    /// Writes what the pipe takes of the message, after what it did not take before. A bot that
    /// does not read any more may still have answered, so a closed pipe only ends the writing.
    fn send(&mut self, message: &[u8]) {
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

    /// Writes until the pipe is full; gives how much is dealt with.
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

    /// Reads what has come on the output, up to one chunk.
    fn read(&mut self) -> Chunk {
        let inbox = &mut self.inbox;
        let chunk = read_chunk(self.stdout.as_mut(), &mut *self.chunk, |bytes| {
            inbox.push(bytes);
        });
        if chunk == Chunk::End {
            self.stdout = None;
        }
        chunk
    }

    /// Reads what one pipe can hold at most, so that nobody who writes on can keep us.
    fn drain_stderr(&mut self) {
        for _ in 0..STDERR_CHUNKS_MAX {
            if self.read_stderr() != Chunk::Some {
                return;
            }
        }
    }

    fn read_stderr(&mut self) -> Chunk {
        let kept = &mut self.stderr_kept;
        let chunk = read_chunk(self.stderr.as_mut(), &mut *self.chunk, |bytes| {
            let room = STDERR_BYTES_MAX - kept.len();
            kept.extend_from_slice(&bytes[..room.min(bytes.len())]);
        });
        if chunk == Chunk::End {
            self.stderr = None;
        }
        chunk
    }

    /// Takes the answer from the inbox, or tells what is wrong with what came.
    fn take_answer(&mut self) -> Option<Event> {
        loop {
            if !self.inbox.take_line(&mut self.line) {
                let unfinished = self.inbox.bytes();
                return (unfinished.len() > LINE_BYTES_MAX).then(|| flood(unfinished));
            }
            if self.line.len() > LINE_BYTES_MAX {
                return Some(flood(&self.line));
            }
            if self.owed == 0 {
                break;
            }
            self.owed -= 1;
        }
        if self.inbox.bytes().is_empty() {
            return Some(Event::Answer);
        }
        let more = Offence::new(Cause::Unasked, "more output after the answer's newline");
        let more = more.quoting(self.inbox.bytes());
        self.inbox.clear();
        Some(Event::Offence(more))
    }

    /// Looks for output that nobody asked for.
    fn unasked(&mut self) -> Option<Offence> {
        if self.read() != Chunk::Some || self.owed > 0 {
            return None;
        }
        let offence = Offence::new(Cause::Unasked, "output before the question");
        let offence = offence.quoting(self.inbox.bytes());
        self.inbox.clear();
        Some(offence)
    }

    fn give_up(&mut self, cause: Cause, detail: &str) -> Event {
        self.owed += 1;
        self.offence(cause, detail)
    }

    /// Names an offence and quotes the unfinished line, if one has begun.
    fn offence(&self, cause: Cause, detail: impl Into<String>) -> Event {
        let offence = Offence::new(cause, detail);
        let unfinished = self.inbox.bytes();
        Event::Offence(if unfinished.is_empty() {
            offence
        } else {
            offence.quoting(unfinished)
        })
    }

    /// The output was closed: the end of the process follows, or it lives on.
    fn output_closed(&mut self, wall: Duration) -> Result<Event, JudgeError> {
        if self.exits_within(wall.min(EXIT_GRACE))? {
            return self.exited();
        }
        Ok(self.offence(Cause::Closed, "closed its output and did not exit"))
    }

    /// Waits for the process to exit; what it still writes is read and thrown away.
    fn exits_within(&mut self, limit: Duration) -> Result<bool, JudgeError> {
        let began = Instant::now();
        loop {
            let left = limit.saturating_sub(began.elapsed());
            let ready = self.poll(false, left)?;
            if ready.exited || left.is_zero() {
                return Ok(ready.exited);
            }
            if ready.stderr {
                self.read_stderr();
            }
            if ready.stdout {
                self.read();
                self.inbox.clear();
            }
        }
    }

    /// The process has exited: an answer may still be in the pipe.
    fn exited(&mut self) -> Result<Event, JudgeError> {
        loop {
            let chunk = self.read();
            if let Some(event) = self.take_answer() {
                return Ok(event);
            }
            if chunk != Chunk::Some {
                break;
            }
        }
        let exit = self.running.exit()?;
        let (cause, detail) = match exit {
            Exit::Signal(signal) => (Cause::Crash, format!("ended by {}", signal_name(signal))),
            Exit::Code(code) if self.inbox.bytes().is_empty() => (
                Cause::Exit,
                format!("exited with code {code} without an answer"),
            ),
            Exit::Code(code) => (
                Cause::Exit,
                format!("exited with code {code} after a line without its newline"),
            ),
        };
        let Event::Offence(mut offence) = self.offence(cause, detail) else {
            return Ok(Event::Answer);
        };
        offence.exit = Some(exit);
        Ok(Event::Offence(offence))
    }

    fn poll(&self, writing: bool, patience: Duration) -> Result<Ready, JudgeError> {
        let pidfd = self.running.pidfd();
        let mut fds = [
            PollFd::new(pidfd, PollFlags::POLLIN),
            slot(self.stdout.as_ref(), pidfd, PollFlags::POLLIN),
            slot(self.stderr.as_ref(), pidfd, PollFlags::POLLIN),
            slot(self.stdin.as_ref(), pidfd, PollFlags::POLLOUT),
        ];
        let used = if writing && self.stdin.is_some() {
            4
        } else {
            3
        };
        match ppoll(&mut fds[..used], Some(patience.into()), None) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(JudgeError::os("poll a bot's pipes", error)),
        }
        let is_ready = |index: usize| index < used && fds[index].any() == Some(true);
        Ok(Ready {
            exited: is_ready(0),
            stdout: is_ready(1) && self.stdout.is_some(),
            stderr: is_ready(2) && self.stderr.is_some(),
            stdin: is_ready(3),
        })
    }
}

impl Player for ProcessPlayer {
    fn ask(&mut self, message: &[u8], allowance: Allowance) -> Result<Spent, JudgeError> {
        let began = Instant::now();
        let event = self.converse(message, began, allowance)?;
        let cpu_us = self.cpu.charge_us()?;
        let wall_us = u64::try_from(began.elapsed().as_micros()).expect("within 584,000 years");
        let result = match event {
            Event::Answer => Ok(()),
            Event::Offence(offence) => Err(offence),
        };
        Ok(Spent {
            cpu_us,
            wall_us,
            result,
        })
    }

    fn line(&self) -> &[u8] {
        &self.line
    }

    fn process(&self) -> Option<Pid> {
        Some(self.running.pid())
    }

    fn tell(&mut self, message: &[u8]) {
        self.send(message);
    }

    fn take_stderr(&mut self) -> Vec<u8> {
        self.drain_stderr();
        mem::take(&mut self.stderr_kept)
    }

    fn finish(mut self: Box<Self>, farewell: Farewell) -> Result<Remains, JudgeError> {
        if farewell == Farewell::Polite {
            self.stdin = None;
            self.exits_within(EXIT_GRACE)?;
        }
        self.running.kill();
        self.running.exit()?;
        let cpu_us = self.cpu.charge_us()?;
        self.drain_stderr();
        Ok(Remains {
            cpu_us,
            stderr: self.stderr_kept,
        })
    }
}

/// One read takes at most this much.
const CHUNK_BYTES: usize = 8 << 10;

/// Reads of standard error at the end of a game.
const STDERR_CHUNKS_MAX: usize = 8;

fn read_chunk(
    pipe: Option<&mut impl Read>,
    chunk: &mut [u8],
    mut take: impl FnMut(&[u8]),
) -> Chunk {
    let Some(pipe) = pipe else {
        return Chunk::End;
    };
    loop {
        match pipe.read(chunk) {
            Ok(0) => return Chunk::End,
            Ok(count) => {
                take(&chunk[..count]);
                return Chunk::Some;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Chunk::Nothing,
            Err(_) => return Chunk::End,
        }
    }
}

/// Makes the place of a pipe in a poll; a closed pipe leaves one that waits for nothing.
fn slot<'a>(pipe: Option<&'a impl AsFd>, idle: BorrowedFd<'a>, interest: PollFlags) -> PollFd<'a> {
    match pipe {
        Some(pipe) => PollFd::new(pipe.as_fd(), interest),
        None => PollFd::new(idle, PollFlags::empty()),
    }
}

fn flood(bytes: &[u8]) -> Event {
    let detail = format!("a line longer than {LINE_BYTES_MAX} bytes");
    Event::Offence(Offence::new(Cause::Flood, detail).quoting(bytes))
}

fn signal_name(number: i32) -> String {
    let name = Signal::try_from(number).map_or("a real-time signal", Signal::as_str);
    format!("signal {number} ({name})")
}
