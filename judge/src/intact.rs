//! Whether the program of an artifact is still what was built.

use std::path::Path;
use system::kept_folder;
use words::artifact::Artifact;

/// Says what is wrong with the program of an artifact, if it is not what was built.
pub(crate) fn intact(artifact: &Artifact) -> Result<(), String> {
    match kept_folder::is_intact(Path::new(&artifact.directory)) {
        Ok(true) => Ok(()),
        Ok(false) => Err("its files have been changed or removed".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
