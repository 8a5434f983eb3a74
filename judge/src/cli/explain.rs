//! `judge explain`: every number behind the result of a run's entrant.

use super::exit::Done;
use super::out::{self, Form, say_each};
use super::run_output;
use crate::progress::Stages;
use clap::Args;
use jiff::Timestamp;
use model::numbers::counted;
use report::{GameCommands, PlayedRun, explain, facts, titled};
use rulebook::Result;
use run::PastRun;
use run::commands::{explain_command, repro_command, watch_command};
use std::cell::Cell;
use std::path::PathBuf;
use store::Games;

/// Reads the run's folder and changes nothing in it; the run may still be going on.
#[derive(Args)]
pub(super) struct ExplainArgs {
    /// The run folder
    run: PathBuf,
    /// The entrant, as standings.csv names it [default: everybody, in brief]
    entrant: Option<String>,
    #[command(flatten)]
    form: Form,
}

impl ExplainArgs {
    pub(super) fn execute(&self) -> Result<Done> {
        let past = PastRun::open(&self.run)?;
        if self.form.is_json() {
            out::redirect_to_stderr();
        }
        let named = self.entrant.as_ref();
        let entrant = named.map(|name| past.find_entrant(name)).transpose()?;
        let journal = past.games(&Stages::default())?;
        run_output::findings(&journal);
        let run = past.as_played(&journal);
        if self.form.is_json() {
            out::json(&facts(&run, entrant)?);
            return Ok(Done::Success);
        }
        let Some(entrant) = entrant else {
            return everybody(&run);
        };
        let repeat = |game: usize| {
            let command = repro_command(run.folder, &game.to_string());
            match seat(&journal, game, entrant) {
                Some(seat) => format!("{command} --seat {seat}"),
                None => command,
            }
        };
        let is_reported = Cell::new(false);
        let watch = |game: usize| {
            is_reported.set(true);
            watch_command(run.folder, game)
        };
        let commands = GameCommands {
            repeat: &repeat,
            watch: &watch,
        };
        say_each("", explain(&run, entrant, commands)?);
        // The lost games have their own commands.
        if !is_reported.get()
            && let Some(first) = first_game(&journal, entrant)?
        {
            say!("\nto watch a game: {}", watch(first));
        }
        Ok(Done::Success)
    }
}

fn everybody(run: &PlayedRun<'_>) -> Result<Done> {
    let manifest = run.manifest;
    let table = run.table()?;
    let played = run_output::played(run.games);
    say!(
        "{}: {played} of {}\n",
        titled(&manifest.competition),
        counted(run.ids.len(), "game")
    );
    run_output::standings(run, &table)?;
    say_each("", run_output::not_final(manifest, Timestamp::now()));
    let ranked = table.rows.iter().map(|row| &row.entrant);
    let all = manifest.entrants.iter().map(|line| &line.name);
    if let Some(first) = ranked.chain(all).next() {
        say!(
            "\nto see one in full: {}",
            explain_command(run.folder, first)
        );
    }
    Ok(Done::Success)
}

fn first_game(journal: &Games, entrant: &str) -> Result<Option<usize>> {
    for (index, id) in journal.listed().iter().enumerate() {
        let result = journal.result(*id)?;
        if result.is_some_and(|result| result.has(entrant)) {
            return Ok(Some(index + 1));
        }
    }
    Ok(None)
}

/// Finds the entrant's seat in a game: the seat of its fault, or else its first seat.
fn seat(journal: &Games, game: usize, entrant: &str) -> Option<usize> {
    let id = journal.listed().get(game.checked_sub(1)?)?;
    let record = journal.read(*id).ok()??;
    let is_own = |seat: &usize| record.seats[*seat].entrant == entrant;
    record
        .faults
        .iter()
        .map(|fault| fault.seat.index())
        .chain(0..record.seats.len())
        .find(is_own)
}
