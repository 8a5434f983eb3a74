//! `executables/` in a run's folder: a link to each program that needs nothing else to run.

#![expect(
    clippy::disallowed_methods,
    reason = "the folder is private to the judge's user"
)]

use model::entrant::Entrant;
use model::entrants_folder::EntrantsFolder;
use rulebook::JudgeError;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use system::files::make_private_folder;

const FOLDER: &str = "executables";

/// In a copy of a run's folder there may be files in their place.
pub(crate) fn link(run: &Path, entrants: &[Entrant]) -> Result<(), JudgeError> {
    let folder = run.join(FOLDER);
    make_private_folder(&folder)?;
    let failed = |e| JudgeError::io("write links in", &folder, e);
    for old in fs::read_dir(&folder).map_err(failed)? {
        let old = old.map_err(failed)?;
        if !old.file_type().map_err(failed)?.is_dir() {
            fs::remove_file(old.path()).map_err(failed)?;
        }
    }
    for entrant in entrants {
        if let Some(program) = program(run, entrant) {
            let name = EntrantsFolder::Sources.folder_of(&entrant.name);
            symlink(program, folder.join(name)).map_err(failed)?;
        }
    }
    Ok(())
}

/// Relative, so that a run's folder can be moved.
fn program(run: &Path, entrant: &Entrant) -> Option<PathBuf> {
    let artifact = entrant.artifact().filter(|it| it.args.is_empty())?;
    let inside = Path::new(&artifact.program).strip_prefix(run).ok()?;
    Some(Path::new("..").join(inside))
}
