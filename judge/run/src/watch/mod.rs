//! A run that continues while submissions arrive (`judge run --watch`). Its memory is in the run's
//! folder, so that the same command continues where another one ended.

mod acceptance;
mod arrivals;
mod calendar;
mod log;
mod playing;
mod publish;
mod scan;
mod upkeep;

pub use publish::Publisher;
pub use upkeep::{CheckVersion, VersionReport, VersionToCheck};

use self::acceptance::Acceptance;
use self::arrivals::Arrivals;
use self::calendar::{Calendar, Due, Memory};
use self::log::WatchLog;
use self::publish::Moment;
use self::scan::{Scan, Terms};
use self::upkeep::{Checks, Disk};
use crate::{Collected, RunSpec, Scheduled, Sink, location, permissions};
use intake::PolledRepositories;
use jiff::{SignedDuration, Timestamp};
use model::lateness::Deadlines;
use report::exports::people_of_run;
use rulebook::{JudgeError, Result, refuse};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};
use store::Keys;
use store::manifest::Manifest;

const SCAN_INTERVAL: Duration = Duration::from_secs(5);
/// The interval while something may still be being copied.
const COPYING_INTERVAL: Duration = Duration::from_secs(2);
/// The time from a temporary failure to the next attempt.
const AGAIN: SignedDuration = SignedDuration::from_secs(60);
/// The time for which new versions are checked at once, until games continue.
const CHECKING_MAX: Duration = Duration::from_secs(30);

/// How a watch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchEnd {
    /// Nothing can change any more.
    Over,
    /// It was interrupted; the same command continues.
    Interrupted,
}

/// Facts that can be seen without a scan. While it stays the same, no scan is needed.
#[derive(PartialEq, Eq)]
struct Seen {
    listed: u64,
    due: Due,
    is_revealed: bool,
}

/// The facts that a lineup depends on. While they stay the same, there is nothing to do.
#[derive(PartialEq, Eq)]
struct State {
    found: String,
    due: Due,
    is_revealed: bool,
    is_full: bool,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Watch<'a> {
    spec: &'a RunSpec,
    publisher: &'a Publisher,
    sink: &'a dyn Sink,
    stop: &'a Arc<AtomicBool>,
    run: PathBuf,
    clock: &'a dyn Time,
    log: WatchLog<'a>,
    memory: Memory,
    arrivals: &'a Arrivals,
    acceptance: Acceptance,
    /// Whether there was a roster. Without it, extensions would be lost.
    has_roster: bool,
    /// Whether a platform's list has named teams or hidden names. Without it, nothing is received.
    has_names: bool,
    terms: Terms,
    used: Terms,
    calendar: Calendar,
    checks: Checks,
    disk: Disk,
    /// The facts before the last scan; none to scan again in any case.
    seen: Option<Seen>,
    /// The last state whose games have all been played and published.
    settled: Option<State>,
    /// When a failed step is tried again; until then everything else continues.
    again: Option<Timestamp>,
    /// Whether the published views are complete, as far as they are not frozen.
    is_published: bool,
    unclaimed: BTreeSet<String>,
    preparing: Duration,
    /// Whether the last round cannot be played, so that a failure is permanent.
    is_hopeless: bool,
    /// Whether no watch ran before the deadline: every submission may have come in time.
    begins_late: bool,
}

impl Watch<'_> {
    /// Looks until nothing can change any more. If a watch `has_begun` before, failures may pass.
    fn look_until_over(mut self, mut has_begun: bool) -> Result<WatchEnd> {
        self.log_begin();
        loop {
            let now = self.clock.read()?;
            self.log_repositories()?;
            let is_revealed = self.is_revealed()?;
            let seen = Seen {
                listed: self.arrivals.digest(),
                due: self.expected(now, is_revealed),
                is_revealed,
            };
            if self.can_check() {
                self.check(Duration::ZERO)?;
            }
            let is_same = self.seen.as_ref() == Some(&seen) && !self.acceptance.is_waiting(now);
            let is_settled = if is_same && !self.is_tried_again(now) {
                Ok(true)
            } else {
                self.seen = Some(seen);
                self.round(now)
            };
            let is_changed = matches!(is_settled, Ok(false));
            match is_settled {
                Err(JudgeError::Interrupted) => return Ok(self.interrupted()),
                Ok(false) => self.seen = None,
                Ok(true) if self.again.is_some() || !self.is_published => {}
                Ok(true) => {
                    self.log_played();
                    if self.last_is_frozen() == Some(false) {
                        return Ok(WatchEnd::Over);
                    }
                }
                Err(error) if !has_begun || self.is_hopeless => return Err(error),
                Err(error) => {
                    self.try_again(now);
                    self.log_failure(&error);
                }
            }
            has_begun = true;
            if !is_changed || self.disk.is_full() {
                self.clock.wait(self.interval(), self.stop);
            }
            if self.is_stopped() {
                return Ok(self.interrupted());
            }
        }
    }

    /// Looks, builds, plays and publishes everything due. Returns whether nothing has changed or may
    /// have changed meanwhile.
    fn round(&mut self, now: Timestamp) -> Result<bool> {
        self.free_disk()?;
        let is_full = self.disk.is_full();
        let Some((found, due)) = self.scan(now)? else {
            return Ok(!is_full);
        };
        let state = State {
            found: found.digest.clone(),
            due: due.clone(),
            is_revealed: self.is_revealed()?,
            is_full,
        };
        let is_again = self.is_tried_again(now);
        if self.settled.as_ref() == Some(&state) && !is_again {
            return Ok(!is_full);
        }
        self.log_due(&due);
        if found.collected.class.submissions.is_empty() && self.acceptance.is_copying() {
            return Ok(!is_full);
        }
        let takes_last = due.is_last() && !self.memory.last_taken;
        if takes_last {
            intake::forget_failures(&self.run)?;
        }
        self.refuse_late(&found, now)?;
        let absent = found.absent();
        let mut scheduled = self.prepare(found, &due, now)?;
        self.begins_late = false;
        self.again = self.again.filter(|_| !is_again);
        let moment = Moment {
            now,
            frozen: due.frozen,
        };
        if due.frozen {
            // The freeze is noted before the first game that nobody may see yet.
            publish::note(&mut scheduled, moment)?;
        }
        let received = self.publisher.received(&scheduled, moment);
        self.log_published(now, received)?;
        if takes_last {
            self.remember(|memory| memory.last_taken = true)?;
        }
        self.log_people(&scheduled, absent);
        if is_full {
            self.settled = Some(state);
            return Ok(false);
        }
        self.checks.of(&scheduled);
        self.check(CHECKING_MAX)?;
        if let Some(unplayable) = &scheduled.unplayable {
            self.log_lacks(unplayable, &scheduled.entrants);
            self.is_hopeless = due.is_last();
            if self.is_hopeless {
                return refuse(unplayable.to_string());
            }
            self.settled = Some(state);
            return Ok(true);
        }
        self.log.say_over("lacks", "enough entrants can play now");
        if !due.plays {
            if !self.is_published {
                let moment = self.moment(&due)?;
                self.show(&mut scheduled, moment)?;
            }
            self.settled = Some(state);
            return Ok(true);
        }
        let is_settled = self.play(scheduled, &due)?;
        if is_settled {
            let calendar = self.calendar.clone();
            self.remember(|memory| calendar.has_played(now, memory))?;
            // The next scan finds everything else that is due by now.
            let plays = self.expected(now, state.is_revealed).plays;
            self.settled = Some(State {
                due: Due { plays, ..due },
                ..state
            });
        }
        Ok(is_settled)
    }

    fn free_disk(&mut self) -> Result {
        let bytes_max = self.terms.loaded.watch.disk_bytes_max;
        let removed = self.disk.free(&self.run, bytes_max)?;
        self.log_removed(&removed);
        match &self.disk.refusal {
            Some(refusal) => self.log.say_of("disk", refusal),
            None => self
                .log
                .say_over("disk", "there is enough disk space again"),
        }
        Ok(())
    }

    fn prepare(&mut self, found: Scan, due: &Due, now: Timestamp) -> Result<Scheduled> {
        let began = Instant::now();
        let mut collected = found.collected;
        collected.loaded.competition.round.clone_from(&due.round);
        collected.received = SystemTime::from(now);
        // A watch saw most submissions arrive, and refuses to begin otherwise.
        collected.sources.judges_clock_counts = true;
        let built = collected.build(self.sink, self.stop);
        let scheduled = built.and_then(|built| built.schedule(self.sink));
        self.preparing = began.elapsed();
        let scheduled = scheduled?;
        if let Some(keys) = self.terms.edited(&self.used) {
            self.log.say(&format!("edited and now in use: {keys}"));
        }
        self.used = self.terms.clone();
        Ok(scheduled)
    }

    fn check(&mut self, time: Duration) -> Result {
        let loaded = &self.terms.loaded;
        match self.checks.some(&self.run, loaded, time, self.stop) {
            Ok(wrong) => self.log_wrong(&wrong),
            Err(JudgeError::Interrupted) => return Err(JudgeError::Interrupted),
            Err(error) => self.log.say_of("checks", &format!("cannot check: {error}")),
        }
        Ok(())
    }

    /// Refuses to begin if an entrant would be late only because no watch ran before. It then keeps
    /// no memory, so that the same command begins again.
    fn refuse_late(&mut self, found: &Scan, now: Timestamp) -> Result {
        if !self.begins_late {
            return Ok(());
        }
        let Collected {
            loaded,
            class,
            roster,
            sources,
            ..
        } = &found.collected;
        let roster = roster.as_ref();
        let deadlines = Deadlines::new(&loaded.competition, roster);
        let refused = sources.refuse_late(&self.run, &class.submissions, roster, &deadlines, now);
        if refused.is_err() {
            self.is_hopeless = true;
            Memory::forget(&self.run)?;
        }
        refused
    }

    fn try_again(&mut self, now: Timestamp) {
        self.again = now.checked_add(AGAIN).ok();
    }

    fn is_tried_again(&self, now: Timestamp) -> bool {
        let left = self.again.map(|again| again.duration_since(now));
        // A clock that was set back delays nothing.
        left.is_some_and(|left| left.is_negative() || left.is_zero() || left > AGAIN)
    }

    fn can_check(&self) -> bool {
        !self.checks.is_empty() && !self.disk.is_full()
    }

    fn interval(&self) -> Duration {
        if self.can_check() {
            Duration::ZERO
        } else if self.acceptance.is_copying() {
            COPYING_INTERVAL
        } else {
            SCAN_INTERVAL
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn is_revealed(&self) -> Result<bool> {
        Ok(Keys::find(&self.run)?.is_some_and(|keys| keys.revealed))
    }

    fn expected(&self, now: Timestamp, is_revealed: bool) -> Due {
        self.calendar
            .due(now, is_revealed, &mut self.memory.clone())
    }

    /// Changes the memory, on disk before anything depends on it.
    fn remember<T>(&mut self, change: impl FnOnce(&mut Memory) -> T) -> Result<T> {
        let mut memory = self.memory.clone();
        let result = change(&mut memory);
        if memory != self.memory {
            memory.write(&self.run)?;
            self.memory = memory;
        }
        Ok(result)
    }

    fn last_is_frozen(&self) -> Option<bool> {
        let state = self.settled.as_ref()?;
        (state.due.is_last() && !state.is_full).then_some(state.due.frozen)
    }
}

/// Duration of one sleep, after which interrupts are checked.
const NAP: Duration = Duration::from_millis(200);

/// A source of time.
pub trait Time: Send + Sync {
    /// Reads the time of day.
    fn read(&self) -> Result<Timestamp>;

    /// Returns the longest of all intervals of a watch on this source of time.
    fn interval_max(&self) -> Duration {
        Duration::MAX
    }

    /// Returns the time; that of the machine if the clock cannot be read.
    fn now(&self) -> Timestamp {
        self.read().unwrap_or_else(|_| Timestamp::now())
    }

    /// Sleeps briefly; callers then check for interrupts.
    fn nap(&self) {
        thread::sleep(NAP.min(self.interval_max()));
    }

    /// Waits for this time, or until `is_over` is set.
    fn wait(&self, time: Duration, is_over: &AtomicBool) {
        let time = time.min(self.interval_max());
        let began = Instant::now();
        while began.elapsed() < time && !is_over.load(Ordering::Relaxed) {
            self.nap();
        }
    }
}

/// The clock of this machine.
pub struct MachineTime;

impl Time for MachineTime {
    #[expect(clippy::disallowed_methods, reason = "a watch follows a calendar")]
    fn read(&self) -> Result<Timestamp> {
        Timestamp::try_from(SystemTime::now())
            .map_err(|e| JudgeError::input(format!("this machine's clock is wrong: {e}")))
    }
}

/// Watches a run until nothing can change any more, or it is interrupted.
pub fn watch(spec: &WatchSpec, sink: &dyn Sink, stop: &Arc<AtomicBool>) -> Result<WatchEnd> {
    let clock = &*spec.time;
    let mut log = WatchLog::new(sink, clock);
    spec.run.admit_places()?;
    if let Some(note) = permissions::note(&spec.run.all_places()) {
        log.say(&note);
    }
    let Some(terms) = first_terms(&spec.run, clock, &mut log, stop)? else {
        return Ok(WatchEnd::Interrupted);
    };
    let rules = &*terms.loaded.rules;
    // Refusals come before the folder is made.
    refuse_lost_deadline(&spec.run.chosen(rules), &terms)?;
    let competition = &terms.loaded.competition;
    let deadlines = Deadlines::new(competition, None);
    let calendar = Calendar::of(&terms.loaded.watch, competition, &deadlines)?;
    let run = spec.run.folder(rules)?;
    spec.publisher.check(&run, &spec.run.watched())?;
    let _alone = location::lock(&run)?;
    let now = clock.read()?;
    let memory = Memory::find(&run)?;
    let Publisher { public, students } = &spec.publisher;
    let own = public.iter().chain(students).chain([&run]);
    let but = own
        .map(|path| path.canonicalize().unwrap_or_else(|_| path.clone()))
        .collect();
    let arrivals = Arrivals::of_run(&run, spec.run.watched(), but)?;
    let deadline = competition.deadline;
    let begins_late = memory.is_none() && deadline.is_some_and(|deadline| deadline <= now);
    let memory = if let Some(memory) = memory {
        memory
    } else {
        let memory = Memory::begin(now, &terms.loaded.watch);
        memory.write(&run)?;
        memory
    };
    let before = Manifest::read(&run)?;
    let has_begun = before.is_some();
    let has_roster = !people_of_run(&run)?.is_empty()
        || before.is_some_and(|run| run.closes != run.competition.deadline);
    arrivals.repositories.resume_from(arrivals.listed());
    let watch = Watch {
        spec: &spec.run,
        sink,
        acceptance: Acceptance::default(),
        arrivals: &arrivals,
        has_roster,
        has_names: false,
        publisher: &spec.publisher,
        stop,
        run,
        clock,
        log,
        memory,
        used: terms.clone(),
        terms,
        calendar,
        checks: Checks::new(spec.check),
        disk: Disk::default(),
        seen: None,
        settled: None,
        again: None,
        is_published: true,
        unclaimed: BTreeSet::new(),
        preparing: Duration::ZERO,
        is_hopeless: false,
        begins_late,
    };
    arrivals.list(now)?;
    with_arrivals(clock, &arrivals, || watch.look_until_over(has_begun))
}

fn refuse_lost_deadline(run: &Path, terms: &Terms) -> Result {
    let before = Manifest::read(run)?;
    if terms.file.is_none() && before.is_some_and(|run| run.competition.deadline.is_some()) {
        return refuse(format!(
            "{} began with a competition's file that had a deadline, but that file is missing: put it back, or name \
             it with --competition",
            run.display()
        ));
    }
    Ok(())
}

fn first_terms(
    spec: &RunSpec,
    clock: &dyn Time,
    log: &mut WatchLog<'_>,
    stop: &AtomicBool,
) -> Result<Option<Terms>> {
    loop {
        let file = spec.read_competition()?;
        if file.is_some() || spec.competition.names_game() {
            return Terms::of(spec, file, &[]).map(Some);
        }
        match spec
            .read_places(None, None, stop)
            .and_then(|found| Terms::of(spec, spec.read_competition()?, &found.submissions))
        {
            Ok(terms) => return Ok(Some(terms)),
            Err(JudgeError::Interrupted) => return Ok(None),
            Err(error @ (JudgeError::Input(_) | JudgeError::Game { .. }))
                if spec.all_places().iter().all(|place| place.exists()) =>
            {
                log.say_of("first", &format!("waiting: {error}"));
            }
            Err(error) => return Err(error),
        }
        clock.wait(SCAN_INTERVAL, stop);
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
    }
}

/// The specification of a watch.
pub struct WatchSpec {
    /// The run, of the kind [`crate::RunKind::Watched`].
    pub run: RunSpec,
    /// The folders for others who see the results.
    pub publisher: Publisher,
    /// The source of time of the watch.
    pub time: Arc<dyn Time>,
    /// Checks each new version.
    pub check: CheckVersion,
}

const ASKING_INTERVAL: Duration = Duration::from_secs(1);

/// Does `work`. Next to it, lists arriving submissions, and asks repositories for their commits.
fn with_arrivals<T>(clock: &dyn Time, arrivals: &Arrivals, work: impl FnOnce() -> T) -> T {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        // Also if the work panics; the other threads would never end.
        let _over = Over(&is_over);
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                // A failure is tried again at the next listing.
                let _ = clock.read().and_then(|now| arrivals.list(now));
                clock.wait(SCAN_INTERVAL, &is_over);
            }
        });
        let ask = || {
            while !is_over.load(Ordering::Relaxed) {
                // It fails only if it is interrupted.
                let _ = arrivals.repositories.poll_due(&|| clock.now(), &is_over);
                clock.wait(ASKING_INTERVAL, &is_over);
            }
        };
        for _ in 0..PolledRepositories::AT_ONCE {
            scope.spawn(ask);
        }
        work()
    })
}

struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
