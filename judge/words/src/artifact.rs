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
    /// milliseconds; none = [`Conditions::startup_default_ms`](crate::fixture::Conditions).
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

/// The CPU time of a start-up that is free for a program whose kit, without an interpreter, answers
/// before anything of the submission runs, in milliseconds. An honest start takes a few.
pub const KIT_STARTUP_FREE_MS: u64 = 100;

/// The CPU time of a start-up that is free for every other program that lives for one turn, in
/// milliseconds: more than an interpreter takes from `exec` to `ready`, and too little to think in.
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
/// The last one should be built once instead. Libraries that compute for longer when they are loaded
/// need a `startup_free_ms` of the competition's.
pub const STARTUP_FREE_MS: u64 = 200;
