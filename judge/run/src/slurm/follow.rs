//! Plays the missing games on a cluster: submits arrays, follows them, collects the output of their
//! tasks, and resubmits lost games.

use super::client::{News, Watch};
use super::{Machines, SlurmPlan, mark_cancelled};
use crate::slurm::array::{Array, Stand};
use crate::slurm::client::{self, Refusal, Which};
use crate::slurm::listing::{Listed, Phase};
use crate::slurm::loss::{Loss, end_of, losses};
use crate::tournament::TournamentEvent;
use model::fixture::Fixture;
use model::game_id::GameId;
use model::numbers::counted;
use nix::sys::statfs::{
    BTRFS_SUPER_MAGIC, EXT4_SUPER_MAGIC, FsType, OVERLAYFS_SUPER_MAGIC, TMPFS_MAGIC, statfs,
};
use rulebook::JudgeError;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};
use store::Journal;
use store::parts::{groups, slices};

/// Maximum number of times that a game is submitted in tasks that end without having played any
/// game.
const TRIES_MAX: u32 = 3;
/// Maximum time that Slurm may be unreachable before the judge gives up; tasks continue meanwhile.
const AWAY_MAX: Duration = Duration::from_secs(30 * 60);
/// Time between two attempts to submit.
const RETRY: Duration = Duration::from_secs(10);
/// Interval between checks of the tasks' output.
const LOOK: Duration = Duration::from_secs(1);
/// Number of consecutive answers without a task after which the task counts as ended: one answer
/// may be empty or incomplete.
const ABSENCES_MAX: u32 = 3;
/// Time that Slurm must report no job of an array's name before the array counts as never
/// submitted: a request may be fulfilled late.
const UNFOUND_MAX: Duration = Duration::from_secs(60);
/// Maximum time for an interrupted array to finish its games in play.
const DRAIN_MAX: Duration = Duration::from_secs(120);
/// Maximum time for tasks to end after their last game is in the journal.
const END_MAX: Duration = Duration::from_secs(15);
/// Time without another event after which [`TournamentEvent::Tick`] comes.
const TICK: Duration = Duration::from_millis(100);
/// Maximum number of lost tasks reported individually at a time.
const LOSSES_TOLD_MAX: usize = 3;

type Tell<'t> = dyn FnMut(TournamentEvent<'_>) + 't;

/// Plays the fixtures that are not in the journal yet. Follows arrays that an earlier judge
/// submitted instead of submitting them again, and collects the output of their tasks.
pub fn play(
    plan: &SlurmPlan<'_>,
    fixtures: &[Fixture],
    journal: &mut Journal,
    tell: &mut Tell<'_>,
) -> Result<(), JudgeError> {
    let missing = fixtures.iter().filter(|one| !journal.contains(one.id));
    let mut front = Front {
        plan,
        fixtures,
        missing: missing.map(|one| one.id).collect(),
        arrays: Array::all(plan.run)?,
        machines: Machines::of(journal, fixtures, plan.mixed)?,
        fruitless: HashMap::new(),
        given_up: HashSet::new(),
        last_loss: String::new(),
        bad_nodes: BTreeSet::new(),
        told: BTreeSet::new(),
        settle: settle_time(plan.run),
        away_since: None,
        next_look: Instant::now(),
        next_try: Instant::now(),
        draining: None,
    };
    let played = thread::scope(|scope| {
        let mut watch = Watch::begin(scope);
        front.follow(journal, &mut watch, tell)
    });
    journal.sync()?;
    if played.is_err() {
        front.say_what_is_left(tell);
    }
    played?;
    front.let_end();
    plan.arrays.set([].into_iter());
    front.tidy();
    front.verdict()
}

/// The whole state while a run is played.
struct Front<'a> {
    plan: &'a SlurmPlan<'a>,
    /// All fixtures of the run, in the order of play.
    fixtures: &'a [Fixture],
    /// Ids of the fixtures that are not in the journal.
    missing: HashSet<GameId>,
    arrays: Vec<Array>,
    machines: Machines,
    /// Number of tasks, by game, that ended without having played any game.
    fruitless: HashMap<GameId, u32>,
    /// Games that are not submitted any more.
    given_up: HashSet<GameId>,
    last_loss: String,
    /// Nodes on which tasks have ended without having played any game.
    bad_nodes: BTreeSet<String>,
    /// Notes about waiting tasks that the user has already seen.
    told: BTreeSet<String>,
    /// Time after the end of a task within which its games may still come.
    settle: Duration,
    away_since: Option<Instant>,
    next_look: Instant,
    next_try: Instant,
    /// Since when the arrays have been ending after an interrupt.
    draining: Option<Instant>,
}

impl<'a> Front<'a> {
    /// Records the numbers of arrays whose submission was not answered, or whose judge could not
    /// record them.
    fn learn_numbers(
        &mut self,
        named: &HashMap<String, Option<u64>>,
        tell: &mut Tell<'_>,
    ) -> Result<(), JudgeError> {
        for array in self.arrays.iter_mut().filter(|array| array.goes_on()) {
            match named.get(array.name()).filter(|_| array.job().is_none()) {
                Some(Some(job)) => {
                    array.submitted(*job)?;
                    say_that_it_goes_on(array, tell);
                }
                Some(None) => {
                    let since = *array.unfound_since.get_or_insert_with(Instant::now);
                    if since.elapsed() >= UNFOUND_MAX {
                        array.never_was();
                    }
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Continues until every game is in the journal or given up, or, after an interrupt, until all
    /// tasks have ended.
    fn follow(
        &mut self,
        journal: &mut Journal,
        watch: &mut Watch,
        tell: &mut Tell<'_>,
    ) -> Result<(), JudgeError> {
        self.look(journal, tell)?;
        for array in self.arrays.iter().filter(|array| array.goes_on()) {
            say_that_it_goes_on(array, tell);
        }
        while !self.missing.is_empty() {
            journal.sync_if_due()?;
            let going = self.arrays.iter().filter(|array| array.goes_on());
            self.plan.arrays.set(going.map(Array::active));
            if let Some(news) = watch.news() {
                self.learn(news, tell)?;
                self.look(journal, tell)?;
            } else if Instant::now() >= self.next_look {
                self.look(journal, tell)?;
            }
            self.settle(tell)?;
            if self.plan.stop.load(Ordering::Relaxed) {
                if self.is_drained(watch, tell)? {
                    break;
                }
            } else if !self.submit(journal, watch, tell)? && self.arrays.iter().all(Array::is_over)
            {
                break;
            }
            watch.ask_if_due(self.jobs().collect(), self.names());
            tell(TournamentEvent::Tick);
            thread::sleep(TICK);
        }
        Ok(())
    }

    /// Lists the arrays to ask Slurm about.
    fn jobs(&self) -> impl Iterator<Item = u64> {
        self.arrays
            .iter()
            .filter(|array| array.goes_on())
            .filter_map(Array::job)
    }

    /// Lists the names of the arrays whose numbers are unknown.
    fn names(&self) -> Vec<String> {
        self.arrays
            .iter()
            .filter(|array| array.goes_on())
            .filter(|array| array.job().is_none())
            .map(|array| array.name().to_owned())
            .collect()
    }

    /// Collects the new output of tasks.
    fn look(&mut self, journal: &mut Journal, tell: &mut Tell<'_>) -> Result<(), JudgeError> {
        for array in self.arrays.iter_mut().filter(|array| !array.is_over()) {
            array.find_journals(self.plan)?;
            for task in &mut array.tasks {
                if matches!(task.stand, Stand::Over) {
                    continue;
                }
                let (mut taken, mut refused) = (0, None);
                for attempt in &mut task.attempts {
                    attempt.read(
                        &mut self.machines,
                        self.plan.part.conditions,
                        journal,
                        &mut |record, stderr| {
                            taken += 1;
                            if self.missing.remove(&record.fixture) {
                                tell(TournamentEvent::Finished(record, stderr));
                            }
                        },
                    )?;
                    refused = refused.or_else(|| attempt.refused.clone());
                }
                task.taken += taken;
                if task.missing(&self.missing).next().is_none() {
                    task.stand = Stand::Over;
                }
                if task.refused.is_none() && refused.is_some() {
                    task.refused = refused;
                }
            }
        }
        self.next_look = Instant::now() + LOOK;
        Ok(())
    }

    /// Processes an answer of Slurm.
    fn learn(&mut self, news: News, tell: &mut Tell<'_>) -> Result<(), JudgeError> {
        let News {
            jobs,
            listed,
            named,
        } = news;
        let listed = match listed {
            Ok(listed) => listed,
            Err(refusal) => return self.is_away(refusal, tell),
        };
        self.is_back(tell);
        self.learn_numbers(&named, tell)?;
        let listed: HashMap<(u64, Option<usize>), &Listed> = listed
            .iter()
            .map(|one| ((one.job, one.task), one))
            .collect();
        // Otherwise they would begin or continue beside their replacements.
        let mut replaced = Vec::new();
        for array in &mut self.arrays {
            let Some(job) = array.job().filter(|job| jobs.contains(job)) else {
                continue;
            };
            for (task, number) in array.tasks.iter_mut().zip(1..) {
                if !matches!(task.stand, Stand::Going) {
                    continue;
                }
                let one = listed
                    .get(&(job, Some(number)))
                    .or_else(|| listed.get(&(job, None)))
                    .copied();
                task.absences = one.map_or(task.absences + 1, |_| 0);
                if (1..ABSENCES_MAX).contains(&task.absences) {
                    continue;
                }
                if one.is_none_or(Listed::was_not_launched) {
                    replaced.push(format!("{job}_{number}"));
                }
                let end = end_of(one);
                task.is_watched |= end.is_none();
                if let Some(end) = end {
                    task.stand = Stand::Ended(end);
                } else if let Some(reason) = one.and_then(Listed::obstacle)
                    && self.told.insert(format!("{job} {reason}"))
                {
                    let words = format!(
                        "task {number} of Slurm array {job} is waiting, by Slurm's reason {reason}; squeue --job={job} shows it"
                    );
                    tell(TournamentEvent::Note(&words));
                }
            }
        }
        if let Err(refusal) = client::cancel_tasks(&replaced) {
            tell(TournamentEvent::Note(&refusal.words()));
        }
        Ok(())
    }

    /// Records that Slurm does not answer.
    fn is_away(&mut self, refusal: Refusal, tell: &mut Tell<'_>) -> Result<(), JudgeError> {
        if !matches!(refusal, Refusal::Unreachable(_) | Refusal::Unclear(_)) {
            return Err(refusal.error());
        }
        let Some(since) = self.away_since else {
            self.away_since = Some(Instant::now());
            let words = format!(
                "{}; tasks keep playing, and judge keeps asking for {} minutes",
                refusal.words(),
                AWAY_MAX.as_secs() / 60
            );
            tell(TournamentEvent::Note(&words));
            return Ok(());
        };
        if since.elapsed() >= AWAY_MAX {
            return Err(refusal.error());
        }
        Ok(())
    }

    fn is_back(&mut self, tell: &mut Tell<'_>) {
        if self.away_since.take().is_some() {
            tell(TournamentEvent::Note("Slurm answers again"));
        }
    }

    /// Closes tasks that have ended, and counts the games that they have not played.
    fn settle(&mut self, tell: &mut Tell<'_>) -> Result<(), JudgeError> {
        let mut all = Vec::new();
        for array in &mut self.arrays {
            all.extend(losses(array, &self.missing, self.settle)?);
        }
        for loss in &all {
            self.count(loss);
        }
        for loss in all.iter().take(LOSSES_TOLD_MAX) {
            tell(TournamentEvent::Note(&loss.words));
        }
        if let Some(more @ 1..) = all.len().checked_sub(LOSSES_TOLD_MAX) {
            let words = format!(
                "{} more have ended in the same way",
                counted(more as u64, "task")
            );
            tell(TournamentEvent::Note(&words));
        }
        Ok(())
    }

    /// Decides whether a task's missing games are submitted again.
    fn count(&mut self, loss: &Loss) {
        if !loss.is_watched {
            // It ended before the user ran this command, perhaps after fixing the cause.
            return;
        }
        self.last_loss.clone_from(&loss.words);
        let left = loss.left.iter();
        if loss.end.how == Phase::Cancelled {
            // The user who cancelled it wants it to stop.
            self.given_up.extend(left);
        } else if loss.has_played {
            for game in left {
                self.fruitless.remove(game);
            }
        } else {
            if loss.end.how == Phase::Lost && !loss.end.nodes.is_empty() {
                self.bad_nodes.insert(loss.end.nodes.clone());
            }
            for game in left {
                let tries = self.fruitless.entry(*game).or_default();
                *tries += 1;
                if *tries >= TRIES_MAX {
                    self.given_up.insert(*game);
                }
            }
        }
    }

    /// Submits the missing games that are in no active task; returns whether there were any.
    fn submit(
        &mut self,
        journal: &Journal,
        watch: &mut Watch,
        tell: &mut Tell<'_>,
    ) -> Result<bool, JudgeError> {
        let uncovered = self.uncovered();
        if uncovered.is_empty() {
            return Ok(false);
        }
        if Instant::now() < self.next_try {
            return Ok(true);
        }
        let costs = (self.plan.costs_us)(&uncovered, journal)?;
        if self.plan.stop.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let parts = self.parts(&uncovered, &costs);
        let total_us: f64 = costs.iter().sum();
        let mut array = Array::make(self.plan, &parts)?;
        let going = self.arrays.iter().filter(|array| array.goes_on());
        self.plan
            .arrays
            .set(going.chain([&array]).map(Array::active));
        let tried = self.try_to_submit(&array);
        let job = match tried {
            Ok(job) => job,
            Err(refusal) => {
                if matches!(refusal, Refusal::Unclear(_)) {
                    // Once Slurm answers, the name shows whether the array exists.
                    self.arrays.push(array);
                } else {
                    array.remove();
                }
                self.next_try = Instant::now() + RETRY;
                if self.arrays.iter().any(Array::goes_on) || self.away_since.is_some() {
                    self.is_away(refusal, tell)?;
                    return Ok(true);
                }
                return Err(refusal.error());
            }
        };
        self.is_back(tell);
        for task in &mut array.tasks {
            task.is_watched = true;
        }
        array.submitted(job)?;
        let tasks = counted(parts.len() as u64, "task");
        let games = counted(uncovered.len() as u64, "game");
        let each = model::numbers::about(total_us / 1e6 / float(parts.len()));
        let words =
            format!("submitted {games} to Slurm as array {job} of {tasks}, about {each} each");
        tell(TournamentEvent::Note(&words));
        self.arrays.push(array);
        watch.hurry();
        Ok(true)
    }

    /// Lists the missing fixtures that are in no active task.
    fn uncovered(&self) -> Vec<&'a Fixture> {
        let covered: HashSet<GameId> = self
            .arrays
            .iter()
            .flat_map(|array| &array.tasks)
            .filter(|task| !matches!(task.stand, Stand::Over))
            .flat_map(|task| &task.games)
            .copied()
            .collect();
        self.fixtures
            .iter()
            .filter(|one| {
                let id = &one.id;
                self.missing.contains(id) && !covered.contains(id) && !self.given_up.contains(id)
            })
            .collect()
    }

    /// Divides fixtures into the parts of an array; `costs_us` are by fixture.
    fn parts<'f>(&self, fixtures: &[&'f Fixture], costs_us: &[f64]) -> Vec<Vec<&'f Fixture>> {
        let costs: HashMap<GameId, f64> = fixtures
            .iter()
            .map(|one| one.id)
            .zip(costs_us.iter().copied())
            .collect();
        let groups = groups(fixtures.iter().copied(), self.plan.part.conditions.lifetime);
        let settings = self.plan.settings;
        let total: f64 = costs_us.iter().sum();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped between two counts"
        )]
        let tasks = (total / (settings.part_minutes * 60e6)).ceil() as usize;
        let tasks = tasks.clamp(1, groups.len().min(settings.tasks_max as usize));
        slices(groups, tasks, &|one| costs[&one.id])
    }

    /// Submits an array that avoids nodes where no game could be played. If Slurm has no other
    /// nodes, submits it for all nodes.
    fn try_to_submit(&mut self, array: &Array) -> Result<u64, Refusal> {
        let excluded: Vec<&str> = self.bad_nodes.iter().map(String::as_str).collect();
        let submit = |excluded: &[&str]| {
            let options = array.options(self.plan, excluded);
            client::submit(&array.folder, &options)
        };
        match submit(&excluded) {
            Err(Refusal::Refused(_)) if !excluded.is_empty() => {
                let submitted = submit(&[]);
                self.bad_nodes.clear();
                submitted
            }
            submitted => submitted,
        }
    }

    /// Makes the tasks finish their games in play. Returns whether they have ended, or have had
    /// enough time and are cancelled.
    fn is_drained(&mut self, watch: &mut Watch, tell: &mut Tell<'_>) -> Result<bool, JudgeError> {
        let Some(since) = self.draining else {
            self.draining = Some(Instant::now());
            self.next_try = Instant::now();
            for array in self.arrays.iter().filter(|array| array.goes_on()) {
                mark_cancelled(&array.folder)?;
            }
            self.interrupt(tell);
            watch.hurry();
            return Ok(false);
        };
        if !self.arrays.iter().any(Array::goes_on) {
            return Ok(true);
        }
        if since.elapsed() < DRAIN_MAX {
            self.interrupt(tell);
            return Ok(false);
        }
        let words = format!(
            "the tasks did not finish their games within {} s; cancelling them",
            DRAIN_MAX.as_secs()
        );
        tell(TournamentEvent::Note(&words));
        let jobs: Vec<u64> = self.jobs().collect();
        if let Err(refusal) = client::cancel(&jobs) {
            tell(TournamentEvent::Note(&refusal.words()));
            self.say_what_is_left(tell);
        }
        for name in self.names() {
            if !client::cancel_name(&name).unwrap_or(false) {
                let words = format!(
                    "Slurm did not confirm an array; if it exists, scancel --name={name} ends it"
                );
                tell(TournamentEvent::Note(&words));
            }
        }
        Ok(true)
    }

    /// Tells the tasks of arrays to end, once each: a second signal would also end their games in
    /// play.
    fn interrupt(&mut self, tell: &mut Tell<'_>) {
        if Instant::now() < self.next_try {
            return;
        }
        for array in &mut self.arrays {
            let Some(job) = array.job().filter(|_| array.goes_on() && !array.is_told) else {
                continue;
            };
            match client::interrupt(&[job]) {
                Ok(()) => array.is_told = true,
                Err(refusal) => {
                    tell(TournamentEvent::Note(&refusal.words()));
                    self.next_try = Instant::now() + RETRY;
                }
            }
        }
    }

    /// Reports the arrays that continue without this judge.
    fn say_what_is_left(&self, tell: &mut Tell<'_>) {
        for job in self.jobs() {
            let words = format!("Slurm array {job} may still be running; to end it: scancel {job}");
            tell(TournamentEvent::Note(&words));
        }
    }

    /// Lets tasks whose games are all in the journal end by themselves, and cancels those that only
    /// wait.
    fn let_end(&mut self) {
        let followed = self.arrays.iter().filter(|array| array.is_over());
        let (numbered, others): (Vec<&Array>, Vec<&Array>) =
            followed.partition(|array| array.job().is_some());
        for array in others {
            // Slurm may have accepted it without an answer.
            let _ = client::cancel_name(array.name());
        }
        let jobs: Vec<u64> = numbered.into_iter().filter_map(Array::job).collect();
        if jobs.is_empty() || client::cancel_waiting(&jobs).is_err() {
            return;
        }
        let deadline = Instant::now() + END_MAX;
        loop {
            let Ok(listed) = client::list(&Which::Jobs(jobs.clone())) else {
                return;
            };
            let running: BTreeSet<u64> = listed
                .iter()
                .filter(|one| one.phase() == Phase::Running)
                .map(|one| one.job)
                .collect();
            for array in &mut self.arrays {
                array.ends = array.job().is_some_and(|job| running.contains(&job));
            }
            if running.is_empty() || Instant::now() >= deadline {
                return;
            }
            thread::sleep(TICK);
        }
    }

    /// Removes the folders of arrays without further output, unless their logs may be needed.
    fn tidy(&self) {
        let keeps_logs = !self.given_up.is_empty();
        for array in self
            .arrays
            .iter()
            .filter(|array| array.is_over())
            .filter(|array| !array.ends && !keeps_logs)
        {
            array.remove();
        }
    }

    fn verdict(&self) -> Result<(), JudgeError> {
        let games = self
            .missing
            .iter()
            .filter(|game| self.given_up.contains(*game));
        match games.count() {
            0 => Ok(()),
            games => Err(JudgeError::Unplayed {
                games,
                reason: self.last_loss.clone(),
            }),
        }
    }
}

fn say_that_it_goes_on(array: &Array, tell: &mut Tell<'_>) {
    let Some(job) = array.job() else {
        return;
    };
    let tasks = counted(array.tasks.len() as u64, "task");
    let words = format!("following Slurm array {job} of {tasks}, which was submitted before");
    tell(TournamentEvent::Note(&words));
}

#[expect(clippy::cast_precision_loss, reason = "a count of tasks")]
fn float(count: usize) -> f64 {
    count as f64
}

/// Network file systems may show the files of another machine up to a minute late (`acdirmax` of
/// NFS).
const REMOTE: Duration = Duration::from_secs(70);

/// XFS: `nix` has no name for it with musl.
const XFS_SUPER_MAGIC: FsType = FsType(0x5846_5342);

/// Returns how long after the end of a task its games may still come. Zero if the folder is on a
/// local file system of this machine.
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
