//! What this machine can do to shut programs in, found once when a run starts.

use super::{account, cgroup, files, seccomp};
use crate::error::JudgeError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};

/// How well programs are shut in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tier {
    /// As in B, and as root: the programs of each worker have a user id of their own.
    S,
    /// As in B, and the judge has a control group at hand.
    A,
    /// Landlock and seccomp; needs no privilege and no set-up.
    B,
    /// One of the two is missing: used only on demand.
    C,
}

/// What this machine can do; stored with the run, and told to every worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Isolation {
    /// What it comes to.
    pub tier: Tier,
    /// The version of the kernel's Landlock; 0 = none.
    pub landlock_version: u32,
    /// Whether system calls can be filtered.
    pub seccomp: bool,
    /// The user ids that programs can be given, first and count; none where the judge may
    /// not give any.
    pub ids: Option<(u32, u32)>,
    /// The control group of version 2 that the judge may divide, if there is one.
    pub cgroup: Option<PathBuf>,
}

/// One thing that shuts programs in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mechanism {
    /// What it is and does.
    pub name: &'static str,
    /// Whether this machine has it.
    pub present: bool,
    /// What is there, or what a machine without it would need.
    pub detail: String,
}

/// What Landlock learnt after its first version: since when, what, which kernel, and how
/// things stand without it.
const LANDLOCK_LATER: [(u32, &str, &str); 3] = [
    (
        3,
        "Landlock guards files against being emptied",
        "Linux 6.2; without it a program of the judge's own user can empty files in its own folder",
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
    /// Looks at this machine.
    pub fn find() -> Self {
        let found = Self {
            tier: Tier::C,
            landlock_version: files::landlock_version(),
            seccomp: seccomp::is_available(),
            ids: account::free_ids(),
            cgroup: cgroup::delegated(Path::new("/")),
        };
        let tier = found.rank();
        Self { tier, ..found }
    }

    fn rank(&self) -> Tier {
        match self {
            Self {
                landlock_version: 0,
                ..
            }
            | Self { seccomp: false, .. } => Tier::C,
            Self { ids: Some(_), .. } => Tier::S,
            Self {
                cgroup: Some(_), ..
            } => Tier::A,
            Self { .. } => Tier::B,
        }
    }

    /// Checks that programs may be run at all: where they cannot be shut in, only if the user
    /// wants it (`weak`).
    ///
    /// # Errors
    /// When they may not; the message lists what is missing.
    pub fn admit(&self, weak: bool) -> Result<(), JudgeError> {
        if weak || self.tier != Tier::C {
            return Ok(());
        }
        Err(JudgeError::input(format!(
            "this machine cannot shut programs in, so submissions could read and change your files:\n{}  \
             run on another machine, or accept the risk with --weak-isolation",
            self.shown_missing()
        )))
    }

    /// Says in one line, and one more for each thing that tier C misses, how programs are
    /// shut in.
    pub fn announce(&self) -> String {
        match self.tier {
            Tier::C => format!("isolation: {self}; missing:\n{}", self.shown_missing()),
            Tier::S | Tier::A | Tier::B => format!("isolation: {self}"),
        }
    }

    fn shown_missing(&self) -> String {
        let essential = self.mechanisms().into_iter().take(ESSENTIAL);
        let missing = essential.filter(|mechanism| !mechanism.present);
        let lines = missing.map(|m| format!("  {}: needs {}\n", m.name, m.detail));
        lines.collect()
    }

    /// Lists everything that shuts programs in, the essential ones first.
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
                self.seccomp.then(|| "filters with answers".to_owned()),
                "a kernel with CONFIG_SECCOMP_FILTER; some containers take it away",
            ),
        ];
        for (least, name, needs) in LANDLOCK_LATER {
            all.push(mechanism(name, landlock(least), needs));
        }
        all.push(mechanism(
            "a user id of their own for the programs of each worker",
            self.ids.map(|(first, _)| format!("from {first} on")),
            "root with the capabilities to change users; without it programs run as you, and one that starts thousands of threads can keep others from starting any",
        ));
        all.push(mechanism(
            "a control group that the judge may divide",
            self.cgroup.as_ref().map(|path| {
                let path = path.display();
                format!("{path}; not used, as bots may not start processes")
            }),
            "a delegated cgroup v2: systemd-run --user --scope -p Delegate=yes judge run …",
        ));
        all
    }
}

/// How many mechanisms there must be for any tier but C.
const ESSENTIAL: usize = 2;

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.tier {
            Tier::S => "Landlock, seccomp, and a user id for each worker's programs",
            Tier::A => "Landlock and seccomp; a control group is at hand",
            Tier::B => "Landlock and seccomp",
            Tier::C => "weak: programs run with your rights",
        };
        write!(
            f,
            "tier {:?} ({what}); bots may not start processes",
            self.tier
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(landlock_version: u32, seccomp: bool, root: bool, cgroup: bool) -> Isolation {
        let found = Isolation {
            tier: Tier::C,
            landlock_version,
            seccomp,
            ids: root.then_some((60_578, 606)),
            cgroup: cgroup.then(|| PathBuf::from("/group")),
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
        assert!(bare.announce().contains("Landlock guards files"));
        assert!(machine(1, true, false, false).admit(false).is_ok());
    }

    #[test]
    fn what_a_machine_has_not_is_listed_with_what_it_would_need() {
        let missing = |isolation: &Isolation| {
            let all = isolation.mechanisms().into_iter();
            all.filter(|m| !m.present).count()
        };
        assert_eq!(missing(&machine(6, true, true, true)), 0);
        assert_eq!(missing(&machine(1, true, false, false)), 5);
        assert_eq!(missing(&machine(0, false, false, false)), 7);
    }
}
