//! A warm cage: a confined process that starts the program on order, so that a start does not pay
//! for the confinement. It runs no byte of a submission. What it starts is the worker's child. A
//! key in each order lets the cage, and not these processes, pass the filter of system calls. It
//! lives in the namespaces of its program and ends with them.
#![expect(
    unsafe_code,
    reason = "between clone and exec there are system calls only, and few have a safe wrapper"
)]

use super::orphans::end_group_of;
use super::spawn::{
    ATTEMPTS_MAX, Command, Entry, Failure, NO_FAILURE, NewStack, Program, Serve, Spawned,
    TheirPipes, is_open, make_standard, spawn,
};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags};
use nix::sys::prctl;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitid, waitpid};
use nix::time::ClockId;
use nix::unistd::{Pid, setpgid};
use std::arch::asm;
use std::cell::Cell;
use std::fmt::Debug;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::AtomicI32;
use std::time::Duration;
use std::{io, mem, ptr};

#[derive(Debug)]
pub(super) struct WarmCage {
    process: Spawned,
    socket: OwnedFd,
    key: u64,
    forks: bool,
    /// Whether its next report may belong to an earlier order.
    is_broken: Cell<bool>,
}

impl WarmCage {
    /// `key` belongs to the filter of `confine`. A program that `forks` is the cage itself.
    ///
    /// # Safety
    /// `confine` must make system calls only, see [`spawn`].
    pub(super) unsafe fn make(
        program: Program<'_>,
        forks: bool,
        key: u64,
        confine: &dyn Fn() -> io::Result<()>,
    ) -> Result<Self, Failure> {
        let (socket, theirs) = pair()?;
        let stack = NewStack::new();
        let copy: &Serve<'_> = &|command, prepared| serve(command, prepared, &stack);
        let work = (!forks).then_some(copy);
        // SAFETY: the caller's promise, and that of `serve`.
        let process = unsafe { spawn(program, [theirs.as_fd(); 3], confine, work) }?;
        // Otherwise the judge would not notice the cage's end.
        drop(theirs);
        let cage = Self {
            process,
            socket,
            key,
            forks,
            is_broken: Cell::new(false),
        };
        if forks && !matches!(cage.report(None), Ok((report, _)) if report.kind == READY) {
            // Whatever it has written instead: only its behaviour when it is executed counts.
            return Err(Failure::Kit);
        }
        Ok(cage)
    }

    pub(super) fn is_alive(&self) -> bool {
        !self.is_broken.get() && is_open(self.socket.as_fd())
    }

    /// Starts the program; `output` is the judge's end of its standard output. Returns after it has
    /// been executed or, if it forks, when its kit hands over to the submission.
    pub(super) fn start(
        &self,
        pipes: TheirPipes,
        output: BorrowedFd<'_>,
    ) -> Result<Spawned, Failure> {
        let started = self.order(pipes, output);
        // If the kernel refused to execute the program, the last report has been read.
        if matches!(started, Err(Failure::Before(_) | Failure::Kit)) {
            self.is_broken.set(true);
        }
        started
    }

    fn order(&self, pipes: TheirPipes, output: BorrowedFd<'_>) -> Result<Spawned, Failure> {
        let sent = pipes.each_ref().map(AsRawFd::as_raw_fd);
        send_order(self.socket.as_fd(), self.key, sent)?;
        // From here on the output closes when the new process ends.
        drop(pipes);
        let (report, pid) = self.report(self.forks.then_some(output))?;
        if report.kind != STARTED {
            outcome(report)?;
            return Err(Errno::EPROTO.into());
        }
        let child = Child(pid);
        if !self.forks {
            let (report, _) = self.report(None)?;
            outcome(report)?;
        }
        Ok(child.opened(Duration::from_nanos(report.before_ns))?)
    }

    /// Waits for a report, or for the end of the new process that writes `output`.
    fn report(&self, output: Option<BorrowedFd<'_>>) -> nix::Result<(Report, Pid)> {
        let mut fds = vec![PollFd::new(self.socket.as_fd(), PollFlags::POLLIN)];
        fds.extend(output.map(|output| PollFd::new(output, PollFlags::empty())));
        if !self.process.poll(&mut fds, ATTEMPTS_MAX)? {
            return Err(Errno::ETIMEDOUT);
        }
        if fds[0].any() != Some(true) {
            return Err(Errno::ESRCH);
        }
        receive_report(self.socket.as_fd())
    }
}

fn outcome(report: Report) -> Result<(), Failure> {
    // A kit may write any number.
    let errno = report.errno.saturating_abs().max(1);
    match report.kind {
        EXECUTED => Ok(()),
        NOT_EXECUTED => Err(Failure::of(-errno)),
        REFUSED => Err(Failure::of(errno)),
        _ => Err(Failure::Before(Errno::EPROTO.into())),
    }
}

/// A started process that has no owner yet. Dropping this ends it.
struct Child(Pid);

impl Child {
    fn opened(self, before: Duration) -> nix::Result<Spawned> {
        let spawned = Spawned::open(self.0)?;
        mem::forget(self);
        Ok(Spawned {
            before: Some(before),
            ..spawned
        })
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Fails only for a zombie.
        let _ = kill(self.0, Signal::SIGKILL);
        while waitpid(self.0, None) == Err(Errno::EINTR) {}
    }
}

impl Drop for WarmCage {
    fn drop(&mut self) {
        let process = &self.process;
        process.send(Signal::SIGKILL);
        let end = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
        let ended = loop {
            match waitid(process.id(), end) {
                Err(Errno::EINTR) => {}
                ended => break ended,
            }
        };
        if ended == Err(Errno::ECHILD) {
            // `end_orphans` has reaped it, so its number may belong to another process.
            return;
        }
        // Processes that it starts leave its group at once. Until reaped, its number is its own.
        let _ = end_group_of(process.pid);
        let _ = waitid(process.id(), WaitPidFlag::WEXITED);
    }
}

/// Starts a child of this process's parent on this process's memory and a stack of its own, and
/// waits until it has executed a program or ended with the result of `run`. Returns its id as this
/// process sees it.
///
/// # Safety
/// `run` gets `argument` and must make system calls only: it runs on this process's memory.
unsafe fn keyed_clone(
    stack_top: *mut libc::c_void,
    key: u64,
    run: Entry,
    argument: *mut libc::c_void,
) -> nix::Result<Pid> {
    let flags = libc::CLONE_PARENT | libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    let result: i64;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the new process never leaves the block, whose first half is all that this one runs.
    unsafe {
        asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, r12",
            "call r13",
            "mov edi, eax",
            "mov eax, 60", // exit
            "syscall",
            "ud2",
            "2:",
            inlateout("rax") libc::SYS_clone => result,
            in("rdi") i64::from(flags),
            in("rsi") stack_top,
            in("rdx") 0_u64,
            in("r10") 0_u64,
            in("r8") 0_u64,
            in("r9") key,
            in("r12") argument,
            in("r13") run,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        asm!(
            "svc 0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x0, x20",
            "blr x21",
            "mov x8, #93", // exit
            "svc 0",
            "brk #1",
            "2:",
            in("x8") libc::SYS_clone,
            inlateout("x0") i64::from(flags) => result,
            in("x1") stack_top,
            in("x2") 0_u64,
            in("x3") 0_u64,
            in("x4") 0_u64,
            in("x5") key,
            in("x20") argument,
            in("x21") run,
        );
    }
    match i32::try_from(result) {
        Ok(pid) if pid > 0 => Ok(Pid::from_raw(pid)),
        Ok(errno) => Err(Errno::from_raw(-errno)),
        Err(_) => Err(Errno::UnknownErrno),
    }
}

/// The cage's standard input, for both orders and reports.
const ORDERS: RawFd = 0;

struct Order<'a> {
    command: &'a Command,
    pipes: &'a [OwnedFd; 3],
    /// Why the program has not been executed, as in [`Failure::of`]; [`NO_FAILURE`] = it has been.
    failure: AtomicI32,
}

/// Executes the program on every order, until no more can come. Makes system calls only.
fn serve(command: &Command, prepared: io::Result<()>, stack: &NewStack) {
    // Processes of the same user must not see into it.
    let prepared = prepared.and_then(|()| Ok(prctl::set_dumpable(false)?));
    while let Ok((key, numbers)) = receive::<u64>(ORDERS, libc::SCM_RIGHTS) {
        // SAFETY: the kernel has opened them for us.
        let pipes = numbers.map(|pipe| unsafe { OwnedFd::from_raw_fd(pipe) });
        let report = match &prepared {
            Ok(()) => execute(command, &pipes, key, stack),
            Err(error) => Report::of(REFUSED, error.raw_os_error().unwrap_or(libc::EIO)),
        };
        drop(pipes);
        send_report(report);
    }
}

fn execute(command: &Command, pipes: &[OwnedFd; 3], key: u64, stack: &NewStack) -> Report {
    let order = Order {
        command,
        pipes,
        failure: AtomicI32::new(libc::ECANCELED),
    };
    let argument = ptr::from_ref(&order).cast_mut().cast();
    // SAFETY: `become_bot` makes system calls only, and gets what it expects.
    let started = unsafe { keyed_clone(stack.top(), key, become_bot, argument) };
    match started.map(|_| order.failure.into_inner()) {
        Err(error) => Report::of(REFUSED, error as i32),
        Ok(NO_FAILURE) => Report::of(EXECUTED, 0),
        Ok(failure) if failure < 0 => Report::of(NOT_EXECUTED, -failure),
        Ok(failure) => Report::of(REFUSED, failure),
    }
}

extern "C" fn become_bot(order: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `execute` has passed one, which outlives this.
    let order = unsafe { &*order.cast::<Order<'_>>() };
    let prepared = prepare(order).map_err(|error| error as i32);
    order.command.execute_if(prepared, &order.failure)
}

fn prepare(order: &Order<'_>) -> nix::Result<()> {
    let oneself = Pid::from_raw(0);
    setpgid(oneself, oneself)?;
    let used = Duration::from(ClockId::CLOCK_PROCESS_CPUTIME_ID.now()?);
    let before_ns = u64::try_from(used.as_nanos()).unwrap_or(u64::MAX);
    let started = Report {
        before_ns,
        ..Report::of(STARTED, 0)
    };
    send_report(started);
    make_standard(order.pipes.each_ref().map(AsFd::as_fd))
}

/// A message of fixed size from a warm cage; kits that fork use the same format.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Report {
    kind: u32,
    /// Why something failed, as an errno; 0 if nothing did.
    errno: i32,
    /// CPU time of the process that is not the submission's, in nanoseconds.
    before_ns: u64,
}

/// The new process reports itself. These numbers resemble no text: what is written on a cage's
/// standard output and error arrives here, too.
const STARTED: u32 = 0xcade_0001;
const EXECUTED: u32 = 0xcade_0002;
const NOT_EXECUTED: u32 = 0xcade_0003;
/// No new process could be made.
const REFUSED: u32 = 0xcade_0004;
/// A kit takes orders from now on.
const READY: u32 = 0xcade_0005;

impl Report {
    fn of(kind: u32, errno: i32) -> Self {
        Self {
            kind,
            errno,
            before_ns: 0,
        }
    }
}

#[repr(C, align(8))]
struct Ancillary([u8; 64]);

/// Makes a socket pair: the judge's end, which receives each sender's id, and the cage's.
fn pair() -> nix::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [-1; 2];
    let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
    let yes: libc::c_int = 1;
    let size = libc::socklen_t::try_from(size_of_val(&yes)).expect("small");
    // SAFETY: there is room for two descriptors, which nobody else owns, and the option is an
    // integer that lives.
    unsafe {
        Errno::result(libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()))?;
        let [ours, theirs] = ends.map(|end| OwnedFd::from_raw_fd(end));
        Errno::result(libc::setsockopt(
            ends[0],
            libc::SOL_SOCKET,
            libc::SO_PASSCRED,
            (&raw const yes).cast(),
            size,
        ))?;
        Ok((ours, theirs))
    }
}

/// The length of what comes with each message: three descriptors, or process, user and group.
const ANCILLARY_BYTES: libc::c_uint = 12;

/// Sends an order: the key, and the pipes that become the standard descriptors of the new process.
fn send_order(socket: BorrowedFd<'_>, mut key: u64, pipes: [RawFd; 3]) -> nix::Result<()> {
    let mut ancillary = Ancillary([0; 64]);
    let mut part = part_of(&mut key);
    let mut message = message_of(&mut part, &mut ancillary);
    // SAFETY: `ancillary` has room for the header and the descriptors; all pointers live.
    unsafe {
        message.msg_controllen = control_length(libc::CMSG_SPACE(ANCILLARY_BYTES));
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = control_length(libc::CMSG_LEN(ANCILLARY_BYTES));
        let bytes = pipes.as_ptr().cast();
        ptr::copy_nonoverlapping(bytes, libc::CMSG_DATA(header), size_of_val(&pipes));
        let sent = libc::sendmsg(socket.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL);
        Errno::result(sent).map(drop)
    }
}

/// Receives a report and its sender's process id, if the sender is visible to this process.
fn receive_report(socket: BorrowedFd<'_>) -> nix::Result<(Report, Pid)> {
    let (report, [pid, ..]) = receive(socket.as_raw_fd(), libc::SCM_CREDENTIALS)?;
    Ok((report, Pid::from_raw(pid)))
}

/// Receives a message of plain numbers, with what comes with it if that is of this kind. Makes
/// system calls only.
fn receive<T: Default>(socket: RawFd, kind: libc::c_int) -> nix::Result<(T, [i32; 3])> {
    let mut content = T::default();
    let mut ancillary = Ancillary([0; 64]);
    let mut part = part_of(&mut content);
    let mut message = message_of(&mut part, &mut ancillary);
    // SAFETY: there is room for everything that the message announces, and its contents are checked
    // before they are read.
    unsafe {
        let flags = libc::MSG_CMSG_CLOEXEC;
        let count = loop {
            match Errno::result(libc::recvmsg(socket, &raw mut message, flags)) {
                Err(Errno::EINTR) => {}
                count => break count?,
            }
        };
        let header = libc::CMSG_FIRSTHDR(&raw const message).as_ref();
        let is_whole = |header: &&libc::cmsghdr| {
            usize::try_from(count) == Ok(size_of::<T>())
                && header.cmsg_type == kind
                && header.cmsg_len >= control_length(libc::CMSG_LEN(ANCILLARY_BYTES))
        };
        let header = header.filter(is_whole).ok_or(Errno::ECHILD)?;
        let mut with = [0; 3];
        let bytes = with.as_mut_ptr().cast();
        ptr::copy_nonoverlapping(libc::CMSG_DATA(header), bytes, size_of_val(&with));
        Ok((content, with))
    }
}

/// Sends a report from the cage, or from a process that it has started. Makes system calls only.
fn send_report(report: Report) {
    // SAFETY: there are as many bytes as it says. If the reader is gone, the cage ends.
    unsafe {
        libc::write(ORDERS, (&raw const report).cast(), size_of::<Report>());
    }
}

fn part_of<T>(data: &mut T) -> libc::iovec {
    libc::iovec {
        iov_base: ptr::from_mut(data).cast(),
        iov_len: size_of::<T>(),
    }
}

fn message_of(part: &mut libc::iovec, ancillary: &mut Ancillary) -> libc::msghdr {
    // SAFETY: it is plain data, valid as zeros.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_iov = part;
    message.msg_iovlen = 1;
    message.msg_control = ancillary.0.as_mut_ptr().cast();
    message.msg_controllen = ancillary.0.len() as _;
    message
}

/// Converts the kernel's lengths to the C library's type, which is 32 or 64 bits wide.
fn control_length<T: TryFrom<libc::c_uint, Error: Debug>>(length: libc::c_uint) -> T {
    T::try_from(length).expect("it is unsigned")
}
