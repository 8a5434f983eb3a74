//! How well programs were confined, as a run records it.

use alloc::string::String;
use core::fmt;
use serde::{Deserialize, Serialize};

/// How well programs are confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tier {
    /// As in B, and as root: the programs of each worker have a user id of their own.
    S,
    /// As in B, and the judge can make control groups that count and end process trees.
    A,
    /// Landlock and seccomp; needs no privilege and no set-up.
    B,
    /// One of the two is missing: used only on demand.
    C,
}

impl Tier {
    /// Returns the letter that flags, tables and messages use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::S => "S",
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
        }
    }

    /// Returns whether programs are confined at least as well as in another tier.
    pub const fn reaches(self, asked: Self) -> bool {
        self as u8 <= asked as u8
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Self::S => "Landlock, seccomp, and a user id for each worker's programs",
            Self::A => "Landlock and seccomp; control groups are available",
            Self::B => "Landlock and seccomp",
            Self::C => "weak: programs run with your rights",
        };
        write!(f, "tier {} ({what})", self.name())
    }
}

/// What the machine of a run could do to confine programs, without where things lay on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// What it comes to.
    pub tier: Tier,
    /// The version of the kernel's Landlock; 0 = none.
    pub landlock_version: u32,
    /// Whether system calls could be filtered.
    pub seccomp: bool,
    /// The user ids that programs could be given, first and count; none where there were none.
    pub ids: Option<(u32, u32)>,
    /// The counter of a control group that could charge whole process trees; none where there
    /// was none.
    #[serde(default)]
    pub counter: Option<String>,
    /// Whether programs had mounts, process ids, IPC and network of their own.
    #[serde(default)]
    pub namespaces: bool,
}
