//! The entrance of `artifacts/`: what a build may leave, within bounds and under names that every
//! later step can carry. A link to a file becomes a copy, so that no later step meets one. What
//! enters
//! `versions/` passes [`Bag::add`](crate::read::source::Bag::add).

#![expect(
    clippy::disallowed_methods,
    reason = "a build step that has ended has written it, in a folder of the judge's"
)]

use crate::read::names;
use crate::read::source::EXECUTABLE;
use model::fault::quote;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use system::files::set_mode;
use tempfile::NamedTempFile;

/// Maximum size of a program with all files next to it, in bytes. Copies in place of links count.
const BYTES_MAX: u64 = 1 << 30;
const ENTRIES_MAX: usize = 100_000;
const DEPTH_MAX: usize = 32;

#[derive(Debug)]
pub(crate) enum NormalizeError {
    /// They may not be kept. The reason is for their author.
    Refused(String),
    Failed(io::Error),
}

impl From<io::Error> for NormalizeError {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

/// Makes everything below `root` readable for the bot's user and writable for nobody else. Puts a
/// file of its own in place of each link to a regular file there, and of each further name of one.
pub(crate) fn normalize(root: &Path) -> Result<(), NormalizeError> {
    let root = root.canonicalize()?;
    let mut normalizer = Normalizer {
        root: &root,
        entries: 0,
        bytes: 0,
    };
    normalizer.folder(&root, 0)
}

struct Normalizer<'a> {
    root: &'a Path,
    entries: usize,
    bytes: u64,
}

impl Normalizer<'_> {
    fn folder(&mut self, folder: &Path, depth: usize) -> Result<(), NormalizeError> {
        if depth > DEPTH_MAX {
            return Err(NormalizeError::Refused(format!(
                "the build made folders nested more than {DEPTH_MAX} deep"
            )));
        }
        set_mode(folder, 0o755)?;
        let mut entries = Vec::new();
        for entry in fs::read_dir(folder)? {
            self.count(1, 0)?;
            entries.push(entry?);
        }
        for entry in entries {
            let (path, meta) = (entry.path(), entry.metadata()?);
            let kind = meta.file_type();
            if let Some(why) = names::unfit(&entry.file_name()) {
                return Err(self.unfit(&path, why.words()));
            } else if kind.is_dir() {
                self.folder(&path, depth + 1)?;
            } else if kind.is_symlink() {
                self.follow(&path)?;
            } else if kind.is_file() {
                self.file(&path, &path, &meta)?;
            } else {
                return Err(self.unfit(&path, "it is neither a folder nor a file"));
            }
        }
        Ok(())
    }

    fn file(&mut self, from: &Path, to: &Path, meta: &Metadata) -> Result<(), NormalizeError> {
        self.count(0, meta.len())?;
        let is_program = meta.mode() & EXECUTABLE != 0;
        let mode = if is_program { 0o755 } else { 0o644 };
        set_mode(from, mode)?;
        if from != to || meta.nlink() > 1 {
            // A new file with an unpredictable name: the build may have left links there.
            let mut copy = NamedTempFile::new_in(to.parent().unwrap_or(self.root))?;
            io::copy(&mut File::open(from)?, &mut copy)?;
            copy.as_file()
                .set_permissions(PermissionsExt::from_mode(mode))?;
            copy.persist(to).map_err(io::Error::from)?;
        }
        Ok(())
    }

    fn follow(&mut self, link: &Path) -> Result<(), NormalizeError> {
        let target = fs::read_link(link)?;
        let mut why = "which is not a file in the submission's folder";
        if let Ok(end) = link.canonicalize()
            && end.starts_with(self.root)
            && let Ok(meta) = end.symlink_metadata()
        {
            if meta.is_file() {
                return self.file(&end, link, &meta);
            }
            if meta.is_dir() {
                why = "which is a folder";
            }
        }
        Err(NormalizeError::Refused(format!(
            "the build left the link {} to {}, {why}; make the build copy the link's target (cp -rL), or remove the link",
            self.shown(link),
            quote(target.as_os_str().as_encoded_bytes())
        )))
    }

    fn count(&mut self, entries: usize, bytes: u64) -> Result<(), NormalizeError> {
        self.entries += entries;
        self.bytes += bytes;
        if self.entries <= ENTRIES_MAX && self.bytes <= BYTES_MAX {
            return Ok(());
        }
        Err(NormalizeError::Refused(format!(
            "the build made more than {ENTRIES_MAX} files or {} MiB, with a copy for every link",
            BYTES_MAX >> 20
        )))
    }

    fn unfit(&self, path: &Path, why: &str) -> NormalizeError {
        NormalizeError::Refused(format!(
            "the build left {}, but {why}; make the build remove it",
            self.shown(path)
        ))
    }

    fn shown(&self, path: &Path) -> String {
        let own = path.strip_prefix(self.root).unwrap_or(path);
        quote(own.as_os_str().as_encoded_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::stat::{Mode, SFlag, mknod};
    use nix::unistd::mkfifo;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    fn refusal(root: &Path) -> String {
        match normalize(root) {
            Err(NormalizeError::Refused(reason)) => reason,
            passed => panic!("{passed:?}"),
        }
    }

    #[test]
    fn every_file_name_becomes_separate_file() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| root.path().join(name);
        fs::create_dir(at("below")).expect("writable");
        fs::write(at("below/bot"), "bot").expect("writable");
        set_mode(at("below/bot"), 0o755).expect("writable");
        symlink("below/bot", at("bot")).expect("writable");
        symlink("../bot", at("below/again")).expect("writable");
        fs::hard_link(at("below/bot"), at("hard")).expect("writable");
        normalize(root.path()).expect("nothing is refused");
        for name in ["bot", "hard", "below/bot", "below/again"] {
            let meta = fs::symlink_metadata(at(name)).expect("it is there");
            assert!(meta.is_file() && meta.nlink() == 1, "{name}");
            assert_eq!(meta.mode() & 0o777, 0o755, "{name}");
            assert_eq!(fs::read_to_string(at(name)).expect("readable"), "bot");
        }
        assert_eq!(fs::read_dir(root.path()).expect("readable").count(), 3);
    }

    #[test]
    fn settled_modes_let_nobody_else_write() {
        for (set, settled) in [(0o777, 0o755), (0o666, 0o644), (0o4711, 0o755), (0, 0o644)] {
            let root = tempfile::tempdir().expect("a temporary folder");
            let file = root.path().join("file");
            fs::write(&file, "").expect("writable");
            for path in [file.as_path(), root.path()] {
                set_mode(path, set | 0o700).expect("writable");
            }
            set_mode(&file, set).expect("writable");
            normalize(root.path()).expect("nothing is refused");
            let mode = |path: &Path| fs::metadata(path).expect("there").mode() & 0o7777;
            let modes = [mode(&file), mode(root.path())];
            assert_eq!(modes, [settled, 0o755], "{set:o}");
        }
    }

    #[test]
    fn only_what_every_later_step_carries_passes() {
        let neither = "it is neither a folder nor a file";
        for (name, why) in [
            (&b"pipe"[..], neither),
            (b"socket", neither),
            (b"\xff", "its name is not UTF-8"),
            (b"a\nb", "its name contains invisible characters"),
        ] {
            let root = tempfile::tempdir().expect("a temporary folder");
            fs::create_dir(root.path().join("below")).expect("writable");
            let at = root.path().join("below").join(OsStr::from_bytes(name));
            match name {
                b"pipe" => mkfifo(&at, Mode::S_IRWXU).expect("writable"),
                b"socket" => mknod(&at, SFlag::S_IFSOCK, Mode::S_IRWXU, 0).expect("writable"),
                b"\xff" => fs::write(&at, "").expect("writable"),
                _ => fs::create_dir(&at).expect("writable"),
            }
            let reason = refusal(root.path());
            let below = format!("the build left below/{}, but {why};", quote(name));
            assert!(reason.starts_with(&below), "{reason}");
        }
        let root = tempfile::tempdir().expect("a temporary folder");
        let long = "x".repeat(255);
        for name in ["a\\b", "c:x", "..\\x", "Foo::Bar.3pm", "straße", &long] {
            fs::write(root.path().join(name), "").expect("writable");
        }
        normalize(root.path()).expect("nothing is refused");
    }

    #[test]
    fn links_that_lead_elsewhere_are_refused_by_name() {
        let outside = "which is not a file in the submission's folder";
        for (target, why) in [
            ("/etc/hostname", outside),
            ("/no/such/file", outside),
            ("nowhere", outside),
            ("link", outside),
            ("below", "which is a folder"),
        ] {
            let root = tempfile::tempdir().expect("a temporary folder");
            fs::create_dir(root.path().join("below")).expect("writable");
            symlink(target, root.path().join("link")).expect("writable");
            let reason = refusal(root.path());
            let words =
                format!("the build left the link link to {target}, {why}; make the build copy");
            assert!(reason.starts_with(&words), "{reason}");
        }
    }
}
