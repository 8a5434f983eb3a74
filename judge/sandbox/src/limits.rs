//! The resource limits of a program, and what it shares.

use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit, setrlimit};
use std::io;
use std::time::Duration;

/// The limits that the kernel can set for each process.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Memory that a program may allocate, in bytes (the data segment). Address space is not
    /// limited, because GHC and Java reserve a great deal of it. The judge also checks the memory
    /// in use while a program runs, which includes the stack.
    pub memory_bytes_max: u64,
    /// Size of the largest file that it may write, in bytes.
    pub file_bytes_max: u64,
    /// Open descriptors.
    pub descriptors_max: u64,
    /// Queued signals and POSIX timers of all programs of the user; none = as many as the judge.
    pub signals_max: Option<u64>,
    /// CPU seconds after which the kernel sends `SIGXCPU`, and a second later `SIGKILL`; none =
    /// unlimited. With this limit, the program's own CPU clock advances only by the kernel's ticks
    /// (4 ms on most machines). No bot has it, because bots read that clock.
    pub cpu_s_max: Option<u64>,
}

/// Core file size: no core fits into 1 byte. With 0, the kernel would still pipe the core to a
/// program that the system has set up for that, and the crash would take as long. It reads 1 as "do
/// not pipe".
const CORE_BYTES: u64 = 1;

/// Time between the signal that can be caught and the one that cannot, in CPU seconds.
const CPU_S_GRACE: u64 = 1;

impl Limits {
    /// Limits of a bot, unless its competition sets others.
    pub const BOT: Self = Self {
        memory_bytes_max: 1 << 30,
        file_bytes_max: 1 << 20,
        descriptors_max: 64,
        // Timers can be set to expire in others' turns, and each costs the process that runs then.
        signals_max: Some(2048),
        cpu_s_max: None,
    };
    /// Limits of each process of a build, besides CPU time.
    pub const BUILD: Self = Self {
        memory_bytes_max: 4 << 30,
        file_bytes_max: 1 << 30,
        descriptors_max: 1024,
        signals_max: None,
        cpu_s_max: None,
    };

    /// Returns the limits of a build with this total CPU time. A build that `reserves` memory has
    /// no limit here: like every build's, its memory use is checked while it runs.
    pub(super) fn of_build(cpu: Duration, reserves: bool) -> Self {
        Self {
            memory_bytes_max: if reserves {
                u64::MAX
            } else {
                Self::BUILD.memory_bytes_max
            },
            // The judge measures all processes together; this limit is for one that it does not
            // see.
            cpu_s_max: Some(cpu.as_secs() + 1 + CPU_S_GRACE),
            ..Self::BUILD
        }
    }

    /// Limits the calling process, and every process that it starts, for good. `tasks_max` limits
    /// the processes and threads of its user. Makes system calls only and allocates nothing.
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
        // Every thread gets a finite soft limit as the size of its stack, which few fit into; without
        // one, C libraries take 2 MiB. The stack of the first thread counts as memory in use.
        fixed(Resource::RLIMIT_STACK, RLIM_INFINITY)?;
        if let Some(most) = self.signals_max {
            fixed(Resource::RLIMIT_SIGPENDING, most)?;
        }
        if let Some(seconds) = self.cpu_s_max {
            bound(Resource::RLIMIT_CPU, seconds, seconds + CPU_S_GRACE)?;
        }
        Ok(())
    }
}

/// Sets a soft and a hard limit. Neither exceeds the judge's own hard limit.
fn bound(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
    let (_, highest) = getrlimit(resource)?;
    let hard = hard.min(highest);
    Ok(setrlimit(resource, soft.min(hard), hard)?)
}
