//! Trial games: neither scored nor kept, they show how long others take.

use crate::estimate::Sample;
use crate::play::worker::Order;
use crate::tournament::{TournamentEvent, TournamentPlan};
use model::fixture::Fixture;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rulebook::JudgeError;
use std::collections::HashMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use store::Journal;
use system::cleanup::TemporaryFolder;

const GAMES_MAX: usize = 200;
/// Number of trial games of every entrant in every seat.
const TRIES: u32 = 3;
/// Further trial games are played until this part of the time limit has passed.
const SPARE_PART: u32 = 4;

pub(crate) struct TrialPlan {
    pub(crate) order: Order,
    pub(crate) pin: bool,
    pub(crate) jobs: usize,
    /// Time limit of the trial; games in play are ended with it.
    pub(crate) time_max: Duration,
    pub(crate) seed: u64,
}

/// The outcome of a trial.
pub struct Trial {
    /// Cost of the games that ended.
    pub sample: Sample,
    /// Duration of the trial.
    pub elapsed: Duration,
    /// Whether games were still in play when it was ended.
    pub cut: bool,
}

impl TrialPlan {
    pub(crate) fn play(
        &self,
        missing: &[&Fixture],
        stop: &Arc<AtomicBool>,
    ) -> Result<Trial, JudgeError> {
        let folder = TemporaryFolder::new("plan", Permissions::from_mode(0o700))
            .map_err(|e| JudgeError::io("make a folder in", std::env::temp_dir(), e))?;
        let mut journal = Journal::open(folder.path(), &self.order.conditions)?;
        let (ended, abandon) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicBool::new(false)),
        );
        // A mute bot must not take the time of the whole trial.
        let mut order = self.order.clone();
        let startup_max = self.time_max / SPARE_PART;
        let startup_max = u64::try_from(startup_max.as_millis()).unwrap_or(u64::MAX);
        let startup_ms = &mut order.conditions.startup_ms;
        *startup_ms = startup_max.min(*startup_ms);
        let plan = TournamentPlan {
            pin: self.pin,
            stop: Arc::clone(&ended),
            abandon: Arc::clone(&abandon),
            ..TournamentPlan::new(order, self.jobs)
        };
        let (games, needed) = pick(missing, self.seed);
        let began = Instant::now();
        let mut sample = Sample::of_trial(self.order.conditions.startup_ms);
        let played = crate::tournament::play(&plan, &games, &mut journal, &mut |event| {
            if let TournamentEvent::PlayTime(record, took) = event {
                let line = serde_json::to_vec(record).expect("plain data");
                sample.add(record, took, line.len() as u64 + 1);
            }
            if sample.games() >= needed as u64 && began.elapsed() > self.time_max / SPARE_PART {
                ended.store(true, Ordering::Relaxed);
            }
            if began.elapsed() > self.time_max {
                abandon.store(true, Ordering::Relaxed);
                ended.store(true, Ordering::Relaxed);
            }
            if stop.load(Ordering::Relaxed) {
                ended.store(true, Ordering::Relaxed);
            }
        });
        let cut = abandon.load(Ordering::Relaxed);
        if !cut {
            played?;
        }
        Ok(Trial {
            sample,
            elapsed: began.elapsed(),
            cut,
        })
    }
}

/// Picks games at random. First come those, and their number is returned, that give every entrant
/// every seat up to [`TRIES`] times.
fn pick(missing: &[&Fixture], seed: u64) -> (Vec<Fixture>, usize) {
    let mut order: Vec<&Fixture> = missing.to_vec();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let mut tries: HashMap<(&str, usize), u32> = HashMap::new();
    let (mut needed, mut others) = (Vec::new(), Vec::new());
    for fixture in order {
        let seats = || (fixture.seats.iter().zip(0..)).map(|(one, seat)| (&*one.entrant, seat));
        let is_needed = seats().any(|seat| tries.get(&seat).is_none_or(|&n| n < TRIES));
        if is_needed {
            for seat in seats() {
                *tries.entry(seat).or_default() += 1;
            }
        }
        let picked = if is_needed { &mut needed } else { &mut others };
        picked.push(fixture.clone());
    }
    needed.truncate(GAMES_MAX);
    let picked = needed.len();
    others.truncate(GAMES_MAX - picked);
    ([needed, others].concat(), picked)
}
