//! Starts a program without copying this process: as in `posix_spawn`, the new process borrows this
//! one's memory until it executes the program. A `fork` costs several times as much. Only a process
//! that runs next to this one without a program of its own is a copy.
#![expect(
    unsafe_code,
    reason = "between clone and exec there are system calls only, and few have a safe wrapper"
)]

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, setns};
use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use nix::sys::wait::{Id, waitpid};
use nix::unistd::{Pid, chdir, dup2_stderr, dup2_stdin, dup2_stdout, pipe2};
use std::cell::{Cell, UnsafeCell};
use std::ffi::{CString, OsStr};
use std::mem::{self, MaybeUninit};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;
use std::{io, iter, ptr};

#[derive(Clone, Copy, Debug)]
pub(super) struct Program<'a> {
    pub(super) path: &'a Path,
    /// Arguments after the first, which is the path.
    pub(super) args: &'a [String],
    pub(super) environment: &'a [(&'a str, &'a OsStr)],
    pub(super) directory: &'a Path,
    pub(super) inside: Option<NamespaceEntry<'a>>,
    /// Sixth argument of the call that executes it, for its filter; the kernel ignores it.
    pub(super) execve_key: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct NamespaceEntry<'a> {
    pub(super) init: BorrowedFd<'a>,
    /// The namespaces to enter. They include process ids.
    pub(super) kinds: CloneFlags,
}

/// A child of this process.
#[derive(Debug)]
pub(super) struct Spawned {
    pub(super) pid: Pid,
    /// Unlike a process id, a pidfd never refers to another process.
    pub(super) pidfd: OwnedFd,
    /// CPU time before anything of the submission ran, if cage or kit report it.
    pub(super) before: Option<Duration>,
}

/// In milliseconds, before a process is sent `SIGCONT`: another may have stopped it.
const POLL_MS: u16 = 100;
/// Maximum number of such waits: one minute in total for an instant task.
pub(super) const ATTEMPTS_MAX: u32 = 600;

impl Spawned {
    /// Takes over a descriptor that the kernel has opened for us.
    pub(super) fn of((pid, pidfd): (Pid, RawFd)) -> Self {
        // SAFETY: nobody else owns it.
        let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
        let before = None;
        Self { pid, pidfd, before }
    }

    /// Opens the pidfd of a child that has not been reaped, so its number is still its own.
    pub(super) fn open(pid: Pid) -> nix::Result<Self> {
        // SAFETY: the call takes integers only.
        let result = unsafe { libc::syscall(libc::SYS_pidfd_open, pid.as_raw(), 0) };
        let pidfd = i32::try_from(Errno::result(result)?);
        Ok(Self::of((pid, pidfd.expect("descriptors are small"))))
    }

    pub(super) fn id(&self) -> Id<'_> {
        Id::PIDFd(self.pidfd.as_fd())
    }

    /// Sends it a signal. Fails only if it has ended.
    pub(super) fn send(&self, signal: Signal) {
        // SAFETY: a null pointer stands for a signal as `kill` sends it.
        unsafe {
            libc::syscall(
                libc::SYS_pidfd_send_signal,
                self.pidfd.as_raw_fd(),
                signal as libc::c_int,
                ptr::null::<libc::siginfo_t>(),
                0,
            );
        }
    }

    /// Waits until one of these descriptors, which it writes, is ready; false after `attempts` waits.
    pub(super) fn poll(&self, fds: &mut [PollFd<'_>], attempts: u32) -> nix::Result<bool> {
        for _ in 0..attempts {
            match poll(fds, POLL_MS) {
                Ok(0) => self.send(Signal::SIGCONT),
                Ok(_) => return Ok(true),
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }
}

/// Returns whether another process has the other end of this pipe or socket.
pub(super) fn is_open(descriptor: BorrowedFd<'_>) -> bool {
    let mut fds = [PollFd::new(descriptor, PollFlags::empty())];
    poll(&mut fds, PollTimeout::ZERO).is_ok() && fds[0].revents() == Some(PollFlags::empty())
}

#[derive(Debug)]
pub(super) enum Failure {
    /// The machine, or the sandbox, is to blame.
    Before(io::Error),
    /// The kernel refuses to execute this program.
    Execute(io::Error),
    /// The program's kit ends before it takes orders.
    Kit,
}

impl<E: Into<io::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Before(error.into())
    }
}

impl Failure {
    /// Classifies an errno by who is to blame; one that came from `exec` is negative.
    pub(super) fn of(errno: i32) -> Self {
        let error = io::Error::from_raw_os_error(errno.abs());
        if errno < 0 && !MACHINES.contains(&Errno::from_raw(-errno)) {
            Self::Execute(error)
        } else {
            Self::Before(error)
        }
    }
}

/// Errors of `exec` for which the machine is to blame, not the program.
const MACHINES: [Errno; 7] = [
    Errno::EAGAIN,
    Errno::EINTR,
    Errno::EIO,
    Errno::EMFILE,
    Errno::ENFILE,
    Errno::ENOMEM,
    Errno::ETXTBSY,
];

pub(super) type StdPipes = (ChildStdin, ChildStdout, ChildStderr);

/// The program's own ends of these pipes, in the order of its standard descriptors.
pub(super) type TheirPipes = [OwnedFd; 3];

pub(super) fn std_pipes() -> nix::Result<(StdPipes, TheirPipes)> {
    let (their_stdin, stdin) = pipe2(OFlag::O_CLOEXEC)?;
    let (stdout, their_stdout) = pipe2(OFlag::O_CLOEXEC)?;
    let (stderr, their_stderr) = pipe2(OFlag::O_CLOEXEC)?;
    let ours = (stdin.into(), stdout.into(), stderr.into());
    Ok((ours, [their_stdin, their_stdout, their_stderr]))
}

const STACK_BYTES: usize = 64 << 10;
/// Alignment of a stack by the processor's calling convention, in bytes.
const STACK_ALIGN: usize = 16;
/// The last named signal; nobody here handles any real-time signal.
const SIGNAL_LAST: libc::c_int = libc::SIGSYS;

/// Starts a program with these standard descriptors. Returns after it has been executed. `confine`
/// runs right before, with the program's directory and descriptors, and no signal handled, ignored
/// or blocked. With `serve`, a confined copy of this process runs that instead, with no other
/// descriptors.
///
/// # Safety
/// `confine` must make system calls only. It sees this process's own memory, where other threads
/// are running. The C library's memory is shared too, and the library takes the new process for
/// this thread. (The C library's `setuid` and similar functions would change all our threads.)
/// So must `serve`: other threads may hold locks that the copy never sees released.
pub(super) unsafe fn spawn(
    program: Program<'_>,
    descriptors: [BorrowedFd<'_>; 3],
    confine: &dyn Fn() -> io::Result<()>,
    serve: Option<&Serve<'_>>,
) -> Result<Spawned, Failure> {
    let plan = Plan {
        command: Command::of(program)?,
        directory: CString::new(program.directory.as_os_str().as_bytes())?,
        descriptors,
        inside: program.inside,
        confine,
        serve,
        // A copy executes nothing, so it cannot fail to.
        failure: AtomicI32::new(serve.map_or(libc::ECANCELED, |_| NO_FAILURE)),
        stack: NewStack::new(),
    };
    let started = without_signals(|| match plan.inside {
        // SAFETY: the caller's promise.
        None => unsafe { start(&plan, 0) },
        // SAFETY: as above.
        Some(inside) => inside.run_inside(|| unsafe { start(&plan, libc::CLONE_PARENT) }),
    })?;
    let spawned = Spawned::of(started);
    let failure = plan.failure.into_inner();
    if failure != NO_FAILURE {
        // It has exited or been killed, so this does not block.
        while waitpid(spawned.pid, None) == Err(Errno::EINTR) {}
        return Err(Failure::of(failure));
    }
    Ok(spawned)
}

/// The work of a copy, with the command that executes the program, and the result of `confine`.
pub(super) type Serve<'a> = dyn Fn(&Command, io::Result<()>) + 'a;

/// A program in the form that `exec` expects. All of it is allocated in advance.
pub(super) struct Command {
    path: CString,
    args: Vec<*const libc::c_char>,
    environment: Vec<*const libc::c_char>,
    execve_key: Option<u64>,
    _texts: [Vec<CString>; 2],
}

impl Command {
    fn of(program: Program<'_>) -> io::Result<Self> {
        let path = CString::new(program.path.as_os_str().as_bytes())?;
        let args: Vec<CString> = (program.args.iter())
            .map(|arg| CString::new(arg.as_str()))
            .collect::<Result<_, _>>()?;
        let environment: Vec<CString> = (program.environment.iter())
            .map(|(name, value)| CString::new([name.as_bytes(), value.as_bytes()].join(&b'=')))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            args: pointers(iter::once(&path).chain(&args)),
            environment: pointers(&environment),
            path,
            execve_key: program.execve_key,
            _texts: [args, environment],
        })
    }

    /// Executes the program unless the errno of an earlier step says not to. Returns only if it does not
    /// run, and `failure` says why. Makes system calls only and allocates nothing.
    pub(super) fn execute_if(&self, prepared: Result<(), i32>, failure: &AtomicI32) -> libc::c_int {
        let errno = match prepared {
            Ok(()) => {
                // If execution succeeds, this is the last chance to record it.
                failure.store(NO_FAILURE, Ordering::Relaxed);
                self.execute()
            }
            Err(errno) => errno,
        };
        failure.store(errno, Ordering::Relaxed);
        libc::EXIT_FAILURE
    }

    /// Returns only if that fails, with the negative errno.
    fn execute(&self) -> i32 {
        let (path, args) = (self.path.as_ptr(), self.args.as_ptr());
        let environment = self.environment.as_ptr();
        if let Some(key) = self.execve_key {
            // SAFETY: the texts end with a zero byte and the lists with a null pointer.
            unsafe {
                libc::syscall(libc::SYS_execve, path, args, environment, 0, 0, key);
            }
            return -Errno::last_raw();
        }
        // SAFETY: the texts end with a zero byte and the lists with a null pointer. This allocates
        // nothing: the path has a slash, so there is no search for it; a script without an
        // interpreter line goes to the shell with a list on the stack.
        unsafe {
            libc::execvpe(path, args, environment);
        }
        -Errno::last_raw()
    }
}

/// Everything that the new process needs. All of it is allocated in advance.
struct Plan<'a> {
    command: Command,
    directory: CString,
    /// Become standard input, output and error. None is 0 to 2: the judge keeps those open.
    descriptors: [BorrowedFd<'a>; 3],
    inside: Option<NamespaceEntry<'a>>,
    confine: &'a dyn Fn() -> io::Result<()>,
    /// The work of a copy of this process, which executes no program.
    serve: Option<&'a Serve<'a>>,
    /// As in [`Failure::of`], or [`NO_FAILURE`]. Atomic because the new process writes it.
    failure: AtomicI32,
    stack: NewStack,
}

pub(super) const NO_FAILURE: i32 = 0;

/// Starts a process with all signals blocked: a handler of ours would act on our memory.
pub(super) fn without_signals<T>(start: impl FnOnce() -> nix::Result<T>) -> nix::Result<T> {
    let mask = SigSet::all().thread_swap_mask(SigmaskHow::SIG_SETMASK)?;
    let started = start();
    mask.thread_set_mask()?;
    started
}

/// Returns when the new process no longer needs our memory: it has executed the program, has ended,
/// or is a copy. Makes system calls only.
unsafe fn start(plan: &Plan<'_>, flags: libc::c_int) -> nix::Result<(Pid, RawFd)> {
    let (run, flags): (Entry, _) = match plan.serve {
        None => (become_program, flags | libc::CLONE_VM | libc::CLONE_VFORK),
        Some(_) => (become_copy, flags),
    };
    // SAFETY: the new process runs on a stack of its own, while this thread is suspended; so plan
    // and stack outlive their use there. It changes only its stack, `failure`, and this thread's
    // errno in this process's memory. A copy has copies of all of that.
    unsafe { clone(run, &plan.stack, flags | libc::CLONE_PIDFD, plan) }
}

pub(super) type Entry = extern "C" fn(*mut libc::c_void) -> libc::c_int;

/// Starts a process that runs `run` on a stack. Returns its pidfd if the flags ask for one.
///
/// # Safety
/// `run` gets `argument` and must make system calls only. If it shares our memory, both it and the
/// stack must outlive the new process.
pub(super) unsafe fn clone<T>(
    run: Entry,
    stack: &NewStack,
    flags: libc::c_int,
    argument: &T,
) -> nix::Result<(Pid, RawFd)> {
    let mut pidfd: libc::c_int = -1;
    // SAFETY: the caller's promise.
    let pid = Errno::result(unsafe {
        libc::clone(
            run,
            stack.top(),
            flags | libc::SIGCHLD,
            ptr::from_ref(argument).cast_mut().cast(),
            &raw mut pidfd,
        )
    })?;
    Ok((Pid::from_raw(pid), pidfd))
}

pub(super) struct NewStack(Box<[MaybeUninit<UnsafeCell<u8>>]>);

impl NewStack {
    pub(super) fn new() -> Self {
        Self(Box::new_uninit_slice(STACK_BYTES))
    }

    /// Returns the stack's start, which is its highest address: stacks grow downwards.
    pub(super) fn top(&self) -> *mut libc::c_void {
        let end: *const MaybeUninit<UnsafeCell<u8>> = self.0.as_ptr_range().end;
        end.map_addr(|address| address & !(STACK_ALIGN - 1))
            .cast_mut()
            .cast()
    }
}

struct NamespaceCall<'a, T> {
    inside: NamespaceEntry<'a>,
    callback: &'a dyn Fn() -> nix::Result<T>,
    /// None if the process was ended from outside.
    outcome: Cell<Option<nix::Result<T>>>,
}

impl NamespaceEntry<'_> {
    /// Runs a callback in the namespaces, in a process that shares our memory and descriptors: what
    /// enters a user namespace cannot return. Processes that it starts are our children
    /// (`CLONE_PARENT`).
    pub(super) fn run_inside<T: Copy>(
        self,
        callback: impl Fn() -> nix::Result<T>,
    ) -> nix::Result<T> {
        let stack = NewStack::new();
        let call = NamespaceCall {
            inside: self,
            callback: &callback,
            outcome: Cell::new(None),
        };
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_FILES;
        // SAFETY: the new process runs `enter_and_call` on a stack of its own, while this thread is
        // suspended.
        let (pid, _) = unsafe { clone(enter_and_call::<T>, &stack, flags, &call) }?;
        let Some(outcome) = call.outcome.get() else {
            // It was killed, and a process that it started may still run on our memory.
            std::process::abort();
        };
        while waitpid(pid, None) == Err(Errno::EINTR) {}
        outcome
    }
}

extern "C" fn enter_and_call<T>(call: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `NamespaceEntry::run_inside` has passed one, which outlives this.
    let call = unsafe { &*call.cast::<NamespaceCall<'_, T>>() };
    let NamespaceEntry { init, kinds } = call.inside;
    let outcome = setns(init, kinds).and_then(|()| (call.callback)());
    call.outcome.set(Some(outcome));
    libc::EXIT_SUCCESS
}

/// Entry point of the new process, which starts with all signals blocked.
extern "C" fn become_program(plan: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `clone` has been given a plan, which outlives this.
    let plan = unsafe { &*plan.cast::<Plan<'_>>() };
    let prepared = prepare(plan).map_err(|error| error.raw_os_error().unwrap_or(libc::EIO));
    plan.command.execute_if(prepared, &plan.failure)
}

/// Entry point of a copy, which starts with all signals blocked.
extern "C" fn become_copy(plan: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `clone` has been given a plan, and this process has a copy of it.
    let plan = unsafe { &*plan.cast::<Plan<'_>>() };
    let prepared = prepare(plan).and_then(|()| Ok(close_others(0)?));
    let serve = plan.serve.expect("a copy has something to do");
    serve(&plan.command, prepared);
    libc::EXIT_SUCCESS
}

fn prepare(plan: &Plan<'_>) -> io::Result<()> {
    make_standard(plan.descriptors)?;
    chdir(plan.directory.as_c_str())?;
    reset_signals()?;
    (plan.confine)()
}

/// Makes these the standard descriptors of a process that shares none. None is among them.
pub(super) fn make_standard(descriptors: [BorrowedFd<'_>; 3]) -> nix::Result<()> {
    let [stdin, stdout, stderr] = descriptors;
    dup2_stdin(stdin)?;
    dup2_stdout(stdout)?;
    dup2_stderr(stderr)
}

/// Closes all descriptors but the three standard ones, at once or as the flags say, in a process
/// where nothing owns any of them.
pub(super) fn close_others(flags: libc::c_uint) -> nix::Result<()> {
    // SAFETY: the call takes integers only.
    let result = unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, flags) };
    Errno::result(result).map(drop)
}

pub(super) fn reset_signals() -> nix::Result<()> {
    // SAFETY: the structure is plain data, valid as zeros, which stand for the default effect
    // and an empty mask; this process's table of effects is its own. The call fails only for
    // the two signals that have no other effect.
    unsafe {
        let default: libc::sigaction = mem::zeroed();
        for signal in 1..=SIGNAL_LAST {
            libc::sigaction(signal, &raw const default, ptr::null_mut());
        }
    }
    SigSet::empty().thread_set_mask()
}

/// Returns texts as a C list, with a null pointer at the end.
fn pointers<'a>(texts: impl IntoIterator<Item = &'a CString>) -> Vec<*const libc::c_char> {
    texts
        .into_iter()
        .map(|text| text.as_ptr())
        .chain(iter::once(ptr::null()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

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
        let descriptors = theirs.each_ref().map(AsFd::as_fd);
        // SAFETY: the tests' `confine` allocates nothing.
        let spawned = unsafe { spawn(program, descriptors, confine, None) }?;
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
    fn program_starts_without_ignored_or_blocked_signals() {
        // This program ignores SIGPIPE, as every Rust program does.
        let args = ["-E", "^Sig(Blk|Ign)", "/proc/self/status"];
        let text = run("/bin/grep", &args, &|| Ok(())).expect("runs");
        let named = (1 << SIGNAL_LAST) - 1;
        let masks = text.lines().filter_map(|line| line.split_once(":\t"));
        let masks = masks.map(|(_, mask)| u64::from_str_radix(mask, 16).expect("a mask"));
        assert_eq!(masks.map(|mask| mask & named).collect::<Vec<_>>(), [0, 0]);
    }

    #[test]
    fn spawn_failure_is_reported_and_leaves_no_process() {
        let none = run("/usr/no-such-program", &[], &|| Ok(()));
        assert!(is_execute(&none, Errno::ENOENT), "{none:?}");
        let closed = run("/etc/passwd", &[], &|| Ok(()));
        assert!(is_execute(&closed, Errno::EACCES), "{closed:?}");
        let refused = run("/bin/true", &[], &|| Err(Errno::EPERM.into()));
        assert!(is_before(&refused, libc::EPERM), "{refused:?}");
        let die = || Ok(nix::sys::signal::raise(Signal::SIGKILL)?);
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
