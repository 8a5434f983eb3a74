//! `judge run`: the straight line from a folder of submissions to the results.

use super::exit::Done;
use super::interrupt::stop_on_interrupt;
use super::prepare::{Entering, Prepared, Purpose};
use super::{jplag, out, run_events, run_tell};
use crate::intact::intact;
use crate::progress::{Emit, Live, Progress, final_table, stage};
use crate::{builtin, events};
use clap::Args;
use error::JudgeError;
use journal::author_log::AuthorLog;
use report::{FirstFaults, ResultChange, RunFiles, Written, html, ranked, write_csvs};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use system::files::write_whole;
use system::run_folder::STAFF;
use tournament::{self, TournamentEvent, TournamentPlan};
use words::fixture::Fixture;
use words::numbers::counted;

#[derive(Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    entering: Entering,
    /// Print each event as a line of JSON on standard output (protocol.md lists them), and
    /// everything else on standard error
    #[arg(long)]
    json_events: bool,
}

impl RunArgs {
    /// Makes a command of what is entered, which speaks to people only.
    pub(super) fn of(entering: Entering) -> Self {
        Self {
            entering,
            json_events: false,
        }
    }

    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        if self.json_events {
            out::say_aside();
        }
        let stop = stop_on_interrupt()?;
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
        prepared.manifest.sign(prepared.journal.keys());
        prepared.manifest.write(&prepared.folder)?;
        let copies = jplag::copies(&prepared.folder, &prepared.manifest)?;
        let staff = prepared.folder.join(STAFF).join("copies.csv");
        write_whole(&staff, &jplag::copies_csv(&copies))?;
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
        let written = stage("writing the tables", || write_files(&run));
        outcome.and(noted)?;
        let written = written?;
        let entrants = &prepared.manifest.entrants;
        let table = final_table(
            prepared.competition(),
            prepared.roles,
            &written.table,
            entrants,
        );
        say!("\n{table}");
        run_tell::faults(&prepared.folder, &written.first_faults);
        if let Some(note) = run_tell::overloaded(&prepared.folder, &written.overloaded) {
            say!("{note}\n");
        }
        run_tell::boundaries(&prepared.folder, prepared.competition(), &written.table);
        run_tell::copies(&staff, &copies);
        let missing = games.iter().filter(|id| !prepared.journal.contains(id));
        let missing = missing.count();
        let next = run_tell::next(&prepared.folder, &written, missing);
        run_tell::ending(&prepared.folder, &written.paths, missing, &next);
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
        let plan = TournamentPlan {
            judge: &judge,
            order: prepared.order(),
            pin: self.entering.pins(),
            intact: &intact,
            jobs: self.entering.jobs(),
            stop: Arc::clone(stop),
            abandon: Arc::default(),
        };
        let (folder, roles) = (prepared.folder.as_path(), prepared.roles);
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
        let numbers: HashMap<&str, usize> = games.iter().map(String::as_str).zip(1..).collect();
        let log = AuthorLog::open(folder)?;
        let emits = self.json_events.then(|| Box::new(emit) as Emit);
        if self.json_events {
            run_events::beginning(prepared, games.len(), played)
                .iter()
                .for_each(emit);
        }
        let mut progress = Progress::new(live, emits);
        let mut log_failure = Ok(());
        let mut draining = false;
        let journal = &mut prepared.journal;
        let result = tournament::play(&plan, fixtures, journal, &mut |event| {
            match event {
                TournamentEvent::Finished(record, stderr) => {
                    let game = numbers[record.fixture.as_str()];
                    progress.finished(game, record);
                    for first in firsts.of(roles, game, &record.result()) {
                        let lines = run_tell::first_fault(folder, &first);
                        progress.say(&format!("fault of {}", lines.join("\n")));
                    }
                    if log_failure.is_ok() {
                        log_failure = log.add(record, stderr);
                    }
                }
                TournamentEvent::Again(reason) => progress.again(reason),
                TournamentEvent::Tick => {}
            }
            if stop.load(Ordering::Relaxed) && !draining {
                draining = true;
                progress.say(
                    "interrupted: finishing the games in play (press Ctrl-C again to abandon them)",
                );
            }
            progress.tick();
        });
        progress.close();
        result.and(log_failure)
    }
}

/// Writes what has happened, for programs.
fn emit(event: &events::Event) {
    let event = serde_json::to_string(event).expect("plain data");
    out::line(format_args!("{event}"));
}

/// Writes what people read of a run: its tables and its page.
pub(super) fn write_files(run: &RunFiles<'_>) -> Result<Written, JudgeError> {
    let mut written = write_csvs(run)?;
    let folder = run.folder.file_name().unwrap_or_default();
    let source = html::PageSource {
        run: Some(&folder.to_string_lossy()),
        competition: &run.manifest.competition,
        entrants: &run.manifest.entrants,
        draw: &run.manifest.draw,
        scheduled: run.games.len(),
        numbers: run.games.len(),
        table: &written.table,
    };
    let read = |number: usize| run.journal.read(&run.games[number - 1]);
    let page = html::write_report(run.folder, &source, &read)?;
    written.paths.push(page);
    Ok(written)
}
