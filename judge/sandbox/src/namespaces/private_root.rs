//! The files of a program with mounts of its own: those that Landlock lets it read.
#![expect(
    unsafe_code,
    reason = "between clone and exec there are system calls only, and few have a safe wrapper"
)]

use super::super::files::{self, FolderAccess};
use super::{OrRefused, Refused};
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, OFlag, open};
use nix::sched::{CloneFlags, setns};
use nix::sys::stat::{Mode, SFlag, mknod, umask};
use nix::unistd::{chdir, chroot, fchdir, mkdir, pivot_root, symlinkat};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::ffi::CString;
use std::os::fd::{OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Component, Path, PathBuf};
use std::{fs, ptr};

/// The plan of a root; [`PrivateRoot::assemble`] carries it out in another process.
#[derive(Debug)]
pub(in super::super) struct PrivateRoot {
    /// Made in this order, with links and their targets last; relative to the root.
    folders: Vec<CString>,
    files: Vec<CString>,
    links: Vec<(CString, CString)>,
    trees: Vec<Tree>,
}

#[derive(Debug)]
struct Tree {
    source: CString,
    place: CString,
    attributes: u64,
    /// A descriptor of the copy of its mounts, while the root is assembled.
    copy: Cell<RawFd>,
}

/// The restrictions of everything that a program sees, unless its [`Tree`] has fewer.
const ATTRIBUTES: u64 = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;

const LINKS_MAX: usize = 40;

const DEVICE_LINKS: [(&str, &str); 4] = [
    ("dev/fd", "/proc/self/fd"),
    ("dev/stdin", "/proc/self/fd/0"),
    ("dev/stdout", "/proc/self/fd/1"),
    ("dev/stderr", "/proc/self/fd/2"),
];

/// The folder for the system's `/proc`, with the processes of the namespace only.
const PROC: &str = "/proc";

/// An existing folder on which the new root is mounted.
const BASE: &Text = c"/proc";

#[derive(Default)]
struct Survey {
    shown: BTreeSet<PathBuf>,
    links: BTreeSet<(PathBuf, PathBuf)>,
}

impl Survey {
    fn show(&mut self, path: PathBuf) {
        if !self.covers(&path) {
            self.shown.insert(path);
        }
    }

    fn covers(&self, path: &Path) -> bool {
        path.ancestors().any(|above| self.shown.contains(above))
    }

    /// Resolves a path, and records the links on the way; none if nothing exists there.
    fn follow(&mut self, path: &Path) -> Option<PathBuf> {
        let mut at = PathBuf::from("/");
        let mut rest: Vec<PathBuf> = vec![path.to_owned()];
        let mut followed = 0;
        while let Some(path) = rest.pop() {
            let mut parts = path.components();
            let Some(part) = parts.next() else { continue };
            rest.push(parts.as_path().to_owned());
            match part {
                Component::RootDir | Component::Prefix(_) => at = "/".into(),
                Component::CurDir => {}
                Component::ParentDir => drop(at.pop()),
                Component::Normal(name) => {
                    let next = at.join(name);
                    if !fs::symlink_metadata(&next).ok()?.is_symlink() {
                        at = next;
                        continue;
                    }
                    followed += 1;
                    let goal = fs::read_link(&next)
                        .ok()
                        .filter(|_| followed <= LINKS_MAX)?;
                    self.links.insert((next, goal.clone()));
                    rest.push(goal);
                }
            }
        }
        Some(at)
    }
}

impl PrivateRoot {
    /// Plans the root of programs that see these folders (the last is their own) and the
    /// system's, and nothing of the `closed` ones.
    pub(in super::super) fn of(
        folders: &[PathBuf],
        access: FolderAccess,
        closed: &[PathBuf],
    ) -> Self {
        let mut survey = Survey::default();
        let (own, opened) = folders.split_last().expect("a program has its own folder");
        for path in files::readable(opened, closed) {
            let Ok(real) = fs::symlink_metadata(&path) else {
                continue;
            };
            if real.is_symlink() {
                // The target is visible under its own path, if at all.
                let goal = fs::read_link(&path).unwrap_or_default();
                survey.links.insert((path, goal));
            } else {
                survey.show(path);
            }
        }
        // The caller may name a toolchain by a link to its folder.
        for path in files::system_names().chain(opened.iter().map(PathBuf::as_path)) {
            survey.follow(path);
        }
        for path in files::listed(access).chain([own.clone()]) {
            // A program that runs in `/` runs in the new root.
            if let Some(real) = survey.follow(&path).filter(|real| real.parent().is_some()) {
                survey.show(real);
            }
        }
        let scratch = survey
            .follow(own)
            .filter(|_| access == FolderAccess::Scratch);
        // A mount of its own, as the folder around it may be one that nobody changes.
        survey.shown.extend(scratch.clone());
        Self::planned(&survey, scratch.as_deref())
    }

    /// `scratch` is the folder that the program may change, if any.
    fn planned(survey: &Survey, scratch: Option<&Path>) -> Self {
        let mut folders = BTreeSet::from([below_root(Path::new(PROC))]);
        let above = |place: &Path| -> Vec<PathBuf> {
            let above = place.ancestors().skip(1).map(Path::to_owned);
            above.filter(|path| path.parent().is_some()).collect()
        };
        let (mut files, mut trees, mut links) = (Vec::new(), Vec::new(), Vec::new());
        for path in &survey.shown {
            if path.starts_with(PROC) {
                // The program's own `/proc` shows its own processes and no others.
                continue;
            }
            let place = below_root(path);
            let Ok(metadata) = fs::metadata(path) else {
                continue;
            };
            let without = if metadata.file_type().is_char_device() {
                libc::MOUNT_ATTR_NODEV
            } else if scratch == Some(path) {
                libc::MOUNT_ATTR_RDONLY
            } else {
                0
            };
            trees.push(Tree {
                source: text(path),
                place: text(&place),
                attributes: ATTRIBUTES & !without,
                copy: Cell::new(-1),
            });
            folders.extend(above(&place));
            if metadata.is_dir() {
                folders.insert(place);
            } else {
                files.push(text(&place));
            }
        }
        let devices = DEVICE_LINKS.map(|(place, goal)| (PathBuf::from(place), PathBuf::from(goal)));
        let found = (survey.links.iter())
            .filter(|(path, _)| !survey.covers(path))
            .map(|(path, goal)| (below_root(path), goal.clone()));
        for (place, goal) in found.chain(devices) {
            folders.extend(above(&place));
            links.push((text(&place), text(&goal)));
        }
        Self {
            folders: folders.iter().map(|path| text(path)).collect(),
            files,
            links,
            trees,
        }
    }

    /// Makes this the root of the calling process, which must have its own mounts and process ids.
    /// Makes system calls only and allocates nothing.
    pub(super) fn assemble(&self) -> Result<(), Refused> {
        let private = libc::MS_REC | libc::MS_PRIVATE;
        // A process that enters the namespace gets the namespace's root. In a chroot, that is not
        // the root that we see.
        let opened = |path: &Text, flags| open(path, flags | OFlag::O_CLOEXEC, Mode::empty());
        let to_own_root = |own: &OwnedFd| setns(own, CloneFlags::CLONE_NEWNS);
        let (own, seen) = opened(c"/proc/self/ns/mnt", OFlag::O_RDONLY)
            .and_then(|own| Ok((own, opened(c"/", OFlag::O_PATH)?)))
            .or_refused("change the root")?;
        to_own_root(&own).or_refused("change the root")?;
        mount(None, c"/", None, private, None).or_refused("make mounts private")?;
        fchdir(seen)
            .and_then(|()| chroot(c"."))
            .or_refused("change the root")?;
        for tree in &self.trees {
            tree.copy
                .set(copied(&tree.source).or_refused("copy a mount")?);
        }
        to_own_root(&own).or_refused("change the root")?;
        let flags = libc::MS_NOSUID | libc::MS_NODEV;
        let tmpfs = Some(c"tmpfs");
        mount(tmpfs, BASE, tmpfs, flags, Some(c"mode=755,size=64k")).or_refused("mount a tmpfs")?;
        chdir(BASE).or_refused("mount a tmpfs")?;
        self.make_places().or_refused("make places for mounts")?;
        let (proc, flags) = (Some(c"proc"), flags | libc::MS_NOEXEC);
        // `subset=pid` hides the machine's own files, which reveal when a name there was first
        // looked up. With `hidepid=4` a process sees only processes that it could trace; 2 would
        // exempt members of group 0.
        let options = Some(c"hidepid=4,subset=pid");
        mount(proc, c"proc", proc, flags, options).or_refused("mount /proc")?;
        let is_usual = |tree: &&Tree| tree.attributes == ATTRIBUTES;
        for tree in self.trees.iter().filter(is_usual) {
            attach(tree).or_refused("move a mount")?;
        }
        restrict(libc::AT_FDCWD, c".", ATTRIBUTES).or_refused("make mounts read-only")?;
        for tree in self.trees.iter().filter(|tree| !is_usual(tree)) {
            restrict(tree.copy.get(), c"", tree.attributes).or_refused("make mounts read-only")?;
            attach(tree).or_refused("move a mount")?;
        }
        become_root().or_refused("change the root")
    }

    fn make_places(&self) -> nix::Result<()> {
        // Modes must apply as written, whatever the judge's mask.
        umask(Mode::empty());
        for place in &self.folders {
            mkdir(place.as_c_str(), Mode::from_bits_retain(0o755))?;
        }
        for place in &self.files {
            let mode = Mode::from_bits_retain(0o444);
            mknod(place.as_c_str(), SFlag::S_IFREG, mode, 0)?;
        }
        for (place, goal) in &self.links {
            symlinkat(goal.as_c_str(), AT_FDCWD, place.as_c_str())?;
        }
        Ok(())
    }
}

fn below_root(path: &Path) -> PathBuf {
    path.strip_prefix("/").unwrap_or(path).to_owned()
}

fn text(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).expect("paths of the system have no zero byte")
}

type Text = std::ffi::CStr;

fn pointer(text: Option<&Text>) -> *const libc::c_char {
    text.map_or(ptr::null(), Text::as_ptr)
}

fn mount(
    source: Option<&Text>,
    place: &Text,
    kind: Option<&Text>,
    flags: libc::c_ulong,
    options: Option<&Text>,
) -> nix::Result<()> {
    // SAFETY: the texts end with a zero byte and live; null pointers mean an omitted argument.
    let result = unsafe {
        libc::mount(
            pointer(source),
            place.as_ptr(),
            pointer(kind),
            flags,
            pointer(options).cast(),
        )
    };
    Errno::result(result).map(drop)
}

fn copied(path: &Text) -> nix::Result<RawFd> {
    let recursive = libc::AT_RECURSIVE.cast_unsigned();
    let flags = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC | recursive;
    // SAFETY: the text ends with a zero byte and lives.
    let result =
        unsafe { libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags) };
    #[expect(clippy::cast_possible_truncation, reason = "a descriptor")]
    Errno::result(result).map(|descriptor| descriptor as RawFd)
}

fn attach(tree: &Tree) -> nix::Result<()> {
    // SAFETY: the texts end with a zero byte and live.
    let result = unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            tree.copy.get(),
            c"".as_ptr(),
            libc::AT_FDCWD,
            tree.place.as_ptr(),
            libc::MOVE_MOUNT_F_EMPTY_PATH,
        )
    };
    Errno::result(result).map(drop)
}

fn restrict(descriptor: RawFd, path: &Text, attributes: u64) -> nix::Result<()> {
    let attributes = libc::mount_attr {
        attr_set: attributes,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    // SAFETY: the text ends with a zero byte, the structure has the given size, and both live.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            descriptor,
            path.as_ptr(),
            libc::AT_RECURSIVE | libc::AT_EMPTY_PATH,
            &raw const attributes,
            size_of_val(&attributes),
        )
    };
    Errno::result(result).map(drop)
}

fn become_root() -> nix::Result<()> {
    pivot_root(c".", c".")?;
    // SAFETY: the text ends with a zero byte and lives.
    let result = unsafe { libc::umount2(c".".as_ptr(), libc::MNT_DETACH) };
    // The old root was mounted on top of the new one.
    Errno::result(result)?;
    chdir(c"/")
}
