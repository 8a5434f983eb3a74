//! The author of a submission, and its sample games against the built-in bots, played as in a run.

use super::Examination;
use engines::{Advice, GameResult, Homework, Kit, Lifetime, Seat, SeatOutcome};
use intake::{Form, Submission};
use model::fault::{Cause, Fault, Phase};
use model::fixture::{Conditions, Fixture};
use model::language::Language;
use model::note::Note;
use model::record::{MatchRecord, SeatRecord, TurnRecord};
use model::stderr::{Stderr, with_own_paths};
use rulebook::Result;
use run::play::worker::Order;
use run::tournament::{TournamentEvent, TournamentPlan};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use store::Journal;

/// The reader of a report. A student works with the judge's kit and does not know the protocol.
#[derive(Clone, Copy)]
pub(super) struct Author {
    language: Option<&'static Language>,
    pub(super) kit: Option<&'static Kit>,
    pub(super) lifetime: Lifetime,
}

impl Author {
    pub(super) fn of(submission: &Submission, conditions: &Conditions) -> Self {
        let kit = match submission.form {
            Ok(Form::Sources(_, kit)) => Some(kit),
            _ => None,
        };
        Self {
            language: language_of(submission),
            kit,
            lifetime: conditions.lifetime,
        }
    }

    /// Returns how the language does something, as `: …`; empty if that is unknown.
    pub(super) fn how(&self, words: impl Fn(&Language) -> &'static str) -> String {
        let words = self.language.map(words).filter(|words| !words.is_empty());
        words.map_or_else(String::new, |words| format!(": {words}"))
    }

    pub(super) fn advice(&self) -> Option<&'static Advice> {
        self.kit.map(|kit| &kit.advice)
    }

    pub(super) fn homework(&self) -> Homework {
        self.kit.map_or(Homework::NONE, |kit| kit.homework)
    }
}

/// Finds the language: the course's, that of the interpreter, or that of the sources.
fn language_of(submission: &Submission) -> Option<&'static Language> {
    match submission.form {
        Ok(Form::Sources(_, kit)) => Language::named(kit.language),
        Ok(Form::Executable(program)) => of_first_line(&submission.files[program].bytes),
        Ok(Form::Described) => {
            let runs = submission.about.run.iter().flatten().next();
            let mut paths = submission.files.iter().map(|file| &file.path);
            runs.and_then(|program| Language::of_program(program))
                .or_else(|| paths.find_map(|path| Language::of_file(path)))
        }
        Err(_) => None,
    }
}

fn of_first_line(program: &[u8]) -> Option<&'static Language> {
    let first = program.split(|&byte| byte == b'\n').next()?;
    let line = String::from_utf8_lossy(first.strip_prefix(b"#!")?);
    line.split(['/', ' ']).find_map(Language::of_program)
}

pub(super) struct SampleGame {
    pub(super) record: MatchRecord,
    pub(super) seat: Seat,
    pub(super) opponent: String,
    pub(super) stderr: String,
    pub(super) notes: Vec<Note>,
}

impl SampleGame {
    fn seen_by(me: &str, record: &MatchRecord, stderr: &[Stderr]) -> Self {
        let mut seats = record.seats.iter().map(|seat| &seat.entrant);
        let mine = seats
            .clone()
            .position(|entrant| entrant == me)
            .expect("the submission plays in every sample game");
        let wrote = stderr.get(mine).cloned().unwrap_or_default();
        Self {
            seat: Seat::new(mine),
            opponent: seats
                .find(|entrant| *entrant != me)
                .cloned()
                .unwrap_or_default(),
            record: record.clone(),
            stderr: with_own_paths(&wrote.text),
            notes: wrote.notes,
        }
    }

    pub(super) fn own(&self) -> &SeatRecord {
        &self.record.seats[self.seat.index()]
    }

    pub(super) fn outcome(&self) -> SeatOutcome {
        self.record.outcome.seats[self.seat.index()]
    }

    pub(super) fn turns(&self) -> impl Iterator<Item = &TurnRecord> {
        self.record
            .turns
            .iter()
            .filter(move |turn| turn.seat == self.seat)
    }

    pub(super) fn faults(&self) -> impl Iterator<Item = &Fault> {
        self.record
            .faults
            .iter()
            .filter(move |fault| fault.seat == self.seat)
    }

    pub(super) fn is_won(&self) -> bool {
        self.outcome().result == GameResult::Won
    }

    pub(super) fn is_faultless(&self) -> bool {
        self.faults().next().is_none()
    }

    /// Returns whether another game in this seat could show more: it became ready and answered in time.
    pub(super) fn is_worth_another(&self) -> bool {
        self.faults().all(|fault| {
            fault.phase == Phase::Turn && !matches!(fault.cause, Cause::Silence | Cause::Time)
        })
    }
}

pub(super) struct SampleSettings<'a> {
    pub(super) exam: &'a Examination<'a>,
    pub(super) me: &'a str,
    pub(super) order: Order,
    pub(super) folder: &'a Path,
    /// When the games in play are abandoned.
    pub(super) ends: Instant,
}

impl SampleSettings<'_> {
    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.ends || self.exam.interrupted.load(Ordering::Relaxed)
    }

    /// Plays each seat's first game, and then those of the seats where more could show.
    pub(super) fn play_samples(
        &self,
        fixtures: &[Fixture],
        seats: usize,
    ) -> Result<Vec<SampleGame>> {
        let (first, more) = fixtures.split_at(seats.min(fixtures.len()));
        let mut samples = Vec::new();
        for games in [first, more] {
            let mut left = games.to_vec();
            loop {
                left.retain(|fixture| self.is_worth_playing(fixture, &samples));
                if left.is_empty() || self.is_over() {
                    break;
                }
                samples.extend(self.play(&left, fixtures.len())?);
            }
        }
        // The report must not depend on the order in which they ended.
        samples.sort_by_key(|sample| fixtures.iter().position(|f| f.id == sample.record.fixture));
        Ok(samples)
    }

    fn is_worth_playing(&self, fixture: &Fixture, samples: &[SampleGame]) -> bool {
        let seat = fixture.seats.iter().position(|s| *s.entrant == *self.me);
        samples
            .iter()
            .filter(|sample| Some(sample.seat.index()) == seat)
            .all(|sample| sample.is_worth_another() && sample.record.fixture != fixture.id)
    }

    pub(super) fn play(&self, fixtures: &[Fixture], planned: usize) -> Result<Vec<SampleGame>> {
        let [stop, abandon] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let plan = TournamentPlan {
            pin: true,
            stop: Arc::clone(&stop),
            abandon: Arc::clone(&abandon),
            ..TournamentPlan::new(self.order.clone(), jobs)
        };
        let mut journal = Journal::open(self.folder, &self.order.conditions)?;
        let mut samples = Vec::new();
        let progress = &self.exam.progress;
        progress.set_message(format!("plays {planned} sample games"));
        let played = run::tournament::play(&plan, fixtures, &mut journal, &mut |event| {
            if let TournamentEvent::Finished(record, stderr, _) = event {
                let sample = SampleGame::seen_by(self.me, record, stderr);
                if !sample.is_worth_another() {
                    stop.store(true, Ordering::Relaxed);
                }
                samples.push(sample);
                let (played, all) = (samples.len(), fixtures.len());
                progress.set_message(format!("plays sample games: {played} of {all}"));
            }
            if self.is_over() {
                stop.store(true, Ordering::Relaxed);
            }
            if Instant::now() >= self.ends {
                abandon.store(true, Ordering::Relaxed);
            }
        });
        // An abandoned game has failed.
        if !abandon.load(Ordering::Relaxed) {
            played?;
        }
        Ok(samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::new;
    use std::fs;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn the_language_of_every_starter_is_found() {
        let rules = rulebook::rules::find("reversi").expect("registered");
        let mut looked_at = 0;
        for language in new::languages_of_all() {
            let Ok(starter) = new::find(&*rules, Some(language), false) else {
                // This course belongs to another game.
                continue;
            };
            let folder = tempfile::tempdir().expect("a temporary folder");
            let root = folder.path().join("bot");
            for (path, text) in starter.files(&*rules).expect("built in") {
                let path = root.join(path);
                fs::create_dir_all(path.parent().expect("a folder")).expect("new");
                fs::write(path, text.as_bytes()).expect("new");
            }
            let made = intake::open_one(&root, None, &AtomicBool::new(false)).expect("it is there");
            let found = language_of(&made).map(|language| language.name);
            assert_eq!(found, Some(language));
            looked_at += 1;
        }
        assert!(looked_at > 5, "{looked_at} starters");
    }

    #[test]
    fn interpreter_is_found_in_any_shebang_form() {
        for (line, name) in [
            ("#!/usr/bin/env python3\nimport sys", Some("python")),
            ("#!/usr/bin/env -S python3 -u\n", Some("python")),
            ("#!/bin/sh\n", Some("shell")),
            ("#! /usr/bin/node --x\n", Some("javascript")),
            ("\x7fELF", None),
        ] {
            let found = of_first_line(line.as_bytes());
            assert_eq!(found.map(|language| language.name), name);
        }
    }
}
