//! `judge explain`: every number behind the result of a run's entrant.

use super::exit::Done;
use super::run_tell;
use crate::progress::Stages;
use clap::Args;
use error::JudgeError;
use journal::Games;
use report::{RunFiles, explain};
use run::PastRun;
use run::commands::repro_command;
use std::path::PathBuf;

/// Reads the run's folder and changes nothing in it; the run may still be going on.
#[derive(Args)]
pub(super) struct ExplainArgs {
    /// The run folder
    run: PathBuf,
    /// The entrant, as standings.csv names it
    entrant: String,
}

impl ExplainArgs {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        let run = PastRun::open(&self.run)?;
        let entrant = run.find_entrant(&self.entrant)?;
        let games = run.ids()?;
        let journal = run.games(&Stages::default())?;
        run_tell::findings(&journal);
        let files = RunFiles {
            folder: &run.folder,
            manifest: &run.manifest,
            games: &games,
            journal: &journal,
        };
        let repeat = |game: usize| {
            let command = repro_command(&run.folder, &game.to_string());
            seat(&journal, &games, game, entrant).map_or_else(
                || command.clone(),
                |seat| format!("{command} --seat {seat}"),
            )
        };
        for line in explain(&files, entrant, &repeat)? {
            say!("{line}");
        }
        Ok(Done::Success)
    }
}

/// Finds the entrant's seat in a game: the seat of its fault, or else its first seat.
fn seat(journal: &Games, games: &[String], game: usize, entrant: &str) -> Option<usize> {
    let id = games.get(game.checked_sub(1)?)?;
    let record = journal.read(id).ok()??;
    let is_own = |seat: &usize| record.seats[*seat].entrant == entrant;
    let faulty = record
        .faults
        .iter()
        .map(|fault| fault.seat.index())
        .find(is_own);
    faulty.or_else(|| (0..record.seats.len()).find(is_own))
}
