//! A build's folder, measured because no unprivileged limit covers it, and then made readable.

use rulebook::JudgeError;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};
use system::foreign::ForeignFolder;

/// Maximum size of a build's folder, in bytes: of each file, the larger of length and disk use.
pub const FOLDER_BYTES_MAX: u64 = 2 << 30;
/// Maximum number of files and folders.
pub const FOLDER_ENTRIES_MAX: u64 = 100_000;
/// Minimum interval between measurements. They also take at most a twentieth of the time.
const MEASURE_INTERVAL_MIN: Duration = Duration::from_millis(200);
const MEASURE_PART: u32 = 20;
/// Maximum depth of folders.
pub const FOLDER_DEPTH_MAX: usize = 128;

#[derive(Debug)]
pub(super) struct Scratch {
    folder: ForeignFolder,
    measure_at: Instant,
}

impl Scratch {
    /// Opens the folder, before anything in it runs.
    pub(super) fn open(folder: &Path) -> Result<Self, JudgeError> {
        let opened = ForeignFolder::open(folder);
        Ok(Self {
            folder: opened.map_err(|e| JudgeError::io("measure", folder, e))?,
            measure_at: Instant::now() + MEASURE_INTERVAL_MIN,
        })
    }

    pub(super) fn until_next_measurement(&self) -> Duration {
        self.measure_at.saturating_duration_since(Instant::now())
    }

    pub(super) fn is_over_when_due(&mut self) -> bool {
        self.until_next_measurement().is_zero() && self.is_over()
    }

    pub(super) fn is_over(&mut self) -> bool {
        let began = Instant::now();
        let mut folder_use = FolderUse::default();
        folder_use.add(&self.folder);
        self.measure_at = Instant::now() + MEASURE_INTERVAL_MIN.max(began.elapsed() * MEASURE_PART);
        folder_use.is_too_much()
    }
}

#[derive(Debug, Default)]
struct FolderUse {
    bytes: u64,
    entries: u64,
}

impl FolderUse {
    fn add(&mut self, folder: &ForeignFolder) {
        folder.each_below(FOLDER_DEPTH_MAX, &mut |found| {
            match found.map_err(|error| error.kind()) {
                Ok(facts) => {
                    self.entries += 1;
                    let bytes = facts.bytes.max(facts.disk_bytes);
                    self.bytes = self.bytes.saturating_add(bytes);
                }
                // The folder hides its contents, or those below it.
                Err(ErrorKind::PermissionDenied | ErrorKind::FileTooLarge) => {
                    self.entries = u64::MAX;
                }
                // It is being removed or replaced.
                Err(_) => {}
            }
            !self.is_too_much()
        });
    }

    const fn is_too_much(&self) -> bool {
        self.bytes > FOLDER_BYTES_MAX || self.entries > FOLDER_ENTRIES_MAX
    }
}

/// Maximum length of a path below a build's folder, after the build has ended, in bytes.
const PATH_BYTES_MAX: usize = 1024;

/// Lets the owner list and change every folder below `folder`. Moves up folders that are too deep
/// for a path. Does not follow links. No other process may still be at work there.
pub(super) fn tame(folder: &Path) -> Result<(), JudgeError> {
    const OWNER_ALL: u32 = 0o700;
    let mut folders = vec![folder.to_owned()];
    while let Some(mut below) = folders.pop() {
        let failed = |e| JudgeError::io("search", folder, e);
        let mode = fs::symlink_metadata(&below).map_err(failed)?.mode();
        if mode & OWNER_ALL != OWNER_ALL {
            let open = fs::Permissions::from_mode(mode | OWNER_ALL);
            fs::set_permissions(&below, open).map_err(failed)?;
        }
        if below.as_os_str().len() > folder.as_os_str().len() + PATH_BYTES_MAX {
            // The build has left nothing with this name.
            let near = tempfile::Builder::new()
                .prefix(".from-below-")
                .tempdir_in(folder)
                .map_err(failed)?
                .keep();
            fs::rename(&below, &near).map_err(failed)?;
            below = near;
        }
        for entry in fs::read_dir(&below).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if entry.file_type().map_err(failed)?.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    Ok(())
}

/// Removes a path, however deep and closed what is below it.
pub fn remove(path: &Path) -> Result<(), JudgeError> {
    let failed = |e| JudgeError::io("remove", path, e);
    if fs::symlink_metadata(path).map_err(failed)?.is_dir() {
        tame(path)?;
        fs::remove_dir_all(path).map_err(failed)
    } else {
        fs::remove_file(path).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn bytes_are_counted_recursively_without_following_links() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let below = folder.path().join("a/b");
        fs::create_dir_all(&below).expect("writable");
        let long = |name: &str, bytes| {
            let file = File::create(below.join(name)).expect("writable");
            file.set_len(bytes).expect("without a hole being filled");
        };
        std::os::unix::fs::symlink("/", folder.path().join("link")).expect("writable");
        let mut scratch = Scratch::open(folder.path()).expect("there");
        long("one", FOLDER_BYTES_MAX / 2);
        assert!(!scratch.is_over());
        long("two", FOLDER_BYTES_MAX / 2 + 1);
        assert!(scratch.is_over());
    }

    #[test]
    fn a_folder_exchanged_for_a_link_is_measured() {
        let above = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| above.path().join(name);
        for name in ["build", "host"] {
            fs::create_dir(at(name)).expect("writable");
        }
        let long = |name: &str| {
            let file = File::create(at(name).join("long")).expect("writable");
            file.set_len(FOLDER_BYTES_MAX + 1)
                .expect("without a hole being filled");
        };
        let mut scratch = Scratch::open(&at("build")).expect("there");
        fs::rename(at("build"), at("away")).expect("writable");
        std::os::unix::fs::symlink("host", at("build")).expect("writable");
        long("host");
        assert!(!scratch.is_over());
        long("away");
        assert!(scratch.is_over());
    }

    #[test]
    fn too_many_files_are_too_much() {
        let mut folder_use = FolderUse {
            entries: FOLDER_ENTRIES_MAX,
            ..FolderUse::default()
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let open = ForeignFolder::open(folder.path()).expect("there");
        folder_use.add(&open);
        assert!(!folder_use.is_too_much());
        File::create(folder.path().join("one")).expect("writable");
        folder_use.add(&open);
        assert!(folder_use.is_too_much());
        let deep = folder.path().join("d/".repeat(FOLDER_DEPTH_MAX + 1));
        fs::create_dir_all(deep.parent().expect("it has one")).expect("writable");
        for (made, is_too_much) in [(deep.parent(), false), (Some(&*deep), true)] {
            fs::create_dir_all(made.expect("a path")).expect("writable");
            let mut folder_use = FolderUse::default();
            folder_use.add(&open);
            assert_eq!(folder_use.is_too_much(), is_too_much);
        }
    }

    #[test]
    fn deep_folders_are_raised_despite_taken_names() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        File::create(folder.path().join(".from-below-0")).expect("writable");
        let full = folder.path().join(".from-below-1/full");
        fs::create_dir_all(full).expect("writable");
        let mut deep = folder.path().to_owned();
        for _ in 0..2 * PATH_BYTES_MAX / 200 {
            deep.push("a".repeat(200));
        }
        fs::create_dir_all(&deep).expect("writable");
        File::create(deep.join("bottom")).expect("writable");
        let closed = fs::Permissions::from_mode(0o500);
        fs::set_permissions(deep.parent().expect("it has one"), closed).expect("writable");
        tame(folder.path()).expect("nothing stands in the way");
        assert!(folder.path().join(".from-below-0").is_file());
        assert!(!deep.exists());
        let mut folder_use = FolderUse::default();
        folder_use.add(&ForeignFolder::open(folder.path()).expect("there"));
        let folders_and_files = 2 * PATH_BYTES_MAX as u64 / 200 + 1;
        assert_eq!(folder_use.entries, folders_and_files + 3, "nothing is lost");
    }
}
