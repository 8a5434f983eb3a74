//! What has to go where the program is ended in the middle: temporary folders, and processes
//! that would outlive it. What stays even so goes later: names of temporary files and folders
//! tell whose they are.

#![expect(
    clippy::disallowed_methods,
    reason = "only names are read, of files that the judge may remove"
)]

use crate::owner::Owner;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, geteuid};
use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// How often a folder is tried to be removed: somebody who is being ended may still write.
const TRIES: usize = 5;

/// What the names of our folders among the system's temporary ones begin with.
const OURS: &str = "judge-";

#[derive(Clone, Debug)]
enum Cleanup {
    Folder(PathBuf),
    Group(Pid),
}

/// Everything that would stay.
#[derive(Debug)]
struct Marked {
    /// Each under a number of its own.
    all: Vec<(u64, Cleanup)>,
    /// The program is about to end: nothing is started any more.
    is_swept: bool,
}

static MARKED: Mutex<Marked> = Mutex::new(Marked {
    all: Vec::new(),
    is_swept: false,
});

fn marked() -> MutexGuard<'static, Marked> {
    MARKED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Marked {
    fn add(&mut self, cleanup: Cleanup) -> CleanupGuard {
        let number = self.all.last().map_or(0, |(last, _)| last + 1);
        self.all.push((number, cleanup));
        CleanupGuard(number)
    }
}

/// Something that [`sweep`] takes away as long as this lives.
#[derive(Debug)]
pub struct CleanupGuard(u64);

impl CleanupGuard {
    /// Marks a process that `start` starts, and that leads a group of its own, with all of the group.
    /// An interrupt comes before the start or finds the mark.
    ///
    /// # Errors
    /// As `start`; [`ErrorKind::Interrupted`] after [`sweep`], and then nothing is started.
    pub fn on_group<T>(start: impl FnOnce() -> io::Result<(Pid, T)>) -> io::Result<(T, Self)> {
        let mut marked = marked();
        if marked.is_swept {
            return Err(ErrorKind::Interrupted.into());
        }
        let (leader, started) = start()?;
        Ok((started, marked.add(Cleanup::Group(leader))))
    }
}

impl Drop for CleanupGuard {
    fn drop(&mut self) {
        marked().all.retain(|(number, _)| *number != self.0);
    }
}

/// A folder that is removed when this is dropped or the program is interrupted.
#[derive(Debug)]
pub struct TemporaryFolder {
    folder: TempDir,
    _guard: CleanupGuard,
}

impl TemporaryFolder {
    /// Makes a folder for one of the program's commands (a word in small letters) in the system's
    /// place for temporary ones, and removes those that commands of this user have left there
    /// which were killed.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn new(command: &str, permissions: Permissions) -> io::Result<Self> {
        let parent = std::env::temp_dir();
        remove_stale(&parent, |name| {
            let (command, owner) = name.strip_prefix(OURS)?.split_once('-')?;
            let is_word = command.bytes().all(|byte| byte.is_ascii_lowercase());
            is_word.then(|| Owner::of(owner, "")).flatten()
        });
        Self::new_in(&parent, &format!("{OURS}{command}-"), permissions)
    }

    /// Makes a folder below `parent`, for what is made whole before it gets its place.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn new_in(parent: &Path, prefix: &str, permissions: Permissions) -> io::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix(&temporary_name(prefix))
            .permissions(permissions)
            .tempdir_in(parent)?;
        let guard = marked().add(Cleanup::Folder(folder.path().to_owned()));
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

/// Returns what the name of a temporary file or folder of ours begins with: `prefix`, and whose it
/// is.
pub(crate) fn temporary_name(prefix: &str) -> String {
    format!("{prefix}{}-", Owner::this())
}

/// Removes from a folder the files and folders of this user whose name tells an owner that is
/// gone; what cannot be removed stays.
pub(crate) fn remove_stale(folder: &Path, owner: impl Fn(&str) -> Option<Owner>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if !name.to_str().and_then(&owner).is_some_and(Owner::is_gone) {
            continue;
        }
        // Of the entry itself: links are not followed.
        let _ = match entry.metadata() {
            Ok(it) if it.uid() != geteuid().as_raw() => Ok(()),
            Ok(it) if it.is_dir() => fs::remove_dir_all(entry.path()),
            Ok(it) if it.is_file() => fs::remove_file(entry.path()),
            Ok(_) | Err(_) => Ok(()),
        };
    }
}

/// Ends and removes everything that is marked; what cannot be removed stays. The program ends then.
pub fn sweep() {
    let marked = {
        let mut marked = marked();
        marked.is_swept = true;
        marked.all.clone()
    };
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_what_a_dead_process_of_ours_has_left_is_removed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| folder.path().join(name);
        let this = Owner::this().to_string();
        // The process with the first number has started long before.
        let (_, start) = this.split_once('-').expect("three numbers");
        let gone = format!("1-{start}");
        let stale = [format!(".new-{gone}-a"), format!(".new-{gone}-b")];
        fs::write(at(&stale[0]), "").expect("ours");
        fs::create_dir_all(at(&stale[1]).join("below")).expect("ours");
        let stay = [
            format!(".new-{this}-a"),
            format!(".old-{gone}-a"),
            ".new-a1B2c3".to_owned(),
            ".new-1-2".to_owned(),
        ];
        for name in &stay {
            fs::write(at(name), "").expect("ours");
        }
        let link = format!(".new-{gone}-c");
        symlink(&this, at(&link)).expect("ours");
        remove_stale(folder.path(), |name| Owner::of(name, ".new-"));
        for name in &stale {
            assert!(!at(name).exists(), "{name}");
        }
        for name in stay.iter().chain([&link]) {
            assert!(at(name).is_symlink() || at(name).is_file(), "{name}");
        }
    }
}
