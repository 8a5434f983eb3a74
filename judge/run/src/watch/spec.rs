//! The specification of a watch, as plain data.

use super::checks::CheckVersion;
use super::publish::Publisher;
use super::time::Time;
use crate::RunSpec;
use std::sync::Arc;

/// The specification of a watch.
pub struct WatchSpec {
    /// The run, of the kind [`crate::RunKind::Watched`].
    pub run: RunSpec,
    /// The folders for others who see the results.
    pub publisher: Publisher,
    /// The source of time of the watch.
    pub time: Arc<dyn Time>,
    /// Checks each new version.
    pub check: CheckVersion,
}
