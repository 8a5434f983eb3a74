//! What a watch knows from earlier looks.

use super::polled::PolledRepositories;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a watch knows from earlier looks.
#[derive(Clone, Copy, Debug)]
pub struct EarlierLooks<'a> {
    /// What each repository held when it was asked last.
    pub repositories: &'a Arc<PolledRepositories>,
    /// Whose names are.
    pub owners: &'a NameOwners,
}

/// Who was the first to submit something under a name: the numbers of people, by entrant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NameOwners(BTreeMap<String, u32>);

impl NameOwners {
    /// Notes who has submitted something as an entrant; the first one keeps the name.
    pub fn note(&mut self, entrant: &str, person: u32) {
        self.0.entry(entrant.to_owned()).or_insert(person);
    }

    /// Returns to whom a name belongs.
    pub(super) fn of(&self, entrant: &str) -> Option<u32> {
        self.0.get(entrant).copied()
    }

    /// Returns whether some name belongs to a person.
    pub(super) fn has(&self, person: u32) -> bool {
        self.0.values().any(|own| *own == person)
    }
}
