//! What a run tells while it goes on. Whoever wants to show it is a [`Sink`].

use intake::Class;
use intake::people::Claims;
use jiff::Timestamp;
use journal::Journal;
use report::{FirstFault, RunFiles};
use std::path::{Path, PathBuf};
use words::entrant::{Entrant, Roster};
use words::record::{MatchRecord, MatchResult};

/// Something that happens in a run.
#[derive(Clone, Copy)]
pub enum RunEvent<'a> {
    /// A stage begins that may take a while. Stages do not overlap.
    StageBegins {
        /// What is done, as `reading the journal`.
        what: &'static str,
        /// Of how many things, where they are counted.
        of: Option<usize>,
    },
    /// One of the things that are counted in it is done.
    Step,
    /// The stage is over.
    StageEnds,
    /// A submission is built now, by its name; on any thread.
    BuildBegins(&'a str),
    /// It is built, or it is known why not; on any thread.
    BuildEnds(&'a str),
    /// The submissions have been read, and the journal is open.
    Opened {
        /// The competition's title.
        title: &'a str,
        /// Where the submissions are.
        places: &'a [PathBuf],
        /// The submissions, and what is none.
        class: &'a Class,
        /// The run's journal.
        journal: &'a Journal,
    },
    /// Something that people should know, in a line of its own.
    Line(&'a str),
    /// Something that people should know of what was told last.
    Note(&'a str),
    /// A line of a watch's log.
    Log {
        /// The time, by the watch's clock.
        at: Timestamp,
        /// What happened, in words.
        words: &'a str,
    },
    /// Everybody is built, or it is known why not.
    Entered {
        /// The run's folder.
        folder: &'a Path,
        /// Everybody, by name.
        entrants: &'a [Entrant],
        /// The run's folder is removed afterwards, with the logs in it.
        is_removed: bool,
    },
    /// Who is behind the entrants has been looked up.
    Claimed {
        /// Who submitted what.
        roster: &'a Roster,
        /// Whom it does not know.
        claims: &'a Claims,
        /// Everybody, by name.
        entrants: &'a [Entrant],
    },
    /// The games that have been played before are restored.
    Restores {
        /// The run.
        run: &'a RunFiles<'a>,
        /// The names of the seats, in order.
        roles: &'static [&'static str],
    },
    /// A game that was played before, by its number.
    Restored(usize, &'a MatchResult),
    /// The games begin.
    Begins {
        /// The run.
        run: &'a RunFiles<'a>,
        /// The names of the seats, in order.
        roles: &'static [&'static str],
        /// Everybody who entered, by name.
        entrants: &'a [Entrant],
        /// How many games have been played.
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
    /// Time goes on while games are played.
    Tick,
    /// No game is played any more.
    Ends,
}

/// Receives the events of a run.
pub trait Sink: Sync {
    /// Takes an event.
    fn take(&self, event: RunEvent<'_>);
}

/// Does something as a stage.
pub(crate) fn stage<T>(sink: &dyn Sink, what: &'static str, work: impl FnOnce() -> T) -> T {
    counted_stage(sink, what, None, work)
}

/// Does something as a stage in which things are counted.
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
