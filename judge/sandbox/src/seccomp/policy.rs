//! The calls that strangers' programs do not get, each with its reason.
//!
//! A refused call answers "not permitted", so an honest program that merely tries lives on.

use libc::c_long;

/// What happens to a call. Arguments are counted from 0 and compared in their lower 32 bits,
/// which are all that the kernel uses of those looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CallRule {
    /// It is not permitted.
    Refuse,
    /// It does not exist, so that the C library takes an older one that can be looked into.
    Absent,
    /// It is not permitted where an argument, masked, has one of these values.
    RefuseWhere(u32, Vec<(u32, u32)>),
    /// It is permitted only where an argument has one of these values.
    AllowOnly(u32, Vec<u32>),
    /// It is permitted only on the process itself: its own id, or 0.
    AllowSelf(u32),
    /// It is permitted only where an argument is a null pointer.
    AllowNull(u32),
    /// It is permitted on every clock but the CPU clocks of other processes; the argument has the
    /// clock's number.
    AllowOwnClock(u32),
    /// It is permitted where all 64 bits of argument [`KEY_ARG`] are the filter's key, and else
    /// where another rule permits it.
    KeyOr(Box<CallRule>),
}

/// Whom a program may send signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signals {
    /// Only itself.
    Oneself,
    /// Whom the rest of the sandbox lets it reach: its own descendants.
    Anybody,
}

/// Which files a program may reach by a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paths {
    /// Those that the rest of the sandbox lets it reach.
    Guarded,
    /// None. Even a name that does not exist leaves an entry in the kernel's tables, and how long
    /// the next look-up of it takes tells whether it is there, on every tier: a message to a later
    /// turn or to another program.
    None,
}

/// The kinds of program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// Plays: no processes but its own threads, no trace left anywhere.
    Bot(Paths),
    /// A warm cage, and what it starts, which plays.
    WarmBot(Paths),
    /// Plays, and may start processes, which a control group holds together.
    BotWithProcesses(Paths, Signals),
    /// Builds: may start processes and change files that are its own.
    Build(Signals),
}

/// The highest call number that this policy was written for; a younger call, which it could
/// not judge, does not exist for the program.
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
/// Nobody's: namespaces, and a child of the parent's. That one would be the judge's, which has no
/// notion of it, and the first process of the namespaces cannot end before it is reaped.
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

/// Refused to bots and builds alike.
const NOBODYS: &[c_long] = &[
    // Talking to anybody else: a pair of sockets within the program is all there is.
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_sendmsg,
    libc::SYS_sendmmsg,
    libc::SYS_recvmmsg,
    // Shared memory, semaphores and queues that outlive a process.
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
    // Looking into other processes and steering them.
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
    // A bigger share of the CPU than the others have, or another CPU than the judge's.
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
    // Memory that no limit counts; calls that no filter sees.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // The machine itself, and the kernel's widest doors.
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
    libc::SYS_kexec_file_load,
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
    // Holding up every disk of the machine.
    libc::SYS_sync,
    libc::SYS_syncfs,
    // Attributes of files: Landlock does not guard them, and a program that runs as the
    // judge's user owns the judge's files.
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    libc::SYS_fchownat,
    libc::SYS_fchown,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
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

/// Leaving the session or the process group by which a program is ended; refused where no
/// control group ends it.
const LEAVING: &[c_long] = &[libc::SYS_setsid, libc::SYS_setpgid];

/// Starting processes; refused to bots where the competition does not let them.
#[cfg(target_arch = "x86_64")]
const STARTING: &[c_long] = &[libc::SYS_fork, libc::SYS_vfork];
#[cfg(not(target_arch = "x86_64"))]
const STARTING: &[c_long] = &[];

/// Refused to bots besides: what only makes sense with files of one's own.
const NO_BOTS: &[c_long] = &[
    // Locks and watches are messages to whoever looks at the same file.
    libc::SYS_flock,
    libc::SYS_inotify_init1,
    libc::SYS_inotify_add_watch,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_inotify_init,
    // Kernels before Landlock's third version let an owner truncate.
    libc::SYS_truncate,
    libc::SYS_fchmod,
    libc::SYS_utimensat,
    // What of a file is in memory would be a message to a later turn.
    libc::SYS_fadvise64,
    libc::SYS_mincore,
    CACHESTAT,
    // Kernel memory that no limit counts.
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_add_rule,
    // A quota of the whole machine, and where in its memory a program's pages lie.
    libc::SYS_io_setup,
    libc::SYS_set_mempolicy,
    STATMOUNT,
    LISTMOUNT,
];
// On every architecture:
const CACHESTAT: c_long = 451;
const STATMOUNT: c_long = 457;
const LISTMOUNT: c_long = 458;

/// The calls that take a path and are not refused to bots anyway; `execve` has a rule of its own.
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

/// Where the judge's own calls have the key: an argument that the kernel does not look at. No
/// program sees it, because the kernel empties the registers when it executes one, and kits do when
/// they fork.
const KEY_ARG: u32 = 5;

/// Where the high half of the key is compared, in words of the arguments.
pub(super) const KEY_WORDS: [u32; 2] = [2 * KEY_ARG, 2 * KEY_ARG + 1];

/// The calls whose first argument is a clock that they read or wait for; a timer tells what its
/// clock shows.
const CLOCKS: [c_long; 4] = [
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_timer_create,
];

/// What a bot may do with a descriptor; anything else could leave a mark on a file that is
/// its user's own.
const FCNTL_BOTS: &[i32] = &[
    libc::F_DUPFD,
    libc::F_DUPFD_CLOEXEC,
    libc::F_GETFD,
    libc::F_SETFD,
    libc::F_GETFL,
    libc::F_SETFL,
    libc::F_GETPIPE_SZ,
];

/// What a bot may ask of a pair of sockets; another answer (`SO_COOKIE`) comes from a counter of
/// the whole machine.
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

/// Advice that sends memory, and with it the files that it shows, to the disk; and that merges
/// pages with those of others that are the same, which whoever writes to one can time.
const MADVISE_BOTS: &[i32] = &[libc::MADV_COLD, libc::MADV_PAGEOUT, libc::MADV_MERGEABLE];

/// Refused to builds; bots may do far less, see [`FCNTL_BOTS`] and [`IOCTL_BOTS`].
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

/// Terminals' input and owners of signals; attributes of files.
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

const PRCTL_NOBODYS: &[i32] = &[
    // Sharing pages with others, as by `MADV_MERGEABLE`.
    libc::PR_SET_MEMORY_MERGE,
    // Outliving the judge.
    libc::PR_SET_PDEATHSIG,
    libc::PR_SET_CHILD_SUBREAPER,
    libc::PR_SCHED_CORE,
    // Filters of one's own: memory that no limit counts, of which the whole machine has so much.
    // `seccomp` is refused for the same reason.
    libc::PR_SET_SECCOMP,
];

impl Policy {
    /// Returns what happens to each call that is not simply allowed.
    pub(super) fn calls(self) -> Vec<Call> {
        let refused = |calls: &[c_long]| {
            let calls = calls.iter().map(|&call| (number(call), CallRule::Refuse));
            calls.collect::<Vec<Call>>()
        };
        let mut calls = refused(NOBODYS);
        let mut add = |call: c_long, verdict| calls.push((number(call), verdict));
        // Its flags lie in memory, where a filter cannot look.
        add(libc::SYS_clone3, CallRule::Absent);
        add(libc::SYS_prlimit64, CallRule::AllowSelf(0));
        // The value that only asks.
        add(
            libc::SYS_personality,
            CallRule::AllowOnly(0, vec![EVERY_BIT]),
        );
        let unix = libc::AF_UNIX.cast_unsigned();
        add(libc::SYS_socketpair, CallRule::AllowOnly(0, vec![unix]));
        add(libc::SYS_sendto, CallRule::AllowNull(4));
        let prctl = PRCTL_NOBODYS.iter().map(|value| value.cast_unsigned());
        add(libc::SYS_prctl, refuse_values(0, prctl));
        let signals = match self {
            Self::Bot(_) | Self::WarmBot(_) => Signals::Oneself,
            Self::Build(signals) | Self::BotWithProcesses(_, signals) => signals,
        };
        if signals == Signals::Oneself {
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
        // Descriptors of its own would multiply what the limit on them lets a bot have.
        let threads = [CLONE_THREAD, CLONE_FILES].map(|flag| (flag, 0));
        let cloning = match self {
            Self::Bot(_) | Self::WarmBot(_) => CallRule::RefuseWhere(0, threads.to_vec()),
            Self::BotWithProcesses(..) | Self::Build(_) => {
                CallRule::RefuseWhere(0, nobodys.to_vec())
            }
        };
        if let Self::WarmBot(_) = self {
            add(libc::SYS_clone, CallRule::KeyOr(Box::new(cloning)));
            // Of its own it has nobody else whom it could name, and a group in which it is alone
            // is left for another one only.
            add(libc::SYS_setpgid, CallRule::AllowOnly(1, vec![0]));
            add(libc::SYS_setsid, CallRule::Refuse);
            // A kit closes behind it what its interpreter may have kept of the key.
            add(
                libc::SYS_seccomp,
                CallRule::KeyOr(Box::new(CallRule::Refuse)),
            );
        } else {
            add(libc::SYS_clone, cloning);
            add(libc::SYS_seccomp, CallRule::Refuse);
        }
        match self {
            Self::Bot(paths) | Self::WarmBot(paths) | Self::BotWithProcesses(paths, _) => {
                for call in CLOCKS {
                    add(call, CallRule::AllowOwnClock(0));
                }
                if paths == Paths::None {
                    add(
                        libc::SYS_execve,
                        CallRule::KeyOr(Box::new(CallRule::Refuse)),
                    );
                    // A pipe's inode number comes from a counter of the whole machine.
                    add(libc::SYS_fstat, CallRule::Refuse);
                }
                let options = SOCKET_OPTIONS_BOTS.map(i32::cast_unsigned);
                add(
                    libc::SYS_getsockopt,
                    CallRule::AllowOnly(2, options.to_vec()),
                );
                let fcntl = FCNTL_BOTS.iter().map(|value| value.cast_unsigned());
                add(libc::SYS_fcntl, CallRule::AllowOnly(1, fcntl.collect()));
                add(libc::SYS_ioctl, CallRule::AllowOnly(1, IOCTL_BOTS.to_vec()));
                let madvise = MADVISE_BOTS.iter().map(|value| value.cast_unsigned());
                add(libc::SYS_madvise, refuse_values(2, madvise));
                add(
                    libc::SYS_mmap,
                    CallRule::RefuseWhere(3, UNCOUNTED_MEMORY.to_vec()),
                );
                calls.extend(refused(NO_BOTS));
                if paths == Paths::None {
                    calls.extend(refused(BY_PATH));
                }
            }
            Self::Build(_) => {
                let fcntl = FCNTL_NOBODYS.iter().map(|value| value.cast_unsigned());
                add(libc::SYS_fcntl, refuse_values(1, fcntl));
                let ioctl = IOCTL_NOBODYS.iter().copied();
                add(libc::SYS_ioctl, refuse_values(1, ioctl));
                // Through a descriptor, which Landlock has let the program open.
                add(libc::SYS_utimensat, CallRule::AllowNull(1));
            }
        }
        calls.extend(match self {
            Self::Bot(_) => refused(&[LEAVING, STARTING].concat()),
            Self::WarmBot(_) => refused(STARTING),
            Self::Build(_) => refused(LEAVING),
            Self::BotWithProcesses(..) => Vec::new(),
        });
        calls
    }
}

/// Mappings that the limit on the data segment does not count: shared without a file, and
/// growing like a stack.
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

fn refuse_values(arg: u32, values: impl Iterator<Item = u32>) -> CallRule {
    CallRule::RefuseWhere(arg, values.map(|value| (EVERY_BIT, value)).collect())
}

/// What a policy says of one call.
pub(super) type Call = (u32, CallRule);
