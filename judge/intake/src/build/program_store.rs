//! The store of a run's programs, each under the hash of everything that it was made from.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into the folder of programs"
)]

use crate::build::built_program::{BuiltProgram, Product};
use crate::build::failed_builds::{self, BUILDS_MAX, BuildError, BuildFailure, FailedBuilds};
use crate::build::normalize::{self, NormalizeError};
use crate::build::room;
use crate::build::toolchains::Toolchains;
use crate::build::toolchains::found::homes_of;
use model::competition::{BuildLimits, CourseKit};
use model::draw::hash;
use model::language;
use nix::unistd::geteuid;
use rulebook::{IoContext, JudgeError, Result};
use sandbox::{Builder, Isolation, remove};
use std::collections::HashMap;
use std::env;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use system::cleanup::TemporaryFolder;
use system::files::{
    copy_tree, lock_with_retries, make_folder, make_private_folder, open_lock, set_mode, sync_tree,
};
use system::kept_folder::{self, Kept};

const UNFINISHED: &str = ".build-";

pub(crate) struct ProgramStore {
    folder: PathBuf,
    /// Locks by hash; the maker of an artifact holds its lock.
    making: Mutex<HashMap<String, Arc<Mutex<()>>>>,
}

impl ProgramStore {
    pub(crate) fn open(run: &Path, isolation: &Isolation) -> Result<Self> {
        let folder = run.join("artifacts");
        make_folder(&folder)?;
        // They hold others' submissions. In namespaces a program finds its own folder mounted; else
        // bots with a user of their own must pass through.
        let pass_through = geteuid().is_root() && !isolation.namespaces.are_used();
        let mode = if pass_through { 0o711 } else { 0o700 };
        set_mode(&folder, mode).or_io("write", &folder)?;
        let entries = fs::read_dir(&folder).or_io("write", &folder)?;
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                remove(&entry.path())?;
            }
        }
        Ok(Self {
            folder,
            making: Mutex::default(),
        })
    }

    pub(crate) fn find(&self, hash: &str) -> Result<Option<Product>> {
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
        let mut making = self.making.lock().expect("no builder panics");
        let lock = Arc::clone(making.entry(hash.to_owned()).or_default());
        drop(making);
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
            let fresh = TemporaryFolder::new_in(&self.folder, UNFINISHED, 0o755).map_err(|e| {
                match e.kind() {
                    ErrorKind::Interrupted => JudgeError::Interrupted,
                    _ => JudgeError::io("write", &self.folder, e),
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
                        return Err(JudgeError::io("write", fresh.path(), error).into());
                    }
                },
                Err(BuildError::Failure(failure)) if builds < failure.builds_max => {}
                Err(BuildError::Judge(JudgeError::BuilderLost(_))) if builds < BUILDS_MAX => {}
                Err(error) => return Err(error),
            }
        };
        sync_tree(fresh.path()).or_io("write", fresh.path())?;
        let place = self.folder.join(hash);
        if place.symlink_metadata().is_ok() {
            remove(&place)?;
        }
        kept_folder::write_note(fresh.path(), &place, &program)?;
        fs::rename(fresh.path(), &place).or_io("write", &place)?;
        fresh.keep();
        Ok(program)
    }
}

/// Maximum size of all programs in the cache, in bytes, and their number. The oldest leave first.
const BYTES_MAX: u64 = 512 << 20;
const PROGRAMS_MAX: usize = 2000;

const UNFINISHED_COPY: &str = ".copy-";
const LOCK: &str = "lock";

/// Where packages and staff install: a change may change what a build gives.
const PACKAGES: [&str; 6] = [
    "/var/lib/dpkg/status",
    "/var/lib/rpm/rpmdb.sqlite",
    "/var/lib/pacman/local",
    "/lib/apk/db/installed",
    "/usr/local/include",
    "/usr/local/lib",
];

/// The lines of `/proc/cpuinfo` by which a compiler chooses instructions.
const PROCESSOR: [&str; 4] = ["model name", "flags", "CPU part", "Features"];

/// The cache of this user.
#[derive(Clone, Debug)]
pub struct ProgramCache {
    folder: PathBuf,
}

impl ProgramCache {
    /// Opens the cache: `judge/programs` in `XDG_CACHE_HOME` or `~/.cache`, and root's own under
    /// sudo. Returns `None` where it cannot be made or somebody else can write in it.
    pub fn of_user() -> Option<Self> {
        let folder = Self::place()?;
        if folder.symlink_metadata().is_err() {
            make_private_folder(&folder).ok()?;
        }
        let meta = fs::symlink_metadata(&folder).ok()?;
        let is_own =
            meta.is_dir() && meta.uid() == geteuid().as_raw() && meta.mode() & 0o777 == 0o700;
        is_own.then_some(Self { folder })
    }

    fn place() -> Option<PathBuf> {
        let of_user = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let base = match of_user.filter(|path| path.is_absolute()) {
            Some(base) => base,
            // Under sudo, HOME may be somebody else's.
            None if geteuid().is_root() => homes_of(|user| user == "0").pop()?.join(".cache"),
            None => PathBuf::from(env::var_os("HOME")?).join(".cache"),
        };
        base.is_absolute().then(|| base.join("judge/programs"))
    }

    /// Returns its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the size of all programs in it, in bytes.
    pub fn bytes(&self) -> u64 {
        self.programs().iter().map(|program| program.bytes).sum()
    }

    fn programs(&self) -> Vec<Cached> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut programs: Vec<Cached> = entries
            .filter(|entry| entry.path().extension() == Some(OsStr::new("json")))
            .filter_map(|entry| {
                let place = entry.path().with_extension("");
                Some(Cached {
                    written: changed(&entry.metadata().ok()?),
                    bytes: room::bytes_of(&place),
                    place,
                })
            })
            .collect();
        programs.sort_by_key(|program| program.written);
        programs
    }
}

struct Cached {
    written: (i64, i64),
    place: PathBuf,
    bytes: u64,
}

pub(crate) struct CachedBuilds<'a> {
    cache: &'a ProgramCache,
    /// Everything that a build depends on besides what the hash of its program covers.
    terms: String,
    has_grown: AtomicBool,
}

impl Drop for CachedBuilds<'_> {
    /// Makes room once, after all builds.
    fn drop(&mut self) {
        if self.has_grown.load(Ordering::Relaxed)
            && let Some(_lock) = self.lock()
        {
            self.make_room(BYTES_MAX, PROGRAMS_MAX);
        }
    }
}

impl<'a> CachedBuilds<'a> {
    /// Returns `None` where programs could write in the cache.
    pub(crate) fn of(
        cache: &'a ProgramCache,
        builder: &Builder<'_>,
        (builds, kit): (BuildLimits, &CourseKit),
        toolchains: &Toolchains,
    ) -> Option<Self> {
        let isolation = builder.isolation;
        if isolation.landlock_version == 0 {
            return None;
        }
        let terms = (
            env!("CARGO_PKG_VERSION"),
            facts_of(builder.judge)?,
            (builds, kit),
            readable(isolation),
            tools(toolchains),
            PACKAGES.map(|path| facts_of(Path::new(path))),
            processor(),
        );
        Some(Self {
            cache,
            terms: serde_json::to_string(&terms).ok()?,
            has_grown: AtomicBool::new(false),
        })
    }

    fn place(&self, program: &str) -> PathBuf {
        let key = hash(&[self.terms.as_bytes(), program.as_bytes()]);
        self.cache.folder.join(key)
    }

    pub(crate) fn fetch(&self, hash: &str, to: &Path) -> Result<Option<BuiltProgram>> {
        let place = self.place(hash);
        if !place.is_dir() {
            return Ok(None);
        }
        let Some(_lock) = self.lock() else {
            return Ok(None);
        };
        // One that cannot be read costs a build.
        let Ok(Kept::Intact(program)) = kept_folder::recall::<BuiltProgram>(&place) else {
            return Ok(None);
        };
        let copied = fs::remove_dir(to).and_then(|()| copy_tree(&place, to));
        if copied.is_ok() && normalize::normalize(to).is_ok() {
            return Ok(Some(program));
        }
        // The build begins with an empty folder.
        remove(to)?;
        fs::create_dir(to)
            .and_then(|()| set_mode(to, 0o755))
            .or_io("write", to)?;
        Ok(None)
    }

    pub(crate) fn keep(&self, hash: &str, from: &Path, program: &BuiltProgram) {
        let place = self.place(hash);
        if let Some(_lock) = self.lock()
            && !kept_folder::is_intact(&place).unwrap_or(true)
        {
            let _ = self.copy(from, &place, program);
            self.has_grown.store(true, Ordering::Relaxed);
        }
    }

    fn copy(&self, from: &Path, place: &Path, program: &BuiltProgram) -> Result {
        let fresh = TemporaryFolder::new_in(&self.cache.folder, UNFINISHED_COPY, 0o700)
            .or_io("write", place)?;
        let copy = fresh.path().join("program");
        copy_tree(from, &copy).or_io("write", place)?;
        if place.symlink_metadata().is_ok() {
            remove(place)?;
        }
        kept_folder::write_note(&copy, place, program)?;
        fs::rename(&copy, place).or_io("write", place)
    }

    fn make_room(&self, bytes_max: u64, programs_max: usize) {
        let entries = fs::read_dir(&self.cache.folder);
        for entry in entries.into_iter().flatten().flatten() {
            if entry
                .file_name()
                .to_string_lossy()
                .starts_with(UNFINISHED_COPY)
            {
                let _ = remove(&entry.path());
            }
        }
        let programs = self.cache.programs();
        let mut bytes: u64 = programs.iter().map(|program| program.bytes).sum();
        let mut left = programs.len();
        for program in programs {
            if bytes <= bytes_max && left <= programs_max {
                return;
            }
            (bytes, left) = (bytes - program.bytes, left - 1);
            remove(&program.place).ok();
            fs::remove_file(program.place.with_extension("json")).ok();
        }
    }

    fn lock(&self) -> Option<File> {
        let file = open_lock(&self.cache.folder.join(LOCK)).ok()?;
        lock_with_retries(&file).ok()?;
        Some(file)
    }
}

type FileFacts = (u64, (i64, i64));

fn facts_of(path: &Path) -> Option<FileFacts> {
    let meta = fs::metadata(path).ok()?;
    Some((meta.len(), changed(&meta)))
}

fn changed(meta: &Metadata) -> (i64, i64) {
    (meta.mtime(), meta.mtime_nsec())
}

fn readable(isolation: &Isolation) -> (String, Vec<(String, Option<FileFacts>)>) {
    let paths = isolation
        .read
        .iter()
        .map(|path| (path.display().to_string(), facts_of(path)))
        .collect();
    (isolation.level().to_string(), paths)
}

fn tools(toolchains: &Toolchains) -> Vec<(PathBuf, FileFacts)> {
    language::packaged()
        .into_iter()
        .filter_map(|program| {
            let path = toolchains.find(program.name).ok()?.path;
            let facts = facts_of(&path)?;
            Some((path, facts))
        })
        .collect()
}

fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let first = text.split("\n\n").next().unwrap_or_default();
    let is_kept = |line: &&str| PROCESSOR.iter().any(|name| line.starts_with(name));
    first.lines().filter(is_kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::failed_builds::built;
    use model::competition::BuildLimits;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::{Duration, SystemTime};
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
        set_mode(&closed, 0o0).expect("writable");
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

    #[test]
    fn oldest_programs_leave_first() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cache = ProgramCache {
            folder: folder.path().to_owned(),
        };
        let builds = CachedBuilds {
            cache: &cache,
            terms: String::new(),
            has_grown: AtomicBool::new(false),
        };
        let built = tempfile::tempdir().expect("a temporary folder");
        fs::write(built.path().join("bot"), "#!/bin/sh\n").expect("writable");
        for (age, hash) in [(3, "first"), (1, "third"), (2, "second")] {
            builds.keep(hash, built.path(), &BuiltProgram::plain("bot"));
            let note = File::open(builds.place(hash).with_extension("json")).expect("kept");
            let written = SystemTime::UNIX_EPOCH + Duration::from_hours(9 - age);
            note.set_modified(written).expect("writable");
        }
        fs::create_dir(folder.path().join(".copy-left")).expect("writable");
        let fetched = |hash| {
            let to = tempfile::tempdir().expect("a temporary folder");
            let program = builds.fetch(hash, to.path()).expect("valid");
            assert_eq!(program.is_some(), to.path().join("bot").exists());
            program.is_some()
        };
        let all = ["first", "second", "third"];
        assert_eq!(all.map(fetched), [true; 3]);
        builds.make_room(u64::MAX, 2);
        assert_eq!(all.map(fetched), [false, true, true]);
        assert!(!folder.path().join(".copy-left").exists());
        builds.make_room(0, 2);
        assert_eq!(all.map(fetched), [false; 3]);
        assert_eq!(cache.bytes(), 0);
    }
}
