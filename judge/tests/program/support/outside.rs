//! Files that programs must not touch.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder in which everybody may write, and a file that everybody may read.
pub(crate) struct Outside {
    folder: TempDir,
}

impl Outside {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let outside = Self { folder };
        for folder in ["open", "closed"] {
            fs::create_dir(outside.folder.path().join(folder)).expect("a new folder");
        }
        fs::write(outside.secret(), "a secret").expect("a new file");
        fs::write(outside.closed(), "closed").expect("a new file");
        let modes = [
            ("", 0o755),
            ("open", 0o777),
            ("secret", 0o666),
            ("closed", 0o700),
        ];
        for (name, mode) in modes {
            let path = outside.folder.path().join(name);
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("writable");
        }
        outside
    }

    pub(crate) fn open(&self) -> PathBuf {
        self.folder.path().join("open")
    }

    pub(crate) fn secret(&self) -> PathBuf {
        self.folder.path().join("secret")
    }

    /// Returns a file in a folder that only its owner may enter.
    pub(crate) fn closed(&self) -> PathBuf {
        self.folder.path().join("closed/file")
    }

    /// Returns a unique path in a folder that is not ours.
    pub(crate) fn unique(&self, folder: &str) -> PathBuf {
        let name = self.folder.path().file_name().expect("it has one");
        Path::new(folder).join(format!("judge-{}", name.display()))
    }

    /// Returns the content of `targets.txt`: these targets, and those that all tests have.
    pub(crate) fn targets(&self, own: [(&str, PathBuf); 5]) -> String {
        let common = [
            ("tmp", self.unique("/tmp")),
            ("shm", self.unique("/dev/shm")),
            ("name", self.unique("/")),
            ("closed", self.closed()),
            // A process that is older than the program.
            ("outsider", std::process::id().to_string().into()),
        ];
        let all = own.into_iter().chain(common);
        let lines = all.map(|(name, path)| format!("{name} {}\n", path.display()));
        lines.collect()
    }

    pub(crate) fn assert_untouched(&self) {
        let planted = fs::read_dir(self.open()).expect("readable").count();
        assert_eq!(planted, 0, "something was written where all may write");
        assert_eq!(fs::read(self.secret()).expect("readable"), b"a secret");
        let mode = fs::metadata(self.secret()).expect("readable").permissions();
        assert_eq!(mode.mode() & 0o7777, 0o666);
        for folder in ["/tmp", "/dev/shm"] {
            let planted = self.unique(folder);
            assert!(!planted.exists(), "{} was written", planted.display());
        }
    }
}
