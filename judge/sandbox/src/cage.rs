//! Everything that shuts a program in, prepared once for each folder that programs run in,
//! so that starting one costs system calls only.

use super::account::Account;
use super::files::{self, FolderAccess};
use super::namespaces::{Namespaces, PID_IN_WARM_CAGE, PidNamespace, PrivateRoot};
use super::seccomp::{Filter, Paths, Policy, Signals};
use super::tier::Isolation;
use super::warm::{WarmCage, WarmCages};
use error::JudgeError;
use nix::sys::resource::{Resource, getrlimit};
use nix::unistd::getuid;
use std::cell::OnceCell;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::rc::Rc;
use std::{fs, io};

/// What shuts programs in that run in one folder.
#[derive(Debug)]
pub struct Cage {
    account: Account,
    /// Where programs are found that are named without a folder, as PATH says it.
    path: String,
    tasks_max: u64,
    ruleset: Option<OwnedFd>,
    filter: Option<Filter>,
    /// Whether what runs in it may make calls that take a path.
    without_paths: bool,
    /// The process that starts programs in it, once one has been started.
    warm: OnceCell<WarmCage>,
    is_warm: bool,
    namespace: Option<Rc<PidNamespace>>,
}

/// What bots may do besides playing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BotRights {
    /// They may start processes.
    pub processes: bool,
    /// Once they run they may name no file, not even one that does not exist: see
    /// [`Artifact::without_paths`](words::artifact::Artifact::without_paths).
    pub without_paths: bool,
}

/// Processes and threads that a user may have who exists for one seat of a worker, or for
/// one build, only.
const TASKS_MAX: u64 = 1024;
/// How many processes and threads a user may have beyond those that were there before.
const TASKS_MORE_MAX: u64 = 4096;

/// Where the system's programs are found.
const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// From this version on Landlock keeps signals within a program and what it started.
const LANDLOCK_SIGNALS: u32 = 6;

impl Cage {
    /// Prepares for bots that run in a folder of their own, which they may only read, and sit
    /// on one seat.
    ///
    /// # Errors
    /// When the folder cannot be opened or the kernel refuses.
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
        let paths = if rights.without_paths {
            Paths::None
        } else {
            Paths::Guarded
        };
        let is_warm = isolation.warm == WarmCages::Kept && !rights.processes;
        let policy = if is_warm {
            Policy::WarmBot(paths)
        } else if rights.processes {
            // Not by an id of their own: in a match, players keep theirs when they change seats.
            let kept = kept_by(isolation.landlock_version >= LANDLOCK_SIGNALS);
            Policy::BotWithProcesses(paths, kept)
        } else {
            Policy::Bot(paths)
        };
        let pid = is_warm.then_some(PID_IN_WARM_CAGE);
        let access = FolderAccess::ReadOnly;
        let cage = Self::new(isolation, account, folder, access, policy, pid)?;
        let namespace = match &isolation.namespaces {
            Namespaces::Missing(_) => None,
            how => {
                let root = PrivateRoot::of(&folders, &isolation.closed);
                let made = how.make(&root);
                let made = made.map_err(|refused| {
                    let reason = io::Error::other(refused);
                    JudgeError::io("make namespaces for programs in", folder, reason)
                })?;
                Some(Rc::new(made))
            }
        };
        Ok(Self {
            namespace,
            is_warm,
            without_paths: rights.without_paths,
            ..cage
        })
    }

    /// Returns whether another player can be started in it: one at a time where its namespaces are
    /// its own, and none where somebody has ended these, or the process that starts programs in it.
    pub fn is_free(&self) -> bool {
        let warm = self.warm.get();
        let namespace = self.namespace.as_ref();
        warm.is_none_or(WarmCage::is_alive)
            && namespace
                .is_none_or(|namespace| Rc::strong_count(namespace) == 1 && namespace.is_alive())
    }

    /// Returns whether nobody plays in it.
    pub fn is_idle(&self) -> bool {
        let namespace = self.namespace.as_ref();
        namespace.is_none_or(|namespace| Rc::strong_count(namespace) == 1)
    }

    /// Prepares for a build in a folder that it may change.
    pub(super) fn for_build(
        isolation: &Isolation,
        account: Account,
        folder: &Path,
    ) -> Result<Self, JudgeError> {
        // Also an id of its own keeps signals from everybody else.
        let kept = isolation.landlock_version >= LANDLOCK_SIGNALS || account != Account::Judges;
        let policy = Policy::Build(kept_by(kept));
        Self::new(
            isolation,
            account,
            folder,
            FolderAccess::Scratch,
            policy,
            None,
        )
    }

    fn new(
        isolation: &Isolation,
        account: Account,
        folder: &Path,
        kind: FolderAccess,
        policy: Policy,
        pid: Option<u32>,
    ) -> Result<Self, JudgeError> {
        let opened = isolation.opened_folders();
        let ruleset = if isolation.landlock_version == 0 {
            None
        } else {
            files::ruleset(folder, kind, &isolation.closed, &opened)?
        };
        let tasks_max = match account {
            Account::Own { .. } => TASKS_MAX,
            Account::Judges => tasks_of_user() + TASKS_MORE_MAX,
        };
        let filter = isolation.seccomp.then(|| {
            let filter = Filter::new(policy, pid);
            filter.map_err(|e| JudgeError::io("draw", "a random number", e))
        });
        let programs = isolation.opened.iter().map(|one| one.programs.as_str());
        let path: Vec<&str> = programs.chain([SYSTEM_PATH]).collect();
        Ok(Self {
            account,
            path: path.join(":"),
            tasks_max,
            ruleset,
            filter: filter.transpose()?,
            without_paths: false,
            warm: OnceCell::new(),
            is_warm: false,
            namespace: None,
        })
    }

    /// Returns how many processes and threads the program's user may have.
    pub(super) fn tasks_max(&self) -> u64 {
        self.tasks_max
    }

    /// Returns how many processes and threads the program's user may have together with all other
    /// programs of that user; none where the user exists for the program only.
    pub fn tasks_shared_max(&self) -> Option<u64> {
        let highest = getrlimit(Resource::RLIMIT_NPROC).map_or(u64::MAX, |(_, highest)| highest);
        (self.account == Account::Judges).then(|| self.tasks_max.min(highest))
    }

    /// Returns under which user programs run.
    pub(super) fn account(&self) -> Account {
        self.account
    }

    /// Returns where programs are found that are named without a folder.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Returns the namespaces that programs run in, if not in ours.
    pub(super) fn namespace(&self) -> Option<&Rc<PidNamespace>> {
        self.namespace.as_ref()
    }

    /// Returns what the call that executes a program must have as its sixth argument, if anything.
    pub(super) fn execve_key(&self) -> Option<u64> {
        self.key().filter(|_| self.without_paths)
    }

    /// Returns what the judge's own calls in it must have as their sixth argument, if anything.
    pub(super) fn key(&self) -> Option<u64> {
        self.filter.as_ref().and_then(Filter::key)
    }

    /// Returns where the process is kept that starts programs in it; none where each start goes
    /// through everything by itself.
    pub(super) fn warm(&self) -> Option<&OnceCell<WarmCage>> {
        self.is_warm.then_some(&self.warm)
    }

    /// Returns the user who must be able to open its own standard descriptors by their paths, where
    /// it is not the judge's and has a use for it.
    pub(super) fn pipe_owner(&self) -> Option<u32> {
        match self.account {
            Account::Own { id, .. } if !self.without_paths => Some(id),
            Account::Own { .. } | Account::Judges => None,
        }
    }

    /// Shuts the calling process in for good. Makes system calls only and allocates nothing.
    /// Nothing but `exec` may come after it.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub(super) fn lock(&self) -> io::Result<()> {
        nix::sys::prctl::set_no_new_privs()?;
        if let Some(ruleset) = &self.ruleset {
            files::restrict_self(ruleset)?;
        }
        self.filter.as_ref().map_or(Ok(()), Filter::apply)
    }
}

/// Returns whom a program may send signals, by whether something else keeps them in.
fn kept_by(kept: bool) -> Signals {
    if kept {
        Signals::Anybody
    } else {
        Signals::Oneself
    }
}

/// Counts the processes and threads of the calling process's user.
pub fn tasks_of_user() -> u64 {
    let user = getuid().as_raw();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let own = processes.filter(|entry| entry.metadata().is_ok_and(|m| m.uid() == user));
    // The folder of its threads has one link for each, and its own two.
    let folders = own.filter_map(|entry| fs::metadata(entry.path().join("task")).ok());
    folders.map(|tasks| tasks.nlink().saturating_sub(2)).sum()
}
