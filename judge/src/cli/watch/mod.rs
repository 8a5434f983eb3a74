//! `judge run --watch`: a run that continues while submissions arrive.

#[cfg(feature = "test-clock")]
mod test_time;

use super::exit::Done;
use crate::check;
use crate::cli::out;
use crate::progress::Stages;
use clap::Args;
use rulebook::JudgeError;
use run::watch::{self, MachineTime, Publisher, Time, WatchEnd, WatchSpec};
use run::{RunEvent, RunSpec, Sink};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The flags of a watch.
#[derive(Args)]
pub(super) struct WatchArgs {
    /// Keep running: play new versions as they arrive
    ///
    /// Receives, builds and plays them until the results are final. Needs a competition with a
    /// deadline, or with `round = "practice/1"`; or `--seed`, for practice until you end it.
    #[arg(long, conflicts_with_all = ["on", "json_events", "against"])]
    pub(super) watch: bool,
    /// With --watch: keep the public view of the results in this folder
    #[arg(long, hide_short_help = true, value_name = "DIR", requires = "watch")]
    publish: Option<PathBuf>,
    /// With --watch: keep each student's own view in this folder, which must not be public
    #[arg(long, hide_short_help = true, value_name = "DIR", requires = "watch")]
    publish_students: Option<PathBuf>,
}

impl WatchArgs {
    /// Watches a run until nothing can change any more, or until an interrupt.
    pub(super) fn execute(self, run: RunSpec, stop: &Arc<AtomicBool>) -> Result<Done, JudgeError> {
        if run.places.is_empty() {
            let reason =
                "--watch looks for submissions: name their folder, zip or list of repositories";
            return Err(JudgeError::input(reason));
        }
        let spec = WatchSpec {
            run,
            publisher: Publisher {
                public: self.publish,
                students: self.publish_students,
            },
            time: time_source(),
            check: check::examine_version,
        };
        Ok(match watch::watch(&spec, &WatchSink::default(), stop)? {
            WatchEnd::Over => Done::Success,
            WatchEnd::Interrupted => Done::Interrupted,
        })
    }
}

fn time_source() -> Arc<dyn Time> {
    #[cfg(feature = "test-clock")]
    if let Some(file) = test_time::TestTime::named() {
        return Arc::new(file);
    }
    Arc::new(MachineTime)
}

#[derive(Default)]
struct WatchSink {
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
