use serde::Serialize;

/// A side channel: a way in which the system gives a bot more information than the judge does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Channel {
    /// Its name in a few words.
    pub brief: &'static str,
    /// The information that it leaks, and the programs to which it is closed.
    pub detail: &'static str,
}

/// Side channels of every machine, as `docs/side-channels.md` and the hostile programs name them.
pub const CHANNELS: [Channel; 13] = [
    Channel {
        brief: "how long looking up a file name takes",
        detail: "whether anybody has lately looked up the same name in the same folder. Closed to programs of the C++ kits, which may make no call that takes a path",
    },
    Channel {
        brief: "how long computing and reading take",
        detail: "how much others use the CPUs, their caches and the disks, and whether a system file is in memory. No software can close this",
    },
    Channel {
        brief: "what others have read of pages that all share",
        detail: "by timing which lines of a page are in the caches: of its own program, of system files, of the kernel's page of zeros, and of its clocks (vvar). Closed between the turns of programs of the C++ kits that live for a turn",
    },
    Channel {
        brief: "which branches others have taken",
        detail: "by timing its own branches: 59 to 68 % of a turn's bits arrive in the next turn, and half of them would by chance. Neither the kernel's barrier for branches (IBPB) nor 80,000 other branches cleared it",
    },
    Channel {
        brief: "who waits on a page that all share",
        detail: "a futex on a page of a system file wakes those who wait there, and tells how many they are",
    },
    Channel {
        brief: "which system files others use",
        detail: "how many processes have a page of a file mapped that it maps, too (smaps and pagemap of /proc/self, where bots have namespaces). Closed to programs of the C++ kits",
    },
    Channel {
        brief: "the machine's counters",
        detail: "its load, its free memory, and how many processes and threads it has (sysinfo)",
    },
    Channel {
        brief: "how many pipes and sockets the machine has made",
        detail: "by the inode numbers of its own (fstat), in earlier turns too. Closed to programs of the C++ kits",
    },
    Channel {
        brief: "how full disks are",
        detail: "free space and free inodes of the disks whose files the bot sees (statfs)",
    },
    Channel {
        brief: "the machine's name",
        detail: "and its kernel's version (uname). A bot learns that it plays on the same machine as before",
    },
    Channel {
        brief: "the CPU that they run on",
        detail: "its number (getcpu)",
    },
    Channel {
        brief: "the numbers of its namespaces",
        detail: "they count the namespaces that the machine has made, in earlier turns too (readlink of /proc/self/ns), and so do those of its mounts (mountinfo). Closed to programs of the C++ kits",
    },
    Channel {
        brief: "the path of its own program",
        detail: "the run's folder, and which build it is (AT_EXECFN, mountinfo of /proc/self)",
    },
];

/// Channels that sealed isolation closes.
pub const CHANNELS_OF_WEAK: [Channel; 5] = [
    Channel {
        brief: "the machine's CPU time",
        detail: "how many processes it has started, and how it uses its memory (/proc/stat, /proc/meminfo)",
    },
    Channel {
        brief: "which process numbers are taken",
        detail: "and the names of the programs. /proc shows them. So do calls about a process (capget, getpgid, getsid, ioprio_get, sched_getaffinity and the like), and a futex locked in its name (FUTEX_LOCK_PI)",
    },
    Channel {
        brief: "the next process number",
        detail: "it counts the processes that others and earlier turns have started",
    },
    Channel {
        brief: "the lengths and times of files",
        detail: "stat is not guarded. If a bot or a build knows a file's name and its user may enter the folder, it sees whether the file exists, its length and when it changed. A C++ source asks whether a file exists by __has_include. If the judge is root and the run or a toolchain is in a folder closed to others (mode 0700, as a home directory often is), bots and builds run as root without capabilities. Keep both where everybody may pass",
    },
    Channel {
        brief: "when files of the system were last read",
        detail: "a system file or link that nobody has read for a day shows when it is read again",
    },
];
