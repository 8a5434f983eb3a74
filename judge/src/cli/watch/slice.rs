//! Playing for a while: until everything has been played, something else is due, or it is time to
//! show what has been played.

use super::order::newcomers_first;
use crate::builtin;
use crate::cli::entering::Entering;
use crate::cli::prepared::Prepared;
use crate::cli::run_ending;
use crate::intact::intact;
use error::JudgeError;
use jiff::Timestamp;
use journal::MachineLine;
use journal::author_log::AuthorLog;
use report::RunFiles;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tournament::{TournamentEvent, TournamentPlan};

/// A line-up that is being played.
pub(super) struct Playing<'a> {
    entering: &'a Entering,
    pub(super) prepared: Prepared,
    /// What the journal tells of this machine; none until the first game.
    machine: Option<MachineLine>,
}

impl<'a> Playing<'a> {
    /// Begins with what is prepared: writes what the run is now, and puts the games in their
    /// order.
    ///
    /// # Errors
    /// When the run's folder cannot be written.
    pub(super) fn begin(
        entering: &'a Entering,
        mut prepared: Prepared,
        round_began: Timestamp,
    ) -> Result<Self, JudgeError> {
        run_ending::begin(&mut prepared)?;
        let timings = prepared.entrants.iter();
        let received = timings.filter_map(|entrant| {
            let timing = entrant.receipt.timing?;
            Some((entrant.name.clone(), timing.received))
        });
        let received: HashMap<String, Timestamp> = received.collect();
        newcomers_first(&mut prepared.fixtures, &received, round_began);
        Ok(Self {
            entering,
            prepared,
            machine: None,
        })
    }

    /// Returns how many games there are, and how many of them are in the journal.
    pub(super) fn counts(&self) -> (usize, usize) {
        let games = &self.prepared.games;
        let journal = &self.prepared.journal;
        let played = games.iter().filter(|id| journal.contains(id)).count();
        (played, games.len())
    }

    /// Plays until nothing is left or `drain` is set; games in play are ended then.
    ///
    /// # Errors
    /// When the journal cannot be written, no worker can be started, or games could not be played
    /// for reasons of ours.
    pub(super) fn play(&mut self, drain: &Arc<AtomicBool>) -> Result<(), JudgeError> {
        if self.machine.is_none() {
            let machine = self.prepared.machine_line()?;
            let journal = self.prepared.journal.games();
            let before = journal.machines_of(&self.prepared.games)?;
            if let Some(machine) = &machine {
                self.entering.admit_machine(machine, &before)?;
            }
            self.machine = machine;
        }
        let judge = PathBuf::from(builtin::THIS_PROGRAM);
        let plan = TournamentPlan {
            judge: &judge,
            order: self.prepared.order(),
            machine: self.machine.clone(),
            pin: self.entering.pins(),
            intact: &intact,
            jobs: self.entering.jobs(),
            stop: Arc::clone(drain),
            abandon: Arc::default(),
        };
        let log = AuthorLog::open(&self.prepared.folder)?;
        let mut kept = Ok(());
        let mut take = |event: TournamentEvent<'_>| {
            if let TournamentEvent::Finished(record, stderr) = event
                && kept.is_ok()
            {
                kept = log.add(record, stderr);
            }
        };
        let Prepared {
            fixtures, journal, ..
        } = &mut self.prepared;
        let played = tournament::play(&plan, fixtures, journal, &mut take);
        let noted = journal.note_end();
        played.and(noted).and(kept)
    }

    /// Writes the tables and the page of what has been played.
    ///
    /// # Errors
    /// When the run's folder cannot be written.
    pub(super) fn write(&self) -> Result<(), JudgeError> {
        run_ending::write_files(&RunFiles {
            folder: &self.prepared.folder,
            manifest: &self.prepared.manifest,
            games: &self.prepared.games,
            journal: self.prepared.journal.games(),
        })
        .map(|_| ())
    }
}
