//! `judge run`: the path from a folder of submissions to the results.

use super::entering::Entering;
use super::exit::{Done, before_leaving, name_when_leaving, stop_on_interrupt};
use super::out::{self, say_each};
use super::run_output::{self, Next, RunEnd};
use super::run_sink::{RunSink, emit_end};
use super::watch::WatchArgs;
use clap::Args;
use report::ResultChange;
use rulebook::JudgeError;
use run::commands::{this_command, view_command};
use run::slurm::ActiveArrays;
use run::{Place, RunKind, Scheduled};
use std::io::{Write, stderr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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
        value_parser = ["slurm"]
    )]
    on: Option<String>,
    /// Print each event as a line of JSON on standard output (protocol.md lists them), and
    /// everything else on standard error
    #[arg(long, hide_short_help = true)]
    json_events: bool,
    #[command(flatten)]
    watching: WatchArgs,
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
            out::redirect_to_stderr();
        }
        if self.on.is_some() {
            run::slurm::check()?;
        }
        let stop = stop_on_interrupt()?;
        if self.watching.watch {
            return self.watching.execute(spec, &stop);
        }
        let sink = RunSink::new(self.json_events);
        let place = if self.on.is_some() {
            Place::Slurm(tasks_ended_when_leaving())
        } else {
            Place::Here
        };
        let collected = spec.collect(&sink, &stop)?;
        let scheduled = collected.build(&sink, &stop)?.schedule(&sink)?;
        play_out(scheduled, &place, &sink, &stop).map(|(done, _)| done)
    }
}

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

pub(super) fn play_out(
    scheduled: Scheduled,
    place: &Place,
    sink: &RunSink,
    stop: &Arc<AtomicBool>,
) -> Result<(Done, Vec<ResultChange>), JudgeError> {
    let (note, machinery) = (scheduled.note_on_states(), scheduled.machinery());
    let mut played = scheduled.begin()?;
    say_each("  ", note);
    name_when_leaving(view_command(&played.scheduled.folder));
    let outcome = played.play(place, stop, sink);
    // The files must show the games played even after a failure.
    let written = played.write(sink);
    outcome?;
    let written = written?;
    let entrants = &played.scheduled.entrants;
    let found = Some((entrants.as_slice(), played.copies(), machinery.as_slice()));
    let RunEnd { missing, next } =
        run_output::end(&written, found, Next::new("to continue", this_command()))?;
    if sink.for_programs {
        emit_end(&written, missing, &next);
    }
    let done = if missing == 0 {
        Done::Success
    } else {
        Done::Interrupted
    };
    Ok((done, written.tables.changes))
}
