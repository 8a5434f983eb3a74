//! What `judge run` tells programs before and after the games.

use super::display::shown;
use super::prepared::Prepared;
use super::run_tell::Next;
use crate::events::{self, Event, RefusedEvent, StartedEvent};
use scoring::StandingsTable;
use std::path::{Path, PathBuf};
use system::run_folder;
use words::entrant::{Entrant, Readiness};

/// Returns what programs are told first: what is to be played, and who does not play.
pub(super) fn beginning(prepared: &Prepared, games: usize, played: usize) -> Vec<Event> {
    let competition = prepared.competition();
    let is_ready = |entrant: &&Entrant| matches!(entrant.readiness, Readiness::Ready(_));
    let entrants = prepared.entrants.iter().filter(is_ready);
    let started = Event::Started(StartedEvent {
        version: events::VERSION,
        judge: crate::BUILD.to_owned(),
        game: competition.conditions.game.clone(),
        title: competition.title.clone(),
        folder: shown(&prepared.folder),
        roles: prepared
            .roles
            .iter()
            .map(|role| (*role).to_owned())
            .collect(),
        entrants: entrants.map(|entrant| entrant.name.clone()).collect(),
        games,
        played,
    });
    let refused = prepared
        .entrants
        .iter()
        .filter_map(|entrant| match &entrant.readiness {
            Readiness::Ready(_) => None,
            Readiness::Broken(broken) => Some(Event::Refused(RefusedEvent {
                entrant: entrant.name.clone(),
                reason: broken.to_string(),
                log: broken.log.as_deref().map(|log| shown(Path::new(log))),
            })),
        });
    [started].into_iter().chain(refused).collect()
}

/// Returns the final standings as an event.
pub(super) fn standings(table: &StandingsTable, missing: usize) -> Event {
    let rows = table.rows.iter();
    let rows = rows.map(|row| events::StandingEvent::of(&row.standing, row.uncertainty.as_ref()));
    Event::Standings {
        finished: missing == 0,
        rows: rows.collect(),
    }
}

/// Returns the last event of a run.
pub(super) fn done(folder: &Path, paths: &[PathBuf], missing: usize, next: &Next) -> Event {
    Event::Done(events::DoneEvent {
        missing,
        files: paths.iter().map(|path| shown(path)).collect(),
        journal: shown(&folder.join(run_folder::JOURNAL)),
        next: next.command.clone(),
    })
}
