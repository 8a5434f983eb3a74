//! What is kept of an entrant in a run's folder: its program under the hash of what it was made
//! from, and beside that, where the program cannot read it, how it is run.

use super::executable;
use super::language::BuiltProgram;
use super::source::SourceFile;
use super::toolchains::Toolchains;
use error::JudgeError;
use sandbox::SYSTEM;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use system::files::text_of;
use system::kept_folder;
use words::artifact::Artifact;

/// How much of a program tells whether the kernel can execute it.
pub(super) const HEAD_BYTES: u64 = 4096;

/// Finds the program that a submission became in a run, by its hash; none if it is not there any
/// more as it was built.
///
/// # Errors
/// When the machine fails.
pub fn find_kept_program(hash: &str, run: &Path) -> Result<Option<Artifact>, JudgeError> {
    let artifacts = run.join("artifacts");
    let program = kept_folder::recall::<BuiltProgram>(&artifacts.join(hash))?.intact();
    program
        .map(|program| program.artifact(hash, &artifacts))
        .transpose()
}

/// Checks that this machine can execute a program that was kept, perhaps on another one; `closed`
/// are the folders that programs may not see, and `toolchains` those of this machine.
///
/// # Errors
/// When it cannot, in plain words.
pub fn can_run(
    artifact: &Artifact,
    closed: &[PathBuf],
    toolchains: &Toolchains,
) -> Result<(), String> {
    toolchains.check(&artifact.toolchains)?;
    let path = Path::new(&artifact.program);
    let lacks = |_| format!("{} does not exist on this machine", artifact.program);
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    read.map_err(lacks)?;
    if !path.starts_with(&artifact.directory) {
        let opened = artifact.toolchains.iter().flat_map(|one| &one.folders);
        let mut places = opened.map(String::as_str).chain(SYSTEM.iter().copied());
        if places.any(|place| path.starts_with(place)) {
            return Ok(());
        }
        return Err(format!(
            "{} is neither in the program's folder nor of the system",
            artifact.program
        ));
    }
    let name = path.file_name().unwrap_or_default();
    let program = SourceFile {
        path: name.to_string_lossy().into_owned(),
        bytes: head,
        executable: true,
    };
    executable::check(&program, closed)
}

impl BuiltProgram {
    /// Describes the artifact that lies under its hash.
    ///
    /// # Errors
    /// When the folder's name is not UTF-8.
    pub(super) fn artifact(self, hash: &str, artifacts: &Path) -> Result<Artifact, JudgeError> {
        let directory = artifacts.join(hash);
        Ok(Artifact {
            hash: hash.to_owned(),
            program: text_of(&directory.join(self.path))?,
            args: self.args,
            tokens: self.tokens,
            without_paths: self.without_paths,
            startup_free_ms: self.startup_free_ms,
            forks: self.forks,
            toolchains: self.toolchains,
            versions: self.versions,
            directory: text_of(&directory)?,
        })
    }
}
