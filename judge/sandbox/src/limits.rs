//! What a program may use.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use std::io;
use std::time::Duration;

/// A bound on everything that the kernel can bound for each process.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Memory that a program may allocate, in bytes (the data segment; address space is
    /// left alone because GHC and Java reserve a great deal of it).
    pub memory_bytes_max: u64,
    /// The largest file that it may write, in bytes.
    pub file_bytes_max: u64,
    /// Open descriptors.
    pub descriptors_max: u64,
    /// Queued signals and POSIX timers, of all programs of the user; none = as many as the judge.
    pub signals_max: Option<u64>,
    /// CPU seconds after which the kernel sends `SIGXCPU`, and a second later `SIGKILL`; none =
    /// unlimited. Where it is set, the program's own CPU clock advances by the kernel's ticks only
    /// (4 ms on most machines), so no bot has it: bots look at that clock.
    pub cpu_s_max: Option<u64>,
}

/// No core fits into this. With 0 the kernel would still feed it to a program that the system
/// has set up for that, and the crash would last as long; 1 is its word for not doing so.
const CORE_BYTES: u64 = 1;

/// The stack that a program has if it asks for nothing else; threads get as much.
const STACK_BYTES: u64 = 8 << 20;

/// The most that a program may ask for as the stack of its first thread. It comes on top of the
/// memory that it may allocate, which is counted apart; other threads' stacks are allocated.
const STACK_BYTES_MAX: u64 = 64 << 20;

/// From the signal that can be caught to the one that cannot.
const CPU_S_GRACE: u64 = 1;

impl Limits {
    /// What a bot may use, if its competition says nothing else.
    pub const BOT: Self = Self {
        memory_bytes_max: 1 << 30,
        file_bytes_max: 1 << 20,
        descriptors_max: 64,
        // Timers can be set to expire in others' turns, and each costs whoever runs then.
        signals_max: Some(2048),
        cpu_s_max: None,
    };
    /// What each process of a build may use, besides CPU time.
    pub const BUILD: Self = Self {
        memory_bytes_max: 4 << 30,
        file_bytes_max: 1 << 30,
        descriptors_max: 1024,
        signals_max: None,
        cpu_s_max: None,
    };

    /// The same for a build that may take so much CPU time in all. What one that reserves memory
    /// uses is looked at while it runs, as with all builds.
    pub(super) fn of_build(cpu: Duration, reserves: bool) -> Self {
        Self {
            memory_bytes_max: if reserves {
                u64::MAX
            } else {
                Self::BUILD.memory_bytes_max
            },
            // All processes are looked at together; this is for one that is not seen.
            cpu_s_max: Some(cpu.as_secs() + 1 + CPU_S_GRACE),
            ..Self::BUILD
        }
    }

    /// Bounds the calling process, and all that it starts, for good. `tasks_max` bounds the
    /// processes and threads of its user. Makes system calls only and allocates nothing.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub(super) fn apply(self, tasks_max: u64) -> io::Result<()> {
        bound(Resource::RLIMIT_CORE, CORE_BYTES, CORE_BYTES)?;
        bound(Resource::RLIMIT_MEMLOCK, 0, 0)?;
        let fixed = |resource, most| bound(resource, most, most);
        fixed(Resource::RLIMIT_NOFILE, self.descriptors_max)?;
        fixed(Resource::RLIMIT_FSIZE, self.file_bytes_max)?;
        fixed(Resource::RLIMIT_DATA, self.memory_bytes_max)?;
        fixed(Resource::RLIMIT_NPROC, tasks_max)?;
        bound(Resource::RLIMIT_STACK, STACK_BYTES, STACK_BYTES_MAX)?;
        if let Some(most) = self.signals_max {
            fixed(Resource::RLIMIT_SIGPENDING, most)?;
        }
        if let Some(seconds) = self.cpu_s_max {
            bound(Resource::RLIMIT_CPU, seconds, seconds + CPU_S_GRACE)?;
        }
        Ok(())
    }
}

/// Sets a limit and the most to which the program may raise it, as far as the judge's own
/// limits let it.
fn bound(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
    let (_, highest) = getrlimit(resource)?;
    let hard = hard.min(highest);
    Ok(setrlimit(resource, soft.min(hard), hard)?)
}
