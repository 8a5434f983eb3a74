//! The knowledge of a watch from earlier looks.

use super::people::NameOwners;
use super::polled::PolledRepositories;
use std::sync::Arc;

/// The knowledge of a watch from earlier looks.
#[derive(Clone, Copy, Debug)]
pub struct EarlierLooks<'a> {
    /// Content of each repository when it was last asked.
    pub repositories: &'a Arc<PolledRepositories>,
    /// Owners of the entrants' names.
    pub owners: &'a NameOwners,
}
