//! Toolchains that lie outside the system's folders, as programs see them.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A toolchain that a program is let see: nobody else does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenToolchain {
    /// The folder that its programs are called from: it comes first in the program's PATH.
    pub programs: String,
    /// The folders that can be read and executed from; none where it lies among the system's files,
    /// which everybody reads.
    pub folders: Vec<String>,
}
