//! `judge explain`: every number behind what an entrant of a run got.

use super::exit::Done;
use super::run_tell;
use crate::progress::Stages;
use clap::Args;
use error::JudgeError;
use journal::Games;
use report::{RunFiles, explain};
use run::PastRun;
use run::commands::{repro_command, shown};
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
        let entrant = find_entrant(&run, &self.entrant)?;
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

/// Finds an entrant of a run.
///
/// # Errors
/// When there is none of this name; the message has names that are like it.
pub(super) fn find_entrant<'a>(run: &'a PastRun, typed: &str) -> Result<&'a str, JudgeError> {
    let entrants = run.manifest.entrants.iter();
    let names: Vec<&str> = entrants.map(|line| line.name.as_str()).collect();
    if let Some(name) = names.iter().find(|name| **name == typed) {
        return Ok(name);
    }
    let (label, suggested) = suggest(typed, &names);
    Err(JudgeError::input(format!(
        "no entrant {typed:?} in {}; {label}: {}",
        shown(&run.folder),
        suggested.join(", ")
    )))
}

/// Finds the seat of an entrant in a game: where it made a fault, or else its first one.
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

/// How many names are suggested.
const SUGGESTED_MAX: usize = 10;

/// Returns the names that are close to what was typed, or else some of all.
fn suggest<'a>(typed: &str, names: &[&'a str]) -> (&'static str, Vec<&'a str>) {
    let typed = typed.to_lowercase();
    let mut close: Vec<(usize, &str)> = names
        .iter()
        .map(|name| (distance(&typed, &name.to_lowercase()), *name))
        .filter(|(distance, name)| {
            let whole = !typed.is_empty() && name.to_lowercase().contains(&typed);
            *distance <= 1 + typed.chars().count() / 4 || whole
        })
        .collect();
    close.sort_unstable();
    if close.is_empty() {
        let some = names.iter().take(SUGGESTED_MAX).copied().collect();
        return (
            "entrants (standings.csv and submissions.csv list all)",
            some,
        );
    }
    let names = close.into_iter().take(SUGGESTED_MAX);
    ("did you mean", names.map(|(_, name)| name).collect())
}

/// Counts how many characters must be changed, added or taken away (Levenshtein 1966).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, c) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (at, d) in other.iter().enumerate() {
            let changed = diagonal + usize::from(c != *d);
            diagonal = row[at + 1];
            row[at + 1] = changed.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_names_are_suggested_and_else_all() {
        let names = ["alice", "bob", "builtin:random"];
        assert_eq!(suggest("alcie", &names).1, ["alice"]);
        assert_eq!(suggest("BOB", &names), ("did you mean", vec!["bob"]));
        assert_eq!(suggest("random", &names).1, ["builtin:random"]);
        assert_eq!(suggest("zzzzzz", &names).1, names);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
