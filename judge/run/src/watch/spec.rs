//! What a watch is to be, as plain data.

use super::checks::CheckVersion;
use super::publish::Publisher;
use super::time::Time;
use crate::RunSpec;
use std::sync::Arc;

/// What a watch is to be.
pub struct WatchSpec {
    /// The run, of the kind [`crate::RunKind::Watched`].
    pub run: RunSpec,
    /// Who else sees the results, and where.
    pub publisher: Publisher,
    /// The time that it watches by.
    pub time: Arc<dyn Time>,
    /// Checks each new version.
    pub check: CheckVersion,
}
