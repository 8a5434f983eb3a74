//! Sample games against the built-in bots, played as in a run.

use engines::Seat;
use error::JudgeError;
use journal::Journal;
use play::worker::Order;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tournament::{self, TournamentEvent, TournamentPlan};
use words::fixture::Fixture;
use words::record::MatchRecord;
use words::stderr::Stderr;

/// One sample game, seen from the submission's seat.
#[derive(Debug)]
pub(super) struct Bout {
    pub(super) record: MatchRecord,
    pub(super) seat: Seat,
    /// The entrant in the other seats.
    pub(super) opponent: String,
    /// The submission's output on standard error.
    pub(super) stderr: String,
}

/// Settings for sample games.
pub(super) struct Ring<'a> {
    /// The submission's name.
    pub(super) me: &'a str,
    pub(super) order: Order,
    pub(super) folder: &'a Path,
    pub(super) jobs: usize,
    pub(super) pin: bool,
    /// Flag that callers set to start no more games.
    pub(super) interrupted: &'a Arc<AtomicBool>,
    /// Callback with the name of the current game.
    pub(super) progress: &'a dyn Fn(&str),
}

impl Ring<'_> {
    /// Plays the fixtures in their order, and starts no game after `limit`. `planned` is the number
    /// of all games.
    ///
    /// # Errors
    /// When the judge or the machine fails.
    pub(super) fn play(
        &self,
        fixtures: &[Fixture],
        planned: usize,
        limit: Option<Duration>,
    ) -> Result<Vec<Bout>, JudgeError> {
        let began = Instant::now();
        let stop = Arc::new(AtomicBool::new(false));
        let judge = PathBuf::from(run::THIS_PROGRAM);
        let plan = TournamentPlan {
            judge: &judge,
            order: self.order.clone(),
            machine: None,
            pin: self.pin,
            intact: &run::intact,
            jobs: self.jobs,
            stop: Arc::clone(&stop),
            abandon: Arc::default(),
        };
        let mut journal = Journal::open(self.folder, &self.order.conditions)?;
        let mut bouts = Vec::new();
        (self.progress)(&format!("plays {planned} sample games"));
        tournament::play(&plan, fixtures, &mut journal, &mut |event| {
            if let TournamentEvent::Finished(record, stderr) = event {
                bouts.push(self.seen_from_my_seat(record, stderr));
                let (played, all) = (bouts.len(), fixtures.len());
                (self.progress)(&format!("plays sample games: {played} of {all}"));
            }
            if limit.is_some_and(|limit| began.elapsed() >= limit)
                || self.interrupted.load(Ordering::Relaxed)
            {
                stop.store(true, Ordering::Relaxed);
            }
        })?;
        // Workers finish in any order; the report must not depend on it.
        bouts.sort_by_key(|bout| fixtures.iter().position(|f| f.id == bout.record.fixture));
        Ok(bouts)
    }

    fn seen_from_my_seat(&self, record: &MatchRecord, stderr: &[Stderr]) -> Bout {
        let seats = &record.seats;
        let mine = seats.iter().position(|seat| seat.entrant == self.me);
        let mine = mine.expect("the submission plays in every sample game");
        let other = seats.iter().find(|seat| seat.entrant != self.me);
        Bout {
            record: record.clone(),
            seat: Seat::new(mine),
            opponent: other.map(|seat| seat.entrant.clone()).unwrap_or_default(),
            stderr: stderr
                .get(mine)
                .map(|wrote| wrote.text.clone())
                .unwrap_or_default(),
        }
    }
}
