//! A warm cage: a process that has gone once through everything that shuts a program in, and then
//! starts the program on order, so that a start pays for none of it.
//!
//! It runs no byte of a submission. What it starts is the worker's child like any other. The filter
//! of system calls lets it start processes, and not what it starts, by a key that comes with each
//! order. It lives in the namespaces of its program and ends with them.

mod executor;
mod keyed_clone;
mod socket;

use super::orphans::end_group_of;
use super::pidfd::{open_pidfd, send_signal};
use super::spawn::{Failure, NewStack, Program, Spawned, TheirPipes, spawn, spawn_copy};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, waitid, waitpid};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};
use socket::{EXECUTED, NOT_EXECUTED, READY, REFUSED, Report, STARTED};
use std::cell::Cell;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::Duration;
use std::{io, mem};

/// Whether programs are started by warm cages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WarmCages {
    /// Yes.
    Kept,
    /// No, and this is why.
    Missing(String),
}

impl Default for WarmCages {
    fn default() -> Self {
        Self::Missing("nobody has looked".to_owned())
    }
}

/// A process that starts a program on order.
#[derive(Debug)]
pub(super) struct WarmCage {
    process: Spawned,
    socket: OwnedFd,
    key: u64,
    forks: bool,
    /// What it reports may belong to an earlier order.
    is_broken: Cell<bool>,
}

/// A process that was started on order.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) spawned: Spawned,
    /// The CPU time that it had used before anything of the submission ran, as the cage or the kit
    /// tells; none where nobody does.
    pub(super) before: Option<Duration>,
}

/// How long a report is waited for before the cage is told to go on, as somebody may have stopped
/// it.
const LOOK_MS: u16 = 100;
/// How often it is waited for so long: a minute for what takes a moment.
const LOOKS_MAX: u32 = 600;

impl WarmCage {
    /// Makes one for a program, in its namespaces; `key` is that of the filter by which `confine`
    /// shuts it in. A program that `forks` is the cage itself.
    ///
    /// # Safety
    /// `confine` must make system calls only, see [`spawn`].
    ///
    /// # Errors
    /// When there can be none.
    #[expect(unsafe_code, reason = "the steps between clone and exec")]
    pub(super) unsafe fn make(
        program: Program<'_>,
        forks: bool,
        key: u64,
        confine: &dyn Fn() -> io::Result<()>,
    ) -> Result<Self, Failure> {
        let (socket, theirs) = socket::pair()?;
        let descriptors = [theirs.as_raw_fd(); 3];
        let process = if forks {
            // SAFETY: the caller's promise.
            unsafe { spawn(program, descriptors, confine) }?
        } else {
            let stack = NewStack::new();
            let serve = |command: &_, prepared| executor::serve(command, prepared, &stack);
            // SAFETY: the caller's promise, and that of `serve`.
            unsafe { spawn_copy(program, descriptors, confine, &serve) }?
        };
        // Else its end would not be seen.
        drop(theirs);
        let cage = Self {
            process,
            socket,
            key,
            forks,
            is_broken: Cell::new(false),
        };
        if forks && !matches!(cage.report(None), Ok((report, _)) if report.kind == READY) {
            // Whatever it has written instead: what it does when it is executed is what counts.
            return Err(Failure::Kit);
        }
        Ok(cage)
    }

    /// Returns whether it is still there, and in step with its orders.
    pub(super) fn is_alive(&self) -> bool {
        if self.is_broken.get() {
            return false;
        }
        let mut fds = [PollFd::new(self.socket.as_fd(), PollFlags::empty())];
        poll(&mut fds, PollTimeout::ZERO).is_ok() && fds[0].revents() == Some(PollFlags::empty())
    }

    /// Starts the program with these pipes, of which `output` is our end of its standard output.
    /// Returns after it has been executed or, where it forks, when its kit hands over to the
    /// submission.
    ///
    /// # Errors
    /// When it does not start.
    pub(super) fn start(
        &self,
        pipes: TheirPipes,
        output: BorrowedFd<'_>,
    ) -> Result<Started, Failure> {
        let started = self.order(pipes, output);
        // Of what the kernel does not execute the last report has been read.
        if matches!(started, Err(Failure::Before(_) | Failure::Kit)) {
            self.is_broken.set(true);
        }
        started
    }

    fn order(&self, pipes: TheirPipes, output: BorrowedFd<'_>) -> Result<Started, Failure> {
        let sent = pipes.each_ref().map(AsRawFd::as_raw_fd);
        socket::send_order(self.socket.as_fd(), self.key, sent)?;
        // From here on the output is closed when the new process ends.
        drop(pipes);
        let (report, pid) = self.report(self.forks.then_some(output))?;
        if report.kind != STARTED {
            outcome(report)?;
            return Err(Errno::EPROTO.into());
        }
        let child = Child(pid);
        if !self.forks {
            let (report, _) = self.report(None)?;
            outcome(report)?;
        }
        Ok(child.opened(Duration::from_nanos(report.before_ns))?)
    }

    /// Waits for a report, or for the end of the new process whose `output` this is.
    fn report(&self, output: Option<BorrowedFd<'_>>) -> nix::Result<(Report, Pid)> {
        for _ in 0..LOOKS_MAX {
            let socket = PollFd::new(self.socket.as_fd(), PollFlags::POLLIN);
            let output = output.map(|output| PollFd::new(output, PollFlags::empty()));
            let mut fds = [socket].into_iter().chain(output).collect::<Vec<_>>();
            match poll(&mut fds, LOOK_MS) {
                Ok(0) => send_signal(self.process.pidfd.as_fd(), Signal::SIGCONT),
                Ok(_) if fds[0].any() == Some(true) => {
                    return socket::receive_report(self.socket.as_fd());
                }
                Ok(_) => return Err(Errno::ESRCH),
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error),
            }
        }
        Err(Errno::ETIMEDOUT)
    }
}

/// Says what became of an order after the new process had reported itself, or before.
fn outcome(report: Report) -> Result<(), Failure> {
    match report.kind {
        EXECUTED => Ok(()),
        NOT_EXECUTED => Err(Failure::of(report.errno, true)),
        REFUSED => Err(Failure::of(report.errno, false)),
        _ => Err(Failure::Before(Errno::EPROTO.into())),
    }
}

/// A process that has been started and that nobody owns yet: it is ended with this.
struct Child(Pid);

impl Child {
    fn opened(self, before: Duration) -> nix::Result<Started> {
        let pidfd = open_pidfd(self.0)?;
        let pid = self.0;
        mem::forget(self);
        let spawned = Spawned { pid, pidfd };
        let before = Some(before);
        Ok(Started { spawned, before })
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Fails only where it is a zombie.
        let _ = kill(self.0, Signal::SIGKILL);
        while waitpid(self.0, None) == Err(Errno::EINTR) {}
    }
}

impl Drop for WarmCage {
    fn drop(&mut self) {
        let pid = self.process.pid;
        let itself = || Id::PIDFd(self.process.pidfd.as_fd());
        send_signal(self.process.pidfd.as_fd(), Signal::SIGKILL);
        let end = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
        let ended = loop {
            match waitid(itself(), end) {
                Err(Errno::EINTR) => {}
                ended => break ended,
            }
        };
        if ended == Err(Errno::ECHILD) {
            // Who ends all children has reaped it, and its number may be somebody else's.
            return;
        }
        // What it starts leaves its group at once; and the number is its own until it is reaped.
        let _ = end_group_of(pid);
        let _ = waitid(itself(), WaitPidFlag::WEXITED);
    }
}
