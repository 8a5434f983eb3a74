//! The isolation of programs, as a run records it.

use alloc::string::String;
use core::fmt;
use serde::{Deserialize, Serialize};

/// The isolation tier of a machine, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tier {
    /// As in B, but run as root: the programs of each worker have their own user id.
    S,
    /// As in B, and the judge can make control groups that count and end process trees.
    A,
    /// Landlock and seccomp. Needs no privilege and no set-up.
    B,
    /// One of the two is missing. Used only on demand.
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

    /// Returns whether this tier confines programs at least as well as another one.
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

/// The abilities of a run's machine to confine programs, without any of its paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// The resulting tier.
    pub tier: Tier,
    /// The version of the kernel's Landlock; 0 = none.
    pub landlock_version: u32,
    /// Whether system calls could be filtered.
    pub seccomp: bool,
    /// The user ids for programs, as first and count; none if there were none.
    pub ids: Option<(u32, u32)>,
    /// The control-group counter that could charge whole process trees; none if there was none.
    pub counter: Option<String>,
    /// Whether programs had their own mounts, process ids, IPC and network.
    pub namespaces: bool,
}
