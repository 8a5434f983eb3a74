//! The init process that holds a program's namespaces open, and becomes the parent of every orphan
//! there. It runs no byte of a submission and ends with the process that made it.
#![expect(
    unsafe_code,
    reason = "between clone and exec there are system calls only, and few have a safe wrapper"
)]

use super::super::spawn::{
    ATTEMPTS_MAX, NamespaceEntry, NewStack, Spawned, clone, close_others, is_open, make_standard,
    reset_signals, without_signals,
};
use super::private_root::PrivateRoot;
use super::{OrRefused, REPORT_BYTES, Refused, read_report, report};
use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags};
use nix::sched::CloneFlags;
use nix::sys::prctl;
use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::sys::wait::{WaitPidFlag, waitid, waitpid};
use nix::unistd::{Pid, getegid, geteuid, pipe2, read, write};
use rulebook::{IoContext, Result};
use std::cell::Cell;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};
use std::path::PathBuf;

/// Namespaces of a program. One player of the program uses them at a time.
#[derive(Debug)]
pub(in super::super) struct PidNamespace {
    init: Spawned,
    kinds: CloneFlags,
    commands: File,
    reports: File,
    /// The first process has been ordered to clear the namespaces and has not reported back yet.
    is_clearing: Cell<bool>,
    command: Cell<Command>,
}

/// The process number before that of a player, as the file of the kernel has it.
type Command = u8;
/// End all other processes, and restart the process numbers.
const END_ALL: Command = b'1';
/// Restart the process numbers after a warm cage, whose processes the caller reaps.
const KEEP_CAGE: Command = b'2';

const KINDS: CloneFlags = CloneFlags::CLONE_NEWPID
    .union(CloneFlags::CLONE_NEWNS)
    .union(CloneFlags::CLONE_NEWIPC)
    .union(CloneFlags::CLONE_NEWNET)
    .union(CloneFlags::CLONE_NEWCGROUP);

/// Process id, in its namespace, of a process that a warm cage starts. The cage itself has 2.
pub(in super::super) const PID_IN_WARM_CAGE: u32 = 3;

impl PidNamespace {
    /// Makes namespaces, within a user namespace if `with_user`. If it `reaps_children`, the CPU
    /// time of orphans counts as the first process's.
    pub(in super::super) fn make(
        root: &PrivateRoot,
        with_user: bool,
        reaps_children: bool,
    ) -> Result<Self, Refused> {
        let (their_commands, commands) = pipe2(OFlag::O_CLOEXEC).or_refused("make a pipe")?;
        let (reports, their_reports) = pipe2(OFlag::O_CLOEXEC).or_refused("make a pipe")?;
        let ids = [geteuid().as_raw(), getegid().as_raw()];
        let map = |id: u32| CString::new(format!("{id} {id} 1")).expect("digits");
        let (kinds, maps) = if with_user {
            (KINDS | CloneFlags::CLONE_NEWUSER, Some(ids.map(map)))
        } else {
            (KINDS, None)
        };
        let plan = InitPlan {
            root,
            maps,
            reaps_children,
            commands: their_commands.as_fd(),
            reports: their_reports.as_fd(),
        };
        let stack = NewStack::new();
        let flags = kinds.bits() | libc::CLONE_PIDFD;
        // SAFETY: the new process runs `init_main` on copies of the stack and of the plan, and
        // makes system calls only, as other threads of this one may have held locks.
        let init = without_signals(|| unsafe { clone(init_main, &stack, flags, &plan) })
            .or_refused("make namespaces")?;
        drop((their_commands, their_reports));
        let made = Self {
            init: Spawned::of(init),
            kinds,
            commands: commands.into(),
            reports: reports.into(),
            is_clearing: Cell::new(false),
            command: Cell::new(END_ALL),
        };
        let mut report = [0; REPORT_BYTES];
        made.read_report(&mut report, ATTEMPTS_MAX)
            .or_refused("keep namespaces")?;
        read_report(report)?;
        Ok(made)
    }

    pub(super) fn read_report(&self, report: &mut [u8], attempts: u32) -> nix::Result<()> {
        if !self.wait_readable(self.reports.as_fd(), attempts)? {
            return Err(Errno::ETIMEDOUT);
        }
        let read = (&self.reports).read_exact(report);
        read.map_err(|_| Errno::ECHILD)
    }

    /// Waits until a descriptor of the first process can be read; false after `attempts` waits.
    fn wait_readable(&self, descriptor: BorrowedFd<'_>, attempts: u32) -> nix::Result<bool> {
        let mut fds = [PollFd::new(descriptor, PollFlags::POLLIN)];
        self.init.poll(&mut fds, attempts)
    }

    pub(in super::super) fn processes(&self) -> PathBuf {
        format!("/proc/{}/root/proc", self.init.pid).into()
    }

    pub(in super::super) fn inside(&self) -> NamespaceEntry<'_> {
        NamespaceEntry {
            init: self.init.pidfd.as_fd(),
            kinds: self.kinds,
        }
    }

    /// When the first process ends, everything in the namespaces ends.
    pub(in super::super) fn is_alive(&self) -> bool {
        // Its end of the pipe closes before the kernel ends the other processes.
        is_open(self.reports.as_fd())
    }

    /// From now on, keeps the warm cage that has just been made here as the second process.
    pub(in super::super) fn keep_warm_cage(&self) {
        self.command.set(KEEP_CAGE);
    }

    /// Ends all processes still running here, and restarts the numbers: a process could learn from
    /// its own what its predecessor did. The caller has reaped those that it started here.
    pub(in super::super) fn clear(&self) {
        // If the first process is gone, the next caller learns of it.
        let ordered = (&self.commands).write_all(&[self.command.get()]);
        self.is_clearing.set(ordered.is_ok());
    }

    /// Ends everything here, and the namespaces. If made so, the CPU time of what ended counts as a
    /// child's. The caller has reaped those that it started here.
    pub(in super::super) fn end_all(&self) -> Result {
        // CPU time of processes that the kernel reaps when the namespace ends is not added to ours.
        self.clear();
        let cleared = self.await_clear();
        self.end(ATTEMPTS_MAX);
        cleared.or_io("clear", "the namespaces of a build")
    }

    pub(in super::super) fn await_clear(&self) -> io::Result<()> {
        if self.is_clearing.get() {
            self.read_report(&mut [0], ATTEMPTS_MAX)?;
            self.is_clearing.set(false);
        }
        if !self.is_alive() {
            return Err(Errno::ESRCH.into());
        }
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn send(&self, signal: Signal) {
        self.init.send(signal);
    }

    /// Ends everything here; false if the first process still exists after `attempts` waits. The
    /// caller must reap the processes that it has started: the kernel waits for that.
    pub(super) fn end(&self, attempts: u32) -> bool {
        self.init.send(Signal::SIGKILL);
        let ended = self.wait_readable(self.init.pidfd.as_fd(), attempts) == Ok(true);
        // `end_orphans` may have reaped it.
        let _ = waitid(self.init.id(), WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG);
        ended
    }
}

impl Drop for PidNamespace {
    fn drop(&mut self) {
        // A process that does not end is reaped with the other children, or when this process ends.
        self.end(ATTEMPTS_MAX);
    }
}

/// The data of the first process. All of it is allocated in advance.
struct InitPlan<'a> {
    root: &'a PrivateRoot,
    /// Lines that make the judge's user and group the only ones of a user namespace.
    maps: Option<[CString; 2]>,
    /// Whether the CPU time of orphans counts as the first process's.
    reaps_children: bool,
    commands: BorrowedFd<'a>,
    reports: BorrowedFd<'a>,
}

/// Descriptors of the first process; it has no others.
const COMMANDS: RawFd = 0;
const REPORTS: RawFd = 1;
const LAST_PID: RawFd = 2;

fn standard(descriptor: RawFd) -> BorrowedFd<'static> {
    // SAFETY: the three stay open.
    unsafe { BorrowedFd::borrow_raw(descriptor) }
}

impl InitPlan<'_> {
    fn set_up(&self) -> Result<(), Refused> {
        prctl::set_pdeathsig(Signal::SIGKILL).or_refused("tie a process to its parent")?;
        // A signal for the judge's group must not reach it.
        nix::unistd::setsid().or_refused("make a session")?;
        reset_signals().or_refused("reset signals")?;
        if !self.reaps_children {
            reap_by_itself();
        }
        if let Some(maps) = &self.maps {
            let [user, group] = maps;
            for (file, text) in [
                (c"/proc/self/setgroups", c"deny"),
                (c"/proc/self/uid_map", &**user),
                (c"/proc/self/gid_map", group),
            ] {
                put(file, text).or_refused("write its user and group")?;
            }
        }
        // Only the user decides who may enter it, whatever the judge's program is.
        prctl::set_dumpable(true).or_refused("let a process be entered")?;
        self.root.assemble()?;
        close_others(0).or_refused("close descriptors")?;
        reset_next_pid(END_ALL).or_refused("write /proc/sys/kernel/ns_last_pid")
    }

    /// Keeps none of the judge's descriptors. Else a reader that waits for the end of one of the
    /// judge's pipes would wait for this process, too.
    fn keep_descriptors(&self) -> Result<(), Refused> {
        let counter = c"/proc/sys/kernel/ns_last_pid";
        let last_pid = open(counter).or_refused("write /proc/sys/kernel/ns_last_pid")?;
        let standard = [self.commands, self.reports, last_pid.as_fd()];
        make_standard(standard).or_refused("close descriptors")?;
        drop(last_pid);
        close_others(0).or_refused("close descriptors")
    }
}

/// Entry point of the first process, which starts with all signals blocked.
extern "C" fn init_main(plan: *mut libc::c_void) -> libc::c_int {
    // SAFETY: it has been given a plan, and this process has a copy of it.
    let plan = unsafe { &*plan.cast::<InitPlan<'_>>() };
    // Before this, its descriptors are the judge's.
    if let Err(refused) = plan.keep_descriptors() {
        let _ = write(plan.reports, &report(&Err(refused)));
        return libc::EXIT_FAILURE;
    }
    let begun = plan.set_up();
    if write(standard(REPORTS), &report(&begun)).is_ok() && begun.is_ok() {
        while let Some(command) = read_command()
            && clear(command).is_ok()
        {}
    }
    libc::EXIT_FAILURE
}

fn clear(command: Command) -> nix::Result<()> {
    if command == END_ALL {
        // Every process but this one; fails if none is left.
        let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
        // Orphans become children of this process, so none is missed.
        while waitpid(None, None) != Err(Errno::ECHILD) {}
    }
    reset_next_pid(command)?;
    write(standard(REPORTS), &[0]).map(drop)
}

/// Sets the number of the next process in the namespace to the one after the processes that stay.
fn reset_next_pid(command: Command) -> nix::Result<()> {
    // SAFETY: there is one byte. The kernel accepts only a write at the file's beginning.
    let count = unsafe { libc::pwrite(LAST_PID, (&raw const command).cast(), 1, 0) };
    Errno::result(count).map(drop)
}

fn reap_by_itself() {
    // SAFETY: no handler is installed.
    unsafe {
        libc::signal(libc::SIGCHLD, libc::SIG_IGN);
    }
}

fn read_command() -> Option<Command> {
    let mut command = [END_ALL];
    loop {
        match read(standard(COMMANDS), &mut command) {
            Err(Errno::EINTR) => {}
            count => return (count == Ok(1)).then_some(command[0]),
        }
    }
}

fn open(path: &CStr) -> nix::Result<OwnedFd> {
    nix::fcntl::open(path, OFlag::O_WRONLY | OFlag::O_CLOEXEC, Mode::empty())
}

/// The kernel takes so few bytes at once.
fn put(path: &CStr, text: &CStr) -> nix::Result<()> {
    write(open(path)?, text.to_bytes()).map(drop)
}
