//! How often games were in doubt by the bots of each entrant: ended, perhaps by another process,
//! short of something, or silent on an overloaded machine.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// Maximum number of tries that may fail by bots of one entrant in a round, in addition to twice the
/// median of all entrants. An entrant above that causes this itself, to get games that it loses
/// played again. From then on it is blamed at once.
pub(super) const KILLS_SPARE: u32 = 10;

/// The number of such tries of each entrant of a round, in all its versions and tournaments.
#[derive(Debug, Default)]
pub struct EndedBots(Mutex<BTreeMap<Arc<str>, u32>>);

impl EndedBots {
    /// Continues with counts that [`EndedBots::counts`] returned.
    pub fn new(counts: &BTreeMap<String, u32>) -> Self {
        let counts = counts
            .iter()
            .map(|(entrant, &count)| (Arc::from(&**entrant), count));
        Self(Mutex::new(counts.collect()))
    }

    /// Returns the counts that are not 0.
    pub fn counts(&self) -> BTreeMap<String, u32> {
        let counts = self.lock();
        counts
            .iter()
            .filter(|(_, count)| **count > 0)
            .map(|(entrant, &count)| (entrant.to_string(), count))
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, u32>> {
        self.0.lock().expect("nobody panics while counting")
    }

    /// Adds an entrant who is to play to the median.
    pub(super) fn enter(&self, entrant: &Arc<str>) {
        self.lock().entry(Arc::clone(entrant)).or_default();
    }

    /// Counts another bot of an entrant that made a try fail. Returns the count if it is too high to be another's
    /// doing.
    pub(super) fn too_often(&self, entrant: &Arc<str>) -> Option<u32> {
        let mut counts = self.lock();
        let count = counts.entry(Arc::clone(entrant)).or_default();
        *count += 1;
        let count = *count;
        let mut all: Vec<u32> = counts.values().copied().collect();
        all.sort_unstable();
        let median = all[(all.len() - 1) / 2];
        (count > KILLS_SPARE + 2 * median).then_some(count)
    }
}
