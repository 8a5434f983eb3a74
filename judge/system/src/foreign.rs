//! Folders that strangers can write. They are traversed by descriptors, and no link is followed: a name
//! that changes never leads elsewhere. Only regular files are opened, and that never blocks.

use nix::dir::{Dir, Entry};
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag, openat, readlinkat};
use nix::sys::stat::{FileStat, Mode, SFlag, fstat, fstatat};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// The kind of an entry of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A folder.
    Folder,
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// A pipe, a socket or a device.
    Special,
}

impl Kind {
    /// Returns why an entry of this kind is not read; none if it is read.
    pub const fn refusal(self) -> Option<&'static str> {
        match self {
            Self::Folder | Self::File => None,
            Self::Link => Some("links are not followed"),
            Self::Special => Some("neither folder nor file"),
        }
    }
}

/// An entry's own facts, those of a link and not of its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The kind.
    pub kind: Kind,
    /// The mode in the system's form: permission bits and kind.
    pub mode: u32,
    /// The size in bytes.
    pub bytes: u64,
    /// The room that it takes on the disk, in bytes.
    pub disk_bytes: u64,
    /// The id of the owning user.
    pub owner: u32,
    identity: (u64, u64),
    /// When its content was last written, and when its content or metadata last changed.
    times: [(i64, i64); 2],
}

impl Facts {
    /// Returns the facts of an open file.
    pub fn of(file: &File) -> io::Result<Self> {
        Ok(fstat(file)?.into())
    }

    /// Returns bytes that are equal only for equal facts.
    pub fn to_bytes(&self) -> Vec<u8> {
        let times = self.times.into_iter().flat_map(<[i64; 2]>::from);
        let (mode, owner) = (u64::from(self.mode), u64::from(self.owner));
        [mode, self.bytes, owner, self.identity.0, self.identity.1]
            .into_iter()
            .chain(times.map(i64::cast_unsigned))
            .flat_map(u64::to_le_bytes)
            .collect()
    }

    /// Returns whether both belong to the same file or folder, whatever has changed in it.
    pub fn is_same(&self, other: &Self) -> bool {
        self.identity == other.identity
    }
}

impl From<FileStat> for Facts {
    fn from(stat: FileStat) -> Self {
        let kind = match SFlag::from_bits_truncate(stat.st_mode & SFlag::S_IFMT.bits()) {
            SFlag::S_IFDIR => Kind::Folder,
            SFlag::S_IFREG => Kind::File,
            SFlag::S_IFLNK => Kind::Link,
            _ => Kind::Special,
        };
        Self {
            kind,
            mode: stat.st_mode,
            bytes: stat.st_size.try_into().unwrap_or(0),
            disk_bytes: u64::try_from(stat.st_blocks).unwrap_or(0) * BLOCK_BYTES,
            owner: stat.st_uid,
            identity: (stat.st_dev, stat.st_ino),
            times: [
                (stat.st_mtime, stat.st_mtime_nsec),
                (stat.st_ctime, stat.st_ctime_nsec),
            ],
        }
    }
}

const BLOCK_BYTES: u64 = 512;

/// An open entry.
#[derive(Debug)]
pub enum Opened {
    /// A folder.
    Folder(ForeignFolder),
    /// A regular file.
    File(File),
    /// An entry of a kind that is not read.
    Other(Kind),
}

impl Opened {
    /// Opens a file or a folder that staff named. Follows links in the path.
    pub fn at(path: &Path) -> io::Result<Self> {
        Ok(
            match Facts::from(fstatat(AT_FDCWD, path, AtFlags::empty())?).kind {
                Kind::Folder => Self::Folder(ForeignFolder::open(path)?),
                Kind::File => Self::File(regular(openat(AT_FDCWD, path, READ, Mode::empty())?)?),
                other => Self::Other(other),
            },
        )
    }
}

/// An open folder that strangers can write.
#[derive(Debug)]
pub struct ForeignFolder {
    folder: OwnedFd,
    /// Its path when it was opened, for messages only.
    path: PathBuf,
}

const READ: OFlag = OFlag::O_RDONLY
    .union(OFlag::O_NONBLOCK)
    .union(OFlag::O_NOCTTY)
    .union(OFlag::O_CLOEXEC);
const LIST: OFlag = OFlag::O_RDONLY
    .union(OFlag::O_DIRECTORY)
    .union(OFlag::O_CLOEXEC);

impl ForeignFolder {
    /// Opens a folder that staff named. Follows links in the path.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            folder: openat(AT_FDCWD, path, LIST, Mode::empty())?,
            path: path.to_owned(),
        })
    }

    /// Returns the path for messages. Never open anything by it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the same folder again.
    pub fn again(&self) -> io::Result<Self> {
        Ok(Self {
            folder: self.folder.try_clone()?,
            path: self.path.clone(),
        })
    }

    /// Returns the folder as a file, for setting its times or writing it to the disk.
    pub fn as_file(&self) -> io::Result<File> {
        Ok(self.folder.try_clone()?.into())
    }

    /// Returns the facts of the folder itself.
    pub fn facts(&self) -> io::Result<Facts> {
        Ok(fstat(&self.folder)?.into())
    }

    /// Returns the names in the folder, in no order.
    pub fn names(&self) -> io::Result<impl Iterator<Item = io::Result<OsString>> + use<>> {
        let again = openat(&self.folder, ".", LIST, Mode::empty())?;
        let name = |entry: nix::Result<Entry>| match entry {
            Err(error) => Some(Err(error.into())),
            Ok(entry) => match entry.file_name().to_bytes() {
                b"." | b".." => None,
                name => Some(Ok(OsStr::from_bytes(name).to_owned())),
            },
        };
        Ok(Dir::from_fd(again)?.into_iter().filter_map(name))
    }

    /// Returns the names in the folder, sorted.
    pub fn sorted_names(&self, names_max: usize) -> io::Result<Vec<OsString>> {
        let mut names = self
            .names()?
            .take(names_max.saturating_add(1))
            .collect::<io::Result<Vec<_>>>()?;
        if names.len() > names_max {
            return Err(io::Error::other(format!(
                "it has more than {names_max} entries"
            )));
        }
        names.sort();
        Ok(names)
    }

    /// Returns the current facts of an entry, which may differ when the entry is opened.
    pub fn facts_of(&self, name: &OsStr) -> io::Result<Facts> {
        let stat = fstatat(&self.folder, plain(name)?, AtFlags::AT_SYMLINK_NOFOLLOW)?;
        Ok(stat.into())
    }

    /// Opens an entry.
    pub fn entry(&self, name: &OsStr) -> io::Result<Opened> {
        Ok(match self.facts_of(name)?.kind {
            Kind::Folder => Opened::Folder(self.folder(name)?),
            Kind::File => Opened::File(self.file(name)?),
            other => Opened::Other(other),
        })
    }

    /// Opens a folder in this one.
    pub fn folder(&self, name: &OsStr) -> io::Result<Self> {
        let flags = LIST | OFlag::O_NOFOLLOW;
        Ok(Self {
            folder: openat(&self.folder, plain(name)?, flags, Mode::empty())?,
            path: self.path.join(name),
        })
    }

    /// Opens a regular file in this folder.
    pub fn file(&self, name: &OsStr) -> io::Result<File> {
        // Opening a device may already have an effect.
        if self.facts_of(name)?.kind != Kind::File {
            return Err(irregular());
        }
        let flags = READ | OFlag::O_NOFOLLOW;
        regular(openat(&self.folder, plain(name)?, flags, Mode::empty())?)
    }

    /// Opens a folder below this one, by a path of plain names; the empty path is this folder.
    pub fn folder_below(&self, path: &Path) -> io::Result<Self> {
        let mut inner = self.again()?;
        for part in path.components() {
            let Component::Normal(part) = part else {
                return Err(strange());
            };
            inner = inner.folder(part)?;
        }
        Ok(inner)
    }

    /// Reads a regular file in this folder.
    pub fn read(&self, name: &OsStr, bytes_max: u64) -> io::Result<Vec<u8>> {
        read_whole(self.file(name)?, bytes_max)
    }

    /// Visits the facts of everything below the folder until `visit` returns false, or the error of a folder
    /// that cannot be opened, or is more than `depth_max` deep, of the kind
    /// [`io::ErrorKind::FileTooLarge`]. Returns whether it visited everything.
    pub fn each_below(
        &self,
        depth_max: usize,
        visit: &mut dyn FnMut(io::Result<Facts>) -> bool,
    ) -> bool {
        let names = match self.names() {
            Err(error) => return visit(Err(error)),
            Ok(names) => names,
        };
        let mut folders = Vec::new();
        for name in names.map_while(Result::ok) {
            // It has just been removed.
            let Ok(facts) = self.facts_of(&name) else {
                continue;
            };
            if !visit(Ok(facts)) {
                return false;
            }
            if facts.kind == Kind::Folder {
                folders.push(name);
            }
        }
        // Each folder is open while what is below it is visited.
        let Some(depth_max) = depth_max.checked_sub(1) else {
            let too_deep = io::Error::from(io::ErrorKind::FileTooLarge);
            return folders.is_empty() || visit(Err(too_deep));
        };
        folders.iter().all(|name| match self.folder(name) {
            Ok(inner) => inner.each_below(depth_max, visit),
            Err(error) => visit(Err(error)),
        })
    }

    /// Returns whether a regular file of this name is in the folder.
    pub fn has_file(&self, name: &str) -> bool {
        let facts = self.facts_of(OsStr::new(name));
        facts.is_ok_and(|facts| facts.kind == Kind::File)
    }

    /// Returns the target of a link in this folder.
    pub fn target(&self, name: &OsStr) -> io::Result<OsString> {
        Ok(readlinkat(&self.folder, plain(name)?)?)
    }
}

/// Reads an open file whose length is checked first: terabytes of holes cost their author nothing.
///
/// # Errors
/// Of the kind [`io::ErrorKind::FileTooLarge`] when it is longer than `bytes_max`.
pub fn read_whole(file: File, bytes_max: u64) -> io::Result<Vec<u8>> {
    let too_long = || {
        let reason = format!("it is longer than {bytes_max} bytes");
        io::Error::new(io::ErrorKind::FileTooLarge, reason)
    };
    if Facts::of(&file)?.bytes > bytes_max {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    // The file may grow meanwhile.
    let mut file = file.take(bytes_max.saturating_add(1));
    file.read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        return Err(too_long());
    }
    Ok(bytes)
}

/// Returns the name if it names an entry of the folder itself.
fn plain(name: &OsStr) -> io::Result<&OsStr> {
    match name.as_bytes() {
        b"" | b"." | b".." => Err(strange()),
        bytes if bytes.contains(&b'/') => Err(strange()),
        _ => Ok(name),
    }
}

fn strange() -> io::Error {
    Errno::EINVAL.into()
}

fn irregular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}

/// Returns a file if it is regular now that it is open.
fn regular(file: OwnedFd) -> io::Result<File> {
    match Facts::from(fstat(&file)?).kind {
        Kind::File => Ok(file.into()),
        _ => Err(irregular()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::stat::mknod;
    use nix::unistd::mkfifo;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn name(text: &str) -> &OsStr {
        OsStr::new(text)
    }

    /// Makes a stranger's folder `open` next to a folder `secret`, with a file `x` in each.
    fn two_folders() -> (tempfile::TempDir, ForeignFolder) {
        let above = tempfile::tempdir().expect("a temporary folder");
        for (folder, text) in [("open/d", "own"), ("secret", "secret")] {
            let folder = above.path().join(folder);
            fs::create_dir_all(&folder).expect("writable");
            fs::write(folder.join("x"), text).expect("writable");
        }
        let open = ForeignFolder::open(&above.path().join("open")).expect("there");
        (above, open)
    }

    fn swap(above: &Path) {
        fs::rename(above.join("open/d"), above.join("open/away")).expect("writable");
        symlink("../secret", above.join("open/d")).expect("writable");
    }

    fn text(file: io::Result<File>) -> io::Result<String> {
        let mut text = String::new();
        file?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn bounds_are_kept_even_for_terabytes() {
        let (above, open) = two_folders();
        let path = above.path().join("open/long");
        let long = File::create(&path).expect("writable");
        long.set_len(1 << 42).expect("it has no content");
        let error = open.read(name("long"), 1 << 20).expect_err("too long");
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(error.to_string(), "it is longer than 1048576 bytes");
        let error = crate::files::read_regular(&path).expect_err("too long");
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        long.set_len(1 << 20).expect("shorter");
        let read = open.read(name("long"), 1 << 20).expect("short enough");
        assert_eq!(read.len(), 1 << 20);
        let inner = open.folder(name("d")).expect("a folder");
        assert_eq!(inner.read(name("x"), 3).expect("short"), b"own");
        inner.read(name("x"), 2).expect_err("too long");
        open.sorted_names(0).expect_err("too many");
    }

    #[test]
    fn folder_swapped_for_link_between_steps_leads_nowhere() {
        // After it was listed and its facts were read.
        let (above, open) = two_folders();
        assert_eq!(open.sorted_names(1).expect("readable"), ["d"]);
        assert_eq!(open.facts_of(name("d")).expect("there").kind, Kind::Folder);
        swap(above.path());
        open.folder(name("d")).expect_err("it is a link");
        open.folder_below(Path::new("d")).expect_err("it is a link");
        let link = open.entry(name("d")).expect("there");
        assert!(matches!(link, Opened::Other(Kind::Link)), "{link:?}");
        // After it was opened.
        let (above, open) = two_folders();
        let inner = open.folder(name("d")).expect("a folder");
        swap(above.path());
        assert_eq!(text(inner.file(name("x"))).expect("there"), "own");
        assert_eq!(inner.sorted_names(9).expect("readable"), ["x"]);
        // The folder around it, too.
        let (above, open) = two_folders();
        fs::rename(above.path().join("open"), above.path().join("gone")).expect("writable");
        symlink(".", above.path().join("open")).expect("writable");
        let inner = open.folder_below(Path::new("d")).expect("a folder");
        assert_eq!(text(inner.file(name("x"))).expect("there"), "own");
    }

    #[test]
    fn a_name_never_leads_out_of_its_folder() {
        let (_above, open) = two_folders();
        for path in ["", ".", "..", "d/x", "d/..", "../secret", "/etc"] {
            open.folder(name(path)).expect_err(path);
            open.file(name(path)).expect_err(path);
            open.facts_of(name(path)).expect_err(path);
        }
        for path in ["..", "../secret", "d/../../secret", "/etc"] {
            open.folder_below(Path::new(path)).expect_err(path);
        }
    }

    #[test]
    fn non_regular_file_is_neither_opened_nor_awaited() {
        let (above, open) = two_folders();
        let at = |name: &str| above.path().join("open").join(name);
        mkfifo(&at("pipe"), Mode::S_IRWXU).expect("writable");
        symlink("d/x", at("link")).expect("writable");
        mknod(&at("socket"), SFlag::S_IFSOCK, Mode::S_IRWXU, 0).expect("writable");
        for (entry, kind) in [
            ("pipe", Kind::Special),
            ("socket", Kind::Special),
            ("link", Kind::Link),
        ] {
            open.file(name(entry)).expect_err(entry);
            open.read(name(entry), 9).expect_err(entry);
            open.folder(name(entry)).expect_err(entry);
            let opened = open.entry(name(entry)).expect("there");
            let is_kind = matches!(opened, Opened::Other(other) if other == kind);
            assert!(is_kind, "{entry}");
        }
        open.file(name("d")).expect_err("a folder");
        let device = Opened::at(Path::new("/dev/null")).expect("there");
        assert!(matches!(device, Opened::Other(Kind::Special)), "{device:?}");
    }
}
