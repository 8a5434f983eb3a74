//! Events of `judge run` before and after the games.

use super::run_tell::Next;
use crate::events::{self, Event, RefusedEvent, StartedEvent};
use model::entrant::{Entrant, Readiness};
use report::PlayedRun;
use rulebook::scoring::StandingsTable;
use run::Written;
use run::commands::shown;
use std::path::Path;
use system::run_folder;

/// Returns the first events: the games to play, and the entrants that do not play.
pub(super) fn beginning(
    run: PlayedRun<'_>,
    roles: &[&str],
    entrants: &[Entrant],
    played: usize,
) -> Vec<Event> {
    let competition = &run.manifest.competition;
    let is_ready = |entrant: &&Entrant| matches!(entrant.readiness, Readiness::Ready(_));
    let ready = entrants.iter().filter(is_ready);
    let roles = roles.iter().map(|role| (*role).to_owned());
    let started = Event::Started(StartedEvent {
        version: events::VERSION,
        judge: crate::BUILD.to_owned(),
        game: competition.conditions.game.clone(),
        title: competition.title.clone(),
        folder: shown(run.folder),
        roles: roles.collect(),
        entrants: ready.map(|entrant| entrant.name.clone()).collect(),
        games: run.ids.len(),
        played,
    });
    let refused = entrants
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
    let rows = table
        .rows
        .iter()
        .map(|row| events::StandingEvent::of(&row.standing, row.uncertainty.as_ref()));
    Event::Standings {
        finished: missing == 0,
        rows: rows.collect(),
    }
}

/// Returns the last event of a run.
pub(super) fn done(written: &Written<'_>, missing: usize, next: &Next) -> Event {
    Event::Done(events::DoneEvent {
        missing,
        files: written
            .tables
            .paths
            .iter()
            .map(|path| shown(path))
            .collect(),
        journal: shown(&written.run.folder.join(run_folder::JOURNAL)),
        next: next.command.clone(),
    })
}
