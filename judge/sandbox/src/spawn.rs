//! Starting a program without copying this process: the new one borrows this one's memory
//! until it executes the program, as in `posix_spawn`. A `fork` costs several times as much,
//! for the copied page tables and for the page faults that follow on both sides; so only what
//! lives on beside this process, without a program of its own, is a copy of it.

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sys::signal::{SigSet, SigmaskHow, pthread_sigmask};
use nix::sys::wait::waitpid;
use nix::unistd::{Pid, pipe2};
use std::cell::{Cell, UnsafeCell};
use std::ffi::{CString, OsStr};
use std::mem::{self, MaybeUninit};
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::{io, iter, ptr};

/// The program to be executed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Program<'a> {
    /// Its absolute path.
    pub(super) path: &'a Path,
    /// Its arguments after the first, which is its path.
    pub(super) args: &'a [String],
    /// All of its environment.
    pub(super) environment: &'a [(&'a str, &'a OsStr)],
    /// The directory that it runs in.
    pub(super) directory: &'a Path,
    /// The namespaces that it runs in, if not in ours.
    pub(super) inside: Option<Inside>,
    /// The sixth argument of the call that executes it, which the kernel does not look at, where
    /// its filter asks for one.
    pub(super) execve_key: Option<u64>,
}

/// The namespaces of another process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inside {
    /// A pidfd of the process.
    pub(super) init: RawFd,
    /// Which namespaces: `CLONE_NEW…` flags. Process ids are among them.
    pub(super) kinds: libc::c_int,
}

/// A new process, which the caller must wait for.
#[derive(Debug)]
pub(super) struct Spawned {
    pub(super) pid: Pid,
    pub(super) pidfd: OwnedFd,
}

/// Why a program does not run.
#[derive(Debug)]
pub(super) enum Failure {
    /// The machine, or what shuts programs in, is to blame.
    Before(io::Error),
    /// The kernel does not execute this program.
    Execute(io::Error),
    /// Its kit ends before it takes orders.
    Kit,
}

impl<E: Into<io::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Before(error.into())
    }
}

impl Failure {
    /// Says by an errno whom to blame; `executing` tells whether it is what `exec` answered.
    pub(super) fn of(errno: i32, executing: bool) -> Self {
        let error = io::Error::from_raw_os_error(errno);
        if executing && !MACHINES.contains(&Errno::from_raw(errno)) {
            Self::Execute(error)
        } else {
            Self::Before(error)
        }
    }
}

/// What `exec` answers where the machine is to blame, and not the program.
const MACHINES: [Errno; 7] = [
    Errno::EAGAIN,
    Errno::EINTR,
    Errno::EIO,
    Errno::EMFILE,
    Errno::ENFILE,
    Errno::ENOMEM,
    Errno::ETXTBSY,
];

/// The judge's ends of the pipes on a program's three standard descriptors.
pub(super) type StdPipes = (ChildStdin, ChildStdout, ChildStderr);

/// A program's own ends of these pipes, in the order of the descriptors that they become.
pub(super) type TheirPipes = [OwnedFd; 3];

/// Makes the pipes of a program: ours and its own.
///
/// # Errors
/// When there are no more descriptors.
pub(super) fn std_pipes() -> nix::Result<(StdPipes, TheirPipes)> {
    let (their_stdin, stdin) = pipe2(OFlag::O_CLOEXEC)?;
    let (stdout, their_stdout) = pipe2(OFlag::O_CLOEXEC)?;
    let (stderr, their_stderr) = pipe2(OFlag::O_CLOEXEC)?;
    let ours = (stdin.into(), stdout.into(), stderr.into());
    Ok((ours, [their_stdin, their_stdout, their_stderr]))
}

/// The first descriptor that a copy of this process does not keep.
const DESCRIPTORS_KEPT: libc::c_uint = 3;

/// What the new process runs on until it executes the program.
const STACK_BYTES: usize = 64 << 10;
/// What the processor's calling convention asks of a stack.
const STACK_ALIGN: usize = 16;
/// The last of the signals with names; nobody here handles any of the real-time ones.
const SIGNAL_LAST: libc::c_int = libc::SIGSYS;

/// Starts a program whose standard descriptors are these. Returns after it has been executed.
///
/// `confine` runs in the new process right before that: with no handler of ours installed,
/// no signal ignored or blocked, and the program's directory and standard descriptors in
/// place.
///
/// # Safety
/// `confine` must make system calls only: the memory that it sees is this process's own, where
/// other threads are running, and so is the C library's, which takes it for this thread.
/// (The C library's `setuid` and its kind would change all our threads.)
///
/// # Errors
/// What `confine` says, or the system when the program cannot be executed.
#[expect(unsafe_code, reason = "no safe wrapper exists")]
pub(super) unsafe fn spawn(
    program: Program<'_>,
    descriptors: [RawFd; 3],
    confine: &dyn Fn() -> io::Result<()>,
) -> Result<Spawned, Failure> {
    let command = Command::of(program)?;
    let directory = CString::new(program.directory.as_os_str().as_bytes())?;
    let plan = Plan::new(&program, (&command, &directory), descriptors, confine, None);
    // SAFETY: the caller's promise.
    let spawned = unsafe { clone(&plan) }?;
    let failure = plan.failure.into_inner();
    if failure != NO_FAILURE {
        // It has exited or been killed, so this does not block.
        while waitpid(spawned.pid, None) == Err(Errno::EINTR) {}
        return Err(Failure::of(failure, plan.executing.into_inner()));
    }
    Ok(spawned)
}

/// Starts a copy of this process in the place of a program: it is confined as that would be, and
/// then runs `serve`, which is given how the program is executed, until that returns. It has no
/// descriptors but those three.
///
/// # Safety
/// Both `confine` and `serve` must make system calls only, as other threads of this process may
/// hold locks that the copy never sees opened.
///
/// # Errors
/// When there can be no copy. What `confine` says is given to `serve`.
#[expect(unsafe_code, reason = "no safe wrapper exists")]
pub(super) unsafe fn spawn_copy(
    program: Program<'_>,
    descriptors: [RawFd; 3],
    confine: &dyn Fn() -> io::Result<()>,
    serve: &Serve<'_>,
) -> Result<Spawned, Failure> {
    let command = Command::of(program)?;
    let directory = CString::new(program.directory.as_os_str().as_bytes())?;
    let plan = Plan::new(
        &program,
        (&command, &directory),
        descriptors,
        confine,
        Some(serve),
    );
    // SAFETY: the caller's promise.
    Ok(unsafe { clone(&plan) }?)
}

/// What a copy of this process does instead of executing a program: it is given how that is done,
/// and whether the copy is confined.
pub(super) type Serve<'a> = dyn Fn(&Command, io::Result<()>) + 'a;

/// A program, as the kernel wants to be told what to execute; all made beforehand.
pub(super) struct Command {
    path: CString,
    args: Vec<*const libc::c_char>,
    environment: Vec<*const libc::c_char>,
    execve_key: Option<u64>,
    /// What the lists point to.
    _texts: [Vec<CString>; 2],
}

impl Command {
    fn of(program: Program<'_>) -> io::Result<Self> {
        let path = CString::new(program.path.as_os_str().as_bytes())?;
        let args = program.args.iter().map(|arg| CString::new(arg.as_str()));
        let args: Vec<CString> = args.collect::<Result<_, _>>()?;
        let environment = program.environment.iter();
        let environment = environment
            .map(|(name, value)| CString::new([name.as_bytes(), value.as_bytes()].join(&b'=')));
        let environment: Vec<CString> = environment.collect::<Result<_, _>>()?;
        Ok(Self {
            args: pointers(iter::once(&path).chain(&args)),
            environment: pointers(&environment),
            path,
            execve_key: program.execve_key,
            _texts: [args, environment],
        })
    }

    /// Executes the program; comes back only with the reason why that failed, an errno. Makes
    /// system calls only and allocates nothing.
    pub(super) fn execute(&self) -> i32 {
        let (path, args) = (self.path.as_ptr(), self.args.as_ptr());
        let environment = self.environment.as_ptr();
        if let Some(key) = self.execve_key {
            #[expect(unsafe_code, reason = "no safe wrapper takes a sixth argument")]
            // SAFETY: the texts end with a zero byte and the lists with a null pointer.
            unsafe {
                libc::syscall(libc::SYS_execve, path, args, environment, 0, 0, key);
            }
            return Errno::last_raw();
        }
        #[expect(unsafe_code, reason = "the safe wrapper allocates")]
        // SAFETY: the texts end with a zero byte and the lists with a null pointer. This allocates
        // nothing: the path has a slash, so it is not looked for; a script that does not name its
        // interpreter is given to the shell with a list made on the stack.
        unsafe {
            libc::execvpe(path, args, environment);
        }
        Errno::last_raw()
    }
}

/// What the new process needs, all made beforehand.
struct Plan<'a> {
    command: &'a Command,
    directory: &'a CString,
    /// What becomes standard input, output and error. None of these is 0 to 2: those are open from
    /// this program's start to its end.
    descriptors: [RawFd; 3],
    inside: Option<Inside>,
    confine: &'a dyn Fn() -> io::Result<()>,
    /// What a copy of this process does instead of executing the program.
    serve: Option<&'a Serve<'a>>,
    /// Why the program has not been executed, as an errno, or [`NO_FAILURE`]. Atomic because
    /// it is the new process that writes it.
    failure: AtomicI32,
    /// What the new process runs on until it executes the program.
    stack: NewStack,
    /// Whether all that comes before the program's execution went well.
    executing: AtomicBool,
}

const NO_FAILURE: i32 = 0;

impl<'a> Plan<'a> {
    fn new(
        program: &Program<'_>,
        (command, directory): (&'a Command, &'a CString),
        descriptors: [RawFd; 3],
        confine: &'a dyn Fn() -> io::Result<()>,
        serve: Option<&'a Serve<'a>>,
    ) -> Self {
        // What is not executed cannot fail at that.
        let failure = serve.map_or(libc::ECANCELED, |_| NO_FAILURE);
        Self {
            command,
            directory,
            descriptors,
            inside: program.inside,
            confine,
            serve,
            failure: AtomicI32::new(failure),
            stack: NewStack::new(),
            executing: AtomicBool::new(false),
        }
    }
}

/// Runs a plan in a new process; returns when that no longer needs our memory: it has executed the
/// program or has ended, or it is a copy.
#[expect(unsafe_code, reason = "no safe wrapper exists")]
unsafe fn clone(plan: &Plan<'_>) -> io::Result<Spawned> {
    // A handler of ours must not run in the new process: it would act on our memory.
    let mut mask = SigSet::empty();
    pthread_sigmask(
        SigmaskHow::SIG_SETMASK,
        Some(&SigSet::all()),
        Some(&mut mask),
    )?;
    let started = match plan.inside {
        // SAFETY: the caller's promise.
        None => unsafe { start(plan, 0) },
        // SAFETY: as above.
        Some(inside) => inside.visit(|| unsafe { start(plan, libc::CLONE_PARENT) }),
    };
    pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&mask), None)?;
    let (pid, pidfd) = started?;
    // SAFETY: the kernel has opened it for us.
    let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
    Ok(Spawned { pid, pidfd })
}

/// Starts the process that becomes the program, on this one's memory, and waits until it no longer
/// needs that; or a copy of this one. Makes system calls only.
#[expect(unsafe_code, reason = "no safe wrapper exists")]
unsafe fn start(plan: &Plan<'_>, flags: libc::c_int) -> nix::Result<(Pid, RawFd)> {
    let flags = flags | libc::CLONE_PIDFD | libc::SIGCHLD;
    let (run, flags): (extern "C" fn(*mut libc::c_void) -> libc::c_int, _) = match plan.serve {
        None => (become_program, flags | libc::CLONE_VM | libc::CLONE_VFORK),
        Some(_) => (become_copy, flags),
    };
    let mut pidfd: libc::c_int = -1;
    // SAFETY: the new process runs on a stack of its own, while this thread is suspended; so plan
    // and stack outlive their use there. What it changes of this process's memory is its stack,
    // `failure`, `executing`, and this thread's errno. A copy has copies of all of that.
    let pid = Errno::result(unsafe {
        libc::clone(
            run,
            plan.stack.top(),
            flags,
            ptr::from_ref(plan).cast_mut().cast(),
            &raw mut pidfd,
        )
    });
    Ok((Pid::from_raw(pid?), pidfd))
}

/// A stack for a new process.
pub(super) struct NewStack(Box<[MaybeUninit<UnsafeCell<u8>>]>);

impl NewStack {
    pub(super) fn new() -> Self {
        Self(Box::new_uninit_slice(STACK_BYTES))
    }

    /// Returns where it begins: stacks grow downwards.
    pub(super) fn top(&self) -> *mut libc::c_void {
        let end: *const MaybeUninit<UnsafeCell<u8>> = self.0.as_ptr_range().end;
        let top = end.map_addr(|address| address & !(STACK_ALIGN - 1));
        top.cast_mut().cast()
    }
}

/// What a process between does in the namespaces, and what has come of it.
struct Visit<'a, T> {
    inside: Inside,
    errand: &'a dyn Fn() -> nix::Result<T>,
    /// None where it has been ended from outside.
    outcome: Cell<Option<nix::Result<T>>>,
}

impl Inside {
    /// Looks whether it can be entered.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub(super) fn try_it(self) -> nix::Result<()> {
        self.visit(|| Ok(()))
    }

    /// Runs an errand in the namespaces: in a process between, because whoever has entered a user
    /// namespace does not come back. It shares our memory and descriptors, and what it starts there
    /// is our child (`CLONE_PARENT`).
    fn visit<T: Copy>(self, errand: impl Fn() -> nix::Result<T>) -> nix::Result<T> {
        let stack = NewStack::new();
        let visit = Visit {
            inside: self,
            errand: &errand,
            outcome: Cell::new(None),
        };
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_FILES | libc::SIGCHLD;
        #[expect(unsafe_code, reason = "no safe wrapper exists")]
        // SAFETY: the new process runs `pay_visit` on a stack of its own, while this thread is
        // suspended.
        let pid = Errno::result(unsafe {
            libc::clone(
                pay_visit::<T>,
                stack.top(),
                flags,
                ptr::from_ref(&visit).cast_mut().cast(),
            )
        })?;
        if visit.outcome.get().is_none() {
            // It was killed, and what it has started may still run on our memory.
            std::process::abort();
        }
        while waitpid(Pid::from_raw(pid), None) == Err(Errno::EINTR) {}
        visit.outcome.get().expect("looked at above")
    }
}

/// What the process between does.
extern "C" fn pay_visit<T>(visit: *mut libc::c_void) -> libc::c_int {
    #[expect(unsafe_code, reason = "runs between clone and exec")]
    // SAFETY: `Inside::visit` has passed one, which outlives this.
    let visit = unsafe { &*visit.cast::<Visit<'_, T>>() };
    let Inside { init, kinds } = visit.inside;
    #[expect(unsafe_code, reason = "the safe wrapper takes what owns a descriptor")]
    // SAFETY: the call takes integers only.
    let entered = Errno::result(unsafe { libc::setns(init, kinds) });
    let outcome = entered.and_then(|_| (visit.errand)());
    visit.outcome.set(Some(outcome));
    libc::EXIT_SUCCESS
}

/// What the new process does; it gets here with all signals blocked.
extern "C" fn become_program(plan: *mut libc::c_void) -> libc::c_int {
    #[expect(unsafe_code, reason = "runs between clone and exec")]
    // SAFETY: `clone` has been given a plan, which outlives this.
    let plan = unsafe { &*plan.cast::<Plan<'_>>() };
    let failure = match prepare(plan) {
        Ok(()) => {
            // If it goes well there will be no other chance to say so.
            plan.failure.store(NO_FAILURE, Ordering::Relaxed);
            plan.executing.store(true, Ordering::Relaxed);
            plan.command.execute()
        }
        Err(error) => error.raw_os_error().unwrap_or(libc::EIO),
    };
    plan.failure.store(failure, Ordering::Relaxed);
    libc::EXIT_FAILURE
}

/// What a copy does; it gets here with all signals blocked.
extern "C" fn become_copy(plan: *mut libc::c_void) -> libc::c_int {
    #[expect(unsafe_code, reason = "runs in a process of its own")]
    // SAFETY: `clone` has been given a plan, of which this process has a copy.
    let plan = unsafe { &*plan.cast::<Plan<'_>>() };
    let prepared = prepare(plan).and_then(|()| Ok(close_from(DESCRIPTORS_KEPT)?));
    let serve = plan.serve.expect("a copy has something to do");
    serve(plan.command, prepared);
    libc::EXIT_SUCCESS
}

fn prepare(plan: &Plan<'_>) -> io::Result<()> {
    for (wanted, &descriptor) in (0..).zip(&plan.descriptors) {
        #[expect(unsafe_code, reason = "the safe wrapper takes what owns a descriptor")]
        // SAFETY: the call takes integers only, and this process's descriptors are its own.
        Errno::result(unsafe { libc::dup2(descriptor, wanted) })?;
    }
    nix::unistd::chdir(plan.directory.as_c_str())?;
    reset_signals()?;
    (plan.confine)()
}

/// Closes all descriptors from one on, in a process of which nobody owns any of them.
pub(super) fn close_from(first: libc::c_uint) -> nix::Result<()> {
    #[expect(unsafe_code, reason = "no safe wrapper exists")]
    // SAFETY: the call takes integers only.
    let result = unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) };
    Errno::result(result).map(drop)
}

/// Resets every signal to its default action and unblocks it.
///
/// # Errors
/// When the kernel refuses.
pub(super) fn reset_signals() -> nix::Result<()> {
    #[expect(unsafe_code, reason = "no safe wrapper exists")]
    // SAFETY: the structure is plain data, valid as zeros, which stand for the default effect
    // and an empty mask; this process's table of effects is its own. The call fails only for
    // the two signals that have no other effect.
    unsafe {
        let default: libc::sigaction = mem::zeroed();
        for signal in 1..=SIGNAL_LAST {
            libc::sigaction(signal, &raw const default, ptr::null_mut());
        }
    }
    pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None)
}

/// Lists texts as C wants them: with a null pointer at the end.
fn pointers<'a>(texts: impl IntoIterator<Item = &'a CString>) -> Vec<*const libc::c_char> {
    let texts = texts.into_iter().map(|text| text.as_ptr());
    texts.chain(iter::once(ptr::null())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::fd::AsRawFd;

    fn run(
        path: &str,
        args: &[&str],
        confine: &dyn Fn() -> io::Result<()>,
    ) -> Result<String, Failure> {
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        let program = Program {
            path: Path::new(path),
            args: &args,
            environment: &[("COLOUR", OsStr::new("green"))],
            directory: Path::new("/usr"),
            inside: None,
            execve_key: None,
        };
        let ((stdin, mut stdout, _stderr), theirs) = std_pipes()?;
        let descriptors = theirs.each_ref().map(AsRawFd::as_raw_fd);
        #[expect(unsafe_code, reason = "this is what is tested")]
        // SAFETY: the tests' `confine` allocates nothing.
        let spawned = unsafe { spawn(program, descriptors, confine) }?;
        drop((stdin, theirs));
        let mut text = String::new();
        stdout.read_to_string(&mut text)?;
        waitpid(spawned.pid, None)?;
        Ok(text)
    }

    #[test]
    fn a_program_finds_its_arguments_environment_and_directory() {
        let script = "echo $# $2 $COLOUR; pwd; cat";
        let text = run("/bin/sh", &["-c", script, "sh", "1", "2"], &|| Ok(()));
        assert_eq!(text.expect("runs"), "2 2 green\n/usr\n");
    }

    #[test]
    fn a_program_starts_with_no_signal_ignored_or_blocked() {
        // This program ignores SIGPIPE, as every Rust program does.
        let args = ["-E", "^Sig(Blk|Ign)", "/proc/self/status"];
        let text = run("/bin/grep", &args, &|| Ok(())).expect("runs");
        let named = (1 << SIGNAL_LAST) - 1;
        let masks = text.lines().filter_map(|line| line.split_once(":\t"));
        let masks = masks.map(|(_, mask)| u64::from_str_radix(mask, 16).expect("a mask"));
        assert_eq!(masks.map(|mask| mask & named).collect::<Vec<_>>(), [0, 0]);
    }

    #[test]
    fn what_stands_in_the_way_is_told_and_nobody_is_left() {
        let none = run("/usr/no-such-program", &[], &|| Ok(()));
        assert!(is_execute(&none, Errno::ENOENT), "{none:?}");
        let closed = run("/etc/passwd", &[], &|| Ok(()));
        assert!(is_execute(&closed, Errno::EACCES), "{closed:?}");
        let refused = run("/bin/true", &[], &|| Err(Errno::EPERM.into()));
        assert!(is_before(&refused, libc::EPERM), "{refused:?}");
        let die = || Ok(nix::sys::signal::raise(nix::sys::signal::Signal::SIGKILL)?);
        let killed = run("/bin/true", &[], &die);
        assert!(is_before(&killed, libc::ECANCELED), "{killed:?}");
    }

    fn is_execute(run: &Result<String, Failure>, errno: Errno) -> bool {
        matches!(run, Err(Failure::Execute(e)) if e.raw_os_error() == Some(errno as i32))
    }

    fn is_before(run: &Result<String, Failure>, errno: i32) -> bool {
        matches!(run, Err(Failure::Before(e)) if e.raw_os_error() == Some(errno))
    }
}
