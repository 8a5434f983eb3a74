//! What can be run: the end of intake and the beginning of a player.

use crate::toolchain::OpenToolchain;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Not;
use serde::{Deserialize, Serialize};

/// A program that speaks the protocol, kept in a folder of its own that nobody changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    /// A hash of everything that it was made from.
    pub hash: String,
    /// The folder that it runs in.
    pub directory: String,
    /// The program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The size of its sources in lexer tokens, where the language has a count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Once it runs it needs no file, and so it may make no call that takes a path: how long a
    /// look-up takes would tell it who else has looked up the same name.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub without_paths: bool,
    /// The CPU time of its start-up that is free where the competition says nothing, in
    /// milliseconds; none = all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub startup_free_ms: Option<u64>,
    /// Its kit lets itself be forked: started with a socket as its standard input it takes orders
    /// from it, and each process that it forks answers `hello` before anything of the submission
    /// runs.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub forks: bool,
    /// What it needs to run that lies outside the system's folders: an interpreter's files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub toolchains: Vec<OpenToolchain>,
    /// The versions of what it was built by, or is run by, where they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<String>,
}

/// What is free for a program whose kit, without an interpreter, answers before anything of the
/// submission runs: far more than that takes, so that who takes more has found a way around it.
pub const KIT_STARTUP_FREE_MS: u64 = 100;
