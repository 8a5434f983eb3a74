//! Where the programs of a run are kept, each under the hash of its content.

use super::failure::BuildFailure;
use super::kept_program;
use super::language::{BuiltProgram, Says};
use error::JudgeError;
use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use system::files::{hide_reading, make_folder, sync_tree};
use words::artifact::Artifact;

/// An artifact with what its compiler said, or why the submission gave none.
pub(super) type Made = Result<Product, BuildFailure>;

/// A program on the shelf, and what its build and its sources said.
#[derive(Debug)]
pub(super) struct Product {
    pub(super) artifact: Artifact,
    /// Warnings of the compiler.
    pub(super) output: String,
    pub(super) says: Says,
}

/// What the names of folders begin with in which something is being made.
const UNFINISHED: &str = ".build-";

/// The folder `artifacts` of a run. Nobody else changes it: the journal is locked.
pub(super) struct Shelf {
    folder: PathBuf,
    /// By hash; whoever makes an artifact holds its lock.
    making: Mutex<HashMap<String, Arc<Mutex<()>>>>,
}

impl Shelf {
    /// Opens the shelf in a run's folder, and removes what a run that was killed has left
    /// unfinished.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub(super) fn open(run: &Path) -> Result<Self, JudgeError> {
        let folder = run.join("artifacts");
        make_folder(&folder)?;
        let entries = fs::read_dir(&folder).map_err(|e| unwritable(&folder, e))?;
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                fs::remove_dir_all(entry.path()).map_err(|e| unwritable(&entry.path(), e))?;
            }
        }
        Ok(Self {
            folder,
            making: Mutex::default(),
        })
    }

    /// Returns the artifact with this hash, and makes it first where it is not there yet: in a
    /// folder of its own, which gets its name when it is complete and on the disk. What there
    /// is to know of it stands beside the folder, where its program cannot read it.
    ///
    /// # Errors
    /// When the folder cannot be written, and what `make` fails with.
    pub(super) fn keep(
        &self,
        hash: &str,
        make: impl FnOnce(&Path) -> Result<Result<BuiltProgram, BuildFailure>, JudgeError>,
    ) -> Result<Made, JudgeError> {
        let lock = Arc::clone(
            self.making
                .lock()
                .expect("no builder panics")
                .entry(hash.to_owned())
                .or_default(),
        );
        // Of two submissions with equal content, the second takes what the first has made.
        let _alone = lock.lock().expect("no builder panics");
        let known = kept_program::recall(hash, &self.folder)?;
        let program = match known.map_or_else(|| self.make(hash, make), |known| Ok(Ok(known)))? {
            Ok(program) => program,
            Err(failure) => return Ok(Err(failure)),
        };
        Ok(Ok(Product {
            output: program.output.clone(),
            says: program.says.clone(),
            artifact: program.artifact(hash, &self.folder)?,
        }))
    }

    fn make(
        &self,
        hash: &str,
        make: impl FnOnce(&Path) -> Result<Result<BuiltProgram, BuildFailure>, JudgeError>,
    ) -> Result<Result<BuiltProgram, BuildFailure>, JudgeError> {
        let folder = self.folder.join(hash);
        if folder.exists() {
            // An earlier version of the judge left it, without a record.
            fs::remove_dir_all(&folder).map_err(|e| unwritable(&folder, e))?;
        }
        let fresh = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .permissions(PermissionsExt::from_mode(0o755))
            .tempdir_in(&self.folder)
            .map_err(|e| unwritable(&self.folder, e))?;
        let program = match make(fresh.path())? {
            Ok(program) => program,
            Err(failure) => return Ok(Err(failure)),
        };
        kept_program::remember(&program, hash, &self.folder)?;
        hide_reading(fresh.path())
            .and_then(|()| sync_tree(fresh.path()))
            .map_err(|e| unwritable(fresh.path(), e))?;
        fs::rename(fresh.path(), &folder).map_err(|e| unwritable(&folder, e))?;
        // It has another name now.
        let _ = fresh.keep();
        Ok(Ok(program))
    }
}

fn unwritable(path: &Path, error: std::io::Error) -> JudgeError {
    JudgeError::io("write", path, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    #[test]
    fn equal_contents_are_made_once_however_many_builders_there_are() {
        let run = tempfile::tempdir().expect("a temporary folder");
        let shelf = Shelf::open(run.path()).expect("ours");
        let made = AtomicUsize::new(0);
        let build = || {
            let kept = shelf.keep("same", |folder| {
                made.fetch_add(1, Ordering::Relaxed);
                fs::write(folder.join("bot"), "#!/bin/sh\n").expect("ours");
                Ok(Ok(BuiltProgram::plain("bot")))
            });
            let made = kept.expect("it can be written").expect("it is made");
            assert!(Path::new(&made.artifact.program).is_file(), "{made:?}");
        };
        thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(build))));
        assert_eq!(made.into_inner(), 1);
    }

    #[test]
    fn what_an_earlier_run_left_half_done_is_made_again() {
        let run = tempfile::tempdir().expect("a temporary folder");
        let artifacts = run.path().join("artifacts");
        fs::create_dir_all(artifacts.join("one")).expect("ours");
        fs::create_dir_all(artifacts.join(".build-two")).expect("ours");
        let shelf = Shelf::open(run.path()).expect("ours");
        assert!(!artifacts.join(".build-two").exists());
        let kept = shelf.keep("one", |folder| {
            fs::write(folder.join("bot"), "").expect("ours");
            Ok(Ok(BuiltProgram::plain("bot")))
        });
        let made = kept.expect("it can be written").expect("it is made");
        assert!(Path::new(&made.artifact.program).is_file());
    }
}
