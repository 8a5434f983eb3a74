//! Finds files and folders that users other than root and the judge's user may change.

use crate::files::read_regular;
use crate::foreign::ForeignFolder;
use nix::fcntl::{AT_FDCWD, AtFlags, readlinkat};
use nix::sys::stat::{FileStat, Mode, SFlag, fstatat};
use nix::unistd::{Gid, Group, User, getegid, geteuid};
use rustix::fs::lgetxattr;
use rustix::io::Errno;
use std::io;
use std::path::{Component, Path, PathBuf};

/// An access list (ACL) of a file, beyond its mode: acl(5).
const ACCESS_LIST: &str = "system.posix_acl_access";

/// The system's list of users.
const USERS: &str = "/etc/passwd";

/// The trusted accounts: root, the judge's user, and a group of this user alone.
struct Trusted {
    user: u32,
    group: Option<u32>,
}

impl Trusted {
    fn find() -> Self {
        let (user, group) = (geteuid(), getegid());
        // Groups are compared by name: if many users have the same first group, all of them may
        // write.
        let own = || {
            let name = User::from_uid(user).ok()??.name;
            let of_group = Group::from_gid(group).ok()??;
            let is_own = of_group.name == name
                && of_group.mem.is_empty()
                && !is_first_group_of_others(&read_regular(USERS.as_ref()).ok()?, &name, group);
            is_own.then_some(group.as_raw())
        };
        Self {
            user: user.as_raw(),
            group: own(),
        }
    }

    /// Returns whether a file or folder belongs to an untrusted user.
    const fn is_theirs(&self, stat: &FileStat) -> bool {
        stat.st_uid != 0 && stat.st_uid != self.user
    }

    /// Returns whether an untrusted user may write there.
    fn may_be_written(&self, path: &Path, stat: &FileStat) -> bool {
        let mode = Mode::from_bits_truncate(stat.st_mode);
        let is_own_group = stat.st_gid == 0 || Some(stat.st_gid) == self.group;
        // With an access list, the group's rights in the mode are the most that the list grants.
        let by_group = mode.contains(Mode::S_IWGRP) && (!is_own_group || has_access_list(path));
        mode.contains(Mode::S_IWOTH) || by_group
    }
}

/// Returns whether a list of users in the format of passwd(5) gives this first group to users other
/// than `name`.
fn is_first_group_of_others(users: &[u8], name: &str, group: Gid) -> bool {
    String::from_utf8_lossy(users).lines().any(|line| {
        let mut fields = line.split(':');
        let (user, first) = (fields.next(), fields.nth(2));
        user != Some(name) && first == Some(&*group.to_string())
    })
}

fn has_access_list(path: &Path) -> bool {
    // A list of thousands of users does not fit, and then there is a list.
    let mut list = [0_u8; 1024];
    match lgetxattr(path, ACCESS_LIST, &mut list) {
        Ok(bytes) => bytes > 0,
        Err(error) => error == Errno::RANGE,
    }
}

fn look(path: &Path) -> io::Result<FileStat> {
    Ok(fstatat(AT_FDCWD, path, AtFlags::AT_SYMLINK_NOFOLLOW)?)
}

/// Returns the first of a folder and its ancestors in which an untrusted user may replace an entry.
/// Such a folder belongs to another user, or others may write there and it is not sticky. None if
/// there is no such folder.
///
/// # Errors
/// When the system refuses to read their facts.
pub fn strangers_folder(folder: &Path) -> io::Result<Option<PathBuf>> {
    let trusted = Trusted::find();
    for one in folder.ancestors() {
        let stat = look(one)?;
        let is_sticky = Mode::from_bits_truncate(stat.st_mode).contains(Mode::S_ISVTX);
        if trusted.is_theirs(&stat) || trusted.may_be_written(one, &stat) && !is_sticky {
            return Ok(Some(one.to_owned()));
        }
    }
    Ok(None)
}

/// Returns whether untrusted users may put something into a folder, or replace the folder.
///
/// # Errors
/// When the system refuses to read its facts.
pub fn may_be_added_to(folder: &Path) -> io::Result<bool> {
    let trusted = Trusted::find();
    let stat = look(folder)?;
    Ok(trusted.is_theirs(&stat) || trusted.may_be_written(folder, &stat))
}

/// Maximum number of links in one path, as in the kernel.
const LINKS_MAX: usize = 40;

/// Returns the first link in a path that belongs neither to root nor to the judge's user; none if
/// the path ends before one. Programs such as git follow such links with the rights of the judge's
/// user.
///
/// # Errors
/// When the system refuses to read the facts of a part.
pub fn strangers_link(path: &Path) -> io::Result<Option<PathBuf>> {
    let trusted = Trusted::find();
    link_of(path, &|stat| trusted.is_theirs(stat))
}

fn is_link(stat: &FileStat) -> bool {
    SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT == SFlag::S_IFLNK
}

fn link_of(path: &Path, is_strangers: &dyn Fn(&FileStat) -> bool) -> io::Result<Option<PathBuf>> {
    let mut rest = std::path::absolute(path)?;
    let mut links = 0;
    'again: loop {
        let mut at = PathBuf::new();
        let mut parts = rest.components();
        while let Some(part) = parts.next() {
            // The part before it has no links any more.
            if part == Component::ParentDir {
                at.pop();
                continue;
            }
            let folder = at.clone();
            at.push(part);
            let stat = match look(&at) {
                Err(error) if is_gone(&error) => return Ok(None),
                stat => stat?,
            };
            if !is_link(&stat) {
                continue;
            }
            if is_strangers(&stat) {
                return Ok(Some(at));
            }
            links += 1;
            if links > LINKS_MAX {
                return Err(Errno::LOOP.into());
            }
            let target = PathBuf::from(readlinkat(AT_FDCWD, &at)?);
            rest = folder.join(target).join(parts.as_path());
            continue 'again;
        }
        return Ok(None);
    }
}

fn is_gone(error: &io::Error) -> bool {
    [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind())
}

/// Returns the first entry at a path or anywhere below it that an untrusted user may change, or
/// that is a link. None if there is no such entry, or nothing at the path.
///
/// # Errors
/// When the system refuses to read an entry's facts, or there are more than `entries_max` entries.
pub fn strangers_entry(path: &Path, entries_max: usize) -> io::Result<Option<PathBuf>> {
    let trusted = Trusted::find();
    let mut left = entries_max;
    let mut next = vec![path.to_owned()];
    while let Some(one) = next.pop() {
        let stat = match look(&one) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            stat => stat?,
        };
        let kind = SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT;
        if is_link(&stat) || trusted.is_theirs(&stat) || trusted.may_be_written(&one, &stat) {
            return Ok(Some(one));
        }
        if kind == SFlag::S_IFDIR {
            for name in ForeignFolder::open(&one)?.sorted_names(left)? {
                left = left.saturating_sub(1);
                next.push(one.join(name));
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{XattrFlags, lsetxattr};
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("ours");
    }

    /// Gives another user write access, as `setfacl -m u:65534:rwx` does; acl(5) defines the format
    /// of access lists.
    fn let_nobody_write(path: &Path) -> bool {
        const ANYBODY: u32 = u32::MAX;
        let entries = [
            (0x01_u16, 7_u16, ANYBODY),
            (0x02, 7, 65_534),
            (0x04, 5, ANYBODY),
            (0x10, 7, ANYBODY),
            (0x20, 5, ANYBODY),
        ];
        let mut list = 2_u32.to_le_bytes().to_vec();
        for (tag, rights, id) in entries {
            list.extend(tag.to_le_bytes());
            list.extend(rights.to_le_bytes());
            list.extend(id.to_le_bytes());
        }
        lsetxattr(path, ACCESS_LIST, &list, XattrFlags::empty()).is_ok()
    }

    #[test]
    fn a_folder_in_which_others_may_write_is_found_above_too() {
        let above = tempfile::tempdir().expect("a temporary folder");
        let above = above.path().canonicalize().expect("there");
        let (open, inner) = (above.join("open"), above.join("open/d"));
        fs::create_dir_all(&inner).expect("new");
        let found = || strangers_folder(&inner).expect("readable");
        assert_eq!(found(), None);
        mode(&open, 0o757);
        assert_eq!(found().as_deref(), Some(&*open));
        mode(&open, 0o1757);
        assert_eq!(
            found(),
            None,
            "nobody may take what is not theirs out of it"
        );
        mode(&open, 0o755);
        mode(&inner, 0o703);
        assert_eq!(found().as_deref(), Some(&*inner));
        strangers_folder(&above.join("gone")).expect_err("not there");
    }

    #[test]
    fn a_first_group_of_two_users_is_nobodys_own() {
        let users = "prof:x:1000:1000::/home/prof:/bin/sh\nbob:x:1001:100:,,1000::\nnobody\n";
        let group = Gid::from_raw(1000);
        let is_shared = |users: &str| is_first_group_of_others(users.as_bytes(), "prof", group);
        assert!(!is_shared(users));
        assert!(is_shared(&format!("{users}eve:x:1002:1000:::\n")));
    }

    #[test]
    fn an_access_list_by_which_somebody_else_may_write_is_seen() {
        let above = tempfile::tempdir().expect("a temporary folder");
        let folder = above.path().canonicalize().expect("there").join("d");
        fs::create_dir(&folder).expect("new");
        assert_eq!(strangers_folder(&folder).expect("readable"), None);
        // Not every file system has access lists.
        if let_nobody_write(&folder) {
            let found = strangers_folder(&folder).expect("readable");
            assert_eq!(found.as_ref(), Some(&folder));
            let found = strangers_entry(&folder, 9).expect("readable");
            assert_eq!(found.as_ref(), Some(&folder));
        }
    }

    #[test]
    fn a_strangers_link_is_found_wherever_it_is_on_the_way() {
        let above = tempfile::tempdir().expect("a temporary folder");
        let above = above.path().canonicalize().expect("there");
        fs::create_dir_all(above.join("open/d")).expect("new");
        fs::create_dir(above.join("secret")).expect("new");
        fs::write(above.join("open/d/x"), "own").expect("new");
        for (link, target) in [
            ("open/one", "d"),
            ("open/two", "../open/one"),
            ("round", "round"),
        ] {
            std::os::unix::fs::symlink(target, above.join(link)).expect("ours");
        }
        std::os::unix::fs::symlink(&above, above.join("open/whole")).expect("ours");
        let found = |path: &str, is_stranger: bool| {
            let found = link_of(&above.join(path), &|_| is_stranger)?;
            let inside = |found: PathBuf| found.strip_prefix(&above).map(Path::to_owned);
            io::Result::Ok(found.map(|found| inside(found).expect("below")))
        };
        for (path, link) in [
            ("open/d/x", None),
            ("open/../secret", None),
            ("open/gone/x", None),
            ("open/one", Some("open/one")),
            ("open/one/x", Some("open/one")),
            ("secret/../open/two/x", Some("open/two")),
            ("open/whole/secret", Some("open/whole")),
            ("round", Some("round")),
        ] {
            let strangers = found(path, true).expect("readable");
            assert_eq!(strangers.as_deref(), link.map(Path::new), "{path}");
            if path != "round" {
                assert_eq!(found(path, false).expect("readable"), None, "{path}");
            }
        }
        found("round", false).expect_err("it never ends");
        // A trusted link may lead to a stranger's link.
        let seen = std::cell::Cell::new(0);
        let second = link_of(&above.join("open/two/x"), &|_| seen.replace(1) == 1);
        assert_eq!(second.expect("readable"), Some(above.join("open/one")));
    }

    #[test]
    fn what_lies_inside_is_looked_at_too() {
        let above = tempfile::tempdir().expect("a temporary folder");
        let folder = above.path().canonicalize().expect("there").join("d");
        let file = folder.join("objects/info/alternates");
        fs::create_dir_all(file.parent().expect("a folder")).expect("new");
        fs::write(&file, "").expect("new");
        let found = || strangers_entry(&folder, 9).expect("readable");
        assert_eq!(found(), None);
        mode(&file, 0o646);
        assert_eq!(found().as_ref(), Some(&file));
        mode(&file, 0o644);
        mode(&folder.join("objects"), 0o757);
        assert_eq!(found(), Some(folder.join("objects")));
        mode(&folder.join("objects"), 0o755);
        std::os::unix::fs::symlink("objects", folder.join("refs")).expect("new");
        assert_eq!(found(), Some(folder.join("refs")));
        strangers_entry(&folder, 1).expect_err("too many");
        assert_eq!(
            strangers_entry(&folder.join("gone"), 9).expect("nothing"),
            None
        );
    }
}
