//! Toolchains outside the system's folders, as programs see them.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// The key of a competition's toolchains that names no program: files and folders that every
/// program may read, in the form of PATH.
pub const READ: &str = "read";

/// A toolchain to which one program gets access, and no other program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenToolchain {
    /// The folder of its programs, which comes first in the program's PATH.
    pub programs: String,
    /// The folders that can be read and executed from. None for a toolchain among the system's
    /// files, which every program can read.
    pub folders: Vec<String>,
}
