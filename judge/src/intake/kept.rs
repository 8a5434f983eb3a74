//! What was kept of an entrant in a run's folder.

use super::described::RunCommand;
use super::{executable, source};
use crate::artifact::Artifact;
use crate::error::JudgeError;
use std::fs;
use std::path::Path;

/// Finds the program that a submission became in a run, by the hash of its content; none if
/// it is not there any more.
///
/// # Errors
/// When something is there that cannot be read or is no program.
pub fn kept(hash: &str, run: &Path) -> Result<Option<Artifact>, JudgeError> {
    let directory = run.join("artifacts").join(hash);
    if !directory.is_dir() {
        return Ok(None);
    }
    if let Ok(text) = fs::read(RunCommand::file(&directory)) {
        let run: RunCommand =
            serde_json::from_slice(&text).map_err(|source| JudgeError::Format {
                what: format!("how {} is run", directory.display()),
                source,
            })?;
        return Ok(Some(run.artifact(hash.to_owned(), &directory)));
    }
    let files = source::read_all(&directory, &mut Vec::new());
    let found = files.and_then(|files| {
        let program = executable::find(&files)?;
        Ok(executable::artifact(
            hash.to_owned(),
            &directory,
            &files[program].path,
        ))
    });
    found.map(Some).map_err(|reason| {
        JudgeError::input(format!(
            "cannot use what is kept in {}: {reason}; remove it, and judge run makes it again",
            directory.display()
        ))
    })
}
