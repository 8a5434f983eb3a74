//! The store of a run's programs, each under the hash of everything that it was made from.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into the folder of programs"
)]

use crate::build::built_program::{BuiltProgram, Product};
use crate::build::failed_builds::{self, BUILDS_MAX, BuildError, BuildFailure, FailedBuilds};
use crate::build::normalize::{self, NormalizeError};
use crate::build::program_cache::CachedBuilds;
use nix::unistd::geteuid;
use rulebook::JudgeError;
use sandbox::{Isolation, remove};
use std::collections::HashMap;
use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use system::cleanup::TemporaryFolder;
use system::files::{make_folder, sync_tree};
use system::kept_folder;

const UNFINISHED: &str = ".build-";

pub(crate) struct ProgramStore {
    folder: PathBuf,
    /// Locks by hash; the maker of an artifact holds its lock.
    making: Mutex<HashMap<String, Arc<Mutex<()>>>>,
}

impl ProgramStore {
    pub(crate) fn open(run: &Path, isolation: &Isolation) -> Result<Self, JudgeError> {
        let folder = run.join("artifacts");
        make_folder(&folder)?;
        // They hold others' submissions. In namespaces a program finds its own folder mounted; else
        // bots with a user of their own must pass through.
        let pass_through = geteuid().is_root() && !isolation.namespaces.are_used();
        let mode = if pass_through { 0o711 } else { 0o700 };
        fs::set_permissions(&folder, Permissions::from_mode(mode))
            .map_err(|e| unwritable(&folder, e))?;
        for entry in fs::read_dir(&folder)
            .map_err(|e| unwritable(&folder, e))?
            .flatten()
        {
            if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                remove(&entry.path())?;
            }
        }
        Ok(Self {
            folder,
            making: Mutex::default(),
        })
    }

    pub(crate) fn find(&self, hash: &str) -> Result<Option<Product>, JudgeError> {
        Product::find(&self.folder, hash)
    }

    /// Returns the artifact with this hash, and makes it first if it is missing or damaged. Its folder
    /// gets its name when it is complete and on the disk. With `failed`, a remembered failure
    /// is not repeated; with `cached`, neither is a build of another run.
    pub(crate) fn keep(
        &self,
        hash: &str,
        failed: Option<&FailedBuilds>,
        cached: Option<&CachedBuilds<'_>>,
        make: impl Fn(&Path) -> Result<BuiltProgram, BuildError>,
    ) -> Result<Product, BuildError> {
        let lock = Arc::clone(
            self.making
                .lock()
                .expect("no builder panics")
                .entry(hash.to_owned())
                .or_default(),
        );
        // Of two submissions with equal content, the second takes the first one's program.
        let _alone = lock.lock().expect("no builder panics");
        if let Some(product) = self.find(hash)? {
            return Ok(product);
        }
        if let Some(failure) = failed.and_then(|failed| failed.recall(hash)) {
            return Err(failure.into());
        }
        let built = self.make(hash, cached, &make);
        if let (Err(BuildError::Failure(failure)), Some(failed)) = (&built, failed) {
            failed.note(hash, failure)?;
        }
        let program = built?;
        failed_builds::forget(&self.folder, hash)?;
        Ok(Product::of(program, &self.folder, hash)?)
    }

    pub(crate) fn irreparable(&self, hash: &str, failure: &BuildFailure) -> JudgeError {
        JudgeError::input(format!(
            "{} is no longer the program that was built, and it cannot be built again: {}. The submission is not to \
             blame; restore the folder artifacts from a backup, or make the build possible again, and rerun the same \
             command",
            self.folder.join(hash).display(),
            failure.reason
        ))
    }

    fn make(
        &self,
        hash: &str,
        cached: Option<&CachedBuilds<'_>>,
        make: &impl Fn(&Path) -> Result<BuiltProgram, BuildError>,
    ) -> Result<BuiltProgram, BuildError> {
        let mut builds = 0;
        let (fresh, program) = loop {
            builds += 1;
            let open = PermissionsExt::from_mode(0o755);
            let fresh =
                TemporaryFolder::new_in(&self.folder, UNFINISHED, open).map_err(|e| {
                    match e.kind() {
                        ErrorKind::Interrupted => JudgeError::Interrupted,
                        _ => unwritable(&self.folder, e),
                    }
                })?;
            if let Some(cached) = cached
                && let Some(program) = cached.fetch(hash, fresh.path())?
            {
                break (fresh, program);
            }
            match make(fresh.path()) {
                Ok(program) => match normalize::normalize(fresh.path()) {
                    Ok(()) => {
                        if let Some(cached) = cached {
                            cached.keep(hash, fresh.path(), &program);
                        }
                        break (fresh, program);
                    }
                    Err(NormalizeError::Refused(reason)) => {
                        return Err(BuildFailure::brief(reason).into());
                    }
                    Err(NormalizeError::Failed(error)) => {
                        return Err(unwritable(fresh.path(), error).into());
                    }
                },
                Err(BuildError::Failure(failure)) if builds < failure.builds_max => {}
                Err(BuildError::Judge(JudgeError::BuilderLost(_))) if builds < BUILDS_MAX => {}
                Err(error) => return Err(error),
            }
        };
        sync_tree(fresh.path()).map_err(|e| unwritable(fresh.path(), e))?;
        let place = self.folder.join(hash);
        if place.symlink_metadata().is_ok() {
            remove(&place)?;
        }
        kept_folder::write_note(fresh.path(), &place, &program)?;
        fs::rename(fresh.path(), &place).map_err(|e| unwritable(&place, e))?;
        fresh.keep();
        Ok(program)
    }
}

pub(crate) fn unwritable(path: &Path, error: std::io::Error) -> JudgeError {
    JudgeError::io("write", path, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::failed_builds::built;
    use model::competition::BuildLimits;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use tempfile::TempDir;

    fn store() -> (TempDir, ProgramStore) {
        let run = tempfile::tempdir().expect("a temporary folder");
        let programs = ProgramStore::open(run.path(), &Isolation::find()).expect("readable");
        (run, programs)
    }

    #[test]
    fn equal_contents_build_once_with_many_builders() {
        let (_run, programs) = store();
        let made = AtomicUsize::new(0);
        let build = || {
            let kept = programs.keep("same", None, None, |folder| {
                made.fetch_add(1, Ordering::Relaxed);
                fs::write(folder.join("bot"), "#!/bin/sh\n").expect("writable");
                Ok(BuiltProgram::plain("bot"))
            });
            let made = kept.expect("it is made");
            assert!(Path::new(&made.artifact.program).is_file(), "{made:?}");
        };
        thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(build))));
        assert_eq!(made.into_inner(), 1);
    }

    #[test]
    fn half_done_build_of_earlier_run_is_rebuilt() {
        let run = tempfile::tempdir().expect("a temporary folder");
        let artifacts = run.path().join("artifacts");
        fs::create_dir_all(artifacts.join("one")).expect("writable");
        let closed = artifacts.join(".build-two/closed");
        fs::create_dir_all(closed.join("below")).expect("writable");
        fs::set_permissions(&closed, PermissionsExt::from_mode(0o0)).expect("writable");
        let programs = ProgramStore::open(run.path(), &Isolation::find()).expect("readable");
        assert!(!artifacts.join(".build-two").exists());
        let made = keep_bot(&programs, "one").expect("it is made");
        assert!(Path::new(&made.artifact.program).is_file());
        let names = fs::read_dir(&artifacts).expect("readable").flatten();
        assert_eq!(names.count(), 2, "the program and its note");
    }

    fn keep_bot(programs: &ProgramStore, hash: &str) -> Result<Product, BuildError> {
        programs.keep(hash, None, None, |folder| {
            fs::write(folder.join("bot"), "").expect("writable");
            Ok(BuiltProgram::plain("bot"))
        })
    }

    #[test]
    fn a_changed_program_is_made_again() {
        let (run, programs) = store();
        keep_bot(&programs, "one").expect("it is made");
        let program = run.path().join("artifacts/one/bot");
        fs::write(&program, "changed").expect("writable");
        assert!(programs.find("one").expect("readable").is_none());
        keep_bot(&programs, "one").expect("it is made again");
        assert_eq!(fs::read_to_string(&program).expect("there"), "");
    }

    #[test]
    fn killed_build_process_is_retried_few_times() {
        let (_run, programs) = store();
        let begun = AtomicUsize::new(0);
        let lost = |_: &Path| {
            begun.fetch_add(1, Ordering::Relaxed);
            Err(JudgeError::BuilderLost("signal: 9".to_owned()).into())
        };
        let kept = programs.keep("one", None, None, lost);
        let error = kept.expect_err("it is killed each time");
        assert!(format!("{error:?}").contains("signal: 9"), "{error:?}");
        assert_eq!(begun.into_inner(), BUILDS_MAX);
        let second = AtomicUsize::new(0);
        let kept = programs.keep("one", None, None, |folder| {
            if second.fetch_add(1, Ordering::Relaxed) == 0 {
                fs::write(folder.join("half"), "").expect("writable");
                return Err(JudgeError::BuilderLost(String::new()).into());
            }
            assert!(!folder.join("half").exists(), "it begins with nothing");
            Ok(BuiltProgram::plain("bot"))
        });
        kept.expect("it is made");
    }

    #[test]
    fn killed_compiler_is_retried_before_author_is_blamed() {
        let (_run, programs) = store();
        for builds_max in 1..=BUILDS_MAX {
            let begun = AtomicUsize::new(0);
            let kept = programs.keep("one", None, None, |_| {
                begun.fetch_add(1, Ordering::Relaxed);
                Err(BuildError::Failure(BuildFailure {
                    builds_max,
                    ..BuildFailure::brief("it was killed".to_owned())
                }))
            });
            let failure = built(kept).expect("valid").expect_err("it fails each time");
            assert_eq!(failure.reason, "it was killed");
            assert_eq!(begun.into_inner(), builds_max);
        }
    }

    #[test]
    fn failed_build_is_retried_only_when_not_remembered() {
        let (run, programs) = store();
        let failed = FailedBuilds::of_run(run.path(), BuildLimits::default());
        let begun = AtomicUsize::new(0);
        let fail = |failed| {
            let kept = programs.keep("one", failed, None, |_| {
                let count = begun.fetch_add(1, Ordering::Relaxed) + 1;
                Err(BuildFailure::brief(format!("failure {count}")).into())
            });
            built(kept).expect("valid").expect_err("it fails").reason
        };
        let reported = [Some(&failed), Some(&failed), None, Some(&failed)].map(fail);
        let expected = ["failure 1", "failure 1", "failure 2", "failure 1"];
        assert_eq!(reported, expected);
        keep_bot(&programs, "one").expect("it is made");
        let names = fs::read_dir(run.path().join("artifacts")).expect("readable");
        assert_eq!(names.count(), 2, "the program and its note");
    }
}
