//! `judge merge`: brings the games of parts back into their run.

use super::entering::Verbosity;
use super::exit::Done;
use super::run_sink::RunSink;
use super::run_tell::{self, Next};
use clap::Args;
use rulebook::JudgeError;
use run::MergeSpec;
use run::commands::{path_for_shell, program};
use std::path::PathBuf;

/// Takes journals in any order, any number of times, whole or not; a game that is there already
/// stays as it is. Then the tables and the page are written as `judge run` writes them.
#[derive(Args)]
pub(super) struct MergeArgs {
    /// The run folder
    run: PathBuf,
    /// Journals that `judge part` wrote, or copies of the run's own
    #[arg(required = true, value_name = "JOURNAL")]
    journals: Vec<PathBuf>,
    /// Accept games of machines whose speeds differ by more than half
    ///
    /// Tables and page say so.
    #[arg(long)]
    mixed: bool,
    #[command(flatten)]
    verbosity: Verbosity,
}

impl MergeArgs {
    pub(super) fn execute(self) -> Result<Done, JudgeError> {
        self.verbosity.apply();
        let spec = MergeSpec {
            run: self.run,
            journals: self.journals,
            mixed: self.mixed,
        };
        let sink = RunSink::default();
        let merged = spec.merge(&sink)?;
        let folder = path_for_shell(&merged.past.folder);
        let resume = format!("{} split {folder} --parts 1", program());
        let resume = Next::new(
            "to continue, merge the other parts, or split these games again",
            resume,
        );
        run_tell::end(&merged.write(&sink)?, None, resume)?;
        Ok(Done::Success)
    }
}
