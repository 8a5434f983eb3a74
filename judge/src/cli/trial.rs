//! Games that are tried out: neither scored nor kept, they tell how long others will take.

use crate::builtin;
use crate::estimate::Sample;
use crate::intact::intact;
use error::JudgeError;
use journal::Journal;
use play::worker::Order;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::collections::HashMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use system::cleanup::TemporaryFolder;
use tournament::{self, TournamentEvent, TournamentPlan};
use words::fixture::Fixture;

/// The most games that are tried out.
const GAMES_MAX: usize = 200;
/// How often everybody is tried out on every chair.
const TRIES: u32 = 3;
/// With fewer games for each worker the time besides the games is not worth measuring.
const GAMES_FOR_OVERHEAD: u64 = 8;

/// How games are tried out.
pub(super) struct TrialPlan {
    pub(super) order: Order,
    pub(super) pin: bool,
    pub(super) jobs: usize,
    /// After so long the trial is ended, with the games in play.
    pub(super) time_max: Duration,
    /// What the games are picked by.
    pub(super) seed: u64,
}

/// What was tried out.
pub(super) struct Trial {
    pub(super) sample: Sample,
    pub(super) elapsed: Duration,
    /// Games were still going on when it was ended.
    pub(super) cut: bool,
}

impl TrialPlan {
    /// Tries out some of these games; `stop` ends it early, and is left as it is.
    ///
    /// # Errors
    /// When no worker can be started, or games fail for reasons of ours.
    pub(super) fn play(
        &self,
        missing: &[&Fixture],
        stop: &Arc<AtomicBool>,
    ) -> Result<Trial, JudgeError> {
        let folder = TemporaryFolder::new("plan", Permissions::from_mode(0o700))
            .map_err(|e| JudgeError::io("make a folder in", std::env::temp_dir(), e))?;
        let mut journal = Journal::open(folder.path(), &self.order.conditions)?;
        let judge = PathBuf::from(builtin::THIS_PROGRAM);
        let (ended, abandon) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicBool::new(false)),
        );
        let plan = TournamentPlan {
            judge: &judge,
            order: self.order.clone(),
            machine: None,
            pin: self.pin,
            intact: &intact,
            jobs: self.jobs,
            stop: Arc::clone(&ended),
            abandon: Arc::clone(&abandon),
        };
        let games = pick(missing, self.seed);
        let began = Instant::now();
        let mut sample = Sample::default();
        let played = tournament::play(&plan, &games, &mut journal, &mut |event| {
            if let TournamentEvent::Finished(record, _) = event {
                let line = serde_json::to_vec(record).expect("plain data");
                sample.add(record, line.len() as u64 + 1);
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

impl Trial {
    /// Returns how many times longer the games took than what their players took, with so many at
    /// once; 1 where that cannot be told.
    #[expect(clippy::cast_precision_loss, reason = "a few workers")]
    pub(super) fn overhead(&self, jobs: usize) -> f64 {
        let busy_s = self.sample.busy_us() / 1e6;
        let enough = self.sample.games() >= GAMES_FOR_OVERHEAD * jobs as u64;
        if enough && busy_s > 0.0 && !self.cut {
            (self.elapsed.as_secs_f64() * jobs as f64 / busy_s).max(1.0)
        } else {
            1.0
        }
    }
}

/// Picks games at random, so that everybody sits on every chair some times.
fn pick(missing: &[&Fixture], seed: u64) -> Vec<Fixture> {
    let mut order: Vec<&Fixture> = missing.to_vec();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let mut tries: HashMap<(&str, usize), u32> = HashMap::new();
    let mut picked = Vec::new();
    for fixture in order {
        let chairs = || {
            (0..)
                .zip(&fixture.seats)
                .map(|(seat, one)| (&*one.entrant, seat))
        };
        let is_needed = chairs().any(|chair| tries.get(&chair).is_none_or(|&n| n < TRIES));
        if is_needed && picked.len() < GAMES_MAX {
            for chair in chairs() {
                *tries.entry(chair).or_default() += 1;
            }
            picked.push(fixture.clone());
        }
    }
    picked
}
