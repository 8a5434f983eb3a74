//! `judge run`: the straight line from a folder of submissions to the results.

use super::display::{this_command, view_command};
use super::entering::Entering;
use super::exit::Done;
use super::game_events::{GameEvents, Shows};
use super::interrupt::{name_when_leaving, stop_on_interrupt};
use super::on_slurm::OnSlurm;
use super::prepare::Purpose;
use super::prepared::Prepared;
use super::run_ending::{self, RunEnd};
use super::watch::{self, publish::Publisher};
use super::{out, run_events};
use crate::intact::intact;
use crate::progress::{Emit, Live, Progress, stage};
use crate::{builtin, events};
use clap::{Args, ValueEnum};
use error::JudgeError;
use report::{FirstFaults, ResultChange, RunFiles, ranked};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tournament::{self, TournamentEvent, TournamentPlan};
use words::fixture::Fixture;
use words::numbers::counted;
use words::record::MatchRecord;

#[derive(Args)]
#[command(mut_arg("submissions", |arg| arg.required_unless_present("places")))]
pub(super) struct RunArgs {
    /// The submissions, as --submissions takes them
    #[arg(value_name = "PLACE")]
    places: Vec<PathBuf>,
    #[command(flatten)]
    entering: Entering,
    /// Play the games elsewhere: `slurm` submits them as an array of tasks, on a login node of a
    /// Slurm cluster [default: here]
    #[arg(long, value_name = "PLACE", value_enum)]
    on: Option<Place>,
    /// Print each event as a line of JSON on standard output (protocol.md lists them), and
    /// everything else on standard error
    #[arg(long)]
    json_events: bool,
    /// Stay: receive, build and play new versions as they come, until nothing can change any more
    #[arg(long, conflicts_with_all = ["on", "json_events"])]
    watch: bool,
    #[command(flatten)]
    publisher: Publisher,
}

/// Where games can be played.
#[derive(Clone, Copy, ValueEnum)]
enum Place {
    Slurm,
}

impl RunArgs {
    /// Makes a command of what is entered, which speaks to people only.
    pub(super) fn of(entering: Entering) -> Self {
        Self {
            places: Vec::new(),
            entering,
            on: None,
            json_events: false,
            watch: false,
            publisher: Publisher::default(),
        }
    }

    pub(super) fn execute(mut self) -> Result<Done, JudgeError> {
        self.entering.take_places(&mut self.places)?;
        if self.json_events {
            out::say_aside();
        }
        if let Some(Place::Slurm) = self.on {
            slurm::check()?;
        }
        let stop = stop_on_interrupt()?;
        if self.watch && self.entering.submissions.is_empty() {
            let reason =
                "--watch looks for submissions: name their folder, zip or list of repositories";
            return Err(JudgeError::input(reason));
        }
        if self.watch {
            let time = watch::time_source();
            return watch::go_on(&self.entering, self.publisher.clone(), &stop, time);
        }
        let prepared = self.entering.prepare(Purpose::Run, &stop)?;
        self.play_out(prepared, &stop).map(|(done, _)| done)
    }

    /// Plays what is prepared to its end, and writes the results; returns also what a regrade
    /// changes.
    pub(super) fn play_out(
        &self,
        mut prepared: Prepared,
        stop: &Arc<AtomicBool>,
    ) -> Result<(Done, Vec<ResultChange>), JudgeError> {
        let copies = run_ending::begin(&mut prepared)?;
        if let Some(note) = prepared.note_on_states() {
            say!("  {note}");
        }
        let fixtures = std::mem::take(&mut prepared.fixtures);
        let games = std::mem::take(&mut prepared.games);
        let outcome = self.play(&mut prepared, &fixtures, &games, stop);
        let run = RunFiles {
            folder: &prepared.folder,
            manifest: &prepared.manifest,
            games: &games,
            journal: prepared.journal.games(),
        };
        let noted = prepared.journal.note_end();
        // Whatever happened, the files show what was played.
        let written = run_ending::write_files(&run);
        outcome.and(noted)?;
        let written = written?;
        let RunEnd { missing, next } =
            run_ending::tell(&run, &written, Some(&copies), this_command())?;
        if self.json_events {
            emit(&run_events::standings(&written.table, missing));
            emit(&run_events::done(
                &prepared.folder,
                &written.paths,
                missing,
                &next,
            ));
        }
        let done = if missing == 0 {
            Done::Success
        } else {
            Done::Interrupted
        };
        Ok((done, written.changes))
    }

    /// Plays the games that are missing; `games` are the ids of all.
    fn play(
        &self,
        prepared: &mut Prepared,
        fixtures: &[Fixture],
        games: &[String],
        stop: &Arc<AtomicBool>,
    ) -> Result<(), JudgeError> {
        let judge = PathBuf::from(builtin::THIS_PROGRAM);
        let mut plan = TournamentPlan {
            judge: &judge,
            order: prepared.order(),
            machine: None,
            pin: self.entering.pins(),
            intact: &intact,
            jobs: self.entering.jobs(),
            stop: Arc::clone(stop),
            abandon: Arc::default(),
        };
        let (folder, roles) = (prepared.folder.as_path(), prepared.roles);
        name_when_leaving(view_command(folder));
        let competition = &prepared.manifest.competition;
        let ranked = ranked(competition, &prepared.manifest.entrants);
        let seed = prepared.manifest.draw.resamples;
        let mut live = Live::new(competition, &ranked, roles.len(), games.len(), seed);
        let mut firsts = FirstFaults::default();
        let mut played = 0;
        stage("restoring the games that have been played", || {
            for (id, game) in games.iter().zip(1..) {
                if let Some(result) = prepared.journal.games().result(id)? {
                    live.add(game, &result);
                    firsts.of(roles, game, &result);
                    played += 1;
                }
            }
            Ok::<(), JudgeError>(())
        })?;
        if played == 0 {
            say!("{} to play", counted(games.len() as u64, "game"));
        } else {
            say!(
                "{}, {played} of them already played",
                counted(games.len() as u64, "game")
            );
        }
        let others = prepared.journal.games().len() - played;
        if others > 0 {
            let games = counted(others as u64, "game");
            say!("{games} more in the journal: of earlier submissions, states or rounds");
        }
        let mut heard = GameEvents::begin(folder, roles, games, firsts, stop)?;
        let emits = self.json_events.then(|| Box::new(emit) as Emit);
        if self.json_events {
            run_events::beginning(prepared, games.len(), played)
                .iter()
                .for_each(emit);
        }
        if played < games.len() && self.on.is_none() {
            plan.machine = prepared.machine_line()?;
            let before = prepared.journal.games().machines_of(games)?;
            if let Some(machine) = &plan.machine {
                self.entering.admit_machine(machine, &before)?;
            }
        }
        let mut progress = Progress::new(live, emits);
        let on_slurm = match self.on {
            None => None,
            Some(Place::Slurm) => Some(OnSlurm::of(prepared, fixtures, &self.entering)?),
        };
        let journal = &mut prepared.journal;
        let mut tell = |event: TournamentEvent<'_>| heard.take(&event, &mut progress);
        let result = match on_slurm {
            None => tournament::play(&plan, fixtures, journal, &mut tell),
            Some(on_slurm) => on_slurm.play(fixtures, journal, stop, &mut tell),
        };
        progress.close();
        result.and(heard.end())
    }
}

impl Shows for Progress {
    fn finished(&mut self, number: usize, record: &MatchRecord) {
        Self::finished(self, number, record);
    }

    fn again(&mut self, reason: &str) {
        Self::again(self, reason);
    }

    fn say(&mut self, line: &str) {
        Self::say(self, line);
    }

    fn is_over(&self) -> bool {
        false
    }

    fn tick(&mut self) {
        Self::tick(self);
    }
}

/// Writes what has happened, for programs.
fn emit(event: &events::Event) {
    let event = serde_json::to_string(event).expect("plain data");
    out::line(format_args!("{event}"));
}
