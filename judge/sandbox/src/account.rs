//! The user that a program runs under. If the judge is root, every builder gives its programs a
//! user id that nobody else has, and every worker one to each seat: they reach nothing that is not
//! open to all, and their threads are counted separately. Else they run as the judge's user,
//! without capabilities.

use nix::errno::Errno;
use nix::unistd::{getegid, geteuid, gettid};
use rulebook::{JudgeError, Result};
use std::fs;
use std::os::unix::fs::{MetadataExt, lchown};
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Account {
    Judges,
    Own(u32),
}

/// Ranges of ids, first and count, that no distribution assigns. The first is free in systemd's
/// list, with room for eight seats and the rules of each thread; the second is for containers.
const FREE_IDS: [(u32, u32); 2] = [(0x7000_0000, 9 * THREADS_MAX), (60_578, 606)];

/// Linux's maximum number of threads (`PID_MAX_LIMIT`).
const THREADS_MAX: u32 = 0x40_0000;

/// The capabilities to change owners (`CAP_CHOWN`), kill, and change groups and users.
const NEEDED: [u32; 4] = [0, 5, 6, 7];

pub(super) fn free_ids() -> Option<(u32, u32)> {
    let read = |name| {
        let path = Path::new("/proc/self").join(name);
        fs::read_to_string(path).unwrap_or_default()
    };
    let held = (read("status").lines())
        .find_map(|line| line.strip_prefix("CapEff:"))
        .and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok())
        .unwrap_or(0);
    let may = NEEDED.iter().all(|cap| held & (1 << cap) != 0);
    if !geteuid().is_root() || !may || read("setgroups").trim() == "deny" {
        return None;
    }
    let maps = ["uid_map", "gid_map"].map(read);
    let is_free = |range: &(u32, u32)| maps.iter().all(|map| is_mapped(map, *range));
    FREE_IDS.into_iter().find(is_free)
}

fn is_mapped(map: &str, (first, count): (u32, u32)) -> bool {
    let last = u64::from(first) + u64::from(count);
    map.lines().any(|line| {
        let numbers: Vec<u64> = line.split_whitespace().flat_map(str::parse).collect();
        matches!(numbers[..], [from, _, length] if from <= first.into() && last <= from + length)
    })
}

impl Account {
    /// Chooses the user for programs that must reach these folders: the judge's if others cannot.
    /// `seat` separates simultaneous programs. With `own_root`, everybody can reach the folders.
    pub(super) fn choose(
        ids: Option<(u32, u32)>,
        folders: &[PathBuf],
        seat: usize,
        own_root: bool,
    ) -> Self {
        let Some((first, count)) = ids else {
            return Self::Judges;
        };
        // A thread's number is unique on the machine, and so is its id if there are enough.
        let seat = u32::try_from(seat).expect("seats are few");
        // In the small range the seats of one worker still differ.
        let apart = if count < THREADS_MAX { 151 } else { 0 };
        let number = gettid().as_raw().cast_unsigned() + (THREADS_MAX + apart) * seat;
        let is_open = |it: &PathBuf| is_listable(it) && (own_root || can_be_reached(it));
        if !folders.iter().all(is_open) {
            return Self::Judges;
        }
        Self::Own(first + number % count)
    }

    pub(super) fn take_over(self, folder: &Path) -> Result {
        let Self::Own(id) = self else { return Ok(()) };
        give(folder, id, id)
    }

    /// No other process may still be at work in the folder.
    pub(super) fn hand_back(self, folder: &Path) -> Result {
        if self == Self::Judges {
            return Ok(());
        }
        give(folder, geteuid().as_raw(), getegid().as_raw())
    }

    /// Changes the user for good; `owns` says whether it gets its standard descriptors. Makes
    /// system calls only and allocates nothing.
    pub(super) fn assume(self, owns: bool) -> nix::Result<()> {
        let Self::Own(own) = self else {
            return drop_capabilities();
        };
        let id = own.into();
        for descriptor in (0..3).filter(|_| owns) {
            // The program needs this to open its own /dev/stderr.
            call(libc::SYS_fchown, [descriptor, id, id])?;
        }
        call(libc::SYS_setgroups, [0; 3])?;
        call(libc::SYS_setresgid, [id; 3])?;
        call(libc::SYS_setresuid, [id; 3])
    }
}

/// Changes the owner of everything below a path. It does not follow links.
fn give(path: &Path, user: u32, group: u32) -> Result {
    let failed = |e| JudgeError::io("change the owner of", path, e);
    lchown(path, Some(user), Some(group)).map_err(failed)?;
    if !fs::symlink_metadata(path).map_err(failed)?.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(path).map_err(failed)? {
        give(&entry.map_err(failed)?.path(), user, group)?;
    }
    Ok(())
}

fn is_listable(folder: &Path) -> bool {
    mode(folder) & 0o005 == 0o005
}

fn can_be_reached(folder: &Path) -> bool {
    folder.ancestors().all(|above| mode(above) & 0o001 != 0)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).map_or(0, |metadata| metadata.mode())
}

fn drop_capabilities() -> nix::Result<()> {
    const VERSION_3: u32 = 0x2008_0522;
    let header = [VERSION_3, 0];
    let data = [0_u32; 6];
    #[expect(unsafe_code, reason = "no safe wrapper exists")]
    // SAFETY: header and data have the layout of version 3 (a version and a process, then
    // twice three words) and live.
    let result = unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), data.as_ptr()) };
    Errno::result(result).map(drop)
}

/// Bypasses the C library, whose wrappers for users and groups would also change this process's
/// other threads: between clone and exec, the memory is shared with them.
fn call(number: libc::c_long, args: [libc::c_long; 3]) -> nix::Result<()> {
    #[expect(unsafe_code, reason = "the wrappers take locks")]
    // SAFETY: none of the calls above takes a pointer, except setgroups, which ignores it when the
    // count is 0; arguments beyond the third are 0.
    let result = unsafe { libc::syscall(number, args[0], args[1], args[2], 0, 0) };
    Errno::result(result).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_used_only_when_namespace_maps_them() {
        let all = "         0          0 4294967295\n";
        let rootless = "         0       1000          1\n         1     100000      65536\n";
        let alone = "         0       1000          1\n";
        let fits = |map| FREE_IDS.map(|range| is_mapped(map, range));
        assert_eq!(fits(all), [true, true]);
        assert_eq!(fits(rootless), [false, true]);
        assert_eq!(fits(alone), [false, false]);
        assert_eq!(fits(""), [false, false]);
    }

    #[test]
    fn folder_below_closed_folder_is_not_public() {
        use std::os::unix::fs::PermissionsExt;
        let closed = tempfile::tempdir().expect("a temporary folder");
        let inner = closed.path().join("inner");
        fs::create_dir(&inner).expect("writable");
        let set = |mode| fs::set_permissions(closed.path(), fs::Permissions::from_mode(mode));
        set(0o700).expect("valid");
        assert!(!can_be_reached(&inner) && is_listable(&inner));
        assert!(!is_listable(closed.path()));
        assert!(can_be_reached(Path::new("/usr")) && is_listable(Path::new("/usr")));
    }
}
