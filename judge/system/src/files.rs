//! Writes files so that a half-written one never stays.

use crate::cleanup::{Owner, remove_stale, temporary_name};
use crate::foreign::{ForeignFolder, Kind, Opened};
use rulebook::{IoContext, JudgeError, Result};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;
use tempfile::NamedTempFile;

/// Returns a path as text, for records and messages to workers.
pub fn text_of(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        JudgeError::input(format!(
            "{} has a name that is not UTF-8; choose another folder (--out)",
            path.display()
        ))
    })
}

const UNFINISHED: &str = ".new-";

/// Removes the files that dead judge processes were writing, as far as it can.
pub fn remove_unfinished(folder: &Path) {
    remove_stale(folder, |name| Owner::of(name, UNFINISHED));
}

/// Mode of new files: private unless published, because a run's files reveal its draw.
const PRIVATE: u32 = 0o600;

/// In bytes. The longest file that the judge writes is the manifest, with kilobytes an entrant.
const WHOLE_BYTES_MAX: u64 = 256 << 20;

/// Reads a file as [`read_bounded`] does, up to 256 MiB.
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    read_bounded(path, WHOLE_BYTES_MAX)
}

/// Returns `None` in place of the error that there is no such file or folder.
pub fn if_there<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

/// Returns the folder of a path, which is `.` for a mere name.
pub fn parent_of(path: &Path) -> &Path {
    let above = path.parent().filter(|above| *above != Path::new(""));
    above.unwrap_or(Path::new("."))
}

/// Reads a regular file. Reading other kinds could block, and a link may lead elsewhere.
pub fn read_bounded(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    ForeignFolder::open(parent_of(path))?.read(path.file_name().unwrap_or_default(), bytes_max)
}

/// Returns random bytes of the system.
pub fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).or_io("read", "the system's random bytes")?;
    Ok(bytes)
}

/// Opens or makes a file that only its owner may open: who can read a file can lock it.
#[expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]
pub fn open_lock(path: &Path) -> io::Result<File> {
    let mut how = OpenOptions::new();
    how.create(true).read(true).write(true).truncate(false);
    how.mode(PRIVATE).open(path)
}

const LOCK_TRIES: u32 = 100;
/// Pause between two tries. 2 s in all: a process needs less to start on a busy machine.
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// Locks a file. A process that a killed judge was starting holds the judge's locks for a moment.
#[expect(
    clippy::disallowed_methods,
    reason = "no event says that a lock is free, and a blocking lock may wait forever"
)]
pub fn lock_with_retries(file: &File) -> Result<(), TryLockError> {
    for _ in 1..LOCK_TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
            result => return result,
        }
    }
    file.try_lock()
}

/// A file that is being written: a temporary file next to its place, which gets its name in the end.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    file: NamedTempFile,
}

impl NewFile {
    /// Creates an empty temporary file.
    pub fn begin(path: &Path) -> Result<Self> {
        let file = tempfile::Builder::new()
            .prefix(&temporary_name(UNFINISHED))
            .permissions(PermissionsExt::from_mode(PRIVATE))
            .tempfile_in(parent_of(path))
            .or_io("write", path)?;
        Ok(Self {
            path: path.to_owned(),
            file,
        })
    }

    /// Moves the file to its place, where it replaces the old one.
    pub fn keep(self) -> Result {
        self.file.as_file().sync_data().or_io("write", &self.path)?;
        self.file.persist(&self.path).or_io("write", &self.path)?;
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Writes a file whole, by a [`NewFile`].
pub fn write_whole(path: &Path, content: &[u8]) -> Result {
    let mut file = NewFile::begin(path)?;
    file.write_all(content).or_io("write", path)?;
    file.keep()
}

/// Writes a file whole, unless its folder is a read-only archive.
pub fn write_unless_read_only(path: &Path, content: &[u8]) -> Result {
    match write_whole(path, content) {
        Err(JudgeError::Io { source, .. })
            if [ErrorKind::ReadOnlyFilesystem, ErrorKind::PermissionDenied]
                .contains(&source.kind()) =>
        {
            Ok(())
        }
        written => written,
    }
}

/// Exchanges two folders atomically. Returns whether the file system supports that.
pub fn exchange(one: &Path, other: &Path) -> io::Result<bool> {
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Makes a folder and its missing parents. Only their owner may write there, whatever the umask.
pub fn make_folder(path: &Path) -> Result {
    let mut how = DirBuilder::new();
    how.recursive(true)
        .mode(0o755)
        .create(path)
        .or_io("make the folder", path)
}

/// Makes a folder that only its owner may enter.
pub fn make_private_folder(path: &Path) -> Result {
    make_folder(path)?;
    set_mode(path, 0o700).or_io("close", path)
}

/// Sets the mode of a file or folder, such as `0o755`.
pub fn set_mode(path: impl AsRef<Path>, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, PermissionsExt::from_mode(mode))
}

/// Copies a folder with everything in it, modes included.
pub fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    copy_folder(&ForeignFolder::open(from)?, to)
}

fn copy_folder(from: &ForeignFolder, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for name in from.names()? {
        let name = name?;
        let place = to.join(&name);
        match from.entry(&name)? {
            Opened::Folder(inner) => copy_folder(&inner, &place)?,
            Opened::File(file) => copy_file(file, &place)?,
            Opened::Other(kind) => {
                let why = kind.refusal().unwrap_or_default();
                return Err(io::Error::other(format!("{}: {why}", name.display())));
            }
        }
    }
    set_mode(to, from.facts()?.mode & 0o7777)
}

/// Copies an open file, mode included, to a path that does not exist yet.
pub fn copy_file(mut from: File, to: &Path) -> io::Result<()> {
    let mut copy = File::create_new(to)?;
    io::copy(&mut from, &mut copy)?;
    copy.set_permissions(from.metadata()?.permissions())
}

/// Writes every file and folder below a folder, and the folder itself, to the disk.
pub fn sync_tree(folder: &Path) -> io::Result<()> {
    sync_below(&ForeignFolder::open(folder)?)
}

fn sync_below(folder: &ForeignFolder) -> io::Result<()> {
    for name in folder.names()? {
        let name = name?;
        match folder.facts_of(&name)?.kind {
            Kind::Folder => sync_below(&folder.folder(&name)?)?,
            Kind::File => folder.file(&name)?.sync_all()?,
            Kind::Link | Kind::Special => {}
        }
    }
    folder.as_file()?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_else_can_open_a_lock() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = open_lock(&folder.path().join("lock")).expect("readable");
        let mode = lock.metadata().expect("open").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
