use super::groups::Lease;
use super::namespaces::PidNamespace;
use super::orphans::reap_group;
use super::spawn::{Spawned, StdPipes};
use model::fault::Exit;
use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::Pid;
use rulebook::{JudgeError, Result};
use std::mem;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::rc::Rc;
use std::time::Duration;

/// The end of a program, with the resources of it and of processes that it waited for.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// How it ended.
    pub exit: Exit,
    /// Peak memory in bytes; at least that of the judge's process when it started the program.
    pub memory_bytes_peak: u64,
    /// Whether the kernel has killed a process of its control group for lack of memory.
    pub out_of_memory: bool,
}

/// A started program. Dropping it ends and reaps its control group, or else its process group.
#[derive(Debug)]
pub struct Running {
    pub(super) spawned: Spawned,
    pub(super) pipes: Option<StdPipes>,
    pub(super) group: Option<Rc<Lease>>,
    pub(super) namespace: Option<Rc<PidNamespace>>,
    /// Whether the process is reaped, so that its number may belong to another process.
    pub(super) reaped: bool,
}

impl Running {
    /// Returns the process id, which no other process gets until [`Running`] is dropped.
    pub fn pid(&self) -> Pid {
        self.spawned.pid
    }

    /// Returns a descriptor that polls as readable once the process has exited.
    pub fn pidfd(&self) -> BorrowedFd<'_> {
        self.spawned.pidfd.as_fd()
    }

    /// Returns the CPU time before the kit handed over to the submission, if it was forked.
    pub fn before(&self) -> Option<Duration> {
        self.spawned.before
    }

    /// Takes the pipes to and from the program. Callers can take them only once.
    pub fn take_pipes(&mut self) -> StdPipes {
        self.pipes.take().expect("the pipes are taken once")
    }

    /// Returns the control group that the program has joined, if any.
    pub fn group(&self) -> Option<&Rc<Lease>> {
        self.group.as_ref()
    }

    /// Stops the program and everything that it started, until [`Running::resume`].
    pub fn suspend(&self) {
        match &self.group {
            Some(group) => group.suspend(),
            None => self.signal(Signal::SIGSTOP),
        }
    }

    fn signal(&self, signal: Signal) {
        // Fails only if the group has no processes left. The leader itself is not reaped yet, so no
        // other process can have its number.
        let _ = killpg(self.spawned.pid, signal);
    }

    /// Continues the program and everything that it started.
    pub fn resume(&self) {
        match &self.group {
            Some(group) => group.resume(),
            None => self.signal(Signal::SIGCONT),
        }
    }

    /// Continues the program if anybody has stopped it since the last call.
    pub fn resume_if_stopped(&self) {
        let stopped = WaitPidFlag::WSTOPPED | WaitPidFlag::WNOHANG;
        if let Ok(WaitStatus::Stopped(..)) = waitid(self.spawned.id(), stopped) {
            self.signal(Signal::SIGCONT);
        }
    }

    /// Returns whether a process died for lack of memory; false if the group has no limit.
    pub fn oom_killed(&self) -> bool {
        (self.group.as_ref()).is_some_and(|group| group.ran_out_of_memory())
    }

    /// Kills the program and everything that it started, and waits. Does not reap it: its CPU
    /// clocks can be read until it is dropped.
    pub fn end(&self) -> Result<Ended> {
        self.kill();
        let ended = self.ended()?;
        if let Some(namespace) = &self.namespace
            && !namespace.is_alive()
        {
            return Err(JudgeError::os("keep a program's namespaces", Errno::ESRCH));
        }
        if let Some(group) = &self.group {
            group.end()?;
        }
        Ok(ended)
    }

    /// Kills the program and everything that it started, without reaping.
    fn kill(&self) {
        if let Some(group) = &self.group {
            group.kill();
        }
        self.signal(Signal::SIGKILL);
    }

    /// Kills the process group and waits until all of it has ended. This process must adopt its
    /// orphaned descendants.
    pub(super) fn end_group(mut self) -> Result {
        self.kill();
        self.reaped = true;
        reap_group(self.spawned.pid)
    }

    /// Waits for the end without reaping: its CPU clock can be read until it is dropped.
    pub fn ended(&self) -> Result<Ended> {
        // Nix's waitid fails on real-time signals, which a bot can send to itself, and the C
        // library's omits the resource use.
        #[expect(unsafe_code, reason = "no safe wrapper tells real-time signals")]
        // SAFETY: both structures are plain data, valid as zeros; the call fills them, and then
        // si_status is valid, as the call reports nothing but ended children.
        let (code, status, usage) = unsafe {
            let mut info: libc::siginfo_t = mem::zeroed();
            let mut usage: libc::rusage = mem::zeroed();
            while let Err(error) = Errno::result(libc::syscall(
                libc::SYS_waitid,
                libc::P_PIDFD,
                self.spawned.pidfd.as_raw_fd(),
                &raw mut info,
                libc::WEXITED | libc::WNOWAIT,
                &raw mut usage,
            )) {
                if error != Errno::EINTR {
                    return Err(JudgeError::os("wait for a program", error));
                }
            }
            (info.si_code, info.si_status(), usage)
        };
        Ok(Ended {
            exit: match code {
                libc::CLD_EXITED => Exit::Code(status),
                _ => Exit::Signal(status),
            },
            memory_bytes_peak: usage.ru_maxrss.cast_unsigned() << 10,
            out_of_memory: self.oom_killed(),
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.reaped {
            return;
        }
        self.kill();
        // It ends and is reaped, whatever error this returns: nix knows no real-time signals.
        while waitpid(self.spawned.pid, None) == Err(Errno::EINTR) {}
        if let Some(namespace) = &self.namespace {
            namespace.clear();
        }
        // The rest of its control group ends with the lease.
    }
}
