//! The listing of the places with submissions, which shows whether something has changed.

use intake::{Fingerprint, Listed, PolledRepositories};
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// The places with submissions, without the folders in them that the run itself writes.
#[derive(Clone, Debug, Default)]
pub(super) struct Listing {
    pub(super) places: Vec<PathBuf>,
    /// The folders to leave out: absolute, without links.
    pub(super) but: Vec<PathBuf>,
    /// The repositories that a list in them names.
    pub(super) repositories: Arc<PolledRepositories>,
    /// The last listing; all clones share it.
    pub(super) listed: Arc<Mutex<Listed>>,
}

impl Listing {
    /// Returns the fingerprint of each file and folder.
    pub(super) fn entries(&self) -> BTreeMap<PathBuf, Fingerprint> {
        let mut listed = self.listed.lock().expect("nobody panics while holding it");
        listed.list(&self.places, &self.but)
    }

    /// Returns a number that changes with the content. A file that is only touched stays the same.
    pub(super) fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.repositories.revision().hash(&mut hasher);
        self.entries().hash(&mut hasher);
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_changes_is_seen_and_what_the_run_writes_is_not() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("ann/src")).expect("ours");
        fs::create_dir(at("out")).expect("ours");
        let listing = Listing {
            places: vec![folder.path().to_owned()],
            but: vec![at("out").canonicalize().expect("there")],
            ..Listing::default()
        };
        let digest = || listing.digest();
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
        fs::remove_file(at("ann/src/bot")).expect("ours");
        fs::write(at("ann/src/bot"), "two").expect("ours");
        assert_eq!(digest(), seen[3]);
    }
}
