//! How long what a task has written may stay unseen.

use nix::sys::statfs::{
    BTRFS_SUPER_MAGIC, EXT4_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC, TMPFS_MAGIC, XFS_SUPER_MAGIC,
    statfs,
};
use std::path::Path;
use std::time::Duration;

/// Network file systems show the files of another machine up to a minute later (`acdirmax` of NFS).
const REMOTE: Duration = Duration::from_secs(70);

/// Returns how long after the end of a task its games may still come; not at all where this machine
/// has the folder's file system itself.
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
