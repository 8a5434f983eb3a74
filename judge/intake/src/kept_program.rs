//! What is kept of an entrant in a run's folder: its program under the hash of its content,
//! and beside that, where the program cannot read it, how it is run.

use super::language::BuiltProgram;
use error::JudgeError;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use system::files::{text_of, write_private};
use words::artifact::Artifact;

/// Finds the program that a submission became in a run, by the hash of its content; none if
/// it is not there any more.
///
/// # Errors
/// When something is there that cannot be read or is no program.
pub fn find_kept_program(hash: &str, run: &Path) -> Result<Option<Artifact>, JudgeError> {
    let artifacts = run.join("artifacts");
    let program = recall(hash, &artifacts)?;
    program
        .map(|program| program.artifact(hash, &artifacts))
        .transpose()
}

/// Reads how the artifact with this hash is run; none where it is not there, or not all of it.
///
/// # Errors
/// When something is there that cannot be read or is no record.
pub(super) fn recall(hash: &str, artifacts: &Path) -> Result<Option<BuiltProgram>, JudgeError> {
    let path = record(hash, artifacts);
    if !artifacts.join(hash).is_dir() {
        return Ok(None);
    }
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(JudgeError::io("read", &path, e)),
    };
    serde_json::from_slice(&text).map(Some).map_err(|error| {
        JudgeError::input(format!(
            "cannot read {} ({error}); remove it, and judge run will build it again",
            path.display()
        ))
    })
}

/// Writes how the artifact with this hash is run, for nobody else to read: a file's name may be
/// its author's.
///
/// # Errors
/// When the folder cannot be written.
pub(super) fn remember(
    program: &BuiltProgram,
    hash: &str,
    artifacts: &Path,
) -> Result<(), JudgeError> {
    let text = serde_json::to_vec(program).expect("it has nothing but text in it");
    write_private(&record(hash, artifacts), &text)
}

fn record(hash: &str, artifacts: &Path) -> PathBuf {
    artifacts.join(format!("{hash}.json"))
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
            directory: text_of(&directory)?,
        })
    }
}
