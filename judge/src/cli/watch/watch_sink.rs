//! Display of a watch for people: its log on standard output, its stages on a terminal.

use crate::cli::out;
use crate::progress::Stages;
use run::{RunEvent, Sink};

/// Prints each line of the log with its time.
#[derive(Default)]
pub(super) struct WatchSink {
    stages: Stages,
}

impl Sink for WatchSink {
    fn take(&self, event: RunEvent<'_>) {
        if let RunEvent::Log { at, words } = event {
            let time = at.round(jiff::Unit::Second).unwrap_or(at);
            out::line(format_args!("{time} {words}"));
        } else {
            self.stages.take(event);
        }
    }
}
