//! Events of a run. To display them, implement [`Sink`].

use crate::tournament::TournamentEvent;
use intake::Class;
use intake::people::Claims;
use jiff::Timestamp;
use model::entrant::{Entrant, Roster};
use model::game_id::GameId;
use model::record::{MatchRecord, MatchResult};
use model::stderr::Stderr;
use report::{FirstFault, FirstFaults, PlayedRun};
use rulebook::Result;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use store::Journal;
use store::author_log::AuthorLog;

/// An event of a run.
#[derive(Clone, Copy)]
pub enum RunEvent<'a> {
    /// A stage begins that may take a while. Stages do not overlap.
    StageBegins {
        /// The activity, for example `reading the journal`.
        what: &'static str,
        /// Number of things to process, if they are counted.
        of: Option<usize>,
    },
    /// One of the counted things of the stage is done.
    Step,
    /// The stage is over.
    StageEnds,
    /// The build of a submission begins, by its name; on any thread.
    BuildBegins(&'a str),
    /// It is built, or the reason why not is known; on any thread.
    BuildEnds(&'a str),
    /// The submissions have been read, and the journal is open.
    Opened {
        /// The competition's title, with a practice round.
        title: &'a str,
        /// The places of the submissions.
        places: &'a [PathBuf],
        /// The submissions, and the entries that are none.
        class: &'a Class,
        /// The run's journal.
        journal: &'a Journal,
    },
    /// A message for people, in a line of its own.
    Line(&'a str),
    /// A message for people about the preceding event.
    Note(&'a str),
    /// A fact about the run that its files or `judge doctor` say, too.
    Detail(&'a str),
    /// A line of a watch's log.
    Log {
        /// The time, by the watch's clock.
        at: Timestamp,
        /// The event, in words.
        words: &'a str,
    },
    /// All entrants are built, or the reasons why not are known.
    Entered {
        /// The run's folder.
        folder: &'a Path,
        /// All entrants, by name.
        entrants: &'a [Entrant],
        /// Whether the run's folder is removed afterwards, with the logs in it.
        is_removed: bool,
    },
    /// The people behind the entrants have been found.
    Claimed {
        /// The people of the course.
        roster: &'a Roster,
        /// The entrants that it does not know.
        claims: &'a Claims,
        /// All entrants, by name.
        entrants: &'a [Entrant],
    },
    /// Games that have been played before are restored.
    Restores {
        /// The run.
        run: PlayedRun<'a>,
        /// The names of the seats, in order.
        roles: &'static [&'static str],
    },
    /// A game that was played before, by its number.
    Restored(usize, &'a MatchResult),
    /// The games begin.
    Begins {
        /// The run.
        run: PlayedRun<'a>,
        /// The names of the seats, in order.
        roles: &'static [&'static str],
        /// All entrants, by name.
        entrants: &'a [Entrant],
        /// Number of games that have been played.
        played: usize,
    },
    /// A game has been played, by its number.
    Finished(usize, &'a MatchRecord),
    /// A bot's first fault, with the run's folder.
    FirstFault(&'a Path, &'a FirstFault),
    /// A game will be played again, for this reason.
    Again(&'a str),
    /// The run is interrupted: the games in play are finished.
    Interrupted,
    /// Time passes while games are played.
    Tick,
    /// No more games are played.
    Ends,
}

/// Receives the events of a run.
pub trait Sink: Sync {
    /// Takes an event.
    fn take(&self, event: RunEvent<'_>);
}

impl dyn Sink + '_ {
    pub(crate) fn line(&self, words: &str) {
        self.take(RunEvent::Line(words));
    }

    pub(crate) fn note(&self, words: &str) {
        self.take(RunEvent::Note(words));
    }

    pub(crate) fn notes(&self, all: impl IntoIterator<Item = impl AsRef<str>>) {
        all.into_iter().for_each(|words| self.note(words.as_ref()));
    }

    pub(crate) fn detail(&self, words: &str) {
        self.take(RunEvent::Detail(words));
    }
}

pub(crate) fn stage<T>(sink: &dyn Sink, what: &'static str, work: impl FnOnce() -> T) -> T {
    counted_stage(sink, what, None, work)
}

pub(crate) fn counted_stage<T>(
    sink: &dyn Sink,
    what: &'static str,
    of: Option<usize>,
    work: impl FnOnce() -> T,
) -> T {
    sink.take(RunEvent::StageBegins { what, of });
    let done = work();
    sink.take(RunEvent::StageEnds);
    done
}

pub(crate) struct GameEvents<'a> {
    folder: &'a Path,
    numbers: Vec<(GameId, u32)>,
    firsts: &'a mut FirstFaults,
    log: AuthorLog,
    /// The first failure to keep what bots have printed.
    pub(crate) log_failure: Result,
    stop: &'a AtomicBool,
    is_draining: bool,
}

impl<'a> GameEvents<'a> {
    pub(crate) fn begin(
        folder: &'a Path,
        games: &[GameId],
        firsts: &'a mut FirstFaults,
        stop: &'a AtomicBool,
    ) -> Result<Self> {
        let mut numbers: Vec<(GameId, u32)> = games.iter().copied().zip(1..).collect();
        numbers.sort_unstable();
        Ok(Self {
            folder,
            numbers,
            firsts,
            log: AuthorLog::open(folder)?,
            log_failure: Ok(()),
            stop,
            is_draining: false,
        })
    }

    pub(crate) fn take(&mut self, event: &TournamentEvent<'_>, sink: &dyn Sink) {
        match event {
            TournamentEvent::Finished(record, stderr, _) => self.finished(record, stderr, sink),
            TournamentEvent::Again(reason) => sink.take(RunEvent::Again(reason)),
            TournamentEvent::Note(words) => sink.take(RunEvent::Note(words)),
            TournamentEvent::Tick => {}
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
        if self.log_failure.is_ok() {
            self.log_failure = self.log.add(record, stderr);
        }
        for first in self.firsts.of(number, &record.result()) {
            sink.take(RunEvent::FirstFault(self.folder, &first));
        }
    }
}
