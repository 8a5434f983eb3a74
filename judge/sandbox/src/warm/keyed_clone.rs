//! The only call that starts a process in a warm cage: `clone` with a key as its sixth argument.
//! The kernel ignores this argument, but the filter checks it.

use nix::errno::Errno;
use nix::unistd::Pid;
use std::arch::asm;

/// Starts a process on this process's memory and on a stack of its own, as a child of this
/// process's parent. Waits until it has executed a program or has ended; its exit code is the
/// result of `run`. Returns its process id as this process sees it.
///
/// # Safety
/// `run` gets `argument` and must make system calls only: it runs on this process's memory.
///
/// # Errors
/// When the kernel starts none.
#[expect(unsafe_code, reason = "no wrapper takes a sixth argument")]
pub(super) unsafe fn keyed_clone(
    stack_top: *mut libc::c_void,
    key: u64,
    run: extern "C" fn(*mut libc::c_void) -> libc::c_int,
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
