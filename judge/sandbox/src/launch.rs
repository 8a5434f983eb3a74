//! Starting one program, shut in and under limits.

use super::cage::Cage;
use super::groups::Lease;
use super::limits::Limits;
use super::running::Running;
use super::spawn::{Failure, Program, StdPipes, spawn, std_pipes};
use super::warm::{Started, WarmCage};
use error::JudgeError;
use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::{Pid, getpid, getppid, setsid, write};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::fchown;
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
    /// Whether its kit lets itself be forked, see [`Artifact::forks`](words::artifact::Artifact).
    pub forks: bool,
    /// What it may use.
    pub limits: Limits,
    /// What shuts it in; made for this directory.
    pub cage: &'a Cage,
    /// The control group that it joins, where it may start processes.
    pub group: Option<Rc<Lease>>,
    /// Where it tells its process id, as a line, before it executes anything, so that whoever reads
    /// that can end its process group also when this process is gone; not where a warm cage
    /// starts it.
    pub tells: Option<BorrowedFd<'a>>,
}

/// What a program finds in its environment besides PATH and its own folder.
const ENVIRONMENT: [(&str, &str); 2] = [("LANG", "C.UTF-8"), ("PYTHONDONTWRITEBYTECODE", "1")];

/// What a new pipe takes at once, however many its user has.
pub const FIRST_BYTES_MAX: usize = 4096;

/// More than a process id has digits.
const LINE_BYTES_MAX: usize = 16;

/// The first descriptor that a program does not inherit.
const DESCRIPTORS_KEPT: libc::c_uint = 3;

/// On old kernels, the descriptor from which on nothing is looked for.
const DESCRIPTORS_OLD_MAX: libc::c_uint = 1024;

impl Launch<'_> {
    /// Starts the program with pipes on its three standard descriptors, of which its input already
    /// has `first`: no more than a pipe always takes ([`FIRST_BYTES_MAX`]).
    ///
    /// Returns after the program has been executed, so that its CPU clock, which survives
    /// `exec`, can be read as a baseline at once; where it forks, when its kit hands over to the
    /// submission, and then it tells the baseline ([`Running::before`]).
    ///
    /// # Errors
    /// [`JudgeError::Execute`] where the kernel does not execute this program, which is not our
    /// fault; any other when the machine fails.
    pub fn start(&self, first: &[u8]) -> Result<Running, JudgeError> {
        let started = self.try_start(first);
        let (started, pipes) = started.map_err(|failure| {
            let program = self.program.to_owned();
            match failure {
                // A program that is gone is nobody's fault but ours.
                Failure::Execute(source) if program.exists() => {
                    JudgeError::Execute { program, source }
                }
                Failure::Execute(source) | Failure::Before(source) => {
                    JudgeError::Launch { program, source }
                }
                Failure::Kit => {
                    let source = Errno::ECHILD.into();
                    JudgeError::Launch { program, source }
                }
            }
        })?;
        let namespace = self.cage.namespace().cloned();
        Ok(Running::of(started, pipes, self.group.clone(), namespace))
    }

    pub(super) fn try_start(&self, first: &[u8]) -> Result<(Started, StdPipes), Failure> {
        if let Some(namespace) = self.cage.namespace() {
            namespace.await_clear()?;
        }
        let (mut ours, theirs) = std_pipes()?;
        if first.len() > FIRST_BYTES_MAX {
            return Err(Errno::EMSGSIZE.into());
        }
        ours.0.write_all(first)?;
        if let Some(warm) = self.warm_cage()? {
            if let Some(owner) = self.cage.pipe_owner() {
                for pipe in &theirs {
                    fchown(pipe, Some(owner), Some(owner))?;
                }
            }
            let started = warm.start(theirs, ours.1.as_fd());
            if let (Err(_), Some(namespace)) = (&started, self.cage.namespace()) {
                // Whoever comes next has the number that this one had.
                namespace.clear();
            }
            return Ok((started?, ours));
        }
        let descriptors = theirs.each_ref().map(AsRawFd::as_raw_fd);
        let spawned = self.with_program(|program| {
            let confine = self.confinement(true);
            #[expect(unsafe_code, reason = "the steps between clone and exec")]
            // SAFETY: `confine` makes system calls only and allocates nothing; it changes users by
            // system calls of its own.
            unsafe {
                spawn(program, descriptors, &confine)
            }
        })?;
        let before = None;
        Ok((Started { spawned, before }, ours))
    }

    /// Makes the warm cage, where it is not there yet, and returns whether the program's kit can be
    /// forked in it: not one that ends before it takes orders.
    ///
    /// # Errors
    /// When the machine fails.
    pub fn can_fork(&self) -> Result<bool, JudgeError> {
        match self.warm_cage() {
            Ok(warm) => Ok(warm.is_some()),
            Err(Failure::Kit | Failure::Execute(_)) => Ok(false),
            Err(Failure::Before(source)) => Err(JudgeError::Launch {
                program: self.program.to_owned(),
                source,
            }),
        }
    }

    /// Returns the process that starts the program, which is made with its first start; none where
    /// each start goes through everything by itself.
    fn warm_cage(&self) -> Result<Option<&WarmCage>, Failure> {
        let Some(warm) = self.cage.warm() else {
            return Ok(None);
        };
        if warm.get().is_none() {
            let made = self.with_program(|program| {
                let confine = self.confinement(false);
                let key = self.cage.key().expect("its filter asks for one");
                #[expect(unsafe_code, reason = "the steps between clone and exec")]
                // SAFETY: as for a program.
                unsafe {
                    WarmCage::make(program, self.forks, key, &confine)
                }
            })?;
            let namespace = self.cage.namespace().expect("it lives in one");
            namespace.keep_cage();
            warm.get_or_init(|| made);
        }
        Ok(warm.get())
    }

    fn with_program<T>(&self, run: impl FnOnce(Program<'_>) -> T) -> T {
        let environment = ENVIRONMENT.map(|(name, value)| (name, OsStr::new(value)));
        let own = ["HOME", "TMPDIR"].map(|name| (name, self.directory.as_os_str()));
        let path = [("PATH", OsStr::new(self.cage.path()))];
        run(Program {
            path: self.program,
            args: self.args,
            environment: &[&path[..], &environment, &own].concat(),
            directory: self.directory,
            inside: self.cage.namespace().map(|namespace| namespace.inside()),
            execve_key: self.cage.execve_key(),
        })
    }

    /// Returns what shuts a new process in.
    fn confinement(&self, owns_pipes: bool) -> impl Fn() -> io::Result<()> {
        let parent = getpid();
        move || self.confine(parent, owns_pipes)
    }

    /// Runs in the new process before the program: own session, which is told, nothing inherited,
    /// limits, own group and user, death with the parent, and at last the cage. Makes system calls
    /// only and allocates nothing.
    fn confine(&self, parent: Pid, owns_pipes: bool) -> io::Result<()> {
        setsid()?;
        if let Some(reader) = self.tells {
            tell(getpid(), reader)?;
        }
        close_on_exec_from(DESCRIPTORS_KEPT);
        self.limits.apply(self.cage.tasks_max())?;
        if let Some(group) = &self.group {
            group.join()?;
        }
        self.cage.account().assume(owns_pipes)?;
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

/// Writes a process id as a line of digits. Allocates nothing.
fn tell(pid: Pid, reader: BorrowedFd<'_>) -> io::Result<()> {
    let mut line = [0; LINE_BYTES_MAX];
    let mut rest = &mut line[..];
    writeln!(rest, "{pid}")?;
    let left = rest.len();
    // So short a line is written to a pipe as a whole.
    write(reader, &line[..LINE_BYTES_MAX - left])?;
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::super::account::Account;
    use super::super::tier::Isolation;
    use super::*;
    use nix::fcntl::OFlag;
    use nix::unistd::{pipe2, read};

    #[test]
    fn who_leads_the_group_is_told_before_anything_is_executed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let isolation = Isolation::find();
        let cage = Cage::for_build(&isolation, Account::Judges, folder.path()).expect("a cage");
        let (ours, theirs) = pipe2(OFlag::O_CLOEXEC).expect("a pipe");
        let launch = Launch {
            program: Path::new("/no/such/compiler"),
            args: &[],
            directory: folder.path(),
            forks: false,
            limits: Limits::BUILD,
            cage: &cage,
            group: None,
            tells: Some(theirs.as_fd()),
        };
        let failure = launch.try_start(&[]).expect_err("there is no program");
        assert!(matches!(failure, Failure::Execute(_)), "{failure:?}");
        let mut told = [0; LINE_BYTES_MAX];
        let count = read(&ours, &mut told).expect("a line");
        let told = std::str::from_utf8(&told[..count]).expect("text");
        let pid: i32 = told
            .strip_suffix('\n')
            .expect("a line")
            .parse()
            .expect("a number");
        assert!(pid > 0 && Pid::from_raw(pid) != getpid(), "{pid}");
    }
}
