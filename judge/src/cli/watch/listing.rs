//! Whether something has changed where submissions lie: first names, sizes and times of files, and
//! only where these have changed what is in them.

use intake::PolledRepositories;
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File, Metadata};
use std::hash::{Hash, Hasher};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most entries that are looked at; what lies behind them is seen when something before them
/// changes.
const ENTRIES_MAX: usize = 200_000;
/// How deep folders are looked into.
const DEPTH_MAX: usize = 64;
/// Larger files are not read: their times tell that they change.
const READ_BYTES_MAX: u64 = 64 << 20;
/// How much is read at a time.
const PIECE_BYTES: usize = 1 << 16;

/// Where submissions lie, and the folders there that are not looked into, as they change by what a
/// run does itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Listing {
    pub(super) places: Vec<PathBuf>,
    /// Absolute, without links.
    pub(super) but: Vec<PathBuf>,
    /// Those that a list there names.
    pub(super) repositories: Arc<PolledRepositories>,
}

/// What is told of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// Its size and its times.
    Times,
    /// What is in it.
    Content,
}

/// What lies there, by its content: what is only touched stays the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    /// By path: the number of its listing, and that of its content.
    known: BTreeMap<PathBuf, (u64, u64)>,
}

impl Contents {
    /// Returns a number that changes when something there does; what is listed as before is not
    /// read again.
    pub(super) fn digest(&mut self, listing: &Listing) -> u64 {
        let known = std::mem::take(&mut self.known);
        let entries = listing.entries().into_iter().map(|(path, listed)| {
            let same = known.get(&path).filter(|(before, _)| *before == listed);
            let content = same.map(|(_, content)| *content);
            let content = content.unwrap_or_else(|| listing.content(&path));
            (path, (listed, content))
        });
        self.known = entries.collect();
        let mut hasher = DefaultHasher::new();
        listing.repositories.revision().hash(&mut hasher);
        for (path, (_, content)) in &self.known {
            (path, content).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Lists what was there last, as [`Listing::entries`] does.
    pub(super) fn listed(&self) -> impl Iterator<Item = (&PathBuf, u64)> {
        self.known.iter().map(|(path, (listed, _))| (path, *listed))
    }
}

impl Listing {
    /// Returns a number that changes with what is in a file or folder.
    fn content(&self, path: &Path) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.add(
            path,
            By::Content,
            DEPTH_MAX,
            &mut ENTRIES_MAX.clone(),
            &mut hasher,
        );
        hasher.finish()
    }

    /// Returns for each file and folder among the submissions a number that changes with it.
    pub(super) fn entries(&self) -> BTreeMap<PathBuf, u64> {
        let mut left = ENTRIES_MAX;
        let mut all = BTreeMap::new();
        for place in &self.places {
            let place = place.canonicalize().unwrap_or_else(|_| place.clone());
            let inside = fs::read_dir(&place).into_iter().flatten().flatten();
            let inside: Vec<PathBuf> = inside.map(|entry| entry.path()).collect();
            let entries = if place.is_dir() { inside } else { vec![place] };
            for entry in entries {
                let mut hasher = DefaultHasher::new();
                self.add(&entry, By::Times, DEPTH_MAX, &mut left, &mut hasher);
                all.insert(entry, hasher.finish());
            }
        }
        all
    }

    fn add(&self, path: &Path, by: By, depth: usize, left: &mut usize, hasher: &mut DefaultHasher) {
        path.hash(hasher);
        let Ok(meta) = fs::symlink_metadata(path) else {
            return;
        };
        if *left == 0 || self.is_left_out(path) {
            return;
        }
        *left -= 1;
        meta.mode().hash(hasher);
        // A folder's own times tell nothing that its entries do not.
        if !meta.is_dir() {
            meta.len().hash(hasher);
            let is_read = by == By::Content && meta.is_file() && meta.len() <= READ_BYTES_MAX;
            if !is_read || add_content(path, hasher).is_err() {
                add_times(&meta, hasher);
            }
        }
        if !meta.is_dir() || depth == 0 {
            return;
        }
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        let mut entries: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        entries.sort();
        for entry in entries {
            self.add(&entry, by, depth - 1, left, hasher);
        }
    }

    fn is_left_out(&self, path: &Path) -> bool {
        self.but.iter().any(|but| but == path)
    }
}

fn add_times(meta: &Metadata, hasher: &mut DefaultHasher) {
    let (changed, changed_ns) = (meta.ctime(), meta.ctime_nsec());
    let written = (meta.mtime(), meta.mtime_nsec());
    (meta.ino(), written, changed, changed_ns).hash(hasher);
}

fn add_content(path: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    // It may have become a link or a pipe.
    let flags = nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK;
    let mut file = File::options().read(true).custom_flags(flags).open(path)?;
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(()),
            count => hasher.write(&piece[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_is_seen_and_what_the_run_writes_is_not() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("ann/src")).expect("ours");
        fs::create_dir(at("out")).expect("ours");
        let listing = Listing {
            places: vec![folder.path().to_owned()],
            but: vec![at("out").canonicalize().expect("there")],
            repositories: Arc::default(),
        };
        let mut contents = Contents::default();
        let mut digest = || contents.digest(&listing);
        let mut seen = vec![digest()];
        fs::write(at("ann/src/bot"), "one").expect("ours");
        seen.push(digest());
        fs::write(at("ann/src/bot"), "two").expect("ours");
        seen.push(digest());
        fs::create_dir(at("bob")).expect("ours");
        seen.push(digest());
        let mut different = seen.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), seen.len());
        fs::write(at("out/journal"), "much").expect("ours");
        assert_eq!(digest(), seen[3]);
        // The same again, with other times.
        let before = listing.entries();
        fs::remove_file(at("ann/src/bot")).expect("ours");
        fs::write(at("ann/src/bot"), "two").expect("ours");
        assert_ne!(listing.entries(), before);
        assert_eq!(digest(), seen[3]);
    }
}
