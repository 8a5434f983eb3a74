//! Whether the program of an artifact is still there to be run.

use std::fs;
use words::artifact::Artifact;

/// Says what is wrong with the program of an artifact, if it is gone, empty or not readable.
pub(crate) fn intact(artifact: &Artifact) -> Result<(), String> {
    let program = fs::File::open(&artifact.program).and_then(|file| file.metadata());
    match program {
        Ok(program) if !program.is_file() => Err("it is no file".to_owned()),
        Ok(program) if program.len() == 0 => Err("it is empty".to_owned()),
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}
