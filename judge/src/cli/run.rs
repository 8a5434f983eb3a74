//! `judge run`: the path from a folder of submissions to the results, also as a watch; and `judge
//! regrade`, which plays one entrant's games again after a correction, next to the original run.

use super::exit::{Done, before_leaving, name_when_leaving, stop_on_interrupt};
use super::flags::{Entering, MACHINE, Verbosity, jobs};
use super::out::{self, say_each, whole};
use super::run_sink::{RunSink, emit_end};
use super::{check, run_output};
use crate::progress::Stages;
use clap::Args;
use intake::ProgramCache;
use report::ResultChange;
use rulebook::{Result, refuse};
use run::commands::{this_command, view_command};
use run::slurm::ActiveArrays;
use run::watch::{self, MachineTime, Publisher, Time, WatchEnd, WatchSpec};
use run::{MachineUse, Place, RegradeSpec, RunEvent, RunKind, RunSpec, Scheduled, Sink};
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
    /// Keep running: play new versions as they arrive
    ///
    /// Receives, builds and plays them until the results are final. Needs a competition with a
    /// deadline, or with `round = "practice/1"`; or `--seed`, for practice until you end it.
    #[arg(long, conflicts_with_all = ["on", "json_events", "against"])]
    watch: bool,
    /// With --watch: keep the public view of the results in this folder
    #[arg(long, hide_short_help = true, value_name = "DIR", requires = "watch")]
    publish: Option<PathBuf>,
    /// With --watch: keep each student's own view in this folder, which must not be public
    #[arg(long, hide_short_help = true, value_name = "DIR", requires = "watch")]
    publish_students: Option<PathBuf>,
}

impl RunArgs {
    pub(super) fn execute(self) -> Result<Done> {
        let kind = if self.watch {
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
        if self.watch {
            return self.watch(spec, &stop);
        }
        let sink = RunSink::new(self.json_events);
        let mut place = Place::Here;
        if self.on.is_some() {
            let arrays = ActiveArrays::default();
            place = Place::Slurm(arrays.clone());
            before_leaving(move || {
                for command in arrays.cancel() {
                    // Nobody may be left to read this.
                    let _ = writeln!(
                        stderr(),
                        "\nSlurm has not confirmed that the tasks end; to end them: {command}"
                    );
                }
            });
        }
        let collected = spec.collect(&sink, &stop)?;
        let scheduled = collected.build(&sink, &stop)?.schedule(&sink)?;
        play_out(scheduled, &place, &sink, &stop).map(|(done, _)| done)
    }

    /// Watches a run until nothing can change any more, or until an interrupt.
    fn watch(self, run: RunSpec, stop: &Arc<AtomicBool>) -> Result<Done> {
        if run.places.is_empty() {
            return refuse(
                "--watch looks for submissions: name their folder, zip or list of repositories",
            );
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

fn play_out(
    scheduled: Scheduled,
    place: &Place,
    sink: &RunSink,
    stop: &Arc<AtomicBool>,
) -> Result<(Done, Vec<ResultChange>)> {
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
    let (missing, next) = run_output::end(&written, found, ("to continue", this_command()))?;
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

fn time_source() -> Arc<dyn Time> {
    #[cfg(feature = "test-clock")]
    if let Some(file) = test_time::TestTime::named() {
        return Arc::new(file);
    }
    Arc::new(MachineTime)
}

#[derive(Default)]
struct WatchSink(Stages);

impl Sink for WatchSink {
    fn take(&self, event: RunEvent<'_>) {
        if let RunEvent::Log { at, words } = event {
            let time = at.round(jiff::Unit::Second).unwrap_or(at);
            out::line(format_args!("{time} {words}"));
        } else {
            self.0.take(event);
        }
    }
}

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
    pub(super) fn execute(self) -> Result<Done> {
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
        let regrade = scheduled.manifest.regrade.as_ref();
        let of = regrade.map_or_else(String::new, |regrade| regrade.run.clone());
        let (done, changes) = play_out(scheduled, &Place::Here, &sink, &stop)?;
        if done == Done::Success {
            say!("\nchanges of rank, prize or grade compared with {of}:");
            say_each("  ", changes.iter().map(ResultChange::words));
            if changes.len() <= 1 {
                say!("  nobody else's rank, prize or grade changes; totals of its opponents may");
            }
        }
        Ok(done)
    }
}

/// A time that tests set, read from a file. Only builds with the feature `test-clock` have it.
#[cfg(feature = "test-clock")]
mod test_time {
    #![expect(
        clippy::disallowed_methods,
        reason = "only whoever runs tests names the file"
    )]

    use jiff::Timestamp;
    use rulebook::{IoContext, JudgeError, Result};
    use run::watch::Time;
    use std::path::PathBuf;
    use std::time::Duration;

    /// Environment variable with the path of the file, which holds an RFC 3339 time.
    const VARIABLE: &str = "JUDGE_TESTS_CLOCK";

    pub(super) struct TestTime(PathBuf);

    impl TestTime {
        pub(super) fn named() -> Option<Self> {
            std::env::var_os(VARIABLE).map(|path| Self(path.into()))
        }
    }

    impl Time for TestTime {
        fn read(&self) -> Result<Timestamp> {
            let path = &self.0;
            let text = std::fs::read_to_string(path).or_io("read", path)?;
            text.trim().parse().map_err(|_| {
                JudgeError::input(format!(
                    "{} does not say the time; write one as 2026-12-01T10:00:00Z",
                    path.display()
                ))
            })
        }

        fn interval_max(&self) -> Duration {
            Duration::from_millis(50)
        }
    }
}
