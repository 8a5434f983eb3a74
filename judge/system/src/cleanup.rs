//! What has to go where the program is ended in the middle: temporary folders, and processes
//! that would outlive it.

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::fs::{self, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// How often a folder is tried to be removed: somebody who is being ended may still write.
const TRIES: usize = 5;

#[derive(Clone, Debug)]
enum Cleanup {
    Folder(PathBuf),
    Group(Pid),
}

/// Everything that would stay, each under a number of its own.
static ALL: Mutex<Vec<(u64, Cleanup)>> = Mutex::new(Vec::new());

fn all() -> MutexGuard<'static, Vec<(u64, Cleanup)>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Something that [`sweep`] takes away as long as this lives.
#[derive(Debug)]
pub struct CleanupGuard(u64);

impl CleanupGuard {
    fn on(cleanup: Cleanup) -> Self {
        let mut all = all();
        let number = all.last().map_or(0, |(last, _)| last + 1);
        all.push((number, cleanup));
        Self(number)
    }

    /// Marks a process that leads a group of its own, with all of the group.
    pub fn on_group(leader: Pid) -> Self {
        Self::on(Cleanup::Group(leader))
    }
}

impl Drop for CleanupGuard {
    fn drop(&mut self) {
        all().retain(|(number, _)| *number != self.0);
    }
}

/// A folder that is removed when this is dropped or the program is interrupted.
#[derive(Debug)]
pub struct TemporaryFolder {
    folder: TempDir,
    _guard: CleanupGuard,
}

impl TemporaryFolder {
    /// Makes a folder whose name begins with `prefix` in the system's place for temporary ones.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn new(prefix: &str, permissions: Permissions) -> io::Result<Self> {
        Self::new_in(&std::env::temp_dir(), prefix, permissions)
    }

    /// Makes a folder below `parent`, for what is made whole before it gets its place.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn new_in(parent: &Path, prefix: &str, permissions: Permissions) -> io::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix(prefix)
            .permissions(permissions)
            .tempdir_in(parent)?;
        let guard = CleanupGuard::on(Cleanup::Folder(folder.path().to_owned()));
        Ok(Self {
            folder,
            _guard: guard,
        })
    }

    /// Lets it stay, or whatever is in its place.
    pub fn keep(self) {
        let Self { folder, _guard } = self;
        let _ = folder.keep();
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Ends and removes everything that is marked; what cannot be removed stays.
pub fn sweep() {
    let marked = all().clone();
    for (_, cleanup) in &marked {
        if let Cleanup::Group(leader) = cleanup {
            let _ = killpg(*leader, Signal::SIGKILL);
        }
    }
    for (_, cleanup) in &marked {
        if let Cleanup::Folder(path) = cleanup {
            let gone = |_: usize| fs::remove_dir_all(path).is_ok() || !path.exists();
            let _ = (0..TRIES).any(gone);
        }
    }
}
