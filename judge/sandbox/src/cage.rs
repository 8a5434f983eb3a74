//! All that confines a program, prepared once for each folder: a start costs system calls only.

use super::account::Account;
use super::files::{self, FolderAccess};
use super::isolation::Isolation;
use super::namespaces::{Namespaces, PID_IN_WARM_CAGE, PidNamespace, PrivateRoot};
use super::seccomp::{BuildUser, Filter, Paths, Policy};
use super::warm::WarmCage;
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit, setrlimit};
use nix::unistd::getuid;
use rulebook::{JudgeError, Result};
use std::cell::OnceCell;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;
use std::{fs, io};

/// The confinement of the programs that run in one folder.
#[derive(Debug)]
pub struct Cage {
    pub(super) account: Account,
    /// Where to look for programs that are named without a folder, in the form of PATH.
    pub(super) path: String,
    /// The folder for temporary files and caches, if not the program's own.
    pub(super) home: Option<PathBuf>,
    pub(super) tasks_max: u64,
    ruleset: Option<OwnedFd>,
    filter: Option<Filter>,
    pub(super) paths: Paths,
    /// None if each start prepares everything itself.
    pub(super) warm: Option<OnceCell<WarmCage>>,
    pub(super) namespace: Option<Rc<PidNamespace>>,
}

/// The rights of bots besides playing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BotRights {
    /// Whether they may start processes.
    pub processes: bool,
    /// The files that a running bot may reach by a path.
    pub paths: Paths,
    /// Whether their kit forks them. It stays for later turns, and they may not look at it.
    pub forked: bool,
}

/// Processes and threads of a user that exists only for one seat or build.
const TASKS_MAX: u64 = 1024;
/// Maximum number of processes and threads that a shared user may have beyond those already there.
const TASKS_MORE_MAX: u64 = 4096;

const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

impl Cage {
    /// Prepares a cage for bots of one seat, in a folder that they may only read.
    pub fn for_bots(
        isolation: &Isolation,
        folder: &Path,
        seat: usize,
        rights: BotRights,
    ) -> Result<Self> {
        Self::new(isolation, folder, seat, Some(rights))
    }

    /// Returns whether another player can be started in the cage: with namespaces, one at a time,
    /// and none once these or the warm cage have ended.
    pub fn is_free(&self) -> bool {
        let warm = self.warm.as_ref().and_then(OnceCell::get);
        warm.is_none_or(WarmCage::is_alive)
            && self.is_idle()
            && (self.namespace.as_ref()).is_none_or(|namespace| namespace.is_alive())
    }

    /// Returns whether no player is in the cage.
    pub fn is_idle(&self) -> bool {
        let namespace = self.namespace.as_ref();
        namespace.is_none_or(|namespace| Rc::strong_count(namespace) == 1)
    }

    /// Prepares a cage for a build in a folder that it may change, with `home` below it for
    /// temporary files and caches. The caller makes [`Cage::account`] the owner of that folder.
    pub(super) fn for_build(isolation: &Isolation, folder: &Path, home: &Path) -> Result<Self> {
        Ok(Self {
            home: Some(home.to_owned()),
            ..Self::new(isolation, folder, 0, None)?
        })
    }

    /// Without `rights`, it is for a build.
    fn new(
        isolation: &Isolation,
        folder: &Path,
        seat: usize,
        rights: Option<BotRights>,
    ) -> Result<Self> {
        let (closed, opened) = (&isolation.closed, isolation.opened_folders());
        let folders = [&opened[..], &[folder.to_owned()]].concat();
        let own_root = isolation.namespaces.are_used();
        let account = Account::choose(isolation.ids, &folders, seat, own_root);
        let BotRights {
            processes,
            paths,
            forked,
        } = rights.unwrap_or_default();
        let is_warm = rights.is_some() && isolation.starts_warm() && !processes;
        let policy = match (rights, account) {
            (Some(_), _) if is_warm => Policy::WarmBot(paths),
            (Some(_), _) if processes => Policy::BotWithProcesses(paths),
            (Some(_), _) => Policy::Bot(paths),
            (None, _) if own_root => Policy::Build(BuildUser::Sealed),
            (None, Account::Own(_)) => Policy::Build(BuildUser::Own),
            (None, Account::Judges) => Policy::Build(BuildUser::Judges),
        };
        let access = match rights {
            Some(_) => FolderAccess::ReadOnly,
            None => FolderAccess::Scratch,
        };
        // Counted before the namespaces have a process of their own.
        let tasks_max = match account {
            Account::Own(_) => TASKS_MAX,
            Account::Judges => tasks_of_user() + TASKS_MORE_MAX,
        };
        let namespace = match &isolation.namespaces {
            Namespaces::Missing(_) => None,
            how => {
                let root = PrivateRoot::of(&folders, access, closed);
                let made = how.make(&root, access).map_err(|refused| {
                    let reason = io::Error::other(refused);
                    JudgeError::io("make namespaces for programs in", folder, reason)
                })?;
                Some(Rc::new(made))
            }
        };
        let ruleset = if isolation.landlock_version == 0 {
            None
        } else {
            // Whether programs may read `/proc` on the processes of their namespace.
            let visible = namespace.as_ref().filter(|_| !forked);
            let processes = visible.map(|namespace| namespace.processes());
            files::ruleset(folder, access, closed, &opened, processes)?
        };
        let pid = is_warm.then_some(PID_IN_WARM_CAGE);
        let filter = isolation.seccomp.then(|| Filter::new(policy, pid));
        let toolchains = isolation.opened.iter().map(|one| one.programs.as_str());
        let path: Vec<&str> = toolchains.chain([SYSTEM_PATH]).collect();
        Ok(Self {
            account,
            path: path.join(":"),
            home: None,
            tasks_max,
            ruleset,
            filter: filter.transpose()?,
            paths,
            warm: is_warm.then(OnceCell::new),
            namespace,
        })
    }

    /// Returns the maximum number of tasks of the user; none if it exists for this program only.
    pub fn tasks_shared_max(&self) -> Option<u64> {
        let highest = getrlimit(Resource::RLIMIT_NPROC).map_or(u64::MAX, |(_, highest)| highest);
        (self.account == Account::Judges).then(|| self.tasks_max.min(highest))
    }

    pub(super) fn key(&self) -> Option<u64> {
        self.filter.as_ref().and_then(|filter| filter.key)
    }

    /// The user that must open its own standard descriptors by path; none if that is the judge's,
    /// or if programs may use no paths.
    pub(super) fn pipe_owner(&self) -> Option<u32> {
        match self.account {
            Account::Own(id) if self.paths == Paths::Guarded => Some(id),
            Account::Own(_) | Account::Judges => None,
        }
    }

    /// Confines the calling process for good. Makes system calls only and allocates nothing. Only
    /// `exec` may follow.
    pub(super) fn lock(&self) -> io::Result<()> {
        nix::sys::prctl::set_no_new_privs()?;
        if let Some(ruleset) = &self.ruleset {
            files::restrict_self(ruleset)?;
        }
        if let Some(filter) = &self.filter {
            filter.apply()?;
        }
        Ok(())
    }
}

/// Counts the processes and threads of the calling process's user.
pub fn tasks_of_user() -> u64 {
    let user = getuid().as_raw();
    let own = files::entries(Path::new("/proc"))
        .filter(|entry| entry.metadata().is_ok_and(|m| m.uid() == user));
    // A process's task folder has one link for each thread, and two of its own.
    own.filter_map(|entry| fs::metadata(entry.path().join("task")).ok())
        .map(|tasks| tasks.nlink().saturating_sub(2))
        .sum()
}

/// The limits that the kernel can set for each process.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Memory that a program may allocate, in bytes (the data segment). Address space is not
    /// limited: GHC and Java reserve much of it. The judge also checks the memory in use, which
    /// includes the stack.
    pub memory_bytes_max: u64,
    /// Size of the largest file that it may write, in bytes.
    pub file_bytes_max: u64,
    /// Open descriptors.
    pub descriptors_max: u64,
    /// Queued signals and POSIX timers of all programs of the user; none = as many as the judge.
    pub signals_max: Option<u64>,
    /// CPU seconds until `SIGXCPU`, and a second later `SIGKILL`; none = unlimited. With it, the
    /// program's CPU clock advances only by ticks (4 ms), so no bot has it: bots read that clock.
    pub cpu_s_max: Option<u64>,
}

/// No core fits into 1 byte. With 0, the kernel would still pipe the core to a program, and the
/// crash would take as long; 1 means "do not pipe".
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

    /// A build that `reserves` memory has no limit here; its use is checked while it runs.
    pub(super) fn of_build(cpu: Duration, reserves: bool) -> Self {
        Self {
            memory_bytes_max: if reserves {
                u64::MAX
            } else {
                Self::BUILD.memory_bytes_max
            },
            // The judge measures all processes together; this is for one that it does not see.
            cpu_s_max: Some(cpu.as_secs() + 1 + CPU_S_GRACE),
            ..Self::BUILD
        }
    }

    /// Limits the calling process and its descendants for good. Makes system calls only and
    /// allocates nothing.
    pub(super) fn apply(self, tasks_max: u64) -> io::Result<()> {
        for (resource, most) in [
            (Resource::RLIMIT_CORE, CORE_BYTES),
            (Resource::RLIMIT_MEMLOCK, 0),
            (Resource::RLIMIT_NOFILE, self.descriptors_max),
            (Resource::RLIMIT_FSIZE, self.file_bytes_max),
            (Resource::RLIMIT_DATA, self.memory_bytes_max),
            (Resource::RLIMIT_NPROC, tasks_max),
            // Every thread gets a finite soft limit as the size of its stack, which few fit into;
            // without one, C libraries take 2 MiB. The stack of the first thread counts as memory
            // in use.
            (Resource::RLIMIT_STACK, RLIM_INFINITY),
        ] {
            bound(resource, most, most)?;
        }
        if let Some(most) = self.signals_max {
            bound(Resource::RLIMIT_SIGPENDING, most, most)?;
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
