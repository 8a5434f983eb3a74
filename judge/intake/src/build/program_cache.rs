//! The user's cache of built programs, for other runs; only the user may write in it.
//! A cache that cannot be read or written costs builds, and nothing else.

#![expect(
    clippy::disallowed_methods,
    reason = "the cache and the machine's files belong to nobody who submits"
)]

use crate::build::built_program::BuiltProgram;
use crate::build::normalize;
use crate::build::room;
use crate::build::toolchains::{Toolchains, homes_of};
use model::competition::{BuildLimits, CourseKit};
use model::draw::hash;
use model::language;
use nix::unistd::geteuid;
use rulebook::JudgeError;
use sandbox::{Builder, Isolation, remove};
use std::env;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use system::cleanup::TemporaryFolder;
use system::files::{copy_tree, lock_with_retries, make_private_folder, open_lock};
use system::kept_folder::{self, Kept};

/// Maximum size of all programs in the cache, in bytes, and their number. The oldest leave first.
const BYTES_MAX: u64 = 512 << 20;
const PROGRAMS_MAX: usize = 2000;

const UNFINISHED: &str = ".copy-";
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
                let note = entry.path();
                let place = note.with_extension("");
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
        let terms = serde_json::to_string(&terms).ok()?;
        Some(Self {
            cache,
            terms,
            has_grown: AtomicBool::new(false),
        })
    }

    fn place(&self, program: &str) -> PathBuf {
        let key = hash(&[self.terms.as_bytes(), program.as_bytes()]);
        self.cache.folder.join(key)
    }

    pub(crate) fn fetch(&self, hash: &str, to: &Path) -> Result<Option<BuiltProgram>, JudgeError> {
        let place = self.place(hash);
        if !place.is_dir() {
            return Ok(None);
        }
        let Some(_lock) = self.lock() else {
            return Ok(None);
        };
        // One that cannot be read costs a build.
        let Some(program) = kept_folder::recall::<BuiltProgram>(&place)
            .ok()
            .and_then(Kept::intact)
        else {
            return Ok(None);
        };
        let emptied = fs::remove_dir(to);
        let copied = emptied.and_then(|()| copy_tree(&place, to));
        if copied.is_ok() && normalize::normalize(to).is_ok() {
            return Ok(Some(program));
        }
        // The build begins with an empty folder.
        remove(to)?;
        let made = fs::create_dir(to);
        made.and_then(|()| fs::set_permissions(to, Permissions::from_mode(0o755)))
            .map_err(|e| JudgeError::io("write", to, e))?;
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

    fn copy(&self, from: &Path, place: &Path, program: &BuiltProgram) -> Result<(), JudgeError> {
        let failed = |e: io::Error| JudgeError::io("write", place, e);
        let private = Permissions::from_mode(0o700);
        let fresh = TemporaryFolder::new_in(&self.cache.folder, UNFINISHED, private);
        let fresh = fresh.map_err(failed)?;
        let copy = fresh.path().join("program");
        copy_tree(from, &copy).map_err(failed)?;
        if place.symlink_metadata().is_ok() {
            remove(place)?;
        }
        kept_folder::write_note(&copy, place, program)?;
        fs::rename(&copy, place).map_err(failed)
    }

    fn make_room(&self, bytes_max: u64, programs_max: usize) {
        let entries = fs::read_dir(&self.cache.folder);
        for entry in entries.into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
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
            let _ = remove(&program.place);
            let _ = fs::remove_file(program.place.with_extension("json"));
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
    use std::time::{Duration, SystemTime};

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
