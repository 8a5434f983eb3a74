//! Output of a run in progress, for people and for programs.

use super::exit::lock;
use super::{out, run_output};
use crate::progress::{self, Event, Live, Progress, Stages, StandingEvent};
use model::entrant::Entrant;
use model::numbers::counted;
use report::{PlayedRun, ranked};
use run::commands::shown;
use run::{RunEvent, Sink, Written};
use std::path::Path;
use std::sync::Mutex;
use system::run_folder;

#[derive(Default)]
pub(super) struct RunSink {
    pub(super) for_programs: bool,
    stages: Stages,
    games: Mutex<Games>,
}

#[derive(Default)]
enum Games {
    /// Before the games, or after them.
    #[default]
    None,
    /// Counting the games played before.
    Restored(Box<Live>),
    Shown(Box<Progress>),
}

impl RunSink {
    pub(super) fn new(for_programs: bool) -> Self {
        Self {
            for_programs,
            ..Self::default()
        }
    }
}

impl Sink for RunSink {
    fn take(&self, event: RunEvent<'_>) {
        match event {
            RunEvent::StageBegins { .. }
            | RunEvent::Step
            | RunEvent::StageEnds
            | RunEvent::BuildBegins(_)
            | RunEvent::BuildEnds(_) => self.stages.take(event),
            RunEvent::Opened {
                title,
                places,
                class,
                journal,
            } => run_output::greet(title, places, class, journal),
            RunEvent::Entered {
                folder,
                entrants,
                is_removed,
            } => run_output::readiness(entrants, folder, is_removed),
            RunEvent::Claimed {
                roster,
                claims,
                entrants,
            } => run_output::roster(roster, claims, entrants),
            event => lock(&self.games).take(event, self.for_programs),
        }
    }
}

impl Games {
    fn take(&mut self, event: RunEvent<'_>, for_programs: bool) {
        match (&mut *self, event) {
            (Self::None, RunEvent::Line(line)) => say!("{line}"),
            (Self::None, RunEvent::Note(note)) => say!("  {note}"),
            (Self::None, RunEvent::Detail(fact)) if out::is_verbose() => say!("  {fact}"),
            // A part shows no table.
            (Self::None, RunEvent::Again(reason)) => {
                out::aside(format_args!("a game will be played again: {reason}"));
            }
            (Self::None, RunEvent::Interrupted) => {
                out::aside(format_args!("{}", run_output::INTERRUPTED));
            }
            (_, RunEvent::Restores { run, roles }) => {
                let manifest = run.manifest;
                *self = Self::Restored(Box::new(Live::new(
                    &manifest.competition,
                    &ranked(&manifest.competition, &manifest.entrants),
                    roles.len(),
                    run.ids.len(),
                    manifest.draw.resamples,
                )));
            }
            (Self::Restored(live), RunEvent::Restored(game, result)) => live.add(game, result),
            (
                Self::Restored(_),
                RunEvent::Begins {
                    run,
                    roles,
                    entrants,
                    played,
                },
            ) => {
                let all = counted(run.ids.len(), "game");
                if played == 0 {
                    say!("{all} to play");
                } else {
                    say!("{all}, {played} of them already played");
                }
                let others = run.games.len() - played;
                if others > 0 {
                    let games = counted(others, "game");
                    say!("{games} more in the journal, of earlier submissions, states or rounds");
                }
                if for_programs {
                    emit_beginning(run, roles, entrants, played);
                }
                if let Self::Restored(live) = std::mem::take(self) {
                    *self =
                        Self::Shown(Box::new(Progress::new(*live, for_programs.then_some(emit))));
                }
            }
            (_, RunEvent::Ends) => {
                if let Self::Shown(progress) = self {
                    progress.close();
                }
                *self = Self::None;
            }
            (Self::Shown(progress), event) => show(progress, event),
            _ => {}
        }
    }
}

fn show(progress: &mut Progress, event: RunEvent<'_>) {
    match event {
        RunEvent::Finished(number, record) => progress.finished(number, record),
        RunEvent::FirstFault(folder, first) => {
            progress.say(&run_output::first_fault(folder, first));
        }
        RunEvent::Again(reason) => progress.again(reason),
        RunEvent::Note(words) => progress.say(words),
        RunEvent::Interrupted => progress.say(run_output::INTERRUPTED),
        RunEvent::Tick => progress.tick(),
        _ => {}
    }
}

fn emit(event: &Event<'_>) {
    let event = serde_json::to_string(event).expect("plain data");
    out::line(format_args!("{event}"));
}

fn emit_beginning(run: PlayedRun<'_>, roles: &[&str], entrants: &[Entrant], played: usize) {
    let competition = &run.manifest.competition;
    let ready = entrants.iter().filter(|one| one.artifact().is_some());
    emit(&Event::Started {
        version: progress::VERSION,
        judge: crate::BUILD,
        game: &competition.conditions.game,
        title: &competition.title,
        folder: shown(run.folder),
        roles,
        entrants: ready.map(|entrant| entrant.name.as_str()).collect(),
        games: run.ids.len(),
        played,
    });
    for entrant in entrants {
        if let Err(broken) = &entrant.program {
            emit(&Event::Refused {
                entrant: &entrant.name,
                reason: broken.to_string(),
                log: broken.log.as_deref().map(|log| shown(Path::new(log))),
            });
        }
    }
}

pub(super) fn emit_end(written: &Written<'_>, missing: usize, next: &str) {
    emit(&Event::Standings {
        finished: missing == 0,
        rows: written
            .tables
            .table
            .rows
            .iter()
            .map(|row| StandingEvent::of(row, row.uncertainty.as_ref()))
            .collect(),
    });
    emit(&Event::Done {
        missing,
        files: written
            .tables
            .paths
            .iter()
            .map(|path| shown(path))
            .collect(),
        journal: shown(&written.run.folder.join(run_folder::JOURNAL)),
        next,
    });
}
