//! Whether something has changed where submissions lie: names, sizes and times of files, without
//! what is in them.

use intake::PolledRepositories;
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most entries that are looked at; what lies behind them is seen when something before them
/// changes.
const ENTRIES_MAX: usize = 200_000;
/// How deep folders are looked into.
const DEPTH_MAX: usize = 64;

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

impl Listing {
    /// Returns a number that changes when something there does.
    pub(super) fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.repositories.revision().hash(&mut hasher);
        let mut left = ENTRIES_MAX;
        for place in &self.places {
            let place = place.canonicalize().unwrap_or_else(|_| place.clone());
            self.add(&place, DEPTH_MAX, &mut left, &mut hasher);
        }
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
                self.add(&entry, DEPTH_MAX, &mut left, &mut hasher);
                all.insert(entry, hasher.finish());
            }
        }
        all
    }

    fn add(&self, path: &Path, depth: usize, left: &mut usize, hasher: &mut DefaultHasher) {
        path.hash(hasher);
        let Ok(meta) = fs::symlink_metadata(path) else {
            return;
        };
        if *left == 0 || self.is_left_out(path) {
            return;
        }
        *left -= 1;
        let (changed, changed_ns) = (meta.ctime(), meta.ctime_nsec());
        (meta.mode(), meta.ino()).hash(hasher);
        if !meta.is_dir() {
            // A folder's own times tell nothing that its entries do not.
            (
                meta.len(),
                meta.mtime(),
                meta.mtime_nsec(),
                changed,
                changed_ns,
            )
                .hash(hasher);
        }
        if !meta.is_dir() || depth == 0 {
            return;
        }
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        let mut entries: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        entries.sort();
        for entry in entries {
            self.add(&entry, depth - 1, left, hasher);
        }
    }

    fn is_left_out(&self, path: &Path) -> bool {
        self.but.iter().any(|but| but == path)
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
        let mut seen = vec![listing.digest()];
        fs::write(at("ann/src/bot"), "one").expect("ours");
        seen.push(listing.digest());
        fs::write(at("ann/src/bot"), "longer").expect("ours");
        seen.push(listing.digest());
        fs::create_dir(at("bob")).expect("ours");
        seen.push(listing.digest());
        let mut different = seen.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), seen.len());
        fs::write(at("out/journal"), "much").expect("ours");
        assert_eq!(listing.digest(), seen[3]);
    }
}
