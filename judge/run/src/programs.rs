//! The programs that a run needs: this one, the bots, and the tools that build them.

use intake::Toolchains;
use model::artifact::Artifact;
use model::toolchain::READ;
use rulebook::JudgeError;
use sandbox::Isolation;
use std::collections::BTreeMap;
use std::path::Path;
use store::manifest::Manifest;
use system::kept_folder;

/// Path of this program, also when its file has been replaced since the start.
pub const THIS_PROGRAM: &str = "/proc/self/exe";

/// Checks that the program of an artifact is unchanged since its build.
///
/// # Errors
/// When its files have changed, in words.
pub fn intact(artifact: &Artifact) -> Result<(), String> {
    match kept_folder::is_intact(Path::new(&artifact.directory)) {
        Ok(true) => Ok(()),
        Ok(false) => Err("its files were changed or removed".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Finds compilers and interpreters in the folders that a competition names, and in those of this
/// program's PATH. Opens to programs what the competition lets them read.
///
/// # Errors
/// When a program that the competition names cannot be used.
pub fn toolchains(
    named: &BTreeMap<String, String>,
    isolation: &mut Isolation,
) -> Result<Toolchains, JudgeError> {
    let path = std::env::var_os("PATH");
    let toolchains = Toolchains::new(path.as_deref(), named, &isolation.closed)?;
    isolation.read = toolchains.read().to_vec();
    Ok(toolchains)
}

/// Returns the folders that the competition of a run named, as [`that_are_here`] does.
pub fn named_by_run(manifest: &Manifest) -> BTreeMap<String, String> {
    that_are_here(&manifest.toolchain_folders)
}

/// Leaves out the folders that do not exist. On another machine, their programs are searched for in
/// the usual places.
pub fn that_are_here(named: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut named = named.clone();
    named.retain(|name, folder| name == READ || Path::new(folder).is_dir());
    named
}
