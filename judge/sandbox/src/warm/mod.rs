//! A warm cage: a confined process that starts the program on order, so that a start does not pay
//! for the confinement. It runs no byte of a submission. What it starts is the worker's child. A
//! key in each order lets the cage, and not these processes, pass the filter of system calls. It
//! lives in the namespaces of its program and ends with them.

mod socket;

use super::orphans::end_group_of;
use super::spawn::{Failure, NewStack, Program, Spawned, TheirPipes, spawn, spawn_copy};
use crate::pidfd::{open_pidfd, send_signal};
use crate::spawn::Command;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, waitid, waitpid};
use nix::time::ClockId;
use nix::unistd::{Pid, setpgid};
use socket::{EXECUTED, NOT_EXECUTED, READY, REFUSED, Report, STARTED, receive_order, send_report};
use std::arch::asm;
use std::cell::Cell;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;
use std::{io, mem, ptr};

#[derive(Debug)]
pub(super) struct WarmCage {
    process: Spawned,
    socket: OwnedFd,
    key: u64,
    forks: bool,
    /// Whether its next report may belong to an earlier order.
    is_broken: Cell<bool>,
}

#[derive(Debug)]
pub(super) struct Started {
    pub(super) spawned: Spawned,
    /// CPU time before anything of the submission ran, if cage or kit report it.
    pub(super) before: Option<Duration>,
}

/// In milliseconds, before the cage is sent `SIGCONT`: another process may have stopped it.
const POLL_MS: u16 = 100;
/// Maximum number of such waits: one minute in total for an instant task.
const ATTEMPTS_MAX: u32 = 600;

impl WarmCage {
    /// `key` belongs to the filter of `confine`. A program that `forks` is the cage itself.
    ///
    /// # Safety
    /// `confine` must make system calls only, see [`spawn`].
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
            let serve = |command: &_, prepared| serve(command, prepared, &stack);
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

    pub(super) fn is_alive(&self) -> bool {
        if self.is_broken.get() {
            return false;
        }
        let mut fds = [PollFd::new(self.socket.as_fd(), PollFlags::empty())];
        poll(&mut fds, PollTimeout::ZERO).is_ok() && fds[0].revents() == Some(PollFlags::empty())
    }

    /// Starts the program; `output` is the judge's end of its standard output. Returns after it has
    /// been executed or, if it forks, when its kit hands over to the submission.
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
        for _ in 0..ATTEMPTS_MAX {
            let socket = PollFd::new(self.socket.as_fd(), PollFlags::POLLIN);
            let output = output.map(|output| PollFd::new(output, PollFlags::empty()));
            let mut fds = [socket].into_iter().chain(output).collect::<Vec<_>>();
            match poll(&mut fds, POLL_MS) {
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
        // Processes that it starts leave its group at once. Until reaped, its number is its own.
        let _ = end_group_of(pid);
        let _ = waitid(itself(), WaitPidFlag::WEXITED);
    }
}

/// Starts a child of this process's parent on this process's memory and a stack of its own, and
/// waits until it has executed a program or ended with the result of `run`. Returns its id as this
/// process sees it.
///
/// # Safety
/// `run` gets `argument` and must make system calls only: it runs on this process's memory.
#[expect(unsafe_code, reason = "no wrapper takes a sixth argument")]
unsafe fn keyed_clone(
    stack_top: *mut libc::c_void,
    key: u64,
    run: extern "C" fn(*mut libc::c_void) -> libc::c_int,
    argument: *mut libc::c_void,
) -> nix::Result<Pid> {
    let flags = libc::CLONE_PARENT | libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    let result: i64;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the new process never leaves the block, whose first half is all that this one runs.
    unsafe {
        asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, r12",
            "call r13",
            "mov edi, eax",
            "mov eax, 60", // exit
            "syscall",
            "ud2",
            "2:",
            inlateout("rax") libc::SYS_clone => result,
            in("rdi") i64::from(flags),
            in("rsi") stack_top,
            in("rdx") 0_u64,
            in("r10") 0_u64,
            in("r8") 0_u64,
            in("r9") key,
            in("r12") argument,
            in("r13") run,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        asm!(
            "svc 0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x0, x20",
            "blr x21",
            "mov x8, #93", // exit
            "svc 0",
            "brk #1",
            "2:",
            in("x8") libc::SYS_clone,
            inlateout("x0") i64::from(flags) => result,
            in("x1") stack_top,
            in("x2") 0_u64,
            in("x3") 0_u64,
            in("x4") 0_u64,
            in("x5") key,
            in("x20") argument,
            in("x21") run,
        );
    }
    match i32::try_from(result) {
        Ok(pid) if pid > 0 => Ok(Pid::from_raw(pid)),
        Ok(errno) => Err(Errno::from_raw(-errno)),
        Err(_) => Err(Errno::UnknownErrno),
    }
}

/// The cage's standard input, for both orders and reports.
const ORDERS: RawFd = 0;

struct Order<'a> {
    command: &'a Command,
    pipes: [RawFd; 3],
    /// Why the program has not been executed, as an errno; 0 = it has been.
    failure: AtomicI32,
    /// Whether the errno came from `exec`; nonzero = yes.
    refused: AtomicI32,
}

/// Executes the program on every order, until no more can come. Makes system calls only.
fn serve(command: &Command, prepared: io::Result<()>, stack: &NewStack) {
    // Processes of the same user must not see into it.
    let prepared = prepared.and_then(|()| Ok(prctl::set_dumpable(false)?));
    while let Some((key, pipes)) = receive_order(ORDERS) {
        let report = match &prepared {
            Ok(()) => execute(command, pipes, key, stack),
            Err(error) => Report::of(REFUSED, error.raw_os_error().unwrap_or(libc::EIO)),
        };
        for pipe in pipes {
            close(pipe);
        }
        send_report(ORDERS, report);
    }
}

fn execute(command: &Command, pipes: [RawFd; 3], key: u64, stack: &NewStack) -> Report {
    let order = Order {
        command,
        pipes,
        failure: AtomicI32::new(libc::ECANCELED),
        refused: AtomicI32::new(0),
    };
    let argument = ptr::from_ref(&order).cast_mut().cast();
    #[expect(unsafe_code, reason = "no safe wrapper exists")]
    // SAFETY: `become_bot` makes system calls only, and gets what it expects.
    let started = unsafe { keyed_clone(stack.top(), key, become_bot, argument) };
    let failure = order.failure.load(Ordering::Relaxed);
    match started {
        Err(error) => Report::of(REFUSED, error as i32),
        Ok(_) if failure == 0 => Report::of(EXECUTED, 0),
        Ok(_) if order.refused.load(Ordering::Relaxed) != 0 => Report::of(NOT_EXECUTED, failure),
        Ok(_) => Report::of(REFUSED, failure),
    }
}

extern "C" fn become_bot(order: *mut libc::c_void) -> libc::c_int {
    #[expect(unsafe_code, reason = "runs between clone and exec")]
    // SAFETY: `execute` has passed one, which outlives this.
    let order = unsafe { &*order.cast::<Order<'_>>() };
    match prepare(order) {
        Ok(()) => {
            // If execution succeeds, this is the last chance to record it.
            order.failure.store(0, Ordering::Relaxed);
            order.refused.store(1, Ordering::Relaxed);
            order
                .failure
                .store(order.command.execute(), Ordering::Relaxed);
        }
        Err(error) => order.failure.store(error as i32, Ordering::Relaxed),
    }
    libc::EXIT_FAILURE
}

fn prepare(order: &Order<'_>) -> nix::Result<()> {
    let oneself = Pid::from_raw(0);
    setpgid(oneself, oneself)?;
    let used = Duration::from(ClockId::CLOCK_PROCESS_CPUTIME_ID.now()?);
    let before_ns = u64::try_from(used.as_nanos()).unwrap_or(u64::MAX);
    let started = Report {
        before_ns,
        ..Report::of(STARTED, 0)
    };
    send_report(ORDERS, started);
    for (wanted, pipe) in (0..).zip(order.pipes) {
        #[expect(unsafe_code, reason = "the safe wrapper takes what owns a descriptor")]
        // SAFETY: the call takes integers only, and this process's descriptors are its own.
        Errno::result(unsafe { libc::dup2(pipe, wanted) })?;
    }
    Ok(())
}

fn close(descriptor: RawFd) {
    #[expect(unsafe_code, reason = "the safe wrapper takes what owns a descriptor")]
    // SAFETY: the call takes integers only, and the cage's descriptors are its own.
    unsafe {
        libc::close(descriptor);
    }
}
