//! Determines how long a task's output may remain invisible to this machine.

use nix::sys::statfs::{
    BTRFS_SUPER_MAGIC, EXT4_SUPER_MAGIC, FsType, OVERLAYFS_SUPER_MAGIC, TMPFS_MAGIC, statfs,
};
use std::path::Path;
use std::time::Duration;

/// Network file systems may show the files of another machine up to a minute late (`acdirmax` of
/// NFS).
const REMOTE: Duration = Duration::from_secs(70);

/// XFS: `nix` has no name for it with musl.
const XFS_SUPER_MAGIC: FsType = FsType(0x5846_5342);

/// Returns how long after the end of a task its games may still come. Zero if the folder is on a
/// local file system of this machine.
pub(crate) fn settle_time(folder: &Path) -> Duration {
    let local = [
        BTRFS_SUPER_MAGIC,
        EXT4_SUPER_MAGIC,
        OVERLAYFS_SUPER_MAGIC,
        TMPFS_MAGIC,
        XFS_SUPER_MAGIC,
    ];
    match statfs(folder) {
        Ok(found) if local.contains(&found.filesystem_type()) => Duration::ZERO,
        _ => REMOTE,
    }
}
