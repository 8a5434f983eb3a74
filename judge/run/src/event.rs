//! Events of a run. To display them, implement [`Sink`].

use intake::Class;
use intake::people::Claims;
use jiff::Timestamp;
use model::entrant::{Entrant, Roster};
use model::record::{MatchRecord, MatchResult};
use report::{FirstFault, PlayedRun};
use std::path::{Path, PathBuf};
use store::Journal;

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

/// Runs work as a stage.
pub(crate) fn stage<T>(sink: &dyn Sink, what: &'static str, work: impl FnOnce() -> T) -> T {
    counted_stage(sink, what, None, work)
}

/// Runs work as a stage in which things are counted.
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
