use super::cage::Cage;
use super::groups::Lease;
use super::running::Running;
use super::spawn::{Failure, Program, StdPipes, spawn, std_pipes};
use super::warm::{Started, WarmCage};
use crate::cage::Limits;
use nix::errno::Errno;
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::{Pid, getpid, getppid, setsid};
use rulebook::JudgeError;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::fchown;
use std::path::Path;
use std::rc::Rc;

/// A program to start.
#[derive(Clone, Debug)]
pub struct Launch<'a> {
    /// Absolute path.
    pub program: &'a Path,
    /// Its arguments.
    pub args: &'a [String],
    /// Working directory.
    pub directory: &'a Path,
    /// Whether the kit forks on order, see [`Artifact::forks`](model::artifact::Artifact).
    pub forks: bool,
    /// Its resource limits.
    pub limits: Limits,
    /// Its confinement, made for this directory.
    pub cage: &'a Cage,
    /// The control group that it joins, if it may start processes.
    pub group: Option<Rc<Lease>>,
}

const ENVIRONMENT: [(&str, &str); 2] = [("LANG", "C.UTF-8"), ("PYTHONDONTWRITEBYTECODE", "1")];

/// The variable that asks a kit to flush what its processes share; `judge_flush.h` reads it.
const FLUSH: (&str, &str) = ("JUDGE_FLUSH", "1");

/// The variables with options of Java for Kotlin's and Scala's compilers and for Maven.
const JAVA_TOOLS: [&str; 2] = ["JAVA_OPTS", "MAVEN_OPTS"];

/// Number of bytes that a new pipe always takes, however many pipes its user has.
pub const FIRST_BYTES_MAX: usize = 4096;

const DESCRIPTORS_KEPT: libc::c_uint = 3;

/// On old kernels, descriptors from this one on are not marked.
const DESCRIPTORS_OLD_MAX: libc::c_uint = 1024;

impl Launch<'_> {
    /// Starts the program with pipes on its three standard descriptors. Its input holds `first`, at most [`FIRST_BYTES_MAX`]. Returns once it has been executed: its CPU clock,
    /// which survives `exec`, is a baseline. If it forks, returns when its kit hands over, and
    /// [`Running::before`] is the baseline.
    ///
    /// # Errors
    /// [`JudgeError::Execute`] if the kernel refuses to execute this program.
    pub fn start(&self, first: &[u8]) -> Result<Running, JudgeError> {
        let started = self.try_start(first);
        let (started, pipes) = started.map_err(|failure| {
            let program = self.program.to_owned();
            match failure {
                // Only the judge can be to blame for a missing program.
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
                // The next process gets the number that this one had.
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

    /// Makes the warm cage; returns whether it can fork: the kit may end before it takes orders.
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

    /// The first start makes it. None if each start prepares everything itself.
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
            self.cage
                .namespace()
                .expect("it lives in one")
                .keep_warm_cage();
            warm.get_or_init(|| made);
        }
        Ok(warm.get())
    }

    fn with_program<T>(
        &self,
        run: impl FnOnce(Program<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let flushed = self.cage.is_flushed();
        let environment: Vec<_> = ENVIRONMENT
            .into_iter()
            .chain(flushed.then_some(FLUSH))
            .map(|(name, value)| (name, OsStr::new(value)))
            .collect();
        let home = self.cage.home().unwrap_or(self.directory);
        let own = ["HOME", "TMPDIR"].map(|name| (name, home.as_os_str()));
        let path = [("PATH", OsStr::new(self.cage.path()))];
        // Java knows neither variable.
        let options = format!("-Duser.home={0} -Djava.io.tmpdir={0}", home.display());
        let java = JAVA_TOOLS.map(|name| (name, OsStr::new(&options)));
        let is_build = self.cage.home().is_some();
        let java = if is_build { &java[..] } else { &[] };
        if flushed {
            // The new process inherits this from the calling one, whose memory it borrows.
            prctl::set_thp_disable(true)?;
        }
        let ran = run(Program {
            path: self.program,
            args: self.args,
            environment: &[&path[..], &environment, &own, java].concat(),
            directory: self.directory,
            inside: self.cage.namespace().map(|namespace| namespace.inside()),
            execve_key: self.cage.execve_key(),
        });
        if flushed {
            prctl::set_thp_disable(false)?;
        }
        ran
    }

    fn confinement(&self, owns_pipes: bool) -> impl Fn() -> io::Result<()> {
        let parent = getpid();
        move || {
            setsid()?;
            self.confine(parent, owns_pipes)
        }
    }

    /// Runs in the new process before the program, and locks the cage last. Makes system calls only
    /// and allocates nothing.
    fn confine(&self, parent: Pid, owns_pipes: bool) -> io::Result<()> {
        close_on_exec_from(DESCRIPTORS_KEPT);
        self.limits.apply(self.cage.tasks_max())?;
        if let Some(group) = &self.group {
            group.join()?;
            if self.cage.namespace().is_some() {
                // The group becomes the root, so that its name stays hidden.
                unshare(CloneFlags::CLONE_NEWCGROUP)?;
            }
        }
        self.cage.account().assume(owns_pipes)?;
        // Not earlier: the kernel forgets it when the user changes.
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        // A process in its own namespace cannot see its parent, and ends with the namespace.
        if self.cage.namespace().is_none() && getppid() != parent {
            // The parent died before the line above took effect.
            return Err(Errno::EPIPE.into());
        }
        self.cage.lock()
    }
}

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
        // Kernels older than 5.11 lack this call or this flag.
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
