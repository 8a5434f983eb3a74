//! `judge part`: plays a part of a run on any machine.

use super::entering::{Verbosity, Workers};
use super::exit::Done;
use super::interrupt::stop_on_interrupt;
use super::run_sink::RunSink;
use clap::Args;
use rulebook::JudgeError;
use run::PartSpec;
use run::commands::{shown, this_command};
use std::path::{Path, PathBuf};

/// Needs the file and this program, and neither the run nor a network. Rerun the same command to
/// continue; `judge merge` brings the games back.
#[derive(Args)]
pub(super) struct PartArgs {
    /// The part file, as `judge split` wrote it
    file: PathBuf,
    /// The journal that the games are written into; an existing one is continued [default: the
    /// part's name with .jsonl, in the current folder]
    #[arg(long, value_name = "JOURNAL")]
    out: Option<PathBuf>,
    /// A journal of an earlier attempt, whose games are not played again
    ///
    /// May be repeated.
    #[arg(long, value_name = "JOURNAL")]
    played: Vec<PathBuf>,
    #[command(flatten)]
    workers: Workers,
    #[command(flatten)]
    verbosity: Verbosity,
}

impl PartArgs {
    pub(super) fn execute(self) -> Result<Done, JudgeError> {
        self.verbosity.apply();
        let name = Path::new(self.file.file_name().unwrap_or_default());
        let out = self.out.unwrap_or_else(|| name.with_extension("jsonl"));
        let spec = PartSpec {
            build: crate::BUILD,
            file: self.file,
            out,
            played: self.played,
            machine: self.workers.machine(),
        };
        let left = spec.play(&RunSink::default(), &stop_on_interrupt()?)?;
        if left > 0 {
            say!(
                "games still to be played: {left}; to continue: {}",
                this_command()
            );
            return Ok(Done::Interrupted);
        }
        say!(
            "all games of the part are played; to bring them back: judge merge RUN {}",
            shown(&spec.out)
        );
        Ok(Done::Success)
    }
}
