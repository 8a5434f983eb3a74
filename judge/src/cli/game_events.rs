//! What becomes of everything that happens while games are played, in a run and in a match alike:
//! first faults are told, what bots wrote is kept for their authors, and an interrupt is told once.

use super::run_tell;
use error::JudgeError;
use journal::author_log::AuthorLog;
use report::FirstFaults;
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use tournament::TournamentEvent;
use words::record::MatchRecord;
use words::wrote::Wrote;

/// Who shows people how games go on.
pub(super) trait Shows {
    /// Takes note of a finished game, by its number.
    fn finished(&mut self, number: usize, record: &MatchRecord);
    /// Says that a game will be played again.
    fn again(&mut self, reason: &str);
    /// Says something besides.
    fn say(&mut self, line: &str);
    /// Returns whether the games in play matter no more, so that an interrupt is no news.
    fn is_over(&self) -> bool;
    /// Shows where everything stands, if it is time.
    fn tick(&mut self);
}

/// What is known of a run while its games are played.
pub(super) struct GameEvents<'a> {
    folder: &'a Path,
    roles: &'static [&'static str],
    /// The numbers of all games, by their ids.
    numbers: HashMap<&'a str, usize>,
    firsts: FirstFaults,
    log: AuthorLog,
    log_failure: Result<(), JudgeError>,
    stop: &'a AtomicBool,
    is_draining: bool,
}

impl<'a> GameEvents<'a> {
    /// Begins, with the ids of all games in the order that numbers them, and the first faults of
    /// those that have been played.
    ///
    /// # Errors
    /// When the folder of what bots write cannot be made.
    pub(super) fn begin(
        folder: &'a Path,
        roles: &'static [&'static str],
        games: &'a [String],
        firsts: FirstFaults,
        stop: &'a AtomicBool,
    ) -> Result<Self, JudgeError> {
        Ok(Self {
            folder,
            roles,
            numbers: games.iter().map(String::as_str).zip(1..).collect(),
            firsts,
            log: AuthorLog::open(folder)?,
            log_failure: Ok(()),
            stop,
            is_draining: false,
        })
    }

    /// Does what an event asks for.
    pub(super) fn take(&mut self, event: &TournamentEvent<'_>, shows: &mut impl Shows) {
        match event {
            TournamentEvent::Finished(record, stderr) => self.finished(record, stderr, shows),
            TournamentEvent::Again(reason) => shows.again(reason),
            TournamentEvent::Note(words) => shows.say(words),
            TournamentEvent::Took(..) | TournamentEvent::Tick => {}
        }
        if self.stop.load(Ordering::Relaxed) && !self.is_draining && !shows.is_over() {
            self.is_draining = true;
            shows.say(
                "interrupted: finishing the games in play (press Ctrl-C again to abandon them)",
            );
        }
        shows.tick();
    }

    fn finished(&mut self, record: &MatchRecord, stderr: &[Wrote], shows: &mut impl Shows) {
        let number = self.numbers[record.fixture.as_str()];
        shows.finished(number, record);
        for first in self.firsts.of(self.roles, number, &record.result()) {
            let lines = run_tell::first_fault(self.folder, &first);
            shows.say(&format!("fault of {}", lines.join("\n")));
        }
        if self.log_failure.is_ok() {
            self.log_failure = self.log.add(record, stderr);
        }
    }

    /// Ends.
    ///
    /// # Errors
    /// When what a bot wrote could not be kept.
    pub(super) fn end(self) -> Result<(), JudgeError> {
        self.log_failure
    }
}
