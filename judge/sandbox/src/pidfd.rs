//! Pidfds: descriptors of processes. Unlike a process id, a pidfd never refers to another process.

use nix::errno::Errno;
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;

/// Opens a pidfd for a child that has not been reaped, so its number is still its own.
pub(super) fn open_pidfd(pid: Pid) -> nix::Result<OwnedFd> {
    #[expect(unsafe_code, reason = "no safe wrapper exists")]
    // SAFETY: the call takes integers only.
    let pidfd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid.as_raw(), 0) };
    let pidfd = Errno::result(pidfd)?;
    let pidfd = i32::try_from(pidfd).expect("descriptors are small");
    #[expect(unsafe_code, reason = "a descriptor of the kernel's")]
    // SAFETY: the kernel has opened it for us.
    Ok(unsafe { OwnedFd::from_raw_fd(pidfd) })
}

/// Sends a signal to a process. Fails only if the process has ended.
pub(super) fn send_signal(pidfd: BorrowedFd<'_>, signal: Signal) {
    #[expect(unsafe_code, reason = "no safe wrapper exists")]
    // SAFETY: a null pointer stands for a signal as `kill` sends it.
    unsafe {
        libc::syscall(
            libc::SYS_pidfd_send_signal,
            pidfd.as_raw_fd(),
            signal as libc::c_int,
            ptr::null::<libc::siginfo_t>(),
            0,
        );
    }
}
