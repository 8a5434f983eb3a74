//! Removes temporary folders and ends processes when the program is interrupted. What is left after that
//! the next start removes, because the names contain their owner.

#![expect(
    clippy::disallowed_methods,
    reason = "only names are read, of files that the judge may remove"
)]

use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, geteuid};
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// Maximum number of attempts to remove a folder: a process that is being ended may still write.
const TRIES: usize = 5;

const OURS: &str = "judge-";

#[derive(Clone, Debug)]
enum Cleanup {
    Folder(PathBuf),
    Group(Pid),
}

#[derive(Debug)]
struct Marked {
    /// Each item with a number of its own.
    all: Vec<(u64, Cleanup)>,
    is_swept: bool,
}

static MARKED: Mutex<Marked> = Mutex::new(Marked {
    all: Vec::new(),
    is_swept: false,
});

fn marked() -> MutexGuard<'static, Marked> {
    MARKED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unswept() -> io::Result<MutexGuard<'static, Marked>> {
    let marked = marked();
    if marked.is_swept {
        return Err(ErrorKind::Interrupted.into());
    }
    Ok(marked)
}

impl Marked {
    fn add(&mut self, cleanup: Cleanup) -> CleanupGuard {
        let number = self.all.last().map_or(0, |(last, _)| last + 1);
        self.all.push((number, cleanup));
        CleanupGuard(number)
    }
}

/// Keeps an item marked, so that [`sweep`] cleans it up, until this is dropped.
#[derive(Debug)]
pub struct CleanupGuard(u64);

impl CleanupGuard {
    /// Starts a process that leads a group, and marks it. An interrupt either comes before the start or finds
    /// the mark.
    ///
    /// # Errors
    /// As `start`; [`ErrorKind::Interrupted`] after [`sweep`], and then nothing is started.
    pub fn on_group<T>(start: impl FnOnce() -> io::Result<(Pid, T)>) -> io::Result<(T, Self)> {
        let mut marked = unswept()?;
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
    /// Makes a folder among the system's temporary ones, for a command (a word in small letters). Removes
    /// those that killed commands of this user have left.
    pub fn new(command: &str, mode: u32) -> io::Result<Self> {
        let parent = std::env::temp_dir();
        remove_stale(&parent, |name| {
            let (command, owner) = name.strip_prefix(OURS)?.split_once('-')?;
            let is_ours = command.bytes().all(|byte| byte.is_ascii_lowercase());
            Owner::of(owner, "").filter(|_| is_ours)
        });
        Self::new_in(&parent, &format!("{OURS}{command}-"), mode)
    }

    /// Makes a folder below `parent`, for content that is completed before it moves to its place.
    ///
    /// # Errors
    /// When the system refuses; [`ErrorKind::Interrupted`] after [`sweep`], and then nothing is made.
    pub fn new_in(parent: &Path, prefix: &str, mode: u32) -> io::Result<Self> {
        let mut marked = unswept()?;
        let folder = tempfile::Builder::new()
            .prefix(&temporary_name(prefix))
            .permissions(PermissionsExt::from_mode(mode))
            .tempdir_in(parent)?;
        let guard = marked.add(Cleanup::Folder(folder.path().to_owned()));
        Ok(Self {
            folder,
            _guard: guard,
        })
    }

    /// Keeps the folder, or whatever has replaced it.
    pub fn keep(self) {
        let Self { folder, _guard } = self;
        let _ = folder.keep();
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Returns the prefix of our temporary names: `prefix` and the owner.
pub(crate) fn temporary_name(prefix: &str) -> String {
    format!("{prefix}{}-", Owner::this())
}

/// Removes what belongs to this user and has the name of an owner that is gone.
pub(crate) fn remove_stale(folder: &Path, owner: impl Fn(&str) -> Option<Owner>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if !name.to_str().and_then(&owner).is_some_and(Owner::is_gone) {
            continue;
        }
        // Metadata of the entry itself: links are not followed.
        let _ = match entry.metadata() {
            Ok(it) if it.uid() != geteuid().as_raw() => Ok(()),
            Ok(it) if it.is_dir() => fs::remove_dir_all(entry.path()),
            Ok(it) if it.is_file() => fs::remove_file(entry.path()),
            Ok(_) | Err(_) => Ok(()),
        };
    }
}

/// Ends and removes everything that is marked, before the program ends.
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

/// A process, also distinguished from one with its number at another time or in another container. As
/// text: three numbers with `-` between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    pid: u32,
    /// Start time in the kernel's ticks since boot.
    start: u64,
    /// The number of the namespace of `pid`; 0 if the kernel has none.
    namespace: u64,
}

impl Owner {
    /// Returns the calling process.
    pub fn this() -> Self {
        let pid = nix::unistd::getpid().as_raw().cast_unsigned();
        Self {
            pid,
            start: start_of(pid).unwrap_or_default(),
            namespace: own_namespace(),
        }
    }

    /// Parses the owner from a name with this `prefix`; none if the name is not of this form.
    pub fn of(name: &str, prefix: &str) -> Option<Self> {
        let mut numbers = name.strip_prefix(prefix)?.split('-');
        Some(Self {
            pid: numbers.next()?.parse().ok()?,
            start: numbers.next()?.parse().ok()?,
            namespace: numbers.next()?.parse().ok()?,
        })
    }

    /// Returns the process's number if the process is visible from here and still runs.
    pub fn living(self) -> Option<Pid> {
        let lives = self.is_of_ours() && start_of(self.pid) == Some(self.start);
        lives.then_some(Pid::from_raw(self.pid.cast_signed()))
    }

    /// Returns whether the process has certainly ended; never of another namespace's.
    pub fn is_gone(self) -> bool {
        self.is_of_ours() && self.living().is_none()
    }

    fn is_of_ours(self) -> bool {
        self.namespace == own_namespace()
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.pid, self.start, self.namespace)
    }
}

fn own_namespace() -> u64 {
    fs::metadata("/proc/self/ns/pid").map_or(0, |metadata| metadata.ino())
}

fn start_of(pid: u32) -> Option<u64> {
    let fields = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is a name in parentheses, which may contain anything.
    let (_, fields) = fields.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let state = fields.next()?;
    let start = fields.nth(18)?.parse().ok()?;
    (!matches!(state, "Z" | "X")).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_leftovers_of_own_dead_processes_are_removed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| folder.path().join(name);
        let this = Owner::this().to_string();
        // The process with number 1 started long before.
        let (_, start) = this.split_once('-').expect("three numbers");
        let gone = format!("1-{start}");
        let stale = [format!(".new-{gone}-a"), format!(".new-{gone}-b")];
        fs::write(at(&stale[0]), "").expect("writable");
        fs::create_dir_all(at(&stale[1]).join("below")).expect("writable");
        let stay = [
            format!(".new-{this}-a"),
            format!(".old-{gone}-a"),
            ".new-a1B2c3".to_owned(),
            ".new-1-2".to_owned(),
        ];
        for name in &stay {
            fs::write(at(name), "").expect("writable");
        }
        let link = format!(".new-{gone}-c");
        symlink(&this, at(&link)).expect("writable");
        remove_stale(folder.path(), |name| Owner::of(name, ".new-"));
        for name in &stale {
            assert!(!at(name).exists(), "{name}");
        }
        for name in stay.iter().chain([&link]) {
            assert!(at(name).is_symlink() || at(name).is_file(), "{name}");
        }
    }

    #[test]
    fn name_distinguishes_living_owner_from_dead() {
        let this = Owner::this();
        let name = format!("judge-{this}-probe-7");
        assert_eq!(Owner::of(&name, "judge-"), Some(this));
        assert_eq!(this.living(), Some(nix::unistd::getpid()));
        assert!(!this.is_gone());
        let before = Owner {
            start: this.start - 1,
            ..this
        };
        assert!(before.is_gone(), "the number was somebody else's");
        let elsewhere = Owner {
            namespace: this.namespace + 1,
            ..before
        };
        assert!(!elsewhere.is_gone(), "it may run in another container");
        assert_eq!(elsewhere.living(), None);
        for foreign in ["judge", "judge-7-1", "judge-7-1-probe", "user.slice"] {
            assert_eq!(Owner::of(foreign, "judge-"), None, "{foreign}");
        }
    }
}
