//! `judge run`: the path from a folder of submissions to the results.

use super::entering::Entering;
use super::exit::Done;
use super::interrupt::{before_leaving, stop_on_interrupt};
use super::out;
use super::play_out::play_out;
use super::run_sink::RunSink;
use super::watch::WatchArgs;
use clap::{Args, ValueEnum};
use rulebook::JudgeError;
use run::slurm::ActiveArrays;
use run::{Place, RunKind};
use std::io::{Write, stderr};
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct RunArgs {
    /// The submissions: their folder, zip or list; or single bots
    ///
    /// A folder has a folder, zip or program for each submission, or is a learning platform's
    /// download. One zip may have them all. A text file lists git repositories, each line NAME URL
    /// [REFERENCE [FOLDER]]. A single submission needs an opponent, such as `--with random`.
    #[arg(value_name = "PLACE")]
    places: Vec<PathBuf>,
    #[command(flatten)]
    entering: Entering,
    /// Play the games elsewhere: `slurm` submits them as an array of tasks, on a login node of a
    /// Slurm cluster [default: here]
    #[arg(
        long,
        hide_short_help = true,
        hide_possible_values = true,
        value_name = "PLACE",
        value_enum
    )]
    on: Option<Elsewhere>,
    /// Print each event as a line of JSON on standard output (protocol.md lists them), and
    /// everything else on standard error
    #[arg(long, hide_short_help = true)]
    json_events: bool,
    #[command(flatten)]
    watching: WatchArgs,
}

/// Where else games can be played.
#[derive(Clone, Copy, ValueEnum)]
enum Elsewhere {
    Slurm,
}

impl RunArgs {
    pub(super) fn execute(self) -> Result<Done, JudgeError> {
        let kind = if self.watching.watch {
            RunKind::Watched
        } else {
            RunKind::Played
        };
        let spec = self.entering.spec_at(kind, &self.places, "run")?;
        if self.json_events {
            out::say_aside();
        }
        if let Some(Elsewhere::Slurm) = self.on {
            run::slurm::check()?;
        }
        let stop = stop_on_interrupt()?;
        if self.watching.watch {
            return self.watching.execute(spec, &stop);
        }
        let sink = RunSink::new(self.json_events);
        let place = match self.on {
            None => Place::Here,
            Some(Elsewhere::Slurm) => Place::Slurm(tasks_ended_when_leaving()),
        };
        let collected = spec.collect(&sink, &stop)?;
        let scheduled = collected.build(&sink, &stop)?.schedule(&sink)?;
        play_out(scheduled, &place, &sink, &stop).map(|(done, _)| done)
    }
}

/// Returns the list of active tasks on a cluster, which end when this program ends early.
fn tasks_ended_when_leaving() -> ActiveArrays {
    let arrays = ActiveArrays::default();
    let at_last = arrays.clone();
    before_leaving(move || {
        for command in at_last.cancel() {
            // Nobody may be left to read this.
            let _ = writeln!(
                stderr(),
                "\nSlurm has not confirmed that the tasks end; to end them: {command}"
            );
        }
    });
    arrays
}
