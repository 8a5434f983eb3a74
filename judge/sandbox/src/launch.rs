//! Starting one program, shut in and under limits.

use super::cage::Cage;
use super::groups::Lease;
use super::limits::Limits;
use super::running::Running;
use super::spawn::{Failure, Program, spawn};
use error::JudgeError;
use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::{Pid, getpid, getppid, setsid};
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::rc::Rc;

/// A program to be started.
#[derive(Clone, Debug)]
pub struct Launch<'a> {
    /// The program's absolute path.
    pub program: &'a Path,
    /// Its arguments.
    pub args: &'a [String],
    /// The directory that it runs in.
    pub directory: &'a Path,
    /// What it may use.
    pub limits: Limits,
    /// What shuts it in; made for this directory.
    pub cage: &'a Cage,
    /// The control group that it joins, where it may start processes.
    pub group: Option<Rc<Lease>>,
}

/// All that a program finds in its environment.
const ENVIRONMENT: [(&str, &str); 3] = [
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ("LANG", "C.UTF-8"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
];

/// The first descriptor that a program does not inherit.
const DESCRIPTORS_KEPT: libc::c_uint = 3;

/// On old kernels, the descriptor from which on nothing is looked for.
const DESCRIPTORS_OLD_MAX: libc::c_uint = 1024;

impl Launch<'_> {
    /// Starts the program with pipes on its three standard descriptors.
    ///
    /// Returns after the program has been executed, so that its CPU clock, which survives
    /// `exec`, can be read as a baseline at once.
    ///
    /// # Errors
    /// [`JudgeError::Execute`] where the kernel does not execute this program, which is not our
    /// fault; any other when the machine fails.
    pub fn start(&self) -> Result<Running, JudgeError> {
        let parent = getpid();
        let environment = ENVIRONMENT.map(|(name, value)| (name, OsStr::new(value)));
        let own = ["HOME", "TMPDIR"].map(|name| (name, self.directory.as_os_str()));
        let program = Program {
            path: self.program,
            args: self.args,
            environment: &[&environment[..], &own].concat(),
            directory: self.directory,
            inside: self.cage.namespace().map(|namespace| namespace.inside()),
            execve_key: self.cage.execve_key(),
        };
        if let Some(namespace) = self.cage.namespace() {
            namespace
                .await_clear()
                .map_err(|source| JudgeError::Launch {
                    program: self.program.to_owned(),
                    source,
                })?;
        }
        #[expect(unsafe_code, reason = "the steps between clone and exec")]
        // SAFETY: `confine` makes system calls only and allocates nothing; it changes users by
        // system calls of its own.
        let spawned = unsafe { spawn(program, &|| self.confine(parent)) };
        let running = spawned.map_err(|failure| {
            let program = self.program.to_owned();
            match failure {
                // A program that is gone is nobody's fault but ours.
                Failure::Execute(source) if program.exists() => {
                    JudgeError::Execute { program, source }
                }
                Failure::Execute(source) | Failure::Before(source) => {
                    JudgeError::Launch { program, source }
                }
            }
        })?;
        let namespace = self.cage.namespace().cloned();
        Ok(Running::of(running, self.group.clone(), namespace))
    }

    /// Runs in the new process before the program: own session, nothing inherited, limits,
    /// own group and user, death with the parent, and at last the cage. Makes system calls only
    /// and allocates nothing.
    fn confine(&self, parent: Pid) -> io::Result<()> {
        setsid()?;
        close_on_exec_from(DESCRIPTORS_KEPT);
        self.limits.apply(self.cage.tasks_max())?;
        if let Some(group) = &self.group {
            group.join()?;
        }
        self.cage.account().assume()?;
        // Not earlier: the kernel forgets it when the user changes.
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        // In a namespace of its own it cannot see its parent, and ends with the namespace.
        if self.cage.namespace().is_none() && getppid() != parent {
            // The parent died before the line above took effect.
            return Err(Errno::EPIPE.into());
        }
        self.cage.lock()
    }
}

/// Marks every descriptor from `first` on to be closed at `exec`.
fn close_on_exec_from(first: libc::c_uint) {
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
    if result != 0 {
        // A kernel older than 5.11 knows no such call, or not with this flag.
        for descriptor in first..DESCRIPTORS_OLD_MAX {
            mark_close_on_exec(descriptor);
        }
    }
}

fn mark_close_on_exec(descriptor: libc::c_uint) {
    #[expect(unsafe_code, reason = "the descriptor may not be open")]
    // SAFETY: the call takes integers only. It fails where nothing is open.
    unsafe {
        libc::fcntl(descriptor.cast_signed(), libc::F_SETFD, libc::FD_CLOEXEC);
    }
}
