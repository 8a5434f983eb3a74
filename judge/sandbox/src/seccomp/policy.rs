//! The system calls that strangers' programs may not make, each with the reason. A refused call
//! returns "not permitted": an honest program that merely tries it survives.

use super::{
    ABSENT, ALLOW, Call, EVERY_BIT, REFUSE, Rule, allow_null, allow_only, allow_own_clock,
    allow_self, at_least, equal, fail, key_or, masked, refuse_where,
};
#[cfg_attr(
    not(test),
    expect(
        clippy::wildcard_imports,
        reason = "the policy names the kernel's calls and constants"
    )
)]
use libc::*;

// libc lacks names on aarch64. Calls since Linux 5.0 have the same number on every machine.
const FCHMODAT2: c_long = 452;
const KEXEC_FILE_LOAD: c_long = if cfg!(target_arch = "x86_64") {
    320
} else {
    294
};

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
pub(super) const LAST_KNOWN: c_long = SYS_mseal;

/// Namespaces, and a child of the parent's: the judge, which would not know of it, had to reap it
/// before the namespaces' first process can end.
const CLONE_NOBODYS: [i32; 8] = [
    CLONE_PARENT,
    CLONE_NEWCGROUP,
    CLONE_NEWIPC,
    CLONE_NEWNET,
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    CLONE_NEWUTS,
];

/// Calls that both bots and builds may not make.
const NOBODYS: &[c_long] = &[
    // Communication with other programs: only a pair of sockets within the program is allowed.
    SYS_socket,
    SYS_connect,
    SYS_accept,
    SYS_accept4,
    SYS_bind,
    SYS_listen,
    SYS_sendmsg,
    SYS_sendmmsg,
    SYS_recvmmsg,
    // Shared memory, semaphores and queues, which outlive a process.
    SYS_shmget,
    SYS_shmat,
    SYS_shmctl,
    SYS_shmdt,
    SYS_semget,
    SYS_semop,
    SYS_semctl,
    SYS_semtimedop,
    SYS_msgget,
    SYS_msgsnd,
    SYS_msgrcv,
    SYS_msgctl,
    SYS_mq_open,
    SYS_mq_unlink,
    SYS_mq_timedsend,
    SYS_mq_timedreceive,
    SYS_mq_notify,
    SYS_mq_getsetattr,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    // Inspection and control of other processes.
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_process_madvise,
    SYS_process_mrelease,
    SYS_kcmp,
    SYS_pidfd_open,
    SYS_pidfd_getfd,
    SYS_pidfd_send_signal,
    SYS_move_pages,
    SYS_migrate_pages,
    // A bigger share of the CPU than others have, or another CPU than the judge's.
    SYS_sched_setaffinity,
    SYS_sched_setparam,
    SYS_sched_setattr,
    SYS_setpriority,
    SYS_ioprio_set,
    // Memory that no limit counts, and calls that no filter sees.
    SYS_memfd_create,
    SYS_memfd_secret,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    // The machine itself, and the kernel's most powerful calls.
    SYS_unshare,
    SYS_setns,
    SYS_mount,
    SYS_umount2,
    SYS_mount_setattr,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_chroot,
    SYS_pivot_root,
    SYS_swapon,
    SYS_swapoff,
    SYS_reboot,
    SYS_kexec_load,
    KEXEC_FILE_LOAD,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_acct,
    SYS_quotactl,
    SYS_quotactl_fd,
    SYS_syslog,
    SYS_vhangup,
    SYS_perf_event_open,
    SYS_bpf,
    SYS_userfaultfd,
    SYS_fanotify_init,
    SYS_fanotify_mark,
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
    SYS_nfsservctl,
    // Stalling every disk of the machine.
    SYS_sync,
    SYS_syncfs,
    // Owners of files.
    SYS_fchownat,
    SYS_fchown,
    #[cfg(target_arch = "x86_64")]
    SYS_chown,
    #[cfg(target_arch = "x86_64")]
    SYS_lchown,
    // Old x86 privileges.
    #[cfg(target_arch = "x86_64")]
    SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    SYS_uselib,
    #[cfg(target_arch = "x86_64")]
    SYS__sysctl,
];

/// Access lists and capabilities are among these. `cp -p` continues where a file system has none.
const EXTENDED_ATTRIBUTES: [c_long; 6] = [
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
];

/// Leaving the session or group with which a program ends without control group or namespace.
const LEAVING: &[c_long] = &[SYS_setsid, SYS_setpgid];

/// Calls that start processes. Refused to bots unless the competition allows processes.
#[cfg(target_arch = "x86_64")]
const STARTING: &[c_long] = &[SYS_fork, SYS_vfork];
#[cfg(not(target_arch = "x86_64"))]
const STARTING: &[c_long] = &[];

/// Further calls refused to bots: they only make sense with files of one's own.
const NO_BOTS: &[c_long] = &[
    // Locks and watches are messages to any process that sees the same file.
    SYS_flock,
    SYS_inotify_init1,
    SYS_inotify_add_watch,
    #[cfg(target_arch = "x86_64")]
    SYS_inotify_init,
    // Before the third version of Landlock, kernels let an owner truncate.
    SYS_truncate,
    SYS_fchmod,
    FCHMODAT2,
    SYS_utimensat,
    // Which parts of a file are in memory would be a message to a later turn.
    SYS_fadvise64,
    SYS_mincore,
    CACHESTAT,
    // Kernel memory that no limit counts; a socket's buffers may hold hundreds of megabytes.
    SYS_setsockopt,
    SYS_landlock_create_ruleset,
    SYS_landlock_add_rule,
    // A quota of the whole machine, and the location of a program's pages in its memory.
    SYS_io_setup,
    SYS_set_mempolicy,
    STATMOUNT,
    LISTMOUNT,
];
// The same on every architecture:
const CACHESTAT: c_long = 451;
const STATMOUNT: c_long = 457;
const LISTMOUNT: c_long = 458;

/// Calls that change modes and times by a path. Refused to bots: a note for a later turn.
const MODES_BY_PATH: &[c_long] = &[
    SYS_fchmodat,
    #[cfg(target_arch = "x86_64")]
    SYS_chmod,
];
#[cfg(target_arch = "x86_64")]
const TIMES_BY_PATH: &[c_long] = &[SYS_utime, SYS_utimes, SYS_futimesat];
#[cfg(not(target_arch = "x86_64"))]
const TIMES_BY_PATH: &[c_long] = &[];

/// Calls that set a mode, and the argument that has it.
const SETTING_MODES: &[(c_long, u32)] = &[
    (SYS_fchmod, 1),
    (SYS_fchmodat, 2),
    (SYS_mkdirat, 2),
    (SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")]
    (SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (SYS_mkdir, 1),
    #[cfg(target_arch = "x86_64")]
    (SYS_mknod, 1),
];

/// Calls that set a mode if they create a file, and the argument with their flags. The mode follows.
const OPENING: &[(c_long, u32)] = &[
    (SYS_openat, 2),
    #[cfg(target_arch = "x86_64")]
    (SYS_open, 1),
];

/// `O_CREAT`, and what `O_TMPFILE` has besides `O_DIRECTORY`.
const CREATING: i32 = O_CREAT | O_TMPFILE & !O_DIRECTORY;

/// Calls that take a path and that no list above refuses to bots; `execve` has a rule of its own.
const BY_PATH: &[c_long] = &[
    SYS_openat,
    SYS_openat2,
    SYS_newfstatat,
    SYS_statx,
    SYS_statfs,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_readlinkat,
    SYS_getxattr,
    SYS_lgetxattr,
    SYS_listxattr,
    SYS_llistxattr,
    SYS_chdir,
    SYS_mkdirat,
    SYS_mknodat,
    SYS_linkat,
    SYS_symlinkat,
    SYS_unlinkat,
    SYS_renameat,
    SYS_renameat2,
    SYS_execveat,
    #[cfg(target_arch = "x86_64")]
    SYS_open,
    #[cfg(target_arch = "x86_64")]
    SYS_creat,
    #[cfg(target_arch = "x86_64")]
    SYS_stat,
    #[cfg(target_arch = "x86_64")]
    SYS_lstat,
    #[cfg(target_arch = "x86_64")]
    SYS_access,
    #[cfg(target_arch = "x86_64")]
    SYS_readlink,
    #[cfg(target_arch = "x86_64")]
    SYS_mkdir,
    #[cfg(target_arch = "x86_64")]
    SYS_rmdir,
    #[cfg(target_arch = "x86_64")]
    SYS_mknod,
    #[cfg(target_arch = "x86_64")]
    SYS_link,
    #[cfg(target_arch = "x86_64")]
    SYS_symlink,
    #[cfg(target_arch = "x86_64")]
    SYS_unlink,
    #[cfg(target_arch = "x86_64")]
    SYS_rename,
];

/// Their first argument is a clock that they read or wait for. A timer reveals its clock's time.
const CLOCKS: [c_long; 4] = [
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_timer_create,
];

/// Any other operation on a descriptor could leave a mark on a file of its user.
const FCNTL_BOTS: &[i32] = &[
    F_DUPFD,
    F_DUPFD_CLOEXEC,
    F_GETFD,
    F_SETFD,
    F_GETFL,
    F_SETFL,
    F_GETPIPE_SZ,
];

/// Another one (`SO_COOKIE`) returns a counter of the whole machine.
const SOCKET_OPTIONS_BOTS: [i32; 2] = [SO_TYPE, SO_ERROR];

/// Questions about terminals and pipes, and flags of descriptors.
const IOCTL_BOTS: &[i32] = &[
    0x5401,                        // TCGETS
    0x802c_542a_u32.cast_signed(), // TCGETS2
    0x5413,                        // TIOCGWINSZ
    0x541b,                        // FIONREAD
    0x5421,                        // FIONBIO
    0x5450,                        // FIONCLEX
    0x5451,                        // FIOCLEX
];

/// Refused to bots. Some sends memory and files to the disk. Some merges equal pages of different
/// programs, and a write to a merged page takes measurably longer.
const MADVISE_BOTS: &[i32] = &[MADV_COLD, MADV_PAGEOUT, MADV_MERGEABLE];

pub(super) const MADV_COLLAPSE: i32 = 25;

/// Operations refused to builds; bots have stricter rules, see [`FCNTL_BOTS`] and [`IOCTL_BOTS`].
const FCNTL_NOBODYS: &[i32] = &[
    F_SETOWN,
    F_SETOWN_EX,
    F_SETSIG,
    F_SETLEASE,
    F_NOTIFY,
    // One user's pipes share a quota, and the judge is that user.
    F_SETPIPE_SZ,
];
const F_SETOWN_EX: i32 = 15;
const F_SETSIG: i32 = 10;

/// Input of terminals, owners of signals, and attributes of files.
const IOCTL_NOBODYS: &[i32] = &[
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
    PR_SET_MEMORY_MERGE,
    // Huge pages, which the judge takes from some bots.
    PR_SET_THP_DISABLE,
    // Outliving the judge.
    PR_SET_PDEATHSIG,
    PR_SET_CHILD_SUBREAPER,
    PR_SCHED_CORE,
    // Filters of one's own take memory that is limited for the whole machine. So does `seccomp`.
    PR_SET_SECCOMP,
];

impl Policy {
    pub(super) fn calls(self) -> Vec<Call> {
        let mut calls = refused(NOBODYS);
        calls.extend(EXTENDED_ATTRIBUTES.map(|call| (call, vec![fail(EOPNOTSUPP)])));
        calls.extend([
            // Its flags are in memory, which a filter cannot read.
            (SYS_clone3, vec![ABSENT]),
            (SYS_prlimit64, allow_self(0)),
            // This value only queries.
            (SYS_personality, allow_only(0, &[EVERY_BIT])),
            // The usual scheduling, which Mono sets for each thread, is no bigger share.
            (SYS_sched_setscheduler, allow_only(1, &[SCHED_OTHER])),
            (SYS_socketpair, allow_only(0, &[AF_UNIX])),
            (SYS_sendto, allow_null(4)),
            (SYS_prctl, prctl()),
        ]);
        if let Self::Bot(_) | Self::WarmBot(_) | Self::Build(BuildUser::Judges) = self {
            let signals = [
                SYS_kill,
                SYS_tkill,
                SYS_tgkill,
                SYS_rt_sigqueueinfo,
                SYS_rt_tgsigqueueinfo,
            ];
            calls.extend(signals.map(|call| (call, allow_self(0))));
        }
        let cloning = match self {
            // A descriptor table of its own would multiply the limit on a bot's descriptors.
            Self::Bot(_) | Self::WarmBot(_) => {
                refuse_where(0, &[(CLONE_THREAD, 0), (CLONE_FILES, 0)])
            }
            Self::BotWithProcesses(_) | Self::Build(_) => refuse_bits(0, CLONE_NOBODYS),
        };
        if let Self::WarmBot(_) = self {
            calls.extend([
                (SYS_clone, key_or(&cloning)),
                // A process alone in its group can leave it only for another, and can name no other.
                (SYS_setpgid, allow_only(1, &[0])),
                (SYS_setsid, vec![REFUSE]),
                // A kit adds a filter that makes useless any copy of the key that its interpreter
                // keeps.
                (SYS_seccomp, key_or(&[REFUSE])),
            ]);
        } else {
            calls.extend([(SYS_clone, cloning), (SYS_seccomp, vec![REFUSE])]);
        }
        // Refused to all: the kernel would collect large pages at once, also of files that others map.
        let mut madvise = refuse_values(2, &[MADV_COLLAPSE]);
        match self {
            Self::Bot(paths) | Self::WarmBot(paths) | Self::BotWithProcesses(paths) => {
                madvise = refuse_values(2, &[&[MADV_COLLAPSE], MADVISE_BOTS].concat());
                if paths == Paths::NoneFlushed {
                    // As from a kernel without huge pages.
                    madvise.splice(1..1, [equal(MADV_HUGEPAGE, 0, 1), fail(EINVAL)]);
                }
                calls.extend(of_bots(paths));
            }
            Self::Build(user) => calls.extend(of_builds(user)),
        }
        calls.push((SYS_madvise, madvise));
        calls.extend(match self {
            Self::Bot(_) => refused(&[LEAVING, STARTING].concat()),
            Self::WarmBot(_) => refused(STARTING),
            // A namespace ends all that a build has started. ninja gives each step a group.
            Self::Build(BuildUser::Sealed) | Self::BotWithProcesses(_) => Vec::new(),
            Self::Build(_) => refused(LEAVING),
        });
        calls
    }
}

fn refused(calls: &[c_long]) -> Vec<Call> {
    calls.iter().map(|&call| (call, vec![REFUSE])).collect()
}

fn of_bots(paths: Paths) -> Vec<Call> {
    let mut calls = refused(&[NO_BOTS, MODES_BY_PATH, TIMES_BY_PATH].concat());
    calls.extend(CLOCKS.map(|call| (call, allow_own_clock())));
    calls.extend([
        (SYS_getsockopt, allow_only(2, &SOCKET_OPTIONS_BOTS)),
        (SYS_fcntl, allow_only(1, FCNTL_BOTS)),
        (SYS_ioctl, allow_only(1, IOCTL_BOTS)),
        (SYS_mmap, refuse_where(3, &UNCOUNTED_MEMORY)),
    ]);
    if paths != Paths::Guarded {
        calls.push((SYS_execve, key_or(&[REFUSE])));
        // A pipe's inode number comes from a counter of the whole machine.
        calls.push((SYS_fstat, vec![REFUSE]));
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
    calls.extend([
        (SYS_fcntl, refuse_values(1, FCNTL_NOBODYS)),
        (SYS_ioctl, refuse_values(1, IOCTL_NOBODYS)),
        // Their modes are in memory or have newer numbers.
        (SYS_openat2, vec![ABSENT]),
        (FCHMODAT2, vec![ABSENT]),
    ]);
    for &(call, flags) in OPENING {
        // Where the flags create no file, the mode is whatever the register holds.
        let mut rule = masked(flags, CREATING);
        rule.extend([equal(0, 0, 1), ALLOW]);
        rule.extend(refuse_set_id(flags + 1));
        calls.push((call, rule));
    }
    if user != BuildUser::Sealed {
        calls.push((SYS_utimensat, allow_null(1)));
    }
    let setting = SETTING_MODES
        .iter()
        .filter(|(call, _)| !by_path.contains(call));
    calls.extend(setting.map(|&(call, mode)| (call, refuse_set_id(mode))));
    calls
}

/// Not counted by the limit on the data segment: shared without a file, or growing like a stack.
const UNCOUNTED_MEMORY: [(i32, i32); 2] = [
    (MAP_ANONYMOUS | MAP_TYPE, MAP_ANONYMOUS | MAP_SHARED),
    (MAP_GROWSDOWN, MAP_GROWSDOWN),
];

/// Refuses modes by which a program runs as its owner or its owner's group.
fn refuse_set_id(mode: u32) -> Rule {
    refuse_bits(mode, [S_ISUID, S_ISGID].map(u32::cast_signed))
}

fn prctl() -> Rule {
    let mut rule = refuse_values(0, PRCTL_NOBODYS);
    rule.splice(1..1, [at_least(PRCTL_UNKNOWN, 0, 1), REFUSE]);
    rule
}

fn refuse_values(arg: u32, values: &[i32]) -> Rule {
    let patterns: Vec<_> = values.iter().map(|&value| (EVERY_BIT, value)).collect();
    refuse_where(arg, &patterns)
}

fn refuse_bits<const N: usize>(arg: u32, bits: [i32; N]) -> Rule {
    refuse_where(arg, &bits.map(|bit| (bit, bit)))
}
