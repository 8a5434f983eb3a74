//! Messages of fixed size between the judge and a warm cage; kits that fork use the same format.

use nix::errno::Errno;
use nix::unistd::Pid;
use std::fmt::Debug;
use std::mem;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Report {
    pub(super) kind: u32,
    /// Why something failed, as an errno; 0 if nothing did.
    pub(super) errno: i32,
    /// CPU time of the process that is not the submission's, in nanoseconds.
    pub(super) before_ns: u64,
}

/// The new process reports itself. These numbers resemble no text: what is written on a cage's
/// standard output and error arrives here, too.
pub(super) const STARTED: u32 = 0xcade_0001;
pub(super) const EXECUTED: u32 = 0xcade_0002;
pub(super) const NOT_EXECUTED: u32 = 0xcade_0003;
/// No new process could be made.
pub(super) const REFUSED: u32 = 0xcade_0004;
/// A kit takes orders from now on.
pub(super) const READY: u32 = 0xcade_0005;

impl Report {
    pub(super) fn of(kind: u32, errno: i32) -> Self {
        Self {
            kind,
            errno,
            before_ns: 0,
        }
    }
}

const PIPES: usize = 3;

#[repr(C, align(8))]
#[derive(Clone, Copy)]
struct Ancillary([u8; 64]);

/// Makes a socket pair: the judge's end, which receives each sender's id, and the cage's.
#[expect(unsafe_code, reason = "no safe wrapper exists")]
pub(super) fn pair() -> nix::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [-1; 2];
    let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
    let yes: libc::c_int = 1;
    // SAFETY: there is room for two descriptors, which nobody else owns, and the option is an
    // integer that lives.
    unsafe {
        Errno::result(libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()))?;
        let pair = ends.map(|end| OwnedFd::from_raw_fd(end));
        let size = length_of::<libc::c_int>();
        Errno::result(libc::setsockopt(
            ends[0],
            libc::SOL_SOCKET,
            libc::SO_PASSCRED,
            (&raw const yes).cast(),
            size,
        ))?;
        let [ours, theirs] = pair;
        Ok((ours, theirs))
    }
}

/// Sends an order: the key, and the pipes that become the standard descriptors of the new process.
#[expect(unsafe_code, reason = "no safe wrapper exists")]
pub(super) fn send_order(
    socket: BorrowedFd<'_>,
    mut key: u64,
    pipes: [RawFd; PIPES],
) -> nix::Result<()> {
    let mut ancillary = Ancillary([0; 64]);
    let mut part = part_of(&mut key);
    let mut message = message_of(&mut part, &mut ancillary);
    let size = u32::try_from(size_of_val(&pipes)).expect("small");
    // SAFETY: `next to` has room for the header and the descriptors; all pointers live.
    unsafe {
        message.msg_controllen = control_length(libc::CMSG_SPACE(size));
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = control_length(libc::CMSG_LEN(size));
        let bytes = pipes.map(RawFd::to_ne_bytes);
        ptr::copy_nonoverlapping(
            bytes.as_ptr().cast(),
            libc::CMSG_DATA(header),
            size_of_val(&bytes),
        );
        Errno::result(libc::sendmsg(
            socket.as_raw_fd(),
            &raw const message,
            libc::MSG_NOSIGNAL,
        ))
        .map(drop)
    }
}

/// Waits for an order in the cage; none if no more can come. Makes system calls only.
#[expect(unsafe_code, reason = "no safe wrapper exists")]
pub(super) fn receive_order(socket: RawFd) -> Option<(u64, [RawFd; PIPES])> {
    let mut key = 0_u64;
    let mut ancillary = Ancillary([0; 64]);
    let mut part = part_of(&mut key);
    let mut message = message_of(&mut part, &mut ancillary);
    // SAFETY: there is room for everything that the message announces, and its contents are checked
    // before they are read.
    unsafe {
        let flags = libc::MSG_CMSG_CLOEXEC;
        let count = loop {
            match Errno::result(libc::recvmsg(socket, &raw mut message, flags)) {
                Err(Errno::EINTR) => {}
                count => break count.ok()?,
            }
        };
        let header = libc::CMSG_FIRSTHDR(&raw const message).as_ref()?;
        let is_order = usize::try_from(count) == Ok(size_of::<u64>())
            && header.cmsg_type == libc::SCM_RIGHTS
            && header.cmsg_len >= control_length(libc::CMSG_LEN(12));
        let pipes = || {
            let mut bytes = [[0; size_of::<RawFd>()]; PIPES];
            let data = libc::CMSG_DATA(header);
            ptr::copy_nonoverlapping(data, bytes.as_mut_ptr().cast(), size_of_val(&bytes));
            bytes.map(RawFd::from_ne_bytes)
        };
        is_order.then(|| (key, pipes()))
    }
}

/// Sends a report from the cage, or from a process that it has started. Makes system calls only.
#[expect(unsafe_code, reason = "the safe wrapper takes what owns a descriptor")]
pub(super) fn send_report(socket: RawFd, report: Report) {
    // SAFETY: there are as many bytes as it says. If the reader is gone, the cage ends.
    unsafe {
        libc::write(socket, (&raw const report).cast(), size_of::<Report>());
    }
}

/// Receives a report and its sender's process id, if the sender is visible to this process.
#[expect(unsafe_code, reason = "no safe wrapper exists")]
pub(super) fn receive_report(socket: BorrowedFd<'_>) -> nix::Result<(Report, Pid)> {
    let mut report = Report::default();
    let mut ancillary = Ancillary([0; 64]);
    let mut part = part_of(&mut report);
    let mut message = message_of(&mut part, &mut ancillary);
    // SAFETY: as in `receive_order`; every report is made of plain numbers.
    unsafe {
        let flags = libc::MSG_CMSG_CLOEXEC;
        let count = libc::recvmsg(socket.as_raw_fd(), &raw mut message, flags);
        let count = Errno::result(count)?;
        let header = libc::CMSG_FIRSTHDR(&raw const message).as_ref();
        let header = header.filter(|header| header.cmsg_type == libc::SCM_CREDENTIALS);
        let header = header.ok_or(Errno::ECHILD)?;
        if usize::try_from(count) != Ok(size_of::<Report>()) {
            return Err(Errno::ECHILD);
        }
        // The process id is the first field.
        let mut pid = [0; size_of::<libc::pid_t>()];
        ptr::copy_nonoverlapping(libc::CMSG_DATA(header), pid.as_mut_ptr(), pid.len());
        Ok((report, Pid::from_raw(libc::pid_t::from_ne_bytes(pid))))
    }
}

fn part_of<T>(data: &mut T) -> libc::iovec {
    libc::iovec {
        iov_base: ptr::from_mut(data).cast(),
        iov_len: size_of::<T>(),
    }
}

fn message_of(part: &mut libc::iovec, ancillary: &mut Ancillary) -> libc::msghdr {
    #[expect(unsafe_code, reason = "it has padding with some C libraries")]
    // SAFETY: it is plain data, valid as zeros.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_iov = part;
    message.msg_iovlen = 1;
    message.msg_control = ancillary.0.as_mut_ptr().cast();
    message.msg_controllen = ancillary.0.len() as _;
    message
}

fn length_of<T>() -> libc::socklen_t {
    libc::socklen_t::try_from(size_of::<T>()).expect("small")
}

/// Converts the kernel's lengths to the C library's type, which is 32 or 64 bits wide.
fn control_length<T: TryFrom<libc::c_uint, Error: Debug>>(length: libc::c_uint) -> T {
    T::try_from(length).expect("it is unsigned")
}
