//! The warm cage for programs that do not fork: a copy of the worker that executes the program on
//! order. It holds nothing of a submission.

use super::super::spawn::{Command, NewStack};
use super::keyed_clone::keyed_clone;
use super::socket::{EXECUTED, NOT_EXECUTED, REFUSED, Report, STARTED, receive_order, send_report};
use nix::errno::Errno;
use nix::sys::prctl;
use nix::time::ClockId;
use nix::unistd::{Pid, setpgid};
use std::io;
use std::os::fd::RawFd;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

/// The cage's standard input, for both orders and reports.
const ORDERS: RawFd = 0;

/// One order, as the new process receives it.
struct Order<'a> {
    command: &'a Command,
    pipes: [RawFd; 3],
    /// Why the program has not been executed, as an errno; 0 = it has been.
    failure: AtomicI32,
    /// Whether the errno came from `exec`; nonzero = yes.
    refused: AtomicI32,
}

/// Executes the program on every order, until no more can come. Makes system calls only.
pub(super) fn serve(command: &Command, prepared: io::Result<()>, stack: &NewStack) {
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

/// Entry point of the new process.
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
