//! The sandbox mechanisms of this machine, found once when a run starts.

use super::groups::ControlGroups;
use super::namespaces::Namespaces;
use super::warm::WarmCages;
use model::isolation::{Confinement, Tier};
use model::toolchain::OpenToolchain;
use rulebook::JudgeError;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

/// The sandbox mechanisms of this machine. Every worker receives them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Isolation {
    /// The isolation tier that follows from them.
    pub tier: Tier,
    /// The version of the kernel's Landlock; 0 = none.
    pub landlock_version: u32,
    /// Whether system calls can be filtered.
    pub seccomp: bool,
    /// The user ids that programs can get, first and count; none if the judge may not assign any.
    pub ids: Option<(u32, u32)>,
    /// Where control groups can be made, if anywhere; used where bots may start processes.
    pub groups: Option<ControlGroups>,
    /// Whether programs have mounts, process ids, IPC and network of their own.
    #[serde(default)]
    pub namespaces: Namespaces,
    /// Whether bots are started by warm cages.
    #[serde(default)]
    pub warm: WarmCages,
    /// Folders that programs may not see although they are among the system's files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub closed: Vec<PathBuf>,
    /// Toolchains outside the system's folders that programs may see. Only programs that are built
    /// with them or run by them have any here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opened: Vec<OpenToolchain>,
    /// Files and folders that the competition lets every program read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<PathBuf>,
}

/// One sandbox mechanism.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mechanism {
    /// Its name and effect.
    pub name: &'static str,
    /// Whether this machine has it.
    pub present: bool,
    /// The form that is present, or the requirement of a machine without it.
    pub detail: String,
}

/// Features of Landlock after its first version: the version, the feature, the kernel that has it,
/// and the consequence of its absence.
const LANDLOCK_LATER: [(u32, &str, &str); 3] = [
    (
        3,
        "Landlock guards files against truncation",
        "Linux 6.2; without it a program that runs as the judge's user can truncate files in its own folder",
    ),
    (
        4,
        "Landlock guards TCP ports",
        "Linux 6.7; without it seccomp alone refuses all sockets",
    ),
    (
        6,
        "Landlock guards other processes against signals",
        "Linux 6.12; without it seccomp alone refuses signals, and build steps may signal only themselves",
    ),
];

impl Isolation {
    /// Returns the facts that a run records. They name no folders of this machine, which are nobody
    /// else's business.
    pub fn confinement(&self) -> Confinement {
        Confinement {
            tier: self.tier,
            landlock_version: self.landlock_version,
            seccomp: self.seccomp,
            ids: self.ids,
            counter: self.counter_name().map(str::to_owned),
            namespaces: self.namespaces.are_used(),
        }
    }

    fn counter_name(&self) -> Option<&'static str> {
        self.groups.as_ref().map(ControlGroups::counter_name)
    }

    pub(super) fn rank(&self) -> Tier {
        match self {
            Self {
                landlock_version: 0,
                ..
            }
            | Self { seccomp: false, .. } => Tier::C,
            Self { ids: Some(_), .. } => Tier::S,
            Self {
                groups: Some(_), ..
            } => Tier::A,
            Self { .. } => Tier::B,
        }
    }

    /// Hides a folder from programs, wherever it is: in `/opt`, for example, they can read
    /// everything else. Their own folder stays open to them, even if it is inside.
    pub fn close(&mut self, folder: &Path) {
        // A folder that does not exist holds nothing.
        self.closed.extend(fs::canonicalize(folder));
    }

    /// Returns a copy for programs that see these toolchains.
    #[must_use]
    pub fn with_toolchains(&self, opened: &[OpenToolchain]) -> Self {
        Self {
            opened: opened.to_vec(),
            ..self.clone()
        }
    }

    /// Lists what programs may see besides the system's files.
    pub(super) fn opened_folders(&self) -> Vec<PathBuf> {
        let folders = self.opened.iter().flat_map(|one| &one.folders);
        let folders = folders.map(PathBuf::from);
        folders.chain(self.read.iter().cloned()).collect()
    }

    /// Checks that programs may run at all. If they cannot be confined, they run only if the user
    /// wants it (`weak`).
    ///
    /// # Errors
    /// When they may not run; the message lists the missing mechanisms.
    pub fn admit(&self, weak: bool) -> Result<(), JudgeError> {
        if weak || self.tier != Tier::C {
            return Ok(());
        }
        Err(JudgeError::input(format!(
            "this machine cannot sandbox programs, so submissions could read and change your files:\n{}  \
             use another machine, or accept the risk with --weak-isolation",
            self.shown_missing()
        )))
    }

    /// Checks that this machine can contain the processes of bots, if the competition allows any
    /// (`processes`).
    ///
    /// # Errors
    /// When it cannot; the message names the missing mechanism.
    pub fn admit_processes(&self, processes: bool) -> Result<(), JudgeError> {
        if !processes || self.groups.is_some() {
            return Ok(());
        }
        Err(JudgeError::input(format!(
            "--processes: this machine cannot track and kill the processes that bots start; it needs {NEEDS_GROUPS}"
        )))
    }

    /// Describes in one line how programs are confined, plus one line for each mechanism that tier
    /// C lacks. `processes` says whether bots may start processes.
    pub fn announce(&self, processes: bool) -> String {
        let counter = self.counter_name().filter(|_| processes);
        let processes = match counter {
            Some(name) => format!("bots may start processes, all charged by {name}"),
            None => "bots may not start processes".to_owned(),
        };
        match self.tier {
            Tier::C => format!(
                "isolation: {self}; {processes}; missing:\n{}",
                self.shown_missing()
            ),
            Tier::S | Tier::A | Tier::B => format!("isolation: {self}; {processes}"),
        }
    }

    /// Describes in one line whether programs have namespaces of their own, or why not, and what
    /// bots can still learn from the system.
    pub fn announce_channels(&self) -> String {
        let namespaces = match &self.namespaces {
            Namespaces::Missing(why) => format!("no namespaces ({why})"),
            Namespaces::AsRoot | Namespaces::InUserNamespace => {
                "namespaces hide files and processes".to_owned()
            }
        };
        let channels = self.channels().into_iter().map(|channel| channel.brief);
        let channels: Vec<&str> = channels.collect();
        format!(
            "{namespaces}; bots can still learn about each other from: {}",
            channels.join(", ")
        )
    }

    /// Lists the ways in which a bot can still learn what other programs do, or what it did itself
    /// in an earlier turn.
    pub fn channels(&self) -> Vec<Channel> {
        let always = CHANNELS.into_iter();
        let without = CHANNELS_WITHOUT_NAMESPACES.into_iter();
        always
            .chain(without.filter(|_| !self.namespaces.are_used()))
            .collect()
    }

    fn shown_missing(&self) -> String {
        let essential = self.mechanisms().into_iter().take(ESSENTIAL);
        let missing = essential.filter(|mechanism| !mechanism.present);
        let lines = missing.map(|m| format!("  {}: needs {}\n", m.name, m.detail));
        lines.collect()
    }

    /// Lists all sandbox mechanisms, the essential ones first.
    pub fn mechanisms(&self) -> Vec<Mechanism> {
        let mechanism = |name, found: Option<String>, needs: &str| Mechanism {
            name,
            present: found.is_some(),
            detail: found.unwrap_or_else(|| needs.to_owned()),
        };
        let landlock = |least: u32| {
            let version = self.landlock_version;
            (version >= least).then(|| format!("version {version}"))
        };
        let mut all = vec![
            mechanism(
                "Landlock guards files",
                landlock(1),
                "Linux 5.13 with landlock in the boot parameter lsm=",
            ),
            mechanism(
                "seccomp guards system calls",
                self.seccomp.then(|| "available".to_owned()),
                "a kernel with CONFIG_SECCOMP_FILTER; some containers disable it",
            ),
        ];
        for (least, name, needs) in LANDLOCK_LATER {
            all.push(mechanism(name, landlock(least), needs));
        }
        all.push(mechanism(
            "a separate user id for the programs of each worker",
            self.ids.map(|(first, _)| format!("from {first} up")),
            "root with the capabilities to change users; without it programs run as you, and one with thousands of threads can keep others from starting any",
        ));
        all.push(mechanism(
            "namespaces hide the files, processes, IPC and network of everybody else",
            self.namespaces.are_used().then(|| match self.namespaces {
                Namespaces::InUserNamespace => "in user namespaces".to_owned(),
                _ => "as root".to_owned(),
            }),
            &match &self.namespaces {
                Namespaces::Missing(why) => format!("{NEEDS_NAMESPACES} ({why})"),
                _ => String::new(),
            },
        ));
        all.push(mechanism(
            "warm cages start programs that are shut in already",
            (self.warm == WarmCages::Kept).then(|| "tried".to_owned()),
            match &self.warm {
                WarmCages::Missing(why) => why,
                WarmCages::Kept => "",
            },
        ));
        all.push(mechanism(
            "control groups track and kill process trees (--processes)",
            self.counter_name().map(|name| format!("charged by {name}")),
            NEEDS_GROUPS,
        ));
        let groups = self.groups.as_ref();
        let limits = [
            (
                groups.is_some_and(|groups| groups.memory),
                "a control group limits the memory of a process tree",
                "memory",
            ),
            (
                groups.is_some_and(|groups| groups.tasks),
                "a control group limits the number of processes in a tree",
                "pids",
            ),
        ];
        for (there, name, controller) in limits {
            let found = there.then(|| format!("by the controller {controller}"));
            let needs = format!(
                "the controller {controller} in a delegated control group without other processes; without it only the limits of each process and user apply"
            );
            all.push(mechanism(name, found, &needs));
        }
        all
    }
}

/// Ways to give the judge control groups.
const NEEDS_GROUPS: &str =
    "root, or a delegated cgroup v2: systemd-run --user --scope -p Delegate=yes judge run …";

/// Ways to let the judge make namespaces.
const NEEDS_NAMESPACES: &str = "root with all capabilities, or user namespaces for everybody (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns)";

/// A side channel: a way in which the system gives a bot more information than the judge does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Channel {
    /// Its name in a few words.
    pub brief: &'static str,
    /// The information that it leaks, and the programs to which it is closed.
    pub detail: &'static str,
}

/// Side channels of every machine. `docs/side-channels.md` repeats this list and the next; the
/// catalogue of hostile programs uses their names.
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

/// Channels that namespaces close.
pub const CHANNELS_WITHOUT_NAMESPACES: [Channel; 5] = [
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
        detail: "stat is not guarded. If a bot or a build knows a file's name and its user may enter the folder, it sees whether the file exists, its length and when it changed. A C++ source asks whether a file exists by __has_include. If the judge is root and the run or a toolchain is in a folder closed to others (mode 0700, as a home directory often is), bots and builds may enter every folder of the machine. Keep both where everybody may pass",
    },
    Channel {
        brief: "when files of the system were last read",
        detail: "a system file or link that nobody has read for a day shows when it is read again",
    },
];

/// Number of mechanisms that every tier but C needs.
const ESSENTIAL: usize = 2;

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tier.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::super::groups::CgroupVersion;
    use super::*;

    fn machine(landlock_version: u32, seccomp: bool, root: bool, groups: bool) -> Isolation {
        let groups = groups.then(|| ControlGroups {
            version: CgroupVersion::Two,
            folders: vec!["/group".into()],
            memory: true,
            tasks: true,
        });
        let found = Isolation {
            tier: Tier::C,
            landlock_version,
            seccomp,
            ids: root.then_some((60_578, 606)),
            groups,
            namespaces: if root {
                Namespaces::AsRoot
            } else {
                Namespaces::Missing("cannot mount /proc: Operation not permitted".to_owned())
            },
            warm: if root {
                WarmCages::Kept
            } else {
                WarmCages::Missing("they live in namespaces".to_owned())
            },
            closed: Vec::new(),
            opened: Vec::new(),
            read: Vec::new(),
        };
        let tier = found.rank();
        Isolation { tier, ..found }
    }

    #[test]
    fn the_tier_follows_from_what_there_is() {
        assert_eq!(machine(6, true, true, true).tier, Tier::S);
        assert_eq!(machine(6, true, false, true).tier, Tier::A);
        assert_eq!(machine(1, true, false, false).tier, Tier::B);
        assert_eq!(machine(0, true, true, true).tier, Tier::C);
        assert_eq!(machine(6, false, true, true).tier, Tier::C);
    }

    #[test]
    fn without_landlock_nothing_runs_unless_it_is_asked_for() {
        let bare = machine(0, true, false, false);
        let refusal = bare.admit(false).expect_err("tier C").to_string();
        for words in [
            "Landlock guards files: needs Linux 5.13",
            "--weak-isolation",
        ] {
            assert!(refusal.contains(words), "{refusal}");
        }
        assert!(!refusal.contains("seccomp"), "{refusal}");
        assert!(bare.admit(true).is_ok());
        assert!(bare.announce(false).contains("Landlock guards files"));
        assert!(machine(1, true, false, false).admit(false).is_ok());
    }

    #[test]
    fn bots_start_processes_only_where_groups_hold_them() {
        let bare = machine(6, true, true, false);
        assert!(bare.admit_processes(false).is_ok());
        let refusal = bare.admit_processes(true).expect_err("no groups");
        for words in ["--processes", "root", "systemd-run --user --scope"] {
            assert!(refusal.to_string().contains(words), "{refusal}");
        }
        let able = machine(6, true, false, true);
        assert!(able.admit_processes(true).is_ok());
        assert!(
            able.announce(true)
                .ends_with("all charged by cpu.stat (cgroup v2)")
        );
        assert!(
            able.announce(false)
                .ends_with("bots may not start processes")
        );
    }

    #[test]
    fn what_a_machine_has_not_is_listed_with_what_it_would_need() {
        let missing = |isolation: &Isolation| {
            let all = isolation.mechanisms().into_iter();
            all.filter(|m| !m.present).count()
        };
        assert_eq!(missing(&machine(6, true, true, true)), 0);
        assert_eq!(missing(&machine(1, true, false, false)), 9);
        assert_eq!(missing(&machine(0, false, false, false)), 11);
    }

    #[test]
    fn what_bots_can_still_learn_is_told_with_and_without_namespaces() {
        let told = |root| machine(6, true, root, true).announce_channels();
        assert_eq!(
            told(true),
            "namespaces hide files and processes; bots can still learn about each other from: how \
             long looking up a file name takes, how long computing and reading take, what \
             others have read of pages that all share, which branches others have taken, who waits on a page that all share, which system files others use, the machine's counters, how many pipes and sockets the machine has made, how full disks are, the machine's name, the CPU that they run on, the numbers of its namespaces, the path of its own program"
        );
        let without = told(false);
        for words in [
            "no namespaces (cannot mount /proc: Operation not permitted); bots can",
            "which process numbers are taken",
            "when files of the system were last read",
        ] {
            assert!(without.contains(words), "{without}");
        }
    }

    #[test]
    fn an_order_and_a_record_from_before_namespaces_are_still_read() {
        let mut order = serde_json::to_value(machine(6, true, true, true)).expect("plain data");
        order
            .as_object_mut()
            .expect("an object")
            .remove("namespaces");
        let read: Isolation = serde_json::from_value(order).expect("readable");
        assert!(!read.namespaces.are_used());
        let confinement = machine(6, true, true, true).confinement();
        assert!(confinement.namespaces);
        let mut record = serde_json::to_value(confinement).expect("plain data");
        record
            .as_object_mut()
            .expect("an object")
            .remove("namespaces");
        let read: Confinement = serde_json::from_value(record).expect("readable");
        assert!(!read.namespaces);
    }
}
