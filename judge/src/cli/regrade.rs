//! `judge regrade`: plays one entrant's games again after a correction, next to the original run.

use super::entering::{MACHINE, Verbosity, jobs};
use super::exit::{Done, stop_on_interrupt};
use super::out::whole;
use super::run::play_out;
use super::run_sink::RunSink;
use clap::Args;
use intake::ProgramCache;
use rulebook::JudgeError;
use run::{MachineUse, Place, RegradeSpec};
use std::path::PathBuf;

/// The run is read and not changed. What the others played among themselves is taken over; rerun
/// the same command to continue.
#[derive(Args)]
pub(super) struct RegradeArgs {
    /// The run folder
    run: PathBuf,
    /// The entrant, as standings.csv names it
    entrant: String,
    /// The replacement: a folder, zip, program or source file
    ///
    /// It keeps the receipt time of the version that played.
    #[arg(long, value_name = "PATH", conflicts_with = "version")]
    submission: Option<PathBuf>,
    /// Number of an earlier version to play instead
    ///
    /// As in judge explain and versions/ENTRANT.json.
    #[arg(long, value_name = "N", value_parser = whole::<usize>(0..=u64::MAX))]
    version: Option<usize>,
    /// The corrected competition file, with all its keys
    ///
    /// [default: the run's]
    #[arg(long, value_name = "FILE")]
    competition: Option<String>,
    /// The corrected roster [default: the run's]
    #[arg(long, value_name = "FILE")]
    roster: Option<PathBuf>,
    /// The folder of the new run [default: next to the run]
    ///
    /// Its name is RUN-regrade-ENTRANT-ID by default, where ID depends on the correction.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Number of games to play at once [default: the number of CPUs]
    #[arg(long, hide_short_help = true, help_heading = MACHINE, value_name = "N", value_parser = whole::<u16>(1..=1024))]
    jobs: Option<u16>,
    /// Run even if this machine isolates programs weakly; run.json and the page say so
    #[arg(long, hide_short_help = true, help_heading = MACHINE)]
    weak_isolation: bool,
    /// Continue on a machine whose speed differs by more than half from the machines that played
    /// the games; tables and page say so
    #[arg(long, hide_short_help = true, help_heading = MACHINE)]
    mixed: bool,
    #[command(flatten)]
    verbosity: Verbosity,
}

impl RegradeArgs {
    pub(super) fn execute(self) -> Result<Done, JudgeError> {
        self.verbosity.apply();
        let spec = RegradeSpec {
            build: crate::BUILD,
            run: self.run,
            entrant: self.entrant,
            submission: self.submission,
            version: self.version,
            competition: self.competition,
            roster: self.roster,
            out: self.out,
            machine: MachineUse {
                jobs: jobs(self.jobs),
                weak_isolation: self.weak_isolation,
                cache: ProgramCache::of_user(),
                ..MachineUse::default()
            },
            mixed: self.mixed,
        };
        let (stop, sink) = (stop_on_interrupt()?, RunSink::default());
        let scheduled = spec.schedule(&sink, &stop)?;
        let of = scheduled
            .manifest
            .regrade
            .as_ref()
            .map(|regrade| regrade.run.clone())
            .unwrap_or_default();
        let (done, changes) = play_out(scheduled, &Place::Here, &sink, &stop)?;
        if done == Done::Success {
            say!("\nchanges of rank, prize or grade compared with {of}:");
            for change in &changes {
                say!("  {}", change.words());
            }
            let others = changes.len().saturating_sub(1);
            if others == 0 {
                say!("  nobody else's rank, prize or grade changes; totals of its opponents may");
            }
        }
        Ok(done)
    }
}
