//! All that confines a program, prepared once for each folder: a start costs system calls only.

use super::account::Account;
use super::files::{self, FolderAccess};
use super::isolation::Isolation;
use super::namespaces::{Namespaces, PID_IN_WARM_CAGE, PidNamespace, PrivateRoot};
use super::seccomp::{BuildUser, Filter, Paths, Policy};
use super::warm::WarmCage;
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit, setrlimit};
use nix::unistd::getuid;
use rulebook::JudgeError;
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
    account: Account,
    /// Where to look for programs that are named without a folder, in the form of PATH.
    path: String,
    /// The folder for temporary files and caches, if not the program's own.
    home: Option<PathBuf>,
    tasks_max: u64,
    ruleset: Option<OwnedFd>,
    filter: Option<Filter>,
    paths: Paths,
    warm: OnceCell<WarmCage>,
    is_warm: bool,
    namespace: Option<Rc<PidNamespace>>,
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
    ) -> Result<Self, JudgeError> {
        let own_root = isolation.namespaces.are_used();
        let mut folders = isolation.opened_folders();
        folders.push(folder.to_owned());
        let account = Account::choose(isolation.ids, &folders, seat, own_root);
        let paths = rights.paths;
        let is_warm = isolation.starts_warm() && !rights.processes;
        let policy = if is_warm {
            Policy::WarmBot(paths)
        } else if rights.processes {
            Policy::BotWithProcesses(paths)
        } else {
            Policy::Bot(paths)
        };
        let pid = is_warm.then_some(PID_IN_WARM_CAGE);
        let folder = (folder, FolderAccess::ReadOnly);
        let cage = Self::new(isolation, account, folder, policy, pid, !rights.forked)?;
        Ok(Self {
            paths,
            is_warm,
            ..cage
        })
    }

    /// Returns whether another player can be started in the cage: with namespaces, one at a time,
    /// and none once these or the warm cage have ended.
    pub fn is_free(&self) -> bool {
        let warm = self.warm.get();
        let namespace = self.namespace.as_ref();
        warm.is_none_or(WarmCage::is_alive)
            && namespace
                .is_none_or(|namespace| Rc::strong_count(namespace) == 1 && namespace.is_alive())
    }

    /// Returns whether no player is in the cage.
    pub fn is_idle(&self) -> bool {
        let namespace = self.namespace.as_ref();
        namespace.is_none_or(|namespace| Rc::strong_count(namespace) == 1)
    }

    /// Prepares a cage for a build in a folder that it may change, with `home` below it for
    /// temporary files and caches. The caller makes [`Cage::account`] the owner of that folder.
    pub(super) fn for_build(
        isolation: &Isolation,
        folder: &Path,
        home: &Path,
    ) -> Result<Self, JudgeError> {
        let mut folders = isolation.opened_folders();
        folders.push(folder.to_owned());
        let own_root = isolation.namespaces.are_used();
        let account = Account::choose(isolation.ids, &folders, 0, own_root);
        let policy = Policy::Build(match account {
            _ if own_root => BuildUser::Sealed,
            Account::Own(_) => BuildUser::Own,
            Account::Judges => BuildUser::Judges,
        });
        let folder = (folder, FolderAccess::Scratch);
        let cage = Self::new(isolation, account, folder, policy, None, true)?;
        Ok(Self {
            home: Some(home.to_owned()),
            ..cage
        })
    }

    /// `sees_processes`: whether programs may read `/proc` on the processes of their namespace.
    fn new(
        isolation: &Isolation,
        account: Account,
        (folder, kind): (&Path, FolderAccess),
        policy: Policy,
        pid: Option<u32>,
        sees_processes: bool,
    ) -> Result<Self, JudgeError> {
        let opened = isolation.opened_folders();
        let tasks_max = match account {
            Account::Own(_) => TASKS_MAX,
            Account::Judges => tasks_of_user() + TASKS_MORE_MAX,
        };
        let filter = isolation.seccomp.then(|| {
            Filter::new(policy, pid).map_err(|e| JudgeError::io("draw", "a random number", e))
        });
        let namespace = match &isolation.namespaces {
            Namespaces::Missing(_) => None,
            how => {
                let own = folder.to_owned();
                let folders: Vec<_> = opened.iter().cloned().chain([own]).collect();
                let root = PrivateRoot::of(&folders, kind, &isolation.closed);
                let made = how.make(&root, kind);
                let made = made.map_err(|refused| {
                    let reason = io::Error::other(refused);
                    JudgeError::io("make namespaces for programs in", folder, reason)
                })?;
                Some(Rc::new(made))
            }
        };
        let ruleset = if isolation.landlock_version == 0 {
            None
        } else {
            let processes = namespace.as_ref().filter(|_| sees_processes);
            let processes = processes.map(|namespace| namespace.processes());
            files::ruleset(folder, kind, &isolation.closed, &opened, processes)?
        };
        let path: Vec<&str> = isolation
            .opened
            .iter()
            .map(|one| one.programs.as_str())
            .chain([SYSTEM_PATH])
            .collect();
        Ok(Self {
            account,
            path: path.join(":"),
            home: None,
            tasks_max,
            ruleset,
            filter: filter.transpose()?,
            paths: Paths::Guarded,
            warm: OnceCell::new(),
            is_warm: false,
            namespace,
        })
    }

    pub(super) fn tasks_max(&self) -> u64 {
        self.tasks_max
    }

    /// Returns the maximum number of tasks of the user; none if it exists for this program only.
    pub fn tasks_shared_max(&self) -> Option<u64> {
        let highest = getrlimit(Resource::RLIMIT_NPROC).map_or(u64::MAX, |(_, highest)| highest);
        (self.account == Account::Judges).then(|| self.tasks_max.min(highest))
    }

    pub(super) fn account(&self) -> Account {
        self.account
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    pub(super) fn namespace(&self) -> Option<&Rc<PidNamespace>> {
        self.namespace.as_ref()
    }

    /// Returns whether the kit takes what its processes share out of the caches before each of them.
    pub(super) fn is_flushed(&self) -> bool {
        self.paths == Paths::NoneFlushed
    }

    pub(super) fn execve_key(&self) -> Option<u64> {
        self.key().filter(|_| self.paths != Paths::Guarded)
    }

    pub(super) fn key(&self) -> Option<u64> {
        self.filter.as_ref().and_then(Filter::key)
    }

    /// None if each start prepares everything itself.
    pub(super) fn warm(&self) -> Option<&OnceCell<WarmCage>> {
        self.is_warm.then_some(&self.warm)
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
        self.filter.as_ref().map_or(Ok(()), Filter::apply)
    }
}

/// Counts the processes and threads of the calling process's user.
pub fn tasks_of_user() -> u64 {
    let user = getuid().as_raw();
    let own = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
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
