//! Sample games against the built-in bots, played as in a run.

use engines::Seat;
use model::fixture::Fixture;
use model::last_words::with_own_paths;
use model::note::Note;
use model::record::MatchRecord;
use model::stderr::Stderr;
use rulebook::JudgeError;
use run::play::worker::Order;
use run::tournament::{TournamentEvent, TournamentPlan};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use store::Journal;

#[derive(Debug)]
pub(super) struct SampleGame {
    pub(super) record: MatchRecord,
    pub(super) seat: Seat,
    pub(super) opponent: String,
    pub(super) stderr: String,
    pub(super) notes: Vec<Note>,
}

pub(super) struct SampleSettings<'a> {
    pub(super) me: &'a str,
    pub(super) order: Order,
    pub(super) folder: &'a Path,
    /// When the games in play are abandoned.
    pub(super) ends: Instant,
    pub(super) interrupted: &'a Arc<AtomicBool>,
    pub(super) progress: &'a dyn Fn(&str),
}

impl SampleSettings<'_> {
    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.ends || self.interrupted.load(Ordering::Relaxed)
    }

    pub(super) fn play(
        &self,
        fixtures: &[Fixture],
        planned: usize,
    ) -> Result<Vec<SampleGame>, JudgeError> {
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
        (self.progress)(&format!("plays {planned} sample games"));
        let played = run::tournament::play(&plan, fixtures, &mut journal, &mut |event| {
            if let TournamentEvent::Finished(record, stderr, _) = event {
                let sample = self.seen_from_my_seat(record, stderr);
                if !sample.is_worth_another() {
                    stop.store(true, Ordering::Relaxed);
                }
                samples.push(sample);
                let (played, all) = (samples.len(), fixtures.len());
                (self.progress)(&format!("plays sample games: {played} of {all}"));
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

    fn seen_from_my_seat(&self, record: &MatchRecord, stderr: &[Stderr]) -> SampleGame {
        let seats = &record.seats;
        let mine = seats
            .iter()
            .position(|seat| seat.entrant == self.me)
            .expect("the submission plays in every sample game");
        let other = seats.iter().find(|seat| seat.entrant != self.me);
        let wrote = stderr.get(mine).cloned().unwrap_or_default();
        SampleGame {
            record: record.clone(),
            seat: Seat::new(mine),
            opponent: other.map(|seat| seat.entrant.clone()).unwrap_or_default(),
            stderr: with_own_paths(&wrote.text),
            notes: wrote.notes,
        }
    }
}
