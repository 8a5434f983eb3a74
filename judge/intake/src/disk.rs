//! Whether a build failed because the disk is full. No submission is to blame for that.

use nix::sys::statvfs::{Statvfs, statvfs};
use rulebook::JudgeError;
use std::io::ErrorKind;
use std::path::Path;

/// Minimum free space after a build, in bytes. With less, a compiler may have run out of space: it
/// removes its output before it ends.
const FREE_BYTES_MIN: u64 = 128 << 20;

/// Checks the free space of the file system. It ignores the compiler's output, which may be the
/// submission's own words.
///
/// # Errors
/// When the free space is so small that a build could have failed for it.
pub(super) fn check(folder: &Path) -> Result<(), JudgeError> {
    let room = statvfs(folder)
        .map_err(|e| JudgeError::io("check the free disk space of", folder, e.into()))?;
    if is_full(&Room::of(&room)) {
        return Err(JudgeError::io(
            "build in",
            folder,
            ErrorKind::StorageFull.into(),
        ));
    }
    Ok(())
}

struct Room {
    free_bytes: u64,
    files: u64,
    free_files: u64,
}

impl Room {
    fn of(system: &Statvfs) -> Self {
        Self {
            free_bytes: system
                .blocks_available()
                .saturating_mul(system.fragment_size()),
            files: system.files(),
            free_files: system.files_available(),
        }
    }
}

fn is_full(room: &Room) -> bool {
    // Some file systems do not count files, and report a total of 0.
    room.free_bytes < FREE_BYTES_MIN || (room.files > 0 && room.free_files == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(free_bytes: u64, files: u64, free_files: u64) -> Room {
        Room {
            free_bytes,
            files,
            free_files,
        }
    }

    #[test]
    fn a_disk_is_full_without_bytes_or_without_files() {
        assert!(is_full(&room(1 << 20, 1000, 500)));
        assert!(is_full(&room(1 << 40, 1000, 0)));
        assert!(!is_full(&room(1 << 40, 1000, 500)));
        assert!(!is_full(&room(1 << 40, 0, 0)), "files are not counted");
    }

    #[test]
    fn a_folder_that_is_not_there_is_no_full_disk() {
        let missing = check(Path::new("/no/such/folder")).expect_err("it is not there");
        assert!(missing.to_string().contains("/no/such/folder"), "{missing}");
    }
}
