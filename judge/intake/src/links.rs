//! Links in the results of a build. The system notes in each symbolic link when it was read. A
//! folder full of links would therefore be a memory from turn to turn, so programs are kept without
//! any.

#![expect(
    clippy::disallowed_methods,
    reason = "a build step that has ended has written it, in a folder of the judge's"
)]

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;
use words::fault::quote;

/// Maximum size of a program with all files beside it, in bytes.
pub(super) const KEPT_BYTES_MAX: u64 = 1 << 30;

/// Replaces every link below `root` to a regular file there, and every further name of a file, by a
/// file of its own. The inner error tells the author in plain words that a link leads elsewhere or
/// the copies are too large.
///
/// # Errors
/// When the folder cannot be read or written.
pub(super) fn replace(root: &Path) -> io::Result<Result<(), String>> {
    let mut copies = Copies {
        root: root.canonicalize()?,
        bytes: 0,
    };
    copies.replace_in(&root.canonicalize()?)
}

struct Copies {
    root: PathBuf,
    /// Size of all files so far.
    bytes: u64,
}

impl Copies {
    fn replace_in(&mut self, folder: &Path) -> io::Result<Result<(), String>> {
        let entries: Vec<_> = fs::read_dir(folder)?.collect::<io::Result<_>>()?;
        for entry in entries {
            let (path, meta) = (entry.path(), entry.metadata()?);
            let made = if meta.is_dir() {
                self.replace_in(&path)?
            } else if meta.is_symlink() {
                self.follow(&path)?
            } else if meta.is_file() && meta.nlink() > 1 {
                self.copy(&path, &path, &meta)?
            } else {
                self.add(meta.len())
            };
            if made.is_err() {
                return Ok(made);
            }
        }
        Ok(Ok(()))
    }

    /// Replaces a link by a copy of its target.
    fn follow(&mut self, link: &Path) -> io::Result<Result<(), String>> {
        let shown = |path: &Path| quote(path.as_os_str().as_encoded_bytes());
        let target = fs::read_link(link)?;
        let end = link.canonicalize().ok();
        let end = end.filter(|end| end.starts_with(&self.root));
        let found = end.and_then(|end| Some((end.symlink_metadata().ok()?, end)));
        let why = match found {
            Some((meta, end)) if meta.is_file() => return self.copy(&end, link, &meta),
            Some((meta, _)) if meta.is_dir() => "which is a folder",
            _ => "which is not a file in the submission's folder",
        };
        let own = link.strip_prefix(&self.root).unwrap_or(link);
        Ok(Err(format!(
            "the build left the link {} to {}, {why}; make the build copy the link's target (cp -rL), or remove the link",
            shown(own),
            shown(&target)
        )))
    }

    /// Puts a copy of a file in place of one of the names.
    fn copy(&mut self, from: &Path, to: &Path, meta: &Metadata) -> io::Result<Result<(), String>> {
        let fits = self.add(meta.len());
        if fits.is_ok() {
            // A new file with an unpredictable name: the build may have left links there.
            let mut copy = NamedTempFile::new_in(to.parent().unwrap_or(&self.root))?;
            io::copy(&mut File::open(from)?, &mut copy)?;
            copy.as_file().set_permissions(meta.permissions())?;
            copy.persist(to)?;
        }
        Ok(fits)
    }

    fn add(&mut self, bytes: u64) -> Result<(), String> {
        self.bytes += bytes;
        if self.bytes <= KEPT_BYTES_MAX {
            return Ok(());
        }
        Err(format!(
            "the build made more than {} MiB, with a copy for every link",
            KEPT_BYTES_MAX >> 20
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn every_name_of_a_file_becomes_a_file_of_its_own() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| root.path().join(name);
        fs::create_dir(at("below")).expect("ours");
        fs::write(at("below/bot"), "bot").expect("ours");
        fs::set_permissions(at("below/bot"), PermissionsExt::from_mode(0o755)).expect("ours");
        symlink("below/bot", at("bot")).expect("ours");
        symlink("../bot", at("below/again")).expect("ours");
        fs::hard_link(at("below/bot"), at("hard")).expect("ours");
        assert_eq!(replace(root.path()).expect("ours"), Ok(()));
        for name in ["bot", "hard", "below/bot", "below/again"] {
            let meta = fs::symlink_metadata(at(name)).expect("it is there");
            assert!(meta.is_file() && meta.nlink() == 1, "{name}");
            assert_eq!(meta.permissions().mode() & 0o777, 0o755, "{name}");
            assert_eq!(fs::read_to_string(at(name)).expect("ours"), "bot");
        }
        assert_eq!(fs::read_dir(root.path()).expect("ours").count(), 3);
    }

    #[test]
    fn links_that_lead_elsewhere_are_refused_by_name() {
        for (target, why) in [
            (
                "/etc/hostname",
                "which is not a file in the submission's folder",
            ),
            (
                "/no/such/file",
                "which is not a file in the submission's folder",
            ),
            ("nowhere", "which is not a file in the submission's folder"),
            ("link", "which is not a file in the submission's folder"),
            ("below", "which is a folder"),
        ] {
            let root = tempfile::tempdir().expect("a temporary folder");
            fs::create_dir(root.path().join("below")).expect("ours");
            symlink(target, root.path().join("link")).expect("ours");
            let reason = replace(root.path()).expect("ours").expect_err(target);
            let words =
                format!("the build left the link link to {target}, {why}; make the build copy");
            assert!(reason.starts_with(&words), "{reason}");
        }
    }
}
