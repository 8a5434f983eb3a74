//! `judge run --on slurm`: the data that the run gives the cluster's side.

use crate::estimate::Sample;
use crate::scheduled::Scheduled;
use crate::slurm::{ActiveArrays, SlurmPlan};
use crate::tournament::{Startups, TournamentEvent};
use crate::trial::{Trial, TrialPlan};
use model::artifact::Artifact;
use model::competition::SlurmSettings;
use model::fixture::{Conditions, Fixture};
use model::game_id::GameId;
use rulebook::JudgeError;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use store::Journal;
use store::parts::{PartPlan, Programs};
use system::files::text_of;

/// Time limit of trial games on the login node, which others use too, and their maximum number at
/// once.
const TRIAL_MAX: Duration = Duration::from_secs(10);
const TRIAL_JOBS_MAX: usize = 4;
/// Number of games in the journal below which trial games are played.
const GAMES_ENOUGH: u64 = 20;
/// Maximum number of games of the journal that are read.
const GAMES_READ_MAX: usize = 500;
/// Memory of the judge itself on a node, its worker and the files that they have in memory, in MiB.
const JUDGE_MIB: u64 = 512;

/// All data that the cluster's side receives, by value: the journal is written meanwhile.
pub(crate) struct OnSlurm {
    arrays: ActiveArrays,
    build: &'static str,
    run: PathBuf,
    judge: String,
    flags: Vec<String>,
    settings: SlurmSettings,
    mixed: bool,
    seats: usize,
    keys: store::Keys,
    conditions: Conditions,
    toolchains: BTreeMap<String, String>,
    artifacts: Vec<Artifact>,
    ids: Vec<GameId>,
    trial: TrialPlan,
    tried: RefCell<Option<Trial>>,
}

impl OnSlurm {
    /// Takes the games to play; `arrays` can end the tasks.
    pub(crate) fn of(scheduled: &Scheduled, arrays: ActiveArrays) -> Result<Self, JudgeError> {
        let order = scheduled.order();
        let fixtures = scheduled.fixtures.iter();
        let mut machine = scheduled.spec.machine.clone();
        // A task knows its programs, and not who named them.
        machine.weak_isolation |= !scheduled.spec.has_strangers();
        Ok(Self {
            arrays,
            build: scheduled.spec.build,
            run: scheduled.folder.clone(),
            judge: this_program()?,
            flags: machine.flags(),
            settings: scheduled.slurm.clone(),
            mixed: scheduled.spec.mixed,
            seats: scheduled.roles.len(),
            keys: scheduled.keys.clone(),
            conditions: order.conditions.clone(),
            toolchains: scheduled.manifest.toolchain_folders.clone(),
            artifacts: order.artifacts.clone(),
            ids: fixtures.map(|one| one.id).collect(),
            trial: TrialPlan {
                order,
                pin: false,
                jobs: machine.jobs.min(TRIAL_JOBS_MAX),
                time_max: TRIAL_MAX,
                seed: scheduled.manifest.draw.resamples,
            },
            tried: RefCell::default(),
        })
    }

    /// Plays the missing games.
    pub(crate) fn play(
        &self,
        fixtures: &[Fixture],
        journal: &mut Journal,
        stop: &Arc<AtomicBool>,
        tell: &mut dyn FnMut(TournamentEvent<'_>),
    ) -> Result<(), JudgeError> {
        let plan = SlurmPlan {
            run: &self.run,
            judge: &self.judge,
            flags: &self.flags,
            settings: &self.settings,
            memory_mib: self.conditions.memory_mib * self.seats as u64 + JUDGE_MIB,
            part: PartPlan {
                build: self.build,
                run: &self.run,
                keys: &self.keys,
                conditions: &self.conditions,
                artifacts: &self.artifacts,
                toolchains: &self.toolchains,
                programs: Programs::Shared(self.run.clone()),
            },
            costs_us: &|games, journal| self.costs_us(games, journal, stop),
            mixed: self.mixed,
            stop: Arc::clone(stop),
            arrays: self.arrays.clone(),
        };
        let startups = Startups::of(fixtures, journal.games())?;
        let marked: Vec<Fixture> = fixtures
            .iter()
            .map(|fixture| startups.marked(fixture))
            .collect();
        crate::slurm::play(&plan, &marked, journal, tell)
    }

    /// Estimates the time of games, in microseconds: from those in the journal, or from trial games
    /// here.
    fn costs_us(
        &self,
        games: &[&Fixture],
        journal: &Journal,
        stop: &Arc<AtomicBool>,
    ) -> Result<Vec<f64>, JudgeError> {
        let played = self.played(journal)?;
        if played.games() >= GAMES_ENOUGH {
            return Ok(self.by(&played, games));
        }
        if self.tried.borrow().is_none() {
            let trial = self.trial.play(games, stop)?;
            *self.tried.borrow_mut() = Some(trial);
        }
        let tried = self.tried.borrow();
        let trial = tried.as_ref().expect("just tried");
        Ok(self.by(&trial.sample, games))
    }

    /// Reads a sample of the games played so far, spread over the run.
    fn played(&self, journal: &Journal) -> Result<Sample, JudgeError> {
        let mut sample = Sample::default();
        let played: Vec<GameId> = self
            .ids
            .iter()
            .copied()
            .filter(|id| journal.contains(*id))
            .collect();
        for id in played.iter().step_by(played.len() / GAMES_READ_MAX + 1) {
            if let Some(record) = journal.read(*id)? {
                sample.add_recorded(&record);
            }
        }
        Ok(sample)
    }

    /// Estimates each game by a sample. If the sample is empty, no game has ended in the whole
    /// trial.
    fn by(&self, sample: &Sample, games: &[&Fixture]) -> Vec<f64> {
        let each = sample.each(games.iter().copied(), self.conditions.lifetime, 1);
        let none = 2.0 * TRIAL_MAX.as_secs_f64() * 1e6;
        each.map_or(vec![none; games.len()], |each| {
            each.iter().map(|game| game.wall_us).collect()
        })
    }
}

/// Returns the path of this program, for other machines.
fn this_program() -> Result<String, JudgeError> {
    let path = std::env::current_exe().map_err(|e| JudgeError::io("find", "this program", e))?;
    if !path.is_file() {
        return Err(JudgeError::input(format!(
            "{} is missing, and the cluster's nodes need it; start judge again",
            path.display()
        )));
    }
    text_of(&path)
}
