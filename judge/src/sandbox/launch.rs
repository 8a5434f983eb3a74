//! Starting one program under limits, and ending it with its process group.

use super::spawn::{Pipes, Program, Spawned, spawn};
use crate::error::JudgeError;
use crate::fault::Exit;
use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::waitpid;
use nix::unistd::{Pid, getpid, getppid, setsid};
use std::ffi::OsStr;
use std::io;
use std::mem;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// What a program may use; a bound on everything that the kernel can bound.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Memory that a program may allocate, in bytes (the data segment; address space is
    /// left alone because GHC and Java reserve a great deal of it).
    pub memory_bytes_max: u64,
    /// The largest file that it may write, in bytes.
    pub file_bytes_max: u64,
    /// Open descriptors.
    pub descriptors_max: u64,
    /// CPU seconds after which the kernel ends it, as a last resort; none = unlimited.
    pub cpu_s_max: Option<u64>,
}

impl Limits {
    /// What a bot may use.
    pub const BOT: Self = Self {
        memory_bytes_max: 1 << 30,
        file_bytes_max: 1 << 20,
        descriptors_max: 64,
        cpu_s_max: None,
    };
    /// What a build may use.
    pub const BUILD: Self = Self {
        memory_bytes_max: 4 << 30,
        file_bytes_max: 1 << 30,
        descriptors_max: 1024,
        cpu_s_max: Some(300),
    };
}

/// A program to be started.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The program's absolute path.
    pub program: &'a Path,
    /// Its arguments.
    pub args: &'a [String],
    /// The directory that it runs in.
    pub directory: &'a Path,
    /// What it may use.
    pub limits: Limits,
}

/// All that a program finds in its environment.
const ENVIRONMENT: [(&str, &str); 3] = [
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ("LANG", "C.UTF-8"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
];

/// The first descriptor that a program does not inherit.
const DESCRIPTORS_KEPT: libc::c_uint = 3;

impl Launch<'_> {
    /// Starts the program with pipes on its three standard descriptors.
    ///
    /// Returns after the program has been executed, so that its CPU clock, which survives
    /// `exec`, can be read as a baseline at once.
    ///
    /// # Errors
    /// When the program cannot be executed or the machine has no process left.
    pub fn start(&self) -> Result<Running, JudgeError> {
        let failed = |source| JudgeError::Launch {
            program: self.program.to_owned(),
            source,
        };
        let limits = self.limits;
        let parent = getpid();
        let environment = ENVIRONMENT.map(|(name, value)| (name, OsStr::new(value)));
        let program = Program {
            path: self.program,
            args: self.args,
            environment: &environment,
            directory: self.directory,
        };
        #[expect(unsafe_code, reason = "the steps between clone and exec")]
        // SAFETY: `confine` makes system calls only and allocates nothing.
        let spawned = unsafe { spawn(program, &|| confine(limits, parent)) };
        spawned.map(Running::of).map_err(failed)
    }
}

/// Runs in the new process before the program: own session, death with the parent, nothing
/// inherited, limits. Makes system calls only and allocates nothing.
fn confine(limits: Limits, parent: Pid) -> io::Result<()> {
    setsid()?;
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    if getppid() != parent {
        // The parent died before the line above took effect.
        return Err(Errno::EPIPE.into());
    }
    close_on_exec_from(DESCRIPTORS_KEPT)?;
    let bound = |resource, most| setrlimit(resource, most, most);
    bound(Resource::RLIMIT_CORE, 0)?;
    bound(Resource::RLIMIT_MEMLOCK, 0)?;
    bound(Resource::RLIMIT_NOFILE, limits.descriptors_max)?;
    bound(Resource::RLIMIT_FSIZE, limits.file_bytes_max)?;
    bound(Resource::RLIMIT_DATA, limits.memory_bytes_max)?;
    if let Some(seconds) = limits.cpu_s_max {
        bound(Resource::RLIMIT_CPU, seconds)?;
    }
    Ok(())
}

/// Marks every descriptor from `first` on to be closed at `exec`.
fn close_on_exec_from(first: libc::c_uint) -> io::Result<()> {
    #[expect(unsafe_code, reason = "no safe wrapper exists")]
    // SAFETY: the call takes integers only.
    let result = unsafe {
        libc::syscall(
            libc::SYS_close_range,
            first,
            libc::c_uint::MAX,
            libc::CLOSE_RANGE_CLOEXEC,
        )
    };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// A started program; dropping it ends its process group and reaps it.
#[derive(Debug)]
pub struct Running {
    pid: Pid,
    pidfd: OwnedFd,
    pipes: Option<Pipes>,
}

impl Running {
    fn of(spawned: Spawned) -> Self {
        let Spawned { pid, pidfd, pipes } = spawned;
        Self {
            pid,
            pidfd,
            pipes: Some(pipes),
        }
    }

    /// Gives the process id, which stays its own until [`Running`] is dropped.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Gives a descriptor that polls as readable once the process has exited.
    pub fn pidfd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }

    /// Takes the pipes to and from the program; they can be taken once.
    pub fn take_pipes(&mut self) -> Pipes {
        self.pipes.take().expect("the pipes are taken once")
    }

    /// Kills the process group without reaping, so that the CPU clock can still be read.
    pub fn kill(&mut self) {
        // Fails only when nobody is left in the group; the leader itself is not reaped yet, so
        // its number cannot have become somebody else's.
        let _ = killpg(self.pid, Signal::SIGKILL);
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
        self.kill();
        // It ends and is reaped, whatever else this says: nix knows no real-time signals.
        while waitpid(self.pid, None) == Err(Errno::EINTR) {}
    }
}
