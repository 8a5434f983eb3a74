//! A run that has begun. More games can be played, and the tables written, at any time.

use crate::commands::shown;
use crate::event::{GameEvents, RunEvent, Sink, stage};
use crate::past_run::PastRun;
use crate::programs::{copies, link_executables};
use crate::scheduled::Scheduled;
use crate::slurm::ActiveArrays;
use crate::tournament::{EndedBots, TournamentEvent, TournamentPlan};
use intake::Copies;
use report::{Announcement, FirstFaults, PlayedRun, Written as Tables, html, write_results};
use rulebook::{JudgeError, Result};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use store::{Games, MachineLine};
use system::files::write_whole;
use system::run_folder::STAFF;

/// A run that has begun.
pub struct Played {
    /// Its schedule.
    pub scheduled: Scheduled,
    copies: Vec<Copies>,
    firsts: FirstFaults,
    /// This machine's line for the journal; `None` until the first game.
    machine: Option<MachineLine>,
    /// How often bots of each entrant were ended, perhaps by another process.
    pub(crate) ended: Arc<EndedBots>,
}

/// Where games are played.
#[derive(Clone, Debug)]
pub enum Place {
    /// On this machine, by workers.
    Here,
    /// On a Slurm cluster, from a login node. A caller that exits early can end the tasks.
    Slurm(ActiveArrays),
}

impl Scheduled {
    fn write_manifest(&mut self) -> Result {
        self.built.manifest.sign(&self.built.keys);
        self.manifest.write(&self.folder)
    }

    /// Writes the manifest and the list of equal submissions, before the first game.
    pub fn begin(mut self) -> Result<Played> {
        self.write_manifest()?;
        link_executables(&self.folder, &self.entrants)?;
        let copies = copies(&self.folder, &self.manifest)?;
        let list = self.folder.join(STAFF).join("copies.csv");
        let rows = copies.iter().map(|one| (&*one.entrants, one.same.words()));
        write_whole(&list, &report::copies_csv(rows))?;
        Ok(Played {
            copies,
            firsts: FirstFaults::new(self.roles),
            scheduled: self,
            machine: None,
            ended: Arc::default(),
        })
    }
}

impl Played {
    /// Returns the entrants with the same submission, and the path of the list for staff.
    pub fn copies(&self) -> (&[Copies], PathBuf) {
        let list = self.scheduled.folder.join(STAFF).join("copies.csv");
        (&self.copies, list)
    }

    /// Notes that only the first `states` initial states count.
    pub fn end_at(&mut self, states: u32) -> Result {
        self.scheduled.manifest.competition.states = states;
        self.scheduled.write_manifest()
    }

    /// Returns the number of games played, and of all games.
    pub fn counts(&self) -> (usize, usize) {
        let (ids, journal) = (&self.scheduled.ids, &self.scheduled.journal);
        let played = ids.iter().filter(|id| journal.contains(**id)).count();
        (played, ids.len())
    }

    /// Reports the games that have been played before. Returns their number.
    pub fn restore(&mut self, sink: &dyn Sink) -> Result<usize> {
        sink.take(RunEvent::Restores {
            run: self.scheduled.as_played(),
            roles: self.scheduled.roles,
        });
        let mut firsts = FirstFaults::new(self.scheduled.roles);
        let mut played = 0;
        let scheduled = &self.scheduled;
        stage(sink, "restoring the games that have been played", || {
            for (id, game) in scheduled.ids.iter().zip(1..) {
                if let Some(result) = scheduled.journal.games().result(*id)? {
                    sink.take(RunEvent::Restored(game, &result));
                    firsts.of(game, &result);
                    played += 1;
                }
            }
            Ok::<(), JudgeError>(())
        })?;
        self.firsts = firsts;
        Ok(played)
    }

    /// Plays all missing games.
    pub fn play(&mut self, place: &Place, stop: &Arc<AtomicBool>, sink: &dyn Sink) -> Result {
        let played = self.restore(sink)?;
        sink.take(RunEvent::Begins {
            run: self.scheduled.as_played(),
            roles: self.scheduled.roles,
            entrants: &self.scheduled.entrants,
            played,
        });
        let all = 0..self.scheduled.fixtures.len();
        let result = match place {
            // The process that played the last game may have been killed before it noted the end.
            Place::Here if played == self.scheduled.ids.len() => self.scheduled.journal.note_end(),
            Place::Here => self.play_some(all, stop, sink),
            Place::Slurm(arrays) => self.with_events(stop, sink, |scheduled, tell| {
                crate::slurm::play(scheduled, arrays, stop, tell)
            }),
        };
        sink.take(RunEvent::Ends);
        result
    }

    /// Plays the missing ones of some games, until `stop` is set, which ends games in play.
    pub fn play_some(
        &mut self,
        games: Range<usize>,
        stop: &Arc<AtomicBool>,
        sink: &dyn Sink,
    ) -> Result {
        self.look_at_machine()?;
        let machine_use = &self.scheduled.spec.machine;
        let plan = TournamentPlan {
            machine: self.machine.clone(),
            pin: machine_use.pins,
            ended: Arc::clone(&self.ended),
            stop: Arc::clone(stop),
            ..TournamentPlan::new(self.scheduled.order(), machine_use.jobs)
        };
        self.with_events(stop, sink, |scheduled, tell| {
            let Scheduled {
                built, fixtures, ..
            } = scheduled;
            crate::tournament::play(&plan, &fixtures[games], &mut built.journal, tell)
        })
    }

    fn with_events(
        &mut self,
        stop: &AtomicBool,
        sink: &dyn Sink,
        play: impl FnOnce(&mut Scheduled, &mut dyn FnMut(TournamentEvent<'_>)) -> Result,
    ) -> Result {
        let folder = self.scheduled.folder.clone();
        let mut heard = GameEvents::begin(&folder, &self.scheduled.ids, &mut self.firsts, stop)?;
        let played = play(&mut self.scheduled, &mut |event| heard.take(&event, sink));
        let noted = self.scheduled.journal.note_end();
        played.and(noted).and(heard.log_failure)
    }

    fn look_at_machine(&mut self) -> Result {
        if self.machine.is_some() {
            return Ok(());
        }
        let scheduled = &self.scheduled;
        let conditions = &scheduled.competition().conditions;
        let Some(machine) = scheduled.manifest.machine.clone() else {
            return Ok(());
        };
        let calibration_us = crate::play::calibrate()?;
        let build = scheduled.spec.build;
        let line = MachineLine::detect(build, machine, calibration_us, conditions, None);
        let before = scheduled.journal.games().machines_of(&scheduled.ids)?;
        scheduled.spec.admit_machine(&line, &before)?;
        self.machine = Some(line);
        Ok(())
    }

    /// Writes the tables and the page of the games played so far.
    pub fn write(&self, sink: &dyn Sink) -> Result<Written<'_>> {
        Written::of(self.scheduled.as_played(), None, sink)
    }

    /// Writes the same for the first `games` games.
    pub fn write_first(&self, games: usize, sink: &dyn Sink) -> Result<Written<'_>> {
        let run = self.scheduled.as_played();
        let ids = &run.ids[..games];
        Written::of(PlayedRun { ids, ..run }, None, sink)
    }
}

impl PastRun {
    /// Writes the tables and the page again; with `full` also pages of games, until it is set.
    pub fn write<'a>(
        &'a self,
        games: &'a Games,
        full: Option<&AtomicBool>,
        sink: &dyn Sink,
    ) -> Result<Written<'a>> {
        Written::of(self.as_played(games), full, sink)
    }
}

/// A run whose tables and page have been written.
pub struct Written<'a> {
    /// Their sources.
    pub run: PlayedRun<'a>,
    /// Their contents.
    pub tables: Tables,
}

impl<'a> Written<'a> {
    pub(crate) fn of(
        run: PlayedRun<'a>,
        full: Option<&AtomicBool>,
        sink: &dyn Sink,
    ) -> Result<Self> {
        let write = || write_results(&run, run.folder, full);
        let tables = stage(sink, "writing the tables", write)?;
        Ok(Self { run, tables })
    }

    /// Returns the number of games still to be played.
    pub fn missing(&self) -> usize {
        let PlayedRun { ids, games, .. } = self.run;
        ids.iter().filter(|id| !games.contains(**id)).count()
    }

    /// Announces the winners of a finished run, under their public names.
    pub fn announcement(&self) -> Result<Announcement> {
        let (competition, table) = (&self.run.manifest.competition, &self.tables.table);
        if self.missing() > 0 || !Announcement::is_due(competition, table) {
            return Ok(Announcement::default());
        }
        let names = self.run.public_names()?;
        let public = |entrant: &str| names.of(entrant).to_owned();
        Ok(Announcement::new(competition, table, &public))
    }

    /// Returns a warning if games were played on machines that differ.
    pub fn mixed_machines(&self) -> Option<String> {
        let unequal = self.tables.unequal.as_ref()?;
        Some(format!(
            "mixed machines: {}; clocks may have decided games, and judge scales no times (see {})",
            unequal.words(),
            shown(&self.run.folder.join(html::FILE_NAME))
        ))
    }
}
