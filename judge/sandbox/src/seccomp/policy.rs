//! The system calls that strangers' programs may not make, each with the reason. A refused call
//! returns "not permitted": an honest program that merely tries it survives.

use libc::c_long;

// libc lacks names on aarch64. Calls since Linux 5.0 have the same number on every machine.
const FCHMODAT2: c_long = 452;
const KEXEC_FILE_LOAD: c_long = if cfg!(target_arch = "x86_64") {
    320
} else {
    294
};

/// Arguments count from 0 and are compared in their lower 32 bits, all that the kernel uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CallRule {
    Refuse,
    /// It does not exist, so the C library falls back to an older call that the filter can inspect.
    Absent,
    Unsupported,
    /// It is not permitted where an argument, masked, has one of these values.
    RefuseWhere(u32, Vec<(u32, u32)>),
    /// It is invalid where an argument has this value, and another rule holds elsewhere.
    InvalidWhere(u32, u32, Box<CallRule>),
    /// It is permitted where an argument is below a bound and has none of these values.
    AllowBelow(u32, u32, Vec<u32>),
    /// It is permitted only where an argument has one of these values.
    AllowOnly(u32, Vec<u32>),
    /// It is permitted only on the process itself: its own id, or 0.
    AllowSelf(u32),
    /// It is permitted only where an argument is a null pointer.
    AllowNull(u32),
    /// On every clock but the CPU clocks of other processes; the argument is the clock's number.
    AllowOwnClock(u32),
    /// If all 64 bits of argument [`KEY_ARG`] are the filter's key, else by another rule.
    KeyOr(Box<CallRule>),
    /// Where flags in an argument create no file, else by another rule.
    CreatesOr(u32, Box<CallRule>),
}

/// The files that a program may reach by a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paths {
    /// Those that the rest of the sandbox allows.
    #[default]
    Guarded,
    /// None. Even a name that does not exist leaves an entry in the kernel's tables, sealed or not.
    /// The time of the next look-up shows whether the entry exists, which is a message to a later
    /// turn or to another program.
    None,
    /// None, and the program's kit takes what its processes share out of the caches before each of
    /// them. They get no huge pages: all that are untouched are one, which is too large for that.
    NoneFlushed,
}

/// How a build is kept from others. Landlock does not guard modes and times of files; by a
/// descriptor, a build may change those of every file that it has opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuildUser {
    /// Namespaces: it reaches no process but its own, and can change nothing but its folder.
    Sealed,
    /// A user of its own: others' processes take no signal of it, and the kernel lets it change the
    /// modes of no file but its own. Times it may not change by a path.
    Own,
    /// Nothing: it runs as the judge's user, who owns the judge's files and processes. It may signal
    /// only itself, and change neither modes nor times by a path.
    Judges,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// A player: no processes but its own threads, no trace left anywhere.
    Bot(Paths),
    /// A warm cage, and the players that it starts.
    WarmBot(Paths),
    /// A player that may start processes. Its namespaces hold them together.
    BotWithProcesses(Paths),
    /// A build: may start processes and change its own files.
    Build(BuildUser),
}

/// A newer call, which this policy cannot judge, does not exist for the program.
pub(super) const LAST_KNOWN: u32 = number(libc::SYS_mseal);

const fn number(call: c_long) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "call numbers are small"
    )]
    let number = call as u32;
    number
}

pub(super) const EVERY_BIT: u32 = u32::MAX;
const CLONE_THREAD: u32 = libc::CLONE_THREAD.cast_unsigned();
const CLONE_FILES: u32 = libc::CLONE_FILES.cast_unsigned();
/// Namespaces, and a child of the parent's: the judge, which would not know of it, had to reap it
/// before the namespaces' first process can end.
const CLONE_NOBODYS: [i32; 8] = [
    libc::CLONE_PARENT,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWUTS,
];

/// Calls that both bots and builds may not make.
const NOBODYS: &[c_long] = &[
    // Communication with other programs: only a pair of sockets within the program is allowed.
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_sendmsg,
    libc::SYS_sendmmsg,
    libc::SYS_recvmmsg,
    // Shared memory, semaphores and queues, which outlive a process.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_shmdt,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semctl,
    libc::SYS_semtimedop,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_mq_timedsend,
    libc::SYS_mq_timedreceive,
    libc::SYS_mq_notify,
    libc::SYS_mq_getsetattr,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Inspection and control of other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_kcmp,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    // A bigger share of the CPU than others have, or another CPU than the judge's.
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
    // Memory that no limit counts, and calls that no filter sees.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // The machine itself, and the kernel's most powerful calls.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_chroot,
    libc::SYS_pivot_root,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    KEXEC_FILE_LOAD,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_perf_event_open,
    libc::SYS_bpf,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_nfsservctl,
    // Stalling every disk of the machine.
    libc::SYS_sync,
    libc::SYS_syncfs,
    // Owners of files.
    libc::SYS_fchownat,
    libc::SYS_fchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    // Old x86 privileges.
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
    #[cfg(target_arch = "x86_64")]
    libc::SYS__sysctl,
];

/// Access lists and capabilities are among these. `cp -p` continues where a file system has none.
const EXTENDED_ATTRIBUTES: [c_long; 6] = [
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];

/// Leaving the session or group with which a program ends without control group or namespace.
const LEAVING: &[c_long] = &[libc::SYS_setsid, libc::SYS_setpgid];

/// Calls that start processes. Refused to bots unless the competition allows processes.
#[cfg(target_arch = "x86_64")]
const STARTING: &[c_long] = &[libc::SYS_fork, libc::SYS_vfork];
#[cfg(not(target_arch = "x86_64"))]
const STARTING: &[c_long] = &[];

/// Further calls refused to bots: they only make sense with files of one's own.
const NO_BOTS: &[c_long] = &[
    // Locks and watches are messages to any process that sees the same file.
    libc::SYS_flock,
    libc::SYS_inotify_init1,
    libc::SYS_inotify_add_watch,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_inotify_init,
    // Before the third version of Landlock, kernels let an owner truncate.
    libc::SYS_truncate,
    libc::SYS_fchmod,
    FCHMODAT2,
    libc::SYS_utimensat,
    // Which parts of a file are in memory would be a message to a later turn.
    libc::SYS_fadvise64,
    libc::SYS_mincore,
    CACHESTAT,
    // Kernel memory that no limit counts; a socket's buffers may hold hundreds of megabytes.
    libc::SYS_setsockopt,
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_add_rule,
    // A quota of the whole machine, and the location of a program's pages in its memory.
    libc::SYS_io_setup,
    libc::SYS_set_mempolicy,
    STATMOUNT,
    LISTMOUNT,
];
// The same on every architecture:
const CACHESTAT: c_long = 451;
const STATMOUNT: c_long = 457;
const LISTMOUNT: c_long = 458;

/// Calls that change modes and times by a path. Refused to bots: a note for a later turn.
const MODES_BY_PATH: &[c_long] = &[
    libc::SYS_fchmodat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
];
#[cfg(target_arch = "x86_64")]
const TIMES_BY_PATH: &[c_long] = &[libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat];
#[cfg(not(target_arch = "x86_64"))]
const TIMES_BY_PATH: &[c_long] = &[];

/// Calls that set a mode, and the argument that has it.
const SETTING_MODES: &[(c_long, u32)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (libc::SYS_mkdirat, 2),
    (libc::SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mkdir, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
];

/// Calls that set a mode if they create a file, and the argument with their flags. The mode follows.
const OPENING: &[(c_long, u32)] = &[
    (libc::SYS_openat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1),
];

/// `O_CREAT`, and what `O_TMPFILE` has besides `O_DIRECTORY`.
pub(super) const CREATING: u32 =
    (libc::O_CREAT | libc::O_TMPFILE & !libc::O_DIRECTORY).cast_unsigned();

/// Calls that take a path and that no list above refuses to bots; `execve` has a rule of its own.
const BY_PATH: &[c_long] = &[
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_statfs,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getxattr,
    libc::SYS_lgetxattr,
    libc::SYS_listxattr,
    libc::SYS_llistxattr,
    libc::SYS_chdir,
    libc::SYS_mkdirat,
    libc::SYS_mknodat,
    libc::SYS_linkat,
    libc::SYS_symlinkat,
    libc::SYS_unlinkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_execveat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_open,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_creat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_stat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lstat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_access,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_readlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mkdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rmdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mknod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_link,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_symlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_unlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rename,
];

/// The kernel ignores this argument. No program sees the key: the kernel empties the registers when
/// it executes a program, and kits do so when they fork.
const KEY_ARG: u32 = 5;

/// Positions of the key's two halves, in 32-bit words of the arguments.
pub(super) const KEY_WORDS: [u32; 2] = [2 * KEY_ARG, 2 * KEY_ARG + 1];

/// Their first argument is a clock that they read or wait for. A timer reveals its clock's time.
const CLOCKS: [c_long; 4] = [
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_timer_create,
];

/// Any other operation on a descriptor could leave a mark on a file of its user.
const FCNTL_BOTS: &[i32] = &[
    libc::F_DUPFD,
    libc::F_DUPFD_CLOEXEC,
    libc::F_GETFD,
    libc::F_SETFD,
    libc::F_GETFL,
    libc::F_SETFL,
    libc::F_GETPIPE_SZ,
];

/// Another one (`SO_COOKIE`) returns a counter of the whole machine.
const SOCKET_OPTIONS_BOTS: [i32; 2] = [libc::SO_TYPE, libc::SO_ERROR];

/// Questions about terminals and pipes, and flags of descriptors.
const IOCTL_BOTS: &[u32] = &[
    0x5401,      // TCGETS
    0x802c_542a, // TCGETS2
    0x5413,      // TIOCGWINSZ
    0x541b,      // FIONREAD
    0x5421,      // FIONBIO
    0x5450,      // FIONCLEX
    0x5451,      // FIOCLEX
];

/// Refused to bots. Some sends memory and files to the disk. Some merges equal pages of different
/// programs, and a write to a merged page takes measurably longer.
const MADVISE_BOTS: &[i32] = &[libc::MADV_COLD, libc::MADV_PAGEOUT, libc::MADV_MERGEABLE];

/// Refused to all: the kernel would collect large pages at once, also of files that others map.
const MADVISE_NOBODYS: &[i32] = &[MADV_COLLAPSE];
pub(super) const MADV_COLLAPSE: i32 = 25;

/// Operations refused to builds; bots have stricter rules, see [`FCNTL_BOTS`] and [`IOCTL_BOTS`].
const FCNTL_NOBODYS: &[i32] = &[
    libc::F_SETOWN,
    F_SETOWN_EX,
    F_SETSIG,
    libc::F_SETLEASE,
    libc::F_NOTIFY,
    // One user's pipes share a quota, and the judge is that user.
    libc::F_SETPIPE_SZ,
];
const F_SETOWN_EX: i32 = 15;
const F_SETSIG: i32 = 10;

/// Input of terminals, owners of signals, and attributes of files.
const IOCTL_NOBODYS: &[u32] = &[
    0x5412,      // TIOCSTI
    0x541c,      // TIOCLINUX
    0x540e,      // TIOCSCTTY
    0x5410,      // TIOCSPGRP
    0x8901,      // FIOSETOWN
    0x8902,      // SIOCSPGRP
    0x4008_6602, // FS_IOC_SETFLAGS
    0x401c_5820, // FS_IOC_FSSETXATTR
];

/// The first unknown option. It and all above are refused: a later kernel's may take memory that no
/// limit counts, as `PR_FUTEX_HASH` does (78, Linux 6.16).
const PRCTL_UNKNOWN: u32 = 78;

const PRCTL_NOBODYS: &[i32] = &[
    // Sharing pages with others, as by `MADV_MERGEABLE`.
    libc::PR_SET_MEMORY_MERGE,
    // Huge pages, which the judge takes from some bots.
    libc::PR_SET_THP_DISABLE,
    // Outliving the judge.
    libc::PR_SET_PDEATHSIG,
    libc::PR_SET_CHILD_SUBREAPER,
    libc::PR_SCHED_CORE,
    // Filters of one's own take memory that is limited for the whole machine. So does `seccomp`.
    libc::PR_SET_SECCOMP,
];

impl Policy {
    pub(super) fn calls(self) -> Vec<Call> {
        let mut calls = refused(NOBODYS);
        let mut add = |call: c_long, verdict| calls.push((number(call), verdict));
        for call in EXTENDED_ATTRIBUTES {
            add(call, CallRule::Unsupported);
        }
        // Its flags are in memory, which a filter cannot read.
        add(libc::SYS_clone3, CallRule::Absent);
        add(libc::SYS_prlimit64, CallRule::AllowSelf(0));
        // This value only queries.
        add(
            libc::SYS_personality,
            CallRule::AllowOnly(0, vec![EVERY_BIT]),
        );
        // The usual scheduling, which Mono sets for each thread, is no bigger share.
        let usual = libc::SCHED_OTHER.cast_unsigned();
        add(
            libc::SYS_sched_setscheduler,
            CallRule::AllowOnly(1, vec![usual]),
        );
        let unix = libc::AF_UNIX.cast_unsigned();
        add(libc::SYS_socketpair, CallRule::AllowOnly(0, vec![unix]));
        add(libc::SYS_sendto, CallRule::AllowNull(4));
        add(libc::SYS_prctl, prctl());
        if let Self::Bot(_) | Self::WarmBot(_) | Self::Build(BuildUser::Judges) = self {
            for call in [
                libc::SYS_kill,
                libc::SYS_tkill,
                libc::SYS_tgkill,
                libc::SYS_rt_sigqueueinfo,
                libc::SYS_rt_tgsigqueueinfo,
            ] {
                add(call, CallRule::AllowSelf(0));
            }
        }
        let nobodys = CLONE_NOBODYS.map(|flag| (flag.cast_unsigned(), flag.cast_unsigned()));
        // A descriptor table of its own would multiply the limit on a bot's descriptors.
        let threads = [CLONE_THREAD, CLONE_FILES].map(|flag| (flag, 0));
        let cloning = match self {
            Self::Bot(_) | Self::WarmBot(_) => CallRule::RefuseWhere(0, threads.to_vec()),
            Self::BotWithProcesses(..) | Self::Build(..) => {
                CallRule::RefuseWhere(0, nobodys.to_vec())
            }
        };
        if let Self::WarmBot(_) = self {
            add(libc::SYS_clone, CallRule::KeyOr(Box::new(cloning)));
            // A process alone in its group can leave it only for another, and can name no other.
            add(libc::SYS_setpgid, CallRule::AllowOnly(1, vec![0]));
            add(libc::SYS_setsid, CallRule::Refuse);
            // A kit adds a filter that makes useless any copy of the key that its interpreter
            // keeps.
            add(
                libc::SYS_seccomp,
                CallRule::KeyOr(Box::new(CallRule::Refuse)),
            );
        } else {
            add(libc::SYS_clone, cloning);
            add(libc::SYS_seccomp, CallRule::Refuse);
        }
        let mut advice = MADVISE_NOBODYS.to_vec();
        match self {
            Self::Bot(paths) | Self::WarmBot(paths) | Self::BotWithProcesses(paths) => {
                advice.extend(MADVISE_BOTS);
                calls.extend(of_bots(paths));
            }
            Self::Build(user) => calls.extend(of_builds(user)),
        }
        let advice = advice.into_iter().map(i32::cast_unsigned);
        let mut madvise = refuse_values(2, advice);
        if let Self::Bot(Paths::NoneFlushed)
        | Self::WarmBot(Paths::NoneFlushed)
        | Self::BotWithProcesses(Paths::NoneFlushed) = self
        {
            // As from a kernel without huge pages.
            let huge = libc::MADV_HUGEPAGE.cast_unsigned();
            madvise = CallRule::InvalidWhere(2, huge, Box::new(madvise));
        }
        calls.push((number(libc::SYS_madvise), madvise));
        calls.extend(match self {
            Self::Bot(_) => refused(&[LEAVING, STARTING].concat()),
            Self::WarmBot(_) => refused(STARTING),
            // A namespace ends all that a build has started. ninja gives each step a group.
            Self::Build(BuildUser::Sealed) | Self::BotWithProcesses(..) => Vec::new(),
            Self::Build(..) => refused(LEAVING),
        });
        calls
    }
}

fn refused(calls: &[c_long]) -> Vec<Call> {
    calls
        .iter()
        .map(|&call| (number(call), CallRule::Refuse))
        .collect()
}

fn of_bots(paths: Paths) -> Vec<Call> {
    let mut calls = refused(NO_BOTS);
    calls.extend(refused(&[MODES_BY_PATH, TIMES_BY_PATH].concat()));
    let mut add = |call: c_long, verdict| calls.push((number(call), verdict));
    for call in CLOCKS {
        add(call, CallRule::AllowOwnClock(0));
    }
    let options = SOCKET_OPTIONS_BOTS.map(i32::cast_unsigned);
    add(
        libc::SYS_getsockopt,
        CallRule::AllowOnly(2, options.to_vec()),
    );
    let fcntl = FCNTL_BOTS.iter().map(|value| value.cast_unsigned());
    add(libc::SYS_fcntl, CallRule::AllowOnly(1, fcntl.collect()));
    add(libc::SYS_ioctl, CallRule::AllowOnly(1, IOCTL_BOTS.to_vec()));
    add(
        libc::SYS_mmap,
        CallRule::RefuseWhere(3, UNCOUNTED_MEMORY.to_vec()),
    );
    if paths != Paths::Guarded {
        add(
            libc::SYS_execve,
            CallRule::KeyOr(Box::new(CallRule::Refuse)),
        );
        // A pipe's inode number comes from a counter of the whole machine.
        add(libc::SYS_fstat, CallRule::Refuse);
        calls.extend(refused(BY_PATH));
    }
    calls
}

fn of_builds(user: BuildUser) -> Vec<Call> {
    let by_path = match user {
        BuildUser::Sealed => Vec::new(),
        BuildUser::Own => TIMES_BY_PATH.to_vec(),
        BuildUser::Judges => [MODES_BY_PATH, TIMES_BY_PATH].concat(),
    };
    let mut calls = refused(&by_path);
    let mut add = |call: c_long, verdict| calls.push((number(call), verdict));
    let fcntl = FCNTL_NOBODYS.iter().map(|value| value.cast_unsigned());
    add(libc::SYS_fcntl, refuse_values(1, fcntl));
    let ioctl = IOCTL_NOBODYS.iter().copied();
    add(libc::SYS_ioctl, refuse_values(1, ioctl));
    // Their modes are in memory or have newer numbers.
    add(libc::SYS_openat2, CallRule::Absent);
    add(FCHMODAT2, CallRule::Absent);
    for (call, flags) in OPENING {
        let rule = CallRule::CreatesOr(*flags, Box::new(refuse_set_id(flags + 1)));
        add(*call, rule);
    }
    if user != BuildUser::Sealed {
        add(libc::SYS_utimensat, CallRule::AllowNull(1));
    }
    let setting = SETTING_MODES.iter();
    for (call, mode) in setting.filter(|(call, _)| !by_path.contains(call)) {
        add(*call, refuse_set_id(*mode));
    }
    calls
}

/// Not counted by the limit on the data segment: shared without a file, or growing like a stack.
const UNCOUNTED_MEMORY: [(u32, u32); 2] = [
    (
        (libc::MAP_ANONYMOUS | libc::MAP_TYPE).cast_unsigned(),
        (libc::MAP_ANONYMOUS | libc::MAP_SHARED).cast_unsigned(),
    ),
    (
        libc::MAP_GROWSDOWN.cast_unsigned(),
        libc::MAP_GROWSDOWN.cast_unsigned(),
    ),
];

/// Refuses modes by which a program runs as its owner or its owner's group.
fn refuse_set_id(mode: u32) -> CallRule {
    let bits = [libc::S_ISUID, libc::S_ISGID];
    CallRule::RefuseWhere(mode, bits.map(|bit| (bit, bit)).to_vec())
}

fn prctl() -> CallRule {
    let nobodys = PRCTL_NOBODYS.iter().map(|value| value.cast_unsigned());
    CallRule::AllowBelow(0, PRCTL_UNKNOWN, nobodys.collect())
}

fn refuse_values(arg: u32, values: impl Iterator<Item = u32>) -> CallRule {
    CallRule::RefuseWhere(arg, values.map(|value| (EVERY_BIT, value)).collect())
}

pub(super) type Call = (u32, CallRule);
