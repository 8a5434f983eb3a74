//! How this machine isolates programs: sealed, or weakly.

use super::channels::{CHANNELS, CHANNELS_OF_WEAK, Channel};
use super::groups::ControlGroups;
use super::namespaces::Namespaces;
use model::artifact::OpenToolchain;
use model::artifact::{Confinement, IsolationLevel};
use rulebook::{Result, refuse};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::{env, fmt, fs};

/// The sandbox mechanisms of this machine. Every worker receives them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Isolation {
    /// The version of the kernel's Landlock; 0 = none.
    pub landlock_version: u32,
    /// Whether system calls can be filtered.
    pub seccomp: bool,
    /// The user ids that programs can get, first and count; none if the judge may not assign any.
    pub ids: Option<(u32, u32)>,
    /// Where control groups can be made, if anywhere; used where bots may start processes.
    pub groups: Option<ControlGroups>,
    /// Whether programs have mounts, process ids, IPC and network of their own.
    pub namespaces: Namespaces,
    /// Folders that programs may not see although they are among the system's files.
    pub closed: Vec<PathBuf>,
    /// Toolchains outside the system's folders that programs may see, if built with or run by them.
    pub opened: Vec<OpenToolchain>,
    /// Files and folders that the competition lets every program read.
    pub read: Vec<PathBuf>,
    /// Whether every process is confined from scratch, also where a warm cage could start it.
    pub cold: bool,
}

/// One sandbox mechanism.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mechanism {
    /// Its name and effect.
    pub name: &'static str,
    /// Whether this machine has it.
    pub present: bool,
    /// The form that is present, or what a machine without it needs.
    pub detail: String,
}

/// Kernel settings that forbid namespaces to users: file, value, and the command that allows them.
const FORBIDDING: [(&str, &str, &str); 3] = [
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        r#"printf 'abi <abi/4.0>,\nprofile judge "{judge}" flags=(unconfined) { userns, }\n' | sudo tee /etc/apparmor.d/judge && sudo apparmor_parser -r /etc/apparmor.d/judge"#,
    ),
    (
        "/proc/sys/kernel/unprivileged_userns_clone",
        "0",
        "sudo sysctl kernel.unprivileged_userns_clone=1",
    ),
    (
        "/proc/sys/user/max_user_namespaces",
        "0",
        "sudo sysctl user.max_user_namespaces=10000",
    ),
];

const NEEDS_LANDLOCK: &str = "needs Linux 5.13 with landlock in the boot parameter lsm=";
const NEEDS_SECCOMP: &str = "needs a kernel with CONFIG_SECCOMP_FILTER; some containers disable it";

const NEEDS_GROUPS: &str =
    "needs root, or a delegated cgroup v2: systemd-run --user --scope -p Delegate=yes judge run …";

impl Isolation {
    /// Returns the level that follows from the mechanisms.
    pub fn level(&self) -> IsolationLevel {
        if self.namespaces.are_used() && self.landlock_version > 0 && self.seccomp {
            IsolationLevel::Sealed
        } else {
            IsolationLevel::Weak
        }
    }

    /// Returns whether warm cages start programs.
    pub fn starts_warm(&self) -> bool {
        self.level() == IsolationLevel::Sealed && !self.cold
    }

    /// Returns what a run records: no folders of this machine, which are nobody's business.
    pub fn confinement(&self) -> Confinement {
        Confinement {
            level: self.level(),
            landlock_version: self.landlock_version,
            seccomp: self.seccomp,
            ids: self.ids,
            counter: self.counter_name(),
        }
    }

    fn counter_name(&self) -> Option<String> {
        self.groups.as_ref().map(ControlGroups::counter_name)
    }

    /// Hides a folder from programs. Their own folder stays open to them, even inside.
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
        self.opened
            .iter()
            .flat_map(|one| &one.folders)
            .map(PathBuf::from)
            .chain(self.read.iter().cloned())
            .collect()
    }

    /// Refuses weak isolation for strangers' programs, unless the user wants it (`weak`).
    pub fn admit(&self, weak: bool) -> Result {
        let Some(why) = self.why_weak().filter(|_| !weak) else {
            return Ok(());
        };
        refuse(format!(
            "this machine isolates strangers' programs only weakly: {why}. Use another machine, mend this one as \
             judge doctor says, or accept it with --weak-isolation"
        ))
    }

    /// [`Isolation::admit`], and refuses to write a grader's score where a submission could, too.
    pub fn admit_to_grader(&self, weak: bool) -> Result {
        self.admit(weak)?;
        if self.landlock_version > 0 || self.ids.is_some() {
            return Ok(());
        }
        refuse(
            "without Landlock, a submission that runs as you could write its own score; run the judge as root, or on \
             Linux 5.13 or newer",
        )
    }

    /// Warns if nothing keeps programs from the user's files, or from calls of the system.
    pub fn warning(&self) -> Option<String> {
        if self.landlock_version > 0 && self.seccomp {
            return None;
        }
        let why = self.why_weak()?;
        Some(format!(
            "programs have your rights here ({why}); play only those that you trust"
        ))
    }

    /// Checks that this machine can charge and end the `processes` of bots, if allowed.
    pub fn admit_processes(&self, processes: bool) -> Result {
        let needs = match self.why_weak() {
            _ if !processes => return Ok(()),
            Some(why) => why,
            None if self.groups.is_some() => return Ok(()),
            None => NEEDS_GROUPS.to_owned(),
        };
        refuse(format!(
            "bots.processes: this machine cannot charge and end the processes that bots start: {needs}"
        ))
    }

    /// Describes in one line how programs are isolated, and whether bots may start `processes`.
    pub fn announce(&self, processes: bool) -> String {
        let processes = match self.counter_name().filter(|_| processes) {
            Some(name) => format!("bots may start processes, all charged by {name}"),
            None => "bots may not start processes".to_owned(),
        };
        format!("isolation: {self}; {processes}")
    }

    /// Describes in one line what bots can still learn from the system.
    pub fn announce_channels(&self) -> String {
        let channels: Vec<&str> = self
            .channels()
            .iter()
            .map(|channel| channel.brief)
            .collect();
        format!(
            "bots can still learn about each other from: {}",
            channels.join(", ")
        )
    }

    /// Lists how a bot can still learn what others do, or what it did in an earlier turn.
    pub fn channels(&self) -> Vec<Channel> {
        let more: &[Channel] = match self.level() {
            IsolationLevel::Sealed => &[],
            IsolationLevel::Weak => &CHANNELS_OF_WEAK,
        };
        [&CHANNELS[..], more].concat()
    }

    fn why_weak(&self) -> Option<String> {
        let mut lacks = Vec::new();
        if let Namespaces::Missing(why) = &self.namespaces {
            lacks.push(format!("no namespaces ({why})"));
        }
        if self.landlock_version == 0 {
            lacks.push(format!("no Landlock ({NEEDS_LANDLOCK})"));
        }
        if !self.seccomp {
            lacks.push(format!("no seccomp ({NEEDS_SECCOMP})"));
        }
        (!lacks.is_empty()).then(|| lacks.join(", "))
    }

    /// Returns the command that lets this user make namespaces, if a setting forbids them.
    #[expect(clippy::disallowed_methods, reason = "the command names this program")]
    pub fn remedy(&self) -> Option<String> {
        if self.namespaces.are_used() {
            return None;
        }
        let forbids = |file: &str, value: &str| {
            fs::read_to_string(file).is_ok_and(|text| text.trim() == value)
        };
        let mut all = FORBIDDING.into_iter();
        let (_, _, command) = all.find(|(file, value, _)| forbids(file, value))?;
        let judge = env::current_exe().unwrap_or_default();
        Some(command.replace("{judge}", &judge.display().to_string()))
    }

    /// Lists all sandbox mechanisms, those of sealed isolation first.
    pub fn mechanisms(&self) -> Vec<Mechanism> {
        let mechanism = |name, found: Option<String>, needs: &str| Mechanism {
            name,
            present: found.is_some(),
            detail: found.unwrap_or_else(|| needs.to_owned()),
        };
        let groups = self.groups.as_ref();
        let limits = |is_there: bool| is_there.then(|| "available".to_owned());
        let (namespaces, why) = match &self.namespaces {
            Namespaces::AsRoot => (Some("as root".to_owned()), ""),
            Namespaces::InUserNamespace => (Some("in user namespaces".to_owned()), ""),
            Namespaces::Missing(why) => (None, &**why),
        };
        vec![
            mechanism(
                "namespaces hide the files, processes, IPC and network of everybody else",
                namespaces,
                &format!("needs root with all capabilities, or namespaces for users ({why})"),
            ),
            mechanism(
                "Landlock guards files",
                (self.landlock_version > 0).then(|| format!("version {}", self.landlock_version)),
                NEEDS_LANDLOCK,
            ),
            mechanism(
                "seccomp guards system calls",
                limits(self.seccomp),
                NEEDS_SECCOMP,
            ),
            mechanism(
                "a separate user id for the programs of each worker",
                self.ids.map(|(first, _)| format!("from {first} up")),
                "needs root with the capabilities to change users; without it programs run as you, and one with thousands of threads can keep others from starting any",
            ),
            mechanism(
                "control groups track and kill process trees (bots.processes)",
                self.counter_name().map(|name| format!("charged by {name}")),
                NEEDS_GROUPS,
            ),
            mechanism(
                "a control group limits the memory of a process tree",
                limits(groups.is_some_and(|groups| groups.memory)),
                "needs the controller memory in a delegated control group without other processes",
            ),
            mechanism(
                "a control group limits the number of processes in a tree",
                limits(groups.is_some_and(|groups| groups.tasks)),
                "needs the controller pids in a delegated control group without other processes",
            ),
        ]
    }
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.level(), self.ids) {
            (IsolationLevel::Sealed, Some(_)) => {
                f.write_str("sealed (namespaces, Landlock, seccomp, and a user id for each worker)")
            }
            (IsolationLevel::Sealed, None) => f.write_str("sealed (namespaces, Landlock, seccomp)"),
            (IsolationLevel::Weak, _) => {
                write!(f, "weak ({})", self.why_weak().unwrap_or_default())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(landlock_version: u32, seccomp: bool, namespaces: Namespaces) -> Isolation {
        Isolation {
            landlock_version,
            seccomp,
            ids: None,
            groups: None,
            namespaces,
            closed: Vec::new(),
            opened: Vec::new(),
            read: Vec::new(),
            cold: false,
        }
    }

    fn missing() -> Namespaces {
        Namespaces::Missing("cannot mount /proc: Operation not permitted".to_owned())
    }

    #[test]
    fn weak_isolation_is_admitted_on_demand_only() {
        let sealed = machine(6, true, Namespaces::InUserNamespace);
        assert!(sealed.admit(false).is_ok());
        let as_root = |landlock, seccomp| machine(landlock, seccomp, Namespaces::AsRoot);
        for (weak, lacks) in [
            (machine(6, true, missing()), "cannot mount /proc"),
            (as_root(0, true), "no Landlock (needs Linux 5.13"),
            (as_root(6, false), "no seccomp"),
        ] {
            assert_eq!(weak.level(), IsolationLevel::Weak);
            assert!(weak.admit(true).is_ok());
            let refusal = weak.admit(false).expect_err("weak").to_string();
            for words in [lacks, "--weak-isolation"] {
                assert!(refusal.contains(words), "{refusal}");
            }
            assert!(weak.to_string().contains(lacks));
        }
    }

    #[test]
    fn grader_is_refused_where_bot_could_write_score() {
        let bare = machine(0, true, missing());
        assert!(bare.admit_to_grader(true).is_err());
        assert!(bare.warning().is_some());
        let as_root = Isolation {
            ids: Some((60_578, 606)),
            ..bare
        };
        assert!(as_root.admit_to_grader(true).is_ok());
        let guarded = machine(6, true, missing());
        assert!(guarded.admit_to_grader(true).is_ok());
        assert!(guarded.admit_to_grader(false).is_err());
        assert_eq!(guarded.warning(), None);
    }

    #[test]
    fn processes_need_control_groups() {
        assert!(machine(6, true, missing()).admit_processes(true).is_err());
        let bare = machine(6, true, Namespaces::AsRoot);
        assert!(bare.admit_processes(false).is_ok());
        let refusal = bare.admit_processes(true).expect_err("no groups");
        for words in ["bots.processes", "root", "systemd-run --user --scope"] {
            assert!(refusal.to_string().contains(words), "{refusal}");
        }
    }

    #[test]
    fn more_channels_remain_in_weak_isolation() {
        let sealed = machine(6, true, Namespaces::AsRoot).channels();
        let weak = machine(6, true, missing()).channels();
        assert_eq!(sealed, weak[..CHANNELS.len()]);
        assert_eq!(weak.len(), CHANNELS.len() + CHANNELS_OF_WEAK.len());
    }
}
