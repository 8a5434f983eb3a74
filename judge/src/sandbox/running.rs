//! A started program, and how it is ended with everything in its process group.

use crate::error::JudgeError;
use crate::fault::Exit;
use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::waitpid;
use nix::unistd::Pid;
use std::io;
use std::mem;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};

fn open_pidfd(child: &Child) -> io::Result<OwnedFd> {
    #[expect(unsafe_code, reason = "no safe wrapper exists")]
    // SAFETY: the call takes integers only, and a descriptor that it returns is ours.
    unsafe {
        let fd = libc::syscall(libc::SYS_pidfd_open, child.id(), 0);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        let fd = i32::try_from(fd).map_err(io::Error::other)?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

/// A started program; dropping it ends its process group and reaps it.
#[derive(Debug)]
pub struct Running {
    child: Child,
    pidfd: OwnedFd,
}

impl Running {
    /// Takes charge of a process that leads its group; ends it where that fails.
    ///
    /// # Errors
    /// When the machine has no descriptor left.
    pub(super) fn of(mut child: Child) -> io::Result<Self> {
        match open_pidfd(&child) {
            Ok(pidfd) => Ok(Self { child, pidfd }),
            Err(error) => {
                end(&mut child);
                Err(error)
            }
        }
    }

    /// Gives the process id, which stays its own until [`Running::end`].
    pub fn pid(&self) -> Pid {
        pid_of(&self.child)
    }

    /// Gives a descriptor that polls as readable once the process has exited.
    pub fn pidfd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }

    /// Takes the pipes to and from the program; they can be taken once.
    pub fn take_pipes(&mut self) -> (ChildStdin, ChildStdout, ChildStderr) {
        let taken = "the pipes are taken once";
        (
            self.child.stdin.take().expect(taken),
            self.child.stdout.take().expect(taken),
            self.child.stderr.take().expect(taken),
        )
    }

    /// Kills the process group without reaping, so that the CPU clock can still be read.
    pub fn kill(&mut self) {
        kill_group(&self.child);
    }

    /// Kills the process group and waits until all of it has ended. Where nobody has left the
    /// group, nothing of what was started runs any more.
    ///
    /// This process must be the one that orphans among its descendants come to.
    ///
    /// # Errors
    /// When the processes cannot be waited for.
    pub(super) fn end_group(mut self) -> Result<(), JudgeError> {
        self.kill();
        let group = self.pid();
        // The leader's children become ours when it is dead, before it can be reaped.
        self.child
            .wait()
            .map_err(|e| JudgeError::io("wait for", "a build", e))?;
        loop {
            match waitpid(Pid::from_raw(-group.as_raw()), None) {
                Ok(_) | Err(Errno::EINTR) => {}
                Err(Errno::ECHILD) => return Ok(()),
                Err(error) => return Err(JudgeError::os("wait for a build", error)),
            }
        }
    }

    /// Waits for the process to end and gives how, without reaping it: its CPU clock can be
    /// read until it is dropped.
    ///
    /// # Errors
    /// When the process cannot be waited for.
    pub fn exit(&self) -> Result<Exit, JudgeError> {
        // Not nix's waitid: it fails on real-time signals, which a bot can send to itself.
        #[expect(unsafe_code, reason = "no safe wrapper tells real-time signals")]
        // SAFETY: siginfo_t is plain data, valid as zeros; waitid fills it, and then
        // si_status is valid, as the call reports nothing but ended children.
        let (code, status) = unsafe {
            let mut info: libc::siginfo_t = mem::zeroed();
            let pidfd = self.pidfd.as_raw_fd().cast_unsigned();
            let look = libc::WEXITED | libc::WNOWAIT;
            while libc::waitid(libc::P_PIDFD, pidfd, &raw mut info, look) != 0 {
                match Errno::last() {
                    Errno::EINTR => {}
                    error => return Err(JudgeError::os("wait for a bot", error)),
                }
            }
            (info.si_code, info.si_status())
        };
        Ok(match code {
            libc::CLD_EXITED => Exit::Code(status),
            _ => Exit::Signal(status),
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

fn end(child: &mut Child) {
    kill_group(child);
    // Waiting can only fail for a child that is reaped already, which is as good.
    let _ = child.wait();
}

fn kill_group(child: &Child) {
    // Fails only when nobody is left in the group; the leader itself is not reaped yet, so
    // its number cannot have become somebody else's.
    let _ = killpg(pid_of(child), Signal::SIGKILL);
}

fn pid_of(child: &Child) -> Pid {
    Pid::from_raw(child.id().cast_signed())
}
