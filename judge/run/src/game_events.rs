//! Handling of all events while games are played. First faults are reported, bots' standard error
//! is kept for their authors, and an interrupt is reported once.

use crate::event::{RunEvent, Sink};
use crate::tournament::TournamentEvent;
use model::game_id::GameId;
use model::record::MatchRecord;
use model::stderr::Stderr;
use report::FirstFaults;
use rulebook::JudgeError;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use store::author_log::AuthorLog;

/// The state of a run while its games are played.
pub(crate) struct GameEvents<'a> {
    folder: &'a Path,
    roles: &'static [&'static str],
    /// All games with their numbers, by their ids.
    numbers: Vec<(GameId, u32)>,
    firsts: FirstFaults,
    log: AuthorLog,
    log_failure: Result<(), JudgeError>,
    stop: &'a AtomicBool,
    is_draining: bool,
}

impl<'a> GameEvents<'a> {
    /// Begins with the ids of all games in numbered order, and the first faults of the games played
    /// so far.
    ///
    /// # Errors
    /// When the folder for the bots' output cannot be made.
    pub(crate) fn begin(
        folder: &'a Path,
        roles: &'static [&'static str],
        games: &[GameId],
        firsts: FirstFaults,
        stop: &'a AtomicBool,
    ) -> Result<Self, JudgeError> {
        let mut numbers: Vec<(GameId, u32)> = games.iter().copied().zip(1..).collect();
        numbers.sort_unstable();
        Ok(Self {
            folder,
            roles,
            numbers,
            firsts,
            log: AuthorLog::open(folder)?,
            log_failure: Ok(()),
            stop,
            is_draining: false,
        })
    }

    /// Handles an event.
    pub(crate) fn take(&mut self, event: &TournamentEvent<'_>, sink: &dyn Sink) {
        match event {
            TournamentEvent::Finished(record, stderr) => self.finished(record, stderr, sink),
            TournamentEvent::Again(reason) => sink.take(RunEvent::Again(reason)),
            TournamentEvent::Note(words) => sink.take(RunEvent::Note(words)),
            TournamentEvent::Took(..) | TournamentEvent::Tick => {}
        }
        if self.stop.load(Ordering::Relaxed) && !self.is_draining {
            self.is_draining = true;
            sink.take(RunEvent::Interrupted);
        }
        sink.take(RunEvent::Tick);
    }

    fn finished(&mut self, record: &MatchRecord, stderr: &[Stderr], sink: &dyn Sink) {
        let id = |(id, _): &(GameId, u32)| *id;
        let place = self.numbers.binary_search_by_key(&record.fixture, id);
        let number = self.numbers[place.expect("it is a game of the run")].1 as usize;
        sink.take(RunEvent::Finished(number, record));
        for first in self.firsts.of(self.roles, number, &record.result()) {
            sink.take(RunEvent::FirstFault(self.folder, &first));
        }
        if self.log_failure.is_ok() {
            self.log_failure = self.log.add(record, stderr);
        }
    }

    /// Ends. Returns the first faults so far, and whether the bots' output could be kept.
    pub(crate) fn end(self) -> (FirstFaults, Result<(), JudgeError>) {
        (self.firsts, self.log_failure)
    }
}
