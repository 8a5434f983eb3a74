//! The result of intake: a program that a player can run, and the toolchain that made it.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde::{Deserialize, Serialize};

/// A program that speaks the protocol, kept in its own folder, which nobody changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    /// A hash of everything that it was made from.
    pub hash: String,
    /// The folder in which it runs.
    pub directory: String,
    /// The program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The size of its sources in lexer tokens, if the language has a count.
    pub tokens: Option<u64>,
    /// Whether it needs no file once it runs, and may make no call with a path: the duration of a look-up
    /// would reveal which other program has looked up the same name.
    pub without_paths: bool,
    /// The free CPU time of its startup if the competition sets none, in milliseconds.
    pub startup_free_ms: Option<u64>,
    /// Whether its kit can be forked: on orders from a socket as its standard input, before any code of the
    /// submission runs.
    pub forks: bool,
    /// The toolchains outside the system's folders that it needs to run.
    pub toolchains: Vec<OpenToolchain>,
    /// The known versions of the programs that build or run it.
    pub versions: Vec<String>,
}

/// The free startup, in milliseconds, where the kit answers before any code of the submission runs.
pub const KIT_STARTUP_FREE_MS: u64 = 100;

/// The free CPU time of a startup for every other program that lives for one turn, in milliseconds.
/// It is more than an interpreter takes from `exec` to `ready`, and too little to think in.
///
/// Measured on two busy cores of an AMD EPYC server, in milliseconds, 20 starts each:
///
/// | program | median | 95 % up to |
/// | --- | --- | --- |
/// | C | 0.6 | 0.7 |
/// | dash, bash | 0.7, 1.1 | 0.8, 1.7 |
/// | Perl with `JSON::PP` | 18 | 21 |
/// | Python 3.11 of the system, with `json` | 23 | 30 |
/// | Python 3.6 and 3.12 of pyenv | 25, 29 | 26, 45 |
/// | Python 3.12 through pyenv's shim | 58 | 62 |
/// | Python 3.11 and 3.13, with `asyncio`, `urllib`, `dataclasses` and more | 97, 113 | 115, 128 |
/// | Node 20 | 36 | 39 |
/// | Java 17, from a class file; without its shared archive | 54; 119 | 57; 128 |
/// | Java 17, compiling its source at each start | 1292 | 1399 |
///
/// The last program should be built once instead. For libraries that take longer to load, a
/// competition must set `startup_free_ms`.
pub const STARTUP_FREE_MS: u64 = 200;

/// The key of a competition's toolchains for files and folders that every program may read.
pub const READ: &str = "read";

/// A toolchain to which one program gets access, and no other program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenToolchain {
    /// The folder of its programs, which comes first in the program's PATH.
    pub programs: String,
    /// The folders that can be read and executed from; none among the system's files.
    pub folders: Vec<String>,
}

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
