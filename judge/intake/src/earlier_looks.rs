//! What a watch knows from earlier looks.

use super::people::NameOwners;
use super::polled::PolledRepositories;
use std::sync::Arc;

/// What a watch knows from earlier looks.
#[derive(Clone, Copy, Debug)]
pub struct EarlierLooks<'a> {
    /// What each repository held when it was asked last.
    pub repositories: &'a Arc<PolledRepositories>,
    /// Whose names are.
    pub owners: &'a NameOwners,
}
