//! The isolation of programs, as a run records it.

use alloc::string::String;
use core::fmt;
use serde::{Deserialize, Serialize};

/// How strongly a machine isolates programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IsolationLevel {
    /// By namespaces, Landlock and seccomp, and by a user id for each worker if the judge is root.
    Sealed,
    /// By those of Landlock, seccomp and limits that the machine has.
    Weak,
}

impl IsolationLevel {
    /// Returns the word that tables and messages use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sealed => "sealed",
            Self::Weak => "weak",
        }
    }
}

impl fmt::Display for IsolationLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The abilities of a run's machine to confine programs, without any of its paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Confinement {
    /// The resulting level.
    pub level: IsolationLevel,
    /// The version of the kernel's Landlock; 0 = none.
    pub landlock_version: u32,
    /// Whether system calls could be filtered.
    pub seccomp: bool,
    /// The user ids for programs, as first and count; none if there were none.
    pub ids: Option<(u32, u32)>,
    /// The control-group counter that could charge whole process trees; none if there was none.
    pub counter: Option<String>,
}
