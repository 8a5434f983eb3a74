//! A warm cage: a process that is already confined and starts the program on order, so that a start
//! does not pay for the confinement.
//!
//! It runs no byte of a submission. A process that it starts is the worker's child like any other.
//! By a key that comes with each order, the filter of system calls lets the cage start processes,
//! but not the processes that it starts. It lives in the namespaces of its program and ends with
//! them.

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
use socket::{EXECUTED, NOT_EXECUTED, READY, REFUSED, Report, STARTED};
use std::cell::Cell;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::Duration;
use std::{io, mem};

/// A process that starts a program on order.
#[derive(Debug)]
pub(super) struct WarmCage {
    process: Spawned,
    socket: OwnedFd,
    key: u64,
    forks: bool,
    /// Whether its next report may belong to an earlier order.
    is_broken: Cell<bool>,
}

/// A process that was started on order.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) spawned: Spawned,
    /// CPU time that it had used before anything of the submission ran, as the cage or the kit
    /// reports it. None if neither reports it.
    pub(super) before: Option<Duration>,
}

/// Wait for a report, in milliseconds, before the cage is sent `SIGCONT`: another process may have
/// stopped it.
const LOOK_MS: u16 = 100;
/// Maximum number of such waits: one minute in total for an instant task.
const LOOKS_MAX: u32 = 600;

impl WarmCage {
    /// Makes a warm cage for a program, in its namespaces. `key` belongs to the filter with which
    /// `confine` confines the process. A program that `forks` is the cage itself.
    ///
    /// # Safety
    /// `confine` must make system calls only, see [`spawn`].
    ///
    /// # Errors
    /// When the cage cannot be made.
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
        // Otherwise the judge would not notice the cage's end.
        drop(theirs);
        let cage = Self {
            process,
            socket,
            key,
            forks,
            is_broken: Cell::new(false),
        };
        if forks && !matches!(cage.report(None), Ok((report, _)) if report.kind == READY) {
            // Whatever it has written instead: only its behaviour when it is executed counts.
            return Err(Failure::Kit);
        }
        Ok(cage)
    }

    /// Returns whether the cage is alive, and in step with its orders.
    pub(super) fn is_alive(&self) -> bool {
        if self.is_broken.get() {
            return false;
        }
        let mut fds = [PollFd::new(self.socket.as_fd(), PollFlags::empty())];
        poll(&mut fds, PollTimeout::ZERO).is_ok() && fds[0].revents() == Some(PollFlags::empty())
    }

    /// Starts the program with these pipes; `output` is the judge's end of its standard output.
    /// Returns after the program has been executed or, if it forks, when its kit hands over to the
    /// submission.
    ///
    /// # Errors
    /// When the program does not start.
    pub(super) fn start(
        &self,
        pipes: TheirPipes,
        output: BorrowedFd<'_>,
    ) -> Result<Started, Failure> {
        let started = self.order(pipes, output);
        // If the kernel refused to execute the program, the last report has been read.
        if matches!(started, Err(Failure::Before(_) | Failure::Kit)) {
            self.is_broken.set(true);
        }
        started
    }

    fn order(&self, pipes: TheirPipes, output: BorrowedFd<'_>) -> Result<Started, Failure> {
        let sent = pipes.each_ref().map(AsRawFd::as_raw_fd);
        socket::send_order(self.socket.as_fd(), self.key, sent)?;
        // From here on the output closes when the new process ends.
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

    /// Waits for a report, or for the end of the new process that writes `output`.
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

/// Returns the result of an order, from its last report.
fn outcome(report: Report) -> Result<(), Failure> {
    match report.kind {
        EXECUTED => Ok(()),
        NOT_EXECUTED => Err(Failure::of(report.errno, true)),
        REFUSED => Err(Failure::of(report.errno, false)),
        _ => Err(Failure::Before(Errno::EPROTO.into())),
    }
}

/// A started process that has no owner yet. Dropping this ends it.
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
        // Fails only for a zombie.
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
            // `end_orphans` has reaped it, so its number may belong to another process.
            return;
        }
        // Processes that it starts leave its group at once. Its number stays its own until it is
        // reaped.
        let _ = end_group_of(pid);
        let _ = waitid(itself(), WaitPidFlag::WEXITED);
    }
}
