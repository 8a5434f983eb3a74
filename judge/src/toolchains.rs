//! Where this machine's compilers and interpreters are looked for.

use error::JudgeError;
use intake::Toolchains;
use journal::manifest::Manifest;
use sandbox::Isolation;
use std::collections::BTreeMap;
use std::path::Path;

/// Takes the folders that a competition names, and those of this program's PATH.
///
/// # Errors
/// When a program cannot be used that the competition names.
pub(crate) fn toolchains(
    named: &BTreeMap<String, String>,
    isolation: &Isolation,
) -> Result<Toolchains, JudgeError> {
    Toolchains::new(
        std::env::var_os("PATH").as_deref(),
        named,
        &isolation.closed,
    )
}

/// Returns the folders that the competition of a run named, as [`that_are_here`] does.
pub(crate) fn named_by_run(manifest: &Manifest) -> BTreeMap<String, String> {
    that_are_here(&manifest.toolchain_folders)
}

/// Leaves out the folders that are not there: on another machine what needs one is looked for as
/// everywhere else.
pub(crate) fn that_are_here(named: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut named = named.clone();
    named.retain(|_, folder| Path::new(folder).is_dir());
    named
}
