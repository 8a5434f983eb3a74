//! Plays the missing games: submits arrays, collects their output, and resubmits lost games.

use super::ActiveArrays;
use super::array::{Array, End, SlurmPlan, TaskState};
use super::{Listed, Phase, Refusal};
use crate::built::Built;
use crate::estimate::{Sample, Trial, float};
use crate::play::worker::Order;
use crate::scheduled::Scheduled;
use crate::tournament::{Startups, TournamentEvent, TournamentPlan};
use model::fixture::Fixture;
use model::game_id::GameId;
use model::numbers::{about, counted};
use nix::sys::statfs::{
    BTRFS_SUPER_MAGIC, EXT4_SUPER_MAGIC, FsType, OVERLAYFS_SUPER_MAGIC, TMPFS_MAGIC, statfs,
};
use rulebook::{IoContext, JudgeError, Result, refuse};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use store::parts::{PartPlan, Programs, groups, slices};
use store::{Journal, MachineLines};
use system::files::text_of;

/// Number of tasks without any game in which a game is submitted.
const TRIES_MAX: u32 = 3;
const RETRY: Duration = Duration::from_secs(10);
const READ_INTERVAL: Duration = Duration::from_secs(1);
/// Pause between questions to Slurm.
const ASK: Duration = Duration::from_secs(10);
/// Time for which Slurm must not list a task until it has ended: one answer may be incomplete. A
/// request to submit may be fulfilled late.
const UNLISTED_MAX: Duration = Duration::from_secs(3);
const UNFOUND_MAX: Duration = Duration::from_secs(60);
/// Maximum time for an interrupted array to finish its games in play.
const DRAIN_MAX: Duration = Duration::from_secs(120);
/// Maximum time for tasks to end after their last game is in the journal.
const END_MAX: Duration = Duration::from_secs(15);
/// Time without another event after which [`TournamentEvent::Tick`] comes.
const TICK: Duration = Duration::from_millis(100);
const LOSSES_REPORTED_MAX: usize = 3;
/// On the login node, which others use too.
const TRIAL_MAX: Duration = Duration::from_secs(10);
const TRIAL_JOBS_MAX: usize = 4;
/// Memory of the judge itself on a node, its worker and the files that they have in memory, in MiB.
const JUDGE_MIB: u64 = 512;

type Tell<'t> = dyn FnMut(TournamentEvent<'_>) + 't;

/// Follows arrays that an earlier judge submitted instead of submitting them again.
pub(crate) fn play(
    run: &mut Scheduled,
    active: &ActiveArrays,
    stop: &Arc<AtomicBool>,
    tell: &mut Tell<'_>,
) -> Result {
    let mut machine = run.spec.machine.clone();
    // A task knows its programs, and not who named them.
    machine.weak_isolation |= !run.spec.has_strangers();
    let order = run.order();
    let startups = Startups::of(&run.fixtures, run.journal.games())?;
    let fixtures: Vec<Fixture> = (run.fixtures.iter())
        .map(|fixture| startups.marked(fixture))
        .collect();
    let seats = run.roles.len() as u64;
    let Built {
        journal,
        keys,
        spec,
        manifest,
        slurm,
        folder,
        ..
    } = &mut run.built;
    let conditions = &manifest.competition.conditions;
    let missing = fixtures.iter().filter(|one| !journal.contains(one.id));
    let ids: Vec<GameId> = fixtures.iter().map(|one| one.id).collect();
    let mut cluster = ClusterRun {
        plan: SlurmPlan {
            judge: this_program()?,
            flags: machine.flags(),
            settings: slurm,
            memory_mib: conditions.memory_mib * seats + JUDGE_MIB,
            part: PartPlan {
                build: spec.build,
                run: folder,
                keys,
                conditions,
                artifacts: &order.artifacts,
                toolchains: &manifest.toolchain_folders,
                programs: Programs::Shared(folder.clone()),
            },
        },
        order: &order,
        trial_jobs: machine.jobs.min(TRIAL_JOBS_MAX),
        trial_seed: manifest.draw.resamples,
        tried: None,
        stop,
        active,
        fixtures: &fixtures,
        missing: missing.map(|one| one.id).collect(),
        arrays: Array::all(folder)?,
        machines: journal.games().machines_of(&ids)?,
        mixed: spec.mixed,
        fruitless: HashMap::new(),
        given_up: HashSet::new(),
        last_loss: String::new(),
        bad_nodes: BTreeSet::new(),
        reported: BTreeSet::new(),
        settle: settle_time(folder),
        is_away: false,
        next_question: Instant::now(),
        next_read: Instant::now(),
        next_try: Instant::now(),
        draining: None,
    };
    let played = cluster.follow(journal, tell);
    journal.sync()?;
    if played.is_err() {
        cluster
            .going()
            .for_each(|array| say_how_to_end(array, tell));
    }
    played?;
    cluster.tidy();
    *active.lock() = Vec::new();
    match cluster.given_up.intersection(&cluster.missing).count() {
        0 => Ok(()),
        games => Err(JudgeError::Unplayed {
            games,
            reason: cluster.last_loss,
        }),
    }
}

struct ClusterRun<'a> {
    plan: SlurmPlan<'a>,
    order: &'a Order,
    trial_jobs: usize,
    trial_seed: u64,
    tried: Option<Sample>,
    stop: &'a Arc<AtomicBool>,
    active: &'a ActiveArrays,
    fixtures: &'a [Fixture],
    missing: HashSet<GameId>,
    arrays: Vec<Array>,
    machines: MachineLines,
    mixed: bool,
    /// Number of tasks, by game, that ended without having played any game.
    fruitless: HashMap<GameId, u32>,
    given_up: HashSet<GameId>,
    last_loss: String,
    /// Nodes on which tasks have ended without having played any game.
    bad_nodes: BTreeSet<String>,
    reported: BTreeSet<String>,
    /// Time after the end of a task within which its games may still come.
    settle: Duration,
    /// Whether Slurm did not answer the last question.
    is_away: bool,
    next_question: Instant,
    next_read: Instant,
    next_try: Instant,
    /// Since when the arrays have been ending after an interrupt.
    draining: Option<Instant>,
}

impl<'a> ClusterRun<'a> {
    /// After an interrupt, until all tasks have ended.
    fn follow(&mut self, journal: &mut Journal, tell: &mut Tell<'_>) -> Result {
        self.read_journals(journal, tell)?;
        for array in self.going() {
            say_that_it_goes_on(array, tell);
        }
        while !self.missing.is_empty() {
            journal.sync_if_due()?;
            let active = self.going().map(|array| (array.name.clone(), array.job));
            *self.active.lock() = active.collect();
            if self.ask(tell)? || Instant::now() >= self.next_read {
                self.read_journals(journal, tell)?;
            }
            self.settle(tell);
            if self.stop.load(Ordering::Relaxed) {
                if self.is_drained(tell) {
                    break;
                }
            } else if !self.submit(tell)? && self.arrays.iter().all(Array::is_over) {
                break;
            }
            tell(TournamentEvent::Tick);
            thread::sleep(TICK);
        }
        Ok(())
    }

    fn going(&self) -> impl Iterator<Item = &Array> {
        self.arrays.iter().filter(|array| array.goes_on())
    }

    fn read_journals(&mut self, journal: &mut Journal, tell: &mut Tell<'_>) -> Result {
        for array in self.arrays.iter_mut().filter(|array| !array.is_over()) {
            array.find_journals(&self.plan)?;
            for task in &mut array.tasks {
                let mut taken = 0;
                for attempt in &mut task.attempts {
                    attempt.read(
                        (&mut self.machines, self.mixed),
                        self.plan.part.conditions,
                        journal,
                        &mut |record, stderr| {
                            taken += 1;
                            if self.missing.remove(&record.fixture) {
                                tell(TournamentEvent::Finished(record, stderr, None));
                            }
                        },
                    )?;
                }
                task.taken += taken;
                if task.missing(&self.missing).next().is_none() {
                    task.state = TaskState::Over;
                }
            }
        }
        self.next_read = Instant::now() + READ_INTERVAL;
        Ok(())
    }

    /// Returns whether there is an answer.
    fn ask(&mut self, tell: &mut Tell<'_>) -> Result<bool> {
        let names: Vec<&str> = self.going().map(|array| &*array.name).collect();
        if names.is_empty() || Instant::now() < self.next_question {
            return Ok(false);
        }
        let answer = super::list(&names);
        let pause = self.draining.map_or(ASK, |_| READ_INTERVAL);
        self.next_question = Instant::now() + pause;
        match answer {
            Ok(listed) => {
                self.is_back(tell);
                self.learn(&listed, tell)?;
                Ok(true)
            }
            Err(refusal) => self.is_away(refusal, tell).map(|()| false),
        }
    }

    fn learn(&mut self, listed: &[Listed], tell: &mut Tell<'_>) -> Result {
        let by_task: HashMap<(&str, Option<usize>), &Listed> = listed
            .iter()
            .map(|one| ((&*one.name, one.task), one))
            .collect();
        // Otherwise they would begin or continue next to their replacements.
        let mut replaced = Vec::new();
        for array in &mut self.arrays {
            let name = array.name.clone();
            let found = listed.iter().find(|one| one.name == name);
            if let (None, Some(one)) = (array.job, found) {
                array.submitted(one.job)?;
                say_that_it_goes_on(array, tell);
            }
            let unlisted_max = array.job.map_or(UNFOUND_MAX, |_| UNLISTED_MAX);
            let job = array.job.unwrap_or_default();
            for (task, number) in array.tasks.iter_mut().zip(1..) {
                if !matches!(task.state, TaskState::Going) {
                    continue;
                }
                let of = |number| by_task.get(&(&*name, number)).copied();
                let one = of(Some(number)).or_else(|| of(None));
                if one.is_some() {
                    task.unlisted_since = None;
                } else if task
                    .unlisted_since
                    .get_or_insert_with(Instant::now)
                    .elapsed()
                    < unlisted_max
                {
                    continue;
                }
                if job > 0 && one.is_none_or(Listed::was_not_launched) {
                    replaced.push(format!("{job}_{number}"));
                }
                if let Some(end) = End::of(one) {
                    task.state = TaskState::Ended(end);
                } else if let Some(reason) = one.and_then(Listed::obstacle)
                    && self.reported.insert(format!("{job} {reason}"))
                {
                    tell(TournamentEvent::Note(&format!(
                        "task {number} of Slurm array {job} is waiting, by Slurm's reason {reason}; squeue --job={job} shows it"
                    )));
                }
            }
        }
        if !replaced.is_empty()
            && let Err(refusal) = super::cancel_with(&replaced, super::ANSWER_S)
        {
            tell(TournamentEvent::Note(&refusal.words()));
        }
        Ok(())
    }

    /// Tasks play on without Slurm's controller, so it is asked until it answers.
    fn is_away(&mut self, refusal: Refusal, tell: &mut Tell<'_>) -> Result {
        if !matches!(refusal, Refusal::Unreachable(_) | Refusal::Unclear(_)) {
            return Err(refusal.error());
        }
        if !std::mem::replace(&mut self.is_away, true) {
            let words = refusal.words();
            tell(TournamentEvent::Note(&format!(
                "{words}; tasks keep playing, and judge keeps asking until you interrupt it"
            )));
        }
        Ok(())
    }

    fn is_back(&mut self, tell: &mut Tell<'_>) {
        if std::mem::take(&mut self.is_away) {
            tell(TournamentEvent::Note("Slurm answers again"));
        }
    }

    /// Reports own ended tasks with unplayed games, and decides whether these are submitted again.
    fn settle(&mut self, tell: &mut Tell<'_>) {
        let mut losses: usize = 0;
        for array in &mut self.arrays {
            for index in 0..array.tasks.len() {
                let task = &mut array.tasks[index];
                let TaskState::Ended(end) = &task.state else {
                    continue;
                };
                let refused = task.attempts.iter().find_map(|one| one.refused.clone());
                if refused.is_none() && end.since.elapsed() < self.settle {
                    continue;
                }
                let mut end = end.clone();
                if let Some(reason) = refused {
                    end.words = reason;
                    end.how = Phase::Lost;
                }
                task.state = TaskState::Over;
                let left: Vec<GameId> = task.missing(&self.missing).collect();
                let has_played = task.taken > 0;
                if !array.is_own || self.draining.is_some() || left.is_empty() {
                    continue;
                }
                self.last_loss = array.loss(index + 1, &end, left.len());
                losses += 1;
                if losses <= LOSSES_REPORTED_MAX {
                    tell(TournamentEvent::Note(&self.last_loss));
                }
                if end.how == Phase::Cancelled {
                    // The user who cancelled it wants it to stop.
                    self.given_up.extend(left);
                    continue;
                }
                if !has_played && end.how == Phase::Lost && !end.nodes.is_empty() {
                    self.bad_nodes.insert(end.nodes);
                }
                for game in left {
                    let tries = self.fruitless.entry(game).or_default();
                    *tries = if has_played { 0 } else { *tries + 1 };
                    if *tries >= TRIES_MAX {
                        self.given_up.insert(game);
                    }
                }
            }
        }
        if let Some(more @ 1..) = losses.checked_sub(LOSSES_REPORTED_MAX) {
            let more = counted(more, "task");
            tell(TournamentEvent::Note(&format!(
                "{more} more have ended in the same way"
            )));
        }
    }

    fn submit(&mut self, tell: &mut Tell<'_>) -> Result<bool> {
        let uncovered = self.uncovered();
        if uncovered.is_empty() {
            return Ok(false);
        }
        if Instant::now() < self.next_try {
            return Ok(true);
        }
        let costs_us = self.costs_us(&uncovered)?;
        if self.stop.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let parts = self.parts(&uncovered, &costs_us);
        let array = Array::make(&self.plan, &parts)?;
        (self.active.lock()).push((array.name.clone(), None));
        let job = match self.try_to_submit(&array) {
            Ok(job) => job,
            Err(refusal) => {
                if matches!(refusal, Refusal::Unclear(_)) {
                    // Once Slurm answers, the name shows whether the array exists.
                    self.arrays.push(array);
                } else {
                    array.remove();
                }
                self.next_try = Instant::now() + RETRY;
                if self.going().next().is_none() {
                    return Err(refusal.error());
                }
                return self.is_away(refusal, tell).map(|()| true);
            }
        };
        self.is_back(tell);
        self.arrays.push(array);
        (self.arrays.last_mut().expect("just pushed")).submitted(job)?;
        let tasks = counted(parts.len(), "task");
        let games = counted(uncovered.len(), "game");
        let each = about(costs_us.iter().sum::<f64>() / 1e6 / float(parts.len() as u64));
        tell(TournamentEvent::Note(&format!(
            "submitted {games} to Slurm as array {job} of {tasks}, about {each} each"
        )));
        Ok(true)
    }

    fn uncovered(&self) -> Vec<&'a Fixture> {
        let covered: HashSet<GameId> = self
            .arrays
            .iter()
            .flat_map(|array| &array.tasks)
            .filter(|task| !matches!(task.state, TaskState::Over))
            .flat_map(|task| &task.games)
            .copied()
            .collect();
        let is_left = |one: &&Fixture| {
            let id = &one.id;
            self.missing.contains(id) && !covered.contains(id) && !self.given_up.contains(id)
        };
        self.fixtures.iter().filter(is_left).collect()
    }

    /// Estimates how long each of some games takes, in microseconds, by trial games here.
    fn costs_us(&mut self, games: &[&Fixture]) -> Result<Vec<f64>> {
        if self.tried.is_none() {
            let plan = TournamentPlan::new(self.order.clone(), self.trial_jobs);
            let trial = Trial::play(plan, games, self.trial_seed, TRIAL_MAX, self.stop)?;
            self.tried = Some(trial.sample);
        }
        let sample = self.tried.as_ref().expect("tried above");
        let lifetime = self.plan.part.conditions.lifetime;
        // If no game has ended in the whole trial, each takes longer.
        let none = 2.0 * TRIAL_MAX.as_secs_f64() * 1e6;
        let each = sample.each(games.iter().copied(), lifetime, 1);
        Ok(each.map_or(vec![none; games.len()], |each| {
            each.iter().map(|game| game.wall_us).collect()
        }))
    }

    fn parts<'f>(&self, fixtures: &[&'f Fixture], costs_us: &[f64]) -> Vec<Vec<&'f Fixture>> {
        let ids = fixtures.iter().map(|one| one.id);
        let costs: HashMap<GameId, f64> = ids.zip(costs_us.iter().copied()).collect();
        let groups = groups(fixtures.iter().copied(), self.plan.part.conditions.lifetime);
        let settings = self.plan.settings;
        let total: f64 = costs_us.iter().sum();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped between two counts"
        )]
        let tasks = (total / (settings.part_minutes * 60e6)).ceil() as usize;
        let tasks_max = groups.len().min(settings.tasks_max as usize);
        slices(groups, tasks.clamp(1, tasks_max), &|one| costs[&one.id])
    }

    /// If Slurm has no other nodes, submits it for all nodes.
    fn try_to_submit(&mut self, array: &Array) -> Result<u64, Refusal> {
        let submit = |excluded: &BTreeSet<String>| {
            let options = array.options(&self.plan, excluded);
            super::submit(&array.folder, &options)
        };
        match submit(&self.bad_nodes) {
            Err(Refusal::Refused(_)) if !self.bad_nodes.is_empty() => {
                let submitted = submit(&BTreeSet::new());
                self.bad_nodes.clear();
                submitted
            }
            submitted => submitted,
        }
    }

    /// Returns whether they have ended, or had enough time and are cancelled.
    fn is_drained(&mut self, tell: &mut Tell<'_>) -> bool {
        let since = *self.draining.get_or_insert_with(|| {
            self.next_try = Instant::now();
            self.next_question = Instant::now();
            Instant::now()
        });
        if self.going().next().is_none() {
            return true;
        }
        if since.elapsed() < DRAIN_MAX {
            self.interrupt(tell);
            return false;
        }
        let words = format!(
            "the tasks did not finish their games within {} s; cancelling them",
            DRAIN_MAX.as_secs()
        );
        tell(TournamentEvent::Note(&words));
        for array in self.going() {
            if let Err(refusal) = super::cancel(&array.name) {
                tell(TournamentEvent::Note(&refusal.words()));
                say_how_to_end(array, tell);
            }
        }
        true
    }

    /// Once each: a second signal would also end their games in play.
    fn interrupt(&mut self, tell: &mut Tell<'_>) {
        if Instant::now() < self.next_try {
            return;
        }
        let going = self.arrays.iter_mut().filter(|array| array.goes_on());
        for array in going.filter(|array| array.job.is_some() && !array.is_reported) {
            match super::interrupt(&array.name) {
                Ok(()) => array.is_reported = true,
                Err(refusal) => {
                    tell(TournamentEvent::Note(&refusal.words()));
                    self.next_try = Instant::now() + RETRY;
                }
            }
        }
    }

    /// Tasks whose games are all in the journal end by themselves. Folders stay if their logs may
    /// be needed.
    fn tidy(&self) {
        let over: Vec<&Array> = self.arrays.iter().filter(|one| one.is_over()).collect();
        if over.is_empty() {
            return;
        }
        let names: Vec<&str> = over.iter().map(|array| &*array.name).collect();
        for name in &names {
            // Slurm may have accepted it without an answer.
            let _ = super::cancel_waiting(name);
        }
        let deadline = Instant::now() + END_MAX;
        let mut running: Vec<Listed>;
        loop {
            running = super::list(&names).unwrap_or_default();
            running.retain(|one| one.phase() == Phase::Running);
            if running.is_empty() || Instant::now() >= deadline {
                break;
            }
            thread::sleep(TICK);
        }
        let is_running = |array: &&&Array| running.iter().any(|one| one.name == array.name);
        if self.given_up.is_empty() {
            let ended = over.iter().filter(|array| !is_running(array));
            ended.for_each(|array| array.remove());
        }
    }
}

fn say_that_it_goes_on(array: &Array, tell: &mut Tell<'_>) {
    let Some(job) = array.job else {
        return;
    };
    let tasks = counted(array.tasks.len(), "task");
    tell(TournamentEvent::Note(&format!(
        "following Slurm array {job} of {tasks}, which was submitted before"
    )));
}

fn say_how_to_end(array: &Array, tell: &mut Tell<'_>) {
    let (job, name) = (array.job.unwrap_or_default(), &array.name);
    tell(TournamentEvent::Note(&format!(
        "Slurm array {job} may still be running; to end it: scancel --name={name}"
    )));
}

fn this_program() -> Result<String> {
    let path = std::env::current_exe().or_io("find", "this program")?;
    if !path.is_file() {
        return refuse(format!(
            "{} is missing, and the cluster's nodes need it; start judge again",
            path.display()
        ));
    }
    text_of(&path)
}

/// Network file systems may show another machine's files a minute late (`acdirmax` of NFS).
const REMOTE: Duration = Duration::from_secs(70);

/// XFS: `nix` has no name for it with musl.
const XFS_SUPER_MAGIC: FsType = FsType(0x5846_5342);

/// Zero if the folder is on a local file system of this machine.
fn settle_time(folder: &Path) -> Duration {
    let local = [
        BTRFS_SUPER_MAGIC,
        EXT4_SUPER_MAGIC,
        OVERLAYFS_SUPER_MAGIC,
        TMPFS_MAGIC,
        XFS_SUPER_MAGIC,
    ];
    match statfs(folder) {
        Ok(found) if local.contains(&found.filesystem_type()) => Duration::ZERO,
        _ => REMOTE,
    }
}
