//! The arrival times of submissions. A thread lists all files every few seconds, and the list is
//! kept between processes: nobody is late because the judge was busy or restarting.

use super::acceptance::BEFORE_MAX;
use crate::play::worker::line_of;
use intake::{Fingerprint, Fingerprints, Listed, PolledRepositories};
use jiff::Timestamp;
use model::fault::quote;
use rulebook::{IoContext, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use system::files::{if_there, make_private_folder, read_regular, write_whole};
use system::run_folder::STAFF;

const FILE_NAME: &str = "arrivals.json";

pub(super) struct Arrivals {
    path: PathBuf,
    places: Vec<PathBuf>,
    /// The folders in them that the run itself writes: absolute, without links.
    but: Vec<PathBuf>,
    pub(super) repositories: Arc<PolledRepositories>,
    last: Mutex<Listed>,
    seen: Mutex<Seen>,
    written: Mutex<Option<Timestamp>>,
}

#[derive(Default, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    at: Option<Timestamp>,
    listed: BTreeMap<PathBuf, Entry>,
}

#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    fingerprint: Fingerprint,
    /// The latest possible time of arrival with this content.
    since: Timestamp,
}

/// A submission that was read, and the listing after that.
pub(super) struct Read<'a> {
    /// The name of its file or folder.
    pub(super) origin: &'a str,
    /// As they were read; they may have changed before they were listed. Empty for a member of a
    /// zip of a whole class, and where nothing could be read.
    pub(super) fingerprints: &'a Fingerprints,
    pub(super) listed: &'a BTreeMap<PathBuf, Fingerprint>,
}

fn name_of(path: &Path) -> String {
    quote(path.file_name().unwrap_or_default().as_encoded_bytes())
}

impl Arrivals {
    pub(super) fn of_run(run: &Path, places: Vec<PathBuf>, but: Vec<PathBuf>) -> Result<Self> {
        let staff = run.join(STAFF);
        make_private_folder(&staff)?;
        let path = staff.join(FILE_NAME);
        let text = if_there(read_regular(&path)).or_io("read", &path)?;
        // A damaged list counts as none: everything counts as arriving now.
        let seen = text.and_then(|text| serde_json::from_slice(&text).ok());
        Ok(Self {
            path,
            places,
            but,
            repositories: Arc::default(),
            last: Mutex::default(),
            seen: Mutex::new(seen.unwrap_or_default()),
            written: Mutex::default(),
        })
    }

    pub(super) fn entries(&self) -> BTreeMap<PathBuf, Fingerprint> {
        lock(&self.last).list(&self.places, &self.but)
    }

    /// Returns a number that changes with the content. A file that is only touched stays the same.
    pub(super) fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.repositories.revision().hash(&mut hasher);
        self.entries().hash(&mut hasher);
        hasher.finish()
    }

    pub(super) fn list(&self, now: Timestamp) -> Result {
        let entries = self.entries();
        let mut seen = lock(&self.seen);
        let next = seen.after(entries, now);
        // An unchanged list is saved now and then: its time shows how long nobody has listed.
        let mut written = lock(&self.written);
        let is_old = written.is_none_or(|at| now.duration_since(at).abs() >= BEFORE_MAX / 4);
        let is_changed = next.listed != seen.listed;
        // Kept in memory even if saving fails: a full disk must not delay receipt times.
        *seen = next;
        if is_changed || is_old {
            *written = None;
            write_whole(&self.path, &line_of(&*seen))?;
            *written = Some(now);
        }
        Ok(())
    }

    /// Returns the time of the last listing by any watch of this run.
    pub(super) fn listed(&self) -> Option<Timestamp> {
        lock(&self.seen).at
    }

    /// A change since the last listing arrived at that listing. `None` if unknown, or long ago.
    pub(super) fn since(&self, read: &Read<'_>, now: Timestamp) -> Option<Timestamp> {
        lock(&self.seen).since(read, now)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nobody panics while holding it")
}

impl Seen {
    fn before(&self, now: Timestamp) -> Option<Timestamp> {
        self.at
            .filter(|at| *at <= now && now.duration_since(*at) <= BEFORE_MAX)
    }

    fn since(&self, read: &Read<'_>, now: Timestamp) -> Option<Timestamp> {
        let all: Option<Vec<&Entry>> = if read.fingerprints.is_empty() {
            let known = |(path, fingerprint): (&PathBuf, &Fingerprint)| {
                let entry = self.listed.get(path);
                entry.filter(|entry| entry.fingerprint == *fingerprint)
            };
            // Its own file or folder, or everything.
            let mut listed = read.listed.iter();
            let own = listed.find(|(path, _)| name_of(path) == read.origin);
            match own {
                Some(own) => known(own).map(|entry| vec![entry]),
                None => read.listed.iter().map(known).collect(),
            }
        } else {
            let known = |(name, fingerprint): (&String, &Fingerprint)| {
                let mut own = self.listed.iter();
                own.find(|(path, own)| own.fingerprint == *fingerprint && name_of(path) == *name)
                    .map(|(_, entry)| entry)
            };
            read.fingerprints.iter().map(known).collect()
        };
        // A submission is complete when the last of its files has arrived.
        all.and_then(|all| all.into_iter().map(|entry| entry.since).max())
            .or_else(|| self.before(now))
    }

    fn after(&self, entries: BTreeMap<PathBuf, Fingerprint>, now: Timestamp) -> Self {
        let before = self.before(now);
        let listed = entries.into_iter().map(|(path, fingerprint)| {
            let since = self
                .listed
                .get(&path)
                .filter(|entry| entry.fingerprint == fingerprint && entry.since <= now)
                .map_or(before.unwrap_or(now), |entry| entry.since);
            (path, Entry { fingerprint, since })
        });
        Self {
            at: Some(now),
            listed: listed.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).expect("a time")
    }

    fn listed(text: u64) -> BTreeMap<PathBuf, Fingerprint> {
        let fingerprint = Fingerprint::of_text(&text.to_string());
        BTreeMap::from([(PathBuf::from("sub/ann"), fingerprint)])
    }

    fn read<'a>(origin: &'a str, listed: &'a BTreeMap<PathBuf, Fingerprint>) -> Read<'a> {
        Read {
            origin,
            fingerprints: &NOTHING,
            listed,
        }
    }

    /// Makes a folder for a run with submissions in it.
    fn class_of_ann() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let submissions = folder.path().join("sub");
        std::fs::create_dir_all(submissions.join("ann")).expect("writable");
        (folder, submissions)
    }

    /// Reads the arrivals of a run in a folder with submissions.
    fn arrivals(folder: &Path) -> Arrivals {
        Arrivals::of_run(folder, vec![folder.join("sub")], Vec::new()).expect("readable")
    }

    #[test]
    fn changes_are_seen_and_run_output_is_ignored() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("ann/src")).expect("writable");
        std::fs::create_dir(at("out")).expect("writable");
        let (places, but) = (vec![at("")], vec![at("out").canonicalize().expect("there")]);
        let arrivals = Arrivals::of_run(&at("out"), places, but).expect("readable");
        let digest = || arrivals.digest();
        let mut seen = vec![digest()];
        for text in ["one", "two"] {
            std::fs::write(at("ann/src/bot"), text).expect("writable");
            seen.push(digest());
        }
        std::fs::create_dir(at("bob")).expect("writable");
        seen.push(digest());
        let mut different = seen.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), seen.len());
        std::fs::write(at("out/journal"), "much").expect("writable");
        assert_eq!(digest(), seen[3]);
        // The same again, with other times.
        std::fs::remove_file(at("ann/src/bot")).expect("writable");
        std::fs::write(at("ann/src/bot"), "two").expect("writable");
        assert_eq!(digest(), seen[3]);
    }

    static NOTHING: Fingerprints = Fingerprints::new();

    #[test]
    fn change_after_last_listing_dates_from_that_listing() {
        let seen = Seen::default().after(listed(1), at(0));
        let seen = seen.after(listed(1), at(5));
        for origin in ["ann", "one of a zip"] {
            let since =
                |text: u64, second: i64| seen.since(&read(origin, &listed(text)), at(second));
            assert_eq!(since(1, 7), Some(at(0)));
            assert_eq!(since(2, 7), Some(at(5)));
            assert_eq!(since(1, 7205), Some(at(0)));
            assert_eq!(since(2, 7205), None);
        }
    }

    #[test]
    fn new_entry_dates_from_previous_recent_listing() {
        let mut seen = Seen::default();
        let mut list = |second: i64, text: u64| {
            seen = seen.after(listed(text), at(second));
            let entry = seen.listed.values().next().expect("it is there");
            entry.since.as_second() - at(0).as_second()
        };
        for (second, digest, since) in [
            (0, 1, 0),
            (5, 1, 0),
            (10, 2, 5),
            (3600, 2, 5),
            (3605, 3, 3600),
            // Nobody listed for an hour.
            (7205, 4, 7205),
            // The clock was set back.
            (7000, 4, 7000),
        ] {
            assert_eq!(list(second, digest), since, "{second}");
        }
    }

    #[test]
    fn read_content_counts_and_later_listing_does_not() {
        let mut seen = Seen::default().after(listed(1), at(0));
        seen = seen.after(listed(1), at(5));
        // It had other content while it was read, and has the old content again.
        let other = [("ann".to_owned(), Fingerprint::of_text("other"))].into();
        let listed = listed(1);
        let back = Read {
            fingerprints: &other,
            ..read("ann", &listed)
        };
        assert_eq!(seen.since(&back, at(7)), Some(at(5)));
        assert_eq!(seen.since(&read("ann", &listed), at(7)), Some(at(0)));
        // It was removed after it was read, and nothing else has changed.
        let others = BTreeMap::new();
        let gone = Read {
            listed: &others,
            ..back
        };
        assert_eq!(seen.since(&gone, at(7)), Some(at(5)));
    }

    #[test]
    fn multi_file_submission_dates_from_its_last_file() {
        let names = ["ann_1_a.py", "ann_2_b.py", "bob_3_c.py"];
        let lying = |texts: [u64; 3]| {
            let all = names.into_iter().zip(texts);
            all.map(|(name, text)| (name, Fingerprint::of_text(&text.to_string())))
        };
        let listed = |texts| -> BTreeMap<PathBuf, Fingerprint> {
            let place = |(name, own)| (Path::new("sub").join::<&str>(name), own);
            lying(texts).map(place).collect()
        };
        let mut seen = Seen::default();
        for (second, texts) in [(0, [1, 1, 1]), (5, [1, 2, 1]), (10, [1, 2, 2])] {
            seen = seen.after(listed(texts), at(second));
        }
        let since = |texts| {
            let own = |(name, own): (&str, Fingerprint)| (name.to_owned(), own);
            let own: Fingerprints = lying(texts).take(2).map(own).collect();
            let lists = listed([1, 2, 2]);
            let read = Read {
                fingerprints: &own,
                ..read("ann_1_a.py, ann_2_b.py", &lists)
            };
            seen.since(&read, at(12))
        };
        // Bob's came after the listing at 5.
        assert_eq!(since([1, 2, 2]), Some(at(0)));
        // It was written again between two listings.
        assert_eq!(since([1, 3, 2]), Some(at(10)));
    }

    #[test]
    fn unwritable_arrivals_are_still_known() {
        let (folder, submissions) = class_of_ann();
        let arrivals = || arrivals(folder.path());
        let first = arrivals();
        first.list(at(0)).expect("valid");
        std::fs::remove_dir_all(folder.path().join(STAFF)).expect("writable");
        for (second, text) in [(5, "one"), (10, "two")] {
            std::fs::write(submissions.join("ann/bot"), text).expect("writable");
            first.list(at(second)).expect_err("no place");
        }
        assert_eq!(first.listed(), Some(at(10)));
        let since = first.since(&read("ann", &first.entries()), at(12));
        assert_eq!(since, Some(at(5)));
        std::fs::create_dir(folder.path().join(STAFF)).expect("writable");
        first.list(at(15)).expect("ours again");
        assert_eq!(arrivals().listed(), Some(at(15)));
    }

    #[test]
    fn what_was_seen_outlives_the_program() {
        let (folder, submissions) = class_of_ann();
        let arrivals = || arrivals(folder.path());
        let first = arrivals();
        first.list(at(0)).expect("valid");
        first.list(at(100)).expect("valid");
        std::fs::write(submissions.join("ann/bot"), "bot").expect("writable");
        first.list(at(105)).expect("valid");
        let since = |arrivals: &Arrivals, origin| {
            arrivals.since(&read(origin, &arrivals.entries()), at(9000))
        };
        assert_eq!(since(&first, "ann"), Some(at(100)));
        let second = arrivals();
        second.list(at(9000)).expect("valid");
        assert_eq!(since(&second, "ann"), Some(at(100)));
        assert_eq!(since(&second, "bob, in a zip of all"), Some(at(100)));
    }
}
