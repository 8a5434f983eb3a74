//! The init process that holds a program's namespaces open, and becomes the parent of every orphan
//! there. It runs no byte of a submission and ends with the process that made it.

use super::super::spawn::{NamespaceEntry, NewStack, close_from, reset_signals};
use super::private_root::PrivateRoot;
use super::{OrRefused, REPORT_BYTES, Refused, Step, read_report, report};
use crate::pidfd::send_signal;
use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill, pthread_sigmask};
use nix::sys::wait::{Id, WaitPidFlag, waitid, waitpid};
use nix::unistd::{Pid, getegid, geteuid, pipe2};
use rulebook::JudgeError;
use std::cell::Cell;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::path::PathBuf;
use std::ptr;

/// Namespaces of a program. One player of the program uses them at a time.
#[derive(Debug)]
pub(in super::super) struct PidNamespace {
    pid: Pid,
    pidfd: OwnedFd,
    kinds: libc::c_int,
    commands: File,
    reports: File,
    /// The first process has been ordered to clear the namespaces and has not reported back yet.
    is_clearing: Cell<bool>,
    command: Cell<Command>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Command {
    /// End all other processes, and restart the process numbers.
    EndAll,
    /// Restart the process numbers after a warm cage, whose processes the caller reaps.
    KeepCage,
}

const KINDS: libc::c_int = libc::CLONE_NEWPID
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWCGROUP;

/// In milliseconds, before the first process is sent `SIGCONT`: another may have stopped it.
const POLL_MS: u16 = 100;
/// Maximum number of such waits: one minute in total for an instant task.
pub(super) const ATTEMPTS_MAX: u32 = 600;

/// The process number before that of a player, for each [`Command`].
const LAST_PIDS: [&CStr; 2] = [c"1", c"2"];

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
        let (their_commands, commands) = pipe2(OFlag::O_CLOEXEC).or_refused(Step::Pipe)?;
        let (reports, their_reports) = pipe2(OFlag::O_CLOEXEC).or_refused(Step::Pipe)?;
        let ids = [geteuid().as_raw(), getegid().as_raw()];
        let map = |id: u32| CString::new(format!("{id} {id} 1")).expect("digits");
        let (kinds, maps) = if with_user {
            (KINDS | libc::CLONE_NEWUSER, Some(ids.map(map)))
        } else {
            (KINDS, None)
        };
        let plan = InitPlan {
            root,
            maps,
            reaps_children,
            commands: their_commands.as_raw_fd(),
            reports: their_reports.as_raw_fd(),
        };
        let (pid, pidfd) = plan.spawn(kinds).or_refused(Step::Clone)?;
        drop((their_commands, their_reports));
        let made = Self {
            pid,
            pidfd,
            kinds,
            commands: commands.into(),
            reports: reports.into(),
            is_clearing: Cell::new(false),
            command: Cell::new(Command::EndAll),
        };
        made.wait_until_ready()?;
        Ok(made)
    }

    fn wait_until_ready(&self) -> Result<(), Refused> {
        let mut report = [0; REPORT_BYTES];
        self.read_report(&mut report, ATTEMPTS_MAX)
            .or_refused(Step::Live)?;
        read_report(report)
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
        for _ in 0..attempts {
            let mut fds = [PollFd::new(descriptor, PollFlags::POLLIN)];
            match poll(&mut fds, POLL_MS) {
                Ok(0) => self.send(Signal::SIGCONT),
                Ok(_) => return Ok(true),
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }

    pub(in super::super) fn processes(&self) -> PathBuf {
        format!("/proc/{}/root/proc", self.pid).into()
    }

    pub(in super::super) fn inside(&self) -> NamespaceEntry {
        NamespaceEntry {
            init: self.pidfd.as_raw_fd(),
            kinds: self.kinds,
        }
    }

    pub(super) fn check_entry(&self) -> Result<(), Refused> {
        self.inside().check_entry().or_refused(Step::Enter)
    }

    /// When the first process ends, everything in the namespaces ends.
    pub(in super::super) fn is_alive(&self) -> bool {
        let mut fds = [PollFd::new(self.reports.as_fd(), PollFlags::empty())];
        // Its end of the pipe closes before the kernel ends the other processes.
        poll(&mut fds, PollTimeout::ZERO).is_ok() && fds[0].revents() == Some(PollFlags::empty())
    }

    /// From now on, keeps the warm cage that has just been made here as the second process.
    pub(in super::super) fn keep_warm_cage(&self) {
        self.command.set(Command::KeepCage);
    }

    /// Ends all processes still running here, and restarts the numbers: a process could learn from
    /// its own what its predecessor did. The caller has reaped those that it started here.
    pub(in super::super) fn clear(&self) {
        // If the first process is gone, the next caller learns of it.
        let command = [self.command.get() as u8];
        self.is_clearing
            .set((&self.commands).write_all(&command).is_ok());
    }

    /// Ends everything here, and the namespaces. If made so, the CPU time of what ended counts as a
    /// child's. The caller has reaped those that it started here.
    pub(in super::super) fn end_all(&self) -> Result<(), JudgeError> {
        // CPU time of processes that the kernel reaps when the namespace ends is not added to ours.
        self.clear();
        let cleared = self.await_clear();
        self.end(ATTEMPTS_MAX);
        cleared.map_err(|e| JudgeError::io("clear", "the namespaces of a build", e))
    }

    pub(in super::super) fn await_clear(&self) -> io::Result<()> {
        if self.is_clearing.get() {
            self.read_report(&mut [0], ATTEMPTS_MAX)?;
            self.is_clearing.set(false);
        }
        if self.is_alive() {
            Ok(())
        } else {
            Err(Errno::ESRCH.into())
        }
    }

    pub(super) fn send(&self, signal: Signal) {
        send_signal(self.pidfd.as_fd(), signal);
    }

    /// Ends everything here; false if the first process still exists after `attempts` waits. The
    /// caller must reap the processes that it has started: the kernel waits for that.
    pub(super) fn end(&self, attempts: u32) -> bool {
        self.send(Signal::SIGKILL);
        let ended = self.wait_readable(self.pidfd.as_fd(), attempts) == Ok(true);
        // `end_orphans` may have reaped it.
        let _ = waitid(
            Id::PIDFd(self.pidfd.as_fd()),
            WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG,
        );
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
    commands: RawFd,
    reports: RawFd,
}

/// Descriptors of the first process; it has no others.
const COMMANDS: RawFd = 0;
const REPORTS: RawFd = 1;
const LAST_PID: RawFd = 2;
const DESCRIPTORS_KEPT: libc::c_uint = 3;

impl InitPlan<'_> {
    /// Starts the first process, on a copy of this one's memory.
    fn spawn(&self, kinds: libc::c_int) -> nix::Result<(Pid, OwnedFd)> {
        let stack = NewStack::new();
        let mut pidfd: libc::c_int = -1;
        let mut mask = SigSet::empty();
        pthread_sigmask(
            SigmaskHow::SIG_SETMASK,
            Some(&SigSet::all()),
            Some(&mut mask),
        )?;
        #[expect(unsafe_code, reason = "no safe wrapper exists")]
        // SAFETY: the new process runs `init_main` on copies of the stack and of the plan, and
        // makes system calls only, as other threads of this one may have held locks.
        let pid = Errno::result(unsafe {
            libc::clone(
                init_main,
                stack.top(),
                kinds | libc::CLONE_PIDFD | libc::SIGCHLD,
                ptr::from_ref(self).cast_mut().cast(),
                &raw mut pidfd,
            )
        });
        pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&mask), None)?;
        let pid = Pid::from_raw(pid?);
        #[expect(unsafe_code, reason = "a descriptor of the kernel's")]
        // SAFETY: the kernel has opened it for us.
        Ok((pid, unsafe { OwnedFd::from_raw_fd(pidfd) }))
    }

    fn set_up(&self) -> Result<(), Refused> {
        prctl::set_pdeathsig(Signal::SIGKILL).or_refused(Step::Parent)?;
        // A signal for the judge's group must not reach it.
        nix::unistd::setsid().or_refused(Step::Session)?;
        reset_signals().or_refused(Step::Signals)?;
        if !self.reaps_children {
            reap_by_itself();
        }
        if let Some(maps) = &self.maps {
            let files = [c"/proc/self/uid_map", c"/proc/self/gid_map"];
            put(c"/proc/self/setgroups", c"deny").or_refused(Step::User)?;
            for (file, map) in files.into_iter().zip(maps) {
                put(file, map).or_refused(Step::User)?;
            }
        }
        // Only the user decides who may enter it, whatever the judge's program is.
        prctl::set_dumpable(true).or_refused(Step::Dumpable)?;
        self.root.assemble()?;
        close_from(DESCRIPTORS_KEPT).or_refused(Step::Descriptors)?;
        reset_next_pid(Command::EndAll).or_refused(Step::Counter)
    }

    /// Keeps none of the judge's descriptors. Else a reader that waits for the end of one of the
    /// judge's pipes would wait for this process, too.
    fn keep_descriptors(&self) -> Result<(), Refused> {
        let last_pid = open(c"/proc/sys/kernel/ns_last_pid").or_refused(Step::Counter)?;
        #[expect(unsafe_code, reason = "the safe wrappers take what owns a descriptor")]
        // SAFETY: the calls take integers only, and this process's descriptors are its own. None of
        // the copied ones is among 0 to 2: the judge has these open from its beginning.
        unsafe {
            for (kept, descriptor) in [
                (COMMANDS, self.commands),
                (REPORTS, self.reports),
                (LAST_PID, last_pid),
            ] {
                Errno::result(libc::dup2(descriptor, kept)).or_refused(Step::Descriptors)?;
            }
        }
        close_from(DESCRIPTORS_KEPT).or_refused(Step::Descriptors)
    }
}

/// Entry point of the first process, which starts with all signals blocked.
extern "C" fn init_main(plan: *mut libc::c_void) -> libc::c_int {
    #[expect(unsafe_code, reason = "runs in a process of its own")]
    // SAFETY: it has been given a plan, and this process has a copy of it.
    let plan = unsafe { &*plan.cast::<InitPlan<'_>>() };
    // Before this, its descriptors are the judge's.
    if let Err(refused) = plan.keep_descriptors() {
        let _ = write_all(plan.reports, &report(Err(refused)));
        return libc::EXIT_FAILURE;
    }
    let begun = plan.set_up();
    if write_all(REPORTS, &report(begun)).is_ok() && begun.is_ok() {
        while let Some(command) = read_command()
            && clear(command).is_ok()
        {}
    }
    libc::EXIT_FAILURE
}

fn clear(command: Command) -> nix::Result<()> {
    if command == Command::EndAll {
        // Every process but this one; fails if none is left.
        let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
        // Orphans become children of this process, so none is missed.
        while waitpid(None, None) != Err(Errno::ECHILD) {}
    }
    reset_next_pid(command)?;
    write_all(REPORTS, &[0])
}

/// Sets the number of the next process in the namespace to the one after the processes that stay.
fn reset_next_pid(command: Command) -> nix::Result<()> {
    let text = LAST_PIDS[command as usize].to_bytes();
    #[expect(unsafe_code, reason = "the safe wrapper takes what owns a descriptor")]
    // SAFETY: there are as many bytes as it says. The kernel accepts only a write at the file's
    // beginning.
    let count = unsafe { libc::pwrite(LAST_PID, text.as_ptr().cast(), text.len(), 0) };
    Errno::result(count).map(drop)
}

fn reap_by_itself() {
    #[expect(unsafe_code, reason = "no safe wrapper exists")]
    // SAFETY: no handler is installed.
    unsafe {
        libc::signal(libc::SIGCHLD, libc::SIG_IGN);
    }
}

fn read_command() -> Option<Command> {
    let mut command = 0_u8;
    loop {
        #[expect(unsafe_code, reason = "the safe wrapper takes what owns a descriptor")]
        // SAFETY: there is room for one byte.
        let count = unsafe { libc::read(COMMANDS, (&raw mut command).cast(), 1) };
        if count >= 0 || Errno::last() != Errno::EINTR {
            let command = if command == Command::KeepCage as u8 {
                Command::KeepCage
            } else {
                Command::EndAll
            };
            return (count == 1).then_some(command);
        }
    }
}

fn write_all(descriptor: RawFd, bytes: &[u8]) -> nix::Result<()> {
    #[expect(unsafe_code, reason = "the safe wrapper takes what owns a descriptor")]
    // SAFETY: there are as many bytes as it says.
    let count = unsafe { libc::write(descriptor, bytes.as_ptr().cast(), bytes.len()) };
    // A pipe takes so few bytes at once.
    Errno::result(count).map(drop)
}

fn open(path: &CStr) -> nix::Result<RawFd> {
    #[expect(unsafe_code, reason = "the safe wrapper may allocate")]
    // SAFETY: the text ends with a zero byte and lives.
    Errno::result(unsafe { libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC) })
}

fn put(path: &CStr, text: &CStr) -> nix::Result<()> {
    // The descriptor closes with all the others.
    write_all(open(path)?, text.to_bytes())
}
