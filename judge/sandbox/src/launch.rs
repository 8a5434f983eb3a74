use super::cage::{BotRights, Cage, Limits};
use super::groups::{ControlGroups, Lease};
use super::isolation::Isolation;
use super::namespaces::Namespaces;
use super::running::Running;
use super::seccomp::{self, Paths};
use super::spawn::{Failure, Program, Spawned, StdPipes, close_others, spawn, std_pipes};
use super::warm::WarmCage;
use super::{account, files};
use model::artifact::IsolationLevel;
use nix::errno::Errno;
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::{Pid, getpid, getppid, setsid};
use rulebook::{JudgeError, Result};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::fd::AsFd;
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
const FLUSH: &str = "JUDGE_FLUSH";

/// The variables with options of Java for Kotlin's and Scala's compilers and for Maven.
const JAVA_TOOLS: [&str; 2] = ["JAVA_OPTS", "MAVEN_OPTS"];

/// Number of bytes that a new pipe always takes, however many pipes its user has.
pub const FIRST_BYTES_MAX: usize = 4096;

/// On old kernels, descriptors from this one on are not marked.
const DESCRIPTORS_OLD_MAX: libc::c_int = 1024;

impl Launch<'_> {
    /// Starts the program with pipes on its three standard descriptors. Its input holds `first`, at most [`FIRST_BYTES_MAX`]. Returns once it has been executed: its CPU clock,
    /// which survives `exec`, is a baseline. If it forks, returns when its kit hands over, and
    /// [`Running::before`] is the baseline.
    ///
    /// # Errors
    /// [`JudgeError::Execute`] if the kernel refuses to execute this program.
    pub fn start(&self, first: &[u8]) -> Result<Running> {
        let (spawned, pipes) = self.try_start(first).map_err(|failure| {
            let program = self.program.to_owned();
            let source = match failure {
                // Only the judge can be to blame for a missing program.
                Failure::Execute(source) if program.exists() => {
                    return JudgeError::Execute { program, source };
                }
                Failure::Execute(source) | Failure::Before(source) => source,
                Failure::Kit => Errno::ECHILD.into(),
            };
            JudgeError::Launch { program, source }
        })?;
        Ok(Running {
            spawned,
            pipes: Some(pipes),
            group: self.group.clone(),
            namespace: self.cage.namespace.clone(),
            reaped: false,
        })
    }

    pub(super) fn try_start(&self, first: &[u8]) -> Result<(Spawned, StdPipes), Failure> {
        if let Some(namespace) = &self.cage.namespace {
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
            if let (Err(_), Some(namespace)) = (&started, &self.cage.namespace) {
                // The next process gets the number that this one had.
                namespace.clear();
            }
            return Ok((started?, ours));
        }
        let descriptors = theirs.each_ref().map(AsFd::as_fd);
        let spawned = self.with_program(|program| {
            let parent = getpid();
            let confine = || self.confine(parent, true);
            #[expect(unsafe_code, reason = "the steps between clone and exec")]
            // SAFETY: `confine` makes system calls only and allocates nothing; it changes users by
            // system calls of its own.
            unsafe {
                spawn(program, descriptors, &confine, None)
            }
        })?;
        Ok((spawned, ours))
    }

    /// Makes the warm cage; returns whether it can fork: the kit may end before it takes orders.
    pub fn can_fork(&self) -> Result<bool> {
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
        let Some(warm) = &self.cage.warm else {
            return Ok(None);
        };
        if warm.get().is_none() {
            let made = self.with_program(|program| {
                let parent = getpid();
                let confine = || self.confine(parent, false);
                let key = self.cage.key().expect("its filter asks for one");
                #[expect(unsafe_code, reason = "the steps between clone and exec")]
                // SAFETY: as for a program.
                unsafe {
                    WarmCage::make(program, self.forks, key, &confine)
                }
            })?;
            let namespace = self.cage.namespace.as_ref();
            namespace.expect("it lives in one").keep_warm_cage();
            warm.get_or_init(|| made);
        }
        Ok(warm.get())
    }

    fn with_program<T>(
        &self,
        run: impl FnOnce(Program<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let flushed = self.cage.paths == Paths::NoneFlushed;
        let home = self.cage.home.as_deref().unwrap_or(self.directory);
        // Java knows neither HOME nor TMPDIR.
        let java = format!("-Duser.home={0} -Djava.io.tmpdir={0}", home.display());
        let is_build = self.cage.home.is_some();
        let environment: Vec<_> = [("PATH", OsStr::new(&self.cage.path))]
            .into_iter()
            .chain(ENVIRONMENT.map(|(name, value)| (name, OsStr::new(value))))
            .chain(flushed.then_some((FLUSH, OsStr::new("1"))))
            .chain(["HOME", "TMPDIR"].map(|name| (name, home.as_os_str())))
            .chain(JAVA_TOOLS.map(|name| (name, OsStr::new(&java))))
            .filter(|(name, _)| is_build || !JAVA_TOOLS.contains(name))
            .collect();
        if flushed {
            // The new process inherits this from the calling one, whose memory it borrows.
            prctl::set_thp_disable(true)?;
        }
        let ran = run(Program {
            path: self.program,
            args: self.args,
            environment: &environment,
            directory: self.directory,
            inside: self.cage.namespace.as_ref().map(|it| it.inside()),
            execve_key: self
                .cage
                .key()
                .filter(|_| self.cage.paths != Paths::Guarded),
        });
        if flushed {
            prctl::set_thp_disable(false)?;
        }
        ran
    }

    /// Runs in the new process before the program, and locks the cage last. Makes system calls only
    /// and allocates nothing.
    fn confine(&self, parent: Pid, owns_pipes: bool) -> io::Result<()> {
        setsid()?;
        if close_others(libc::CLOSE_RANGE_CLOEXEC).is_err() {
            // Kernels older than 5.11 lack this call or this flag.
            for descriptor in 3..DESCRIPTORS_OLD_MAX {
                #[expect(unsafe_code, reason = "the descriptor may not be open")]
                // SAFETY: the call takes integers only. It fails where nothing is open.
                unsafe {
                    libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC);
                }
            }
        }
        self.limits.apply(self.cage.tasks_max)?;
        if let Some(group) = &self.group {
            group.join()?;
            if self.cage.namespace.is_some() {
                // The group becomes the root, so that its name stays hidden.
                unshare(CloneFlags::CLONE_NEWCGROUP)?;
            }
        }
        self.cage.account.assume(owns_pipes)?;
        // Not earlier: the kernel forgets it when the user changes.
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        // A process in its own namespace cannot see its parent, and ends with the namespace.
        if self.cage.namespace.is_none() && getppid() != parent {
            // The parent died before the line above took effect.
            return Err(Errno::EPIPE.into());
        }
        self.cage.lock()
    }
}

const ANY_FOLDER: &str = "/usr";
const TRIES: usize = 3;
const NO_PROGRAM: &str = "/usr/no such program";

impl Isolation {
    /// Tries out every mechanism. A machine is weak only if it was so several times. Somebody may
    /// end the processes of a try.
    pub fn find() -> Self {
        let mut found = Self::try_out();
        for _ in 1..TRIES {
            if found.level() == IsolationLevel::Weak {
                found = Self::try_out();
            }
        }
        found
    }

    fn try_out() -> Self {
        let ids = account::free_ids();
        let mut found = Self {
            landlock_version: files::landlock_version(),
            seccomp: seccomp::is_available(),
            namespaces: Namespaces::find(ids.is_some()),
            ids,
            groups: ControlGroups::find(),
            closed: Vec::new(),
            opened: Vec::new(),
            read: Vec::new(),
            cold: false,
        };
        if found.level() == IsolationLevel::Sealed
            && let Err(why) = try_cage(&found)
        {
            found.namespaces = Namespaces::Missing(why);
        }
        found
    }
}

fn try_cage(isolation: &Isolation) -> Result<(), String> {
    let folder = Path::new(ANY_FOLDER);
    let cage = Cage::for_bots(isolation, folder, 0, BotRights::default());
    let launch = Launch {
        program: Path::new(NO_PROGRAM),
        args: &[],
        directory: folder,
        forks: false,
        limits: Limits::BOT,
        cage: &cage.map_err(|error| error.to_string())?,
        group: None,
    };
    match launch.try_start(&[]) {
        Err(Failure::Execute(error)) if error.raw_os_error() == Some(Errno::ENOENT as i32) => {
            Ok(())
        }
        Err(Failure::Execute(error) | Failure::Before(error)) => Err(error.to_string()),
        Err(Failure::Kit) => unreachable!("nothing is forked"),
        Ok(_) => Err(format!("{NO_PROGRAM} can be executed")),
    }
}
