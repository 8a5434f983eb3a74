//! The programs that a run needs: this one, those that bots are, and those that build them.

use error::JudgeError;
use intake::Toolchains;
use journal::manifest::Manifest;
use sandbox::Isolation;
use std::collections::BTreeMap;
use std::path::Path;
use system::kept_folder;
use words::artifact::Artifact;

/// This program, also when its file has been replaced since it was started.
pub const THIS_PROGRAM: &str = "/proc/self/exe";

/// Says what is wrong with the program of an artifact, if it is not what was built.
///
/// # Errors
/// When its files are not as they were, in words.
pub fn intact(artifact: &Artifact) -> Result<(), String> {
    match kept_folder::is_intact(Path::new(&artifact.directory)) {
        Ok(true) => Ok(()),
        Ok(false) => Err("its files have been changed or removed".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Takes the folders of compilers and interpreters that a competition names, and those of this
/// program's PATH.
///
/// # Errors
/// When a program cannot be used that the competition names.
pub fn toolchains(
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
pub fn named_by_run(manifest: &Manifest) -> BTreeMap<String, String> {
    that_are_here(&manifest.toolchain_folders)
}

/// Leaves out the folders that are not there: on another machine what needs one is looked for as
/// everywhere else.
pub fn that_are_here(named: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut named = named.clone();
    named.retain(|_, folder| Path::new(folder).is_dir());
    named
}
