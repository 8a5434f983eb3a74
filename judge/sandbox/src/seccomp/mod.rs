//! The filter of system calls: a balanced tree over the call numbers. The kernel runs an installed
//! filter once for every call number: a chain of comparisons, as usual builders write it, would
//! cost half a millisecond for each process. It also translates the filter each time.

mod bpf;
mod policy;

pub use policy::Paths;
pub(super) use policy::{BuildUser, Policy};

use libc::sock_filter;
use policy::CallRule;
use std::io;

/// Maximum length of a filter, in instructions. The kernel's own limit is 4096.
const FILTER_LENGTH_MAX: usize = 384;

#[derive(Debug)]
pub(super) struct Filter {
    program: Vec<sock_filter>,
    /// Sixth argument of the judge's own calls, if only calls with this key may pass.
    key: Option<u64>,
    /// As the filtered process sees itself; none = the one that applies the filter.
    pid: Option<u32>,
}

impl Filter {
    pub(super) fn new(policy: Policy, pid: Option<u32>) -> io::Result<Self> {
        let calls = policy.calls();
        let program = bpf::compile(&calls);
        assert!(program.len() <= FILTER_LENGTH_MAX, "the policy is fixed");
        let is_keyed = |(_, rule): &policy::Call| matches!(rule, CallRule::KeyOr(_));
        let key = calls.iter().any(is_keyed).then(random).transpose()?;
        Ok(Self { program, key, pid })
    }

    pub(super) fn key(&self) -> Option<u64> {
        self.key
    }

    /// Puts the calling process and its descendants under the filter for good. Makes system calls
    /// only and allocates nothing. Needs `no_new_privs`.
    pub(super) fn apply(&self) -> io::Result<()> {
        let mut program = [bpf::ALLOW; FILTER_LENGTH_MAX];
        let program = &mut program[..self.program.len()];
        program.copy_from_slice(&self.program);
        let pid = self.pid.unwrap_or_else(std::process::id);
        bpf::replace(program, bpf::OWN_PID, pid);
        bpf::replace(program, bpf::OWN_CLOCK, bpf::clock_of(pid));
        // Last, so that no part of the key is mistaken for another placeholder.
        if let Some(key) = self.key {
            let low = u32::try_from(key & u64::from(u32::MAX)).expect("masked");
            let high = u32::try_from(key >> u32::BITS).expect("shifted");
            bpf::replace(program, bpf::KEY[0], low);
            bpf::replace(program, bpf::KEY[1], high);
        }
        let filter = libc::sock_fprog {
            len: u16::try_from(program.len()).expect("below FILTER_LENGTH_MAX"),
            filter: program.as_mut_ptr(),
        };
        #[expect(unsafe_code, reason = "no safe wrapper exists")]
        // SAFETY: `filter` points to as many instructions as it says, and the kernel copies them.
        let result = unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                0,
                &raw const filter,
            )
        };
        if result == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }
}

fn random() -> io::Result<u64> {
    let mut bytes = [0; 8];
    #[expect(unsafe_code, reason = "no safe wrapper exists")]
    // SAFETY: the kernel fills as many bytes as there are.
    let count = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    if usize::try_from(count) == Ok(bytes.len()) {
        Ok(u64::from_ne_bytes(bytes))
    } else {
        Err(io::Error::last_os_error())
    }
}

pub(super) fn is_available() -> bool {
    let action: u32 = libc::SECCOMP_RET_ERRNO;
    #[expect(unsafe_code, reason = "no safe wrapper exists")]
    // SAFETY: the call reads one integer, which lives.
    unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_GET_ACTION_AVAIL,
            0,
            &raw const action,
        ) == 0
    }
}
