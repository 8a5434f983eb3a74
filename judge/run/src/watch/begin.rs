//! The beginning of a watch: waits for the game, takes the run's folder, and starts the listing.

use super::Time;
use super::acceptance::Acceptance;
use super::arrivals::Arrivals;
use super::calendar::{Calendar, Memory};
use super::log::WatchLog;
use super::publish::Publisher;
use super::scan::Terms;
use super::upkeep::{CheckVersion, Checks, Disk};
use super::{SCAN_INTERVAL, Watch, WatchEnd};
use crate::Result;
use crate::collected::are_there;
use crate::{RunSpec, Sink, location, permissions};
use intake::PolledRepositories;
use model::lateness::Deadlines;
use report::exports::people_of_run;
use rulebook::JudgeError;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use store::manifest::Manifest;

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
    let competition = &terms.loaded.competition;
    let deadlines = Deadlines::new(competition, None);
    let calendar = Calendar::of(&terms.loaded.watch, competition, &deadlines)?;
    let run = spec.run.folder(rules)?;
    spec.publisher.check(&run, &spec.run.watched())?;
    let _alone = location::lock(&run)?;
    let now = clock.read()?;
    let memory = Memory::find(&run)?;
    let own = spec.publisher.folders().into_iter().chain([run.clone()]);
    let but = own
        .map(|path| path.canonicalize().unwrap_or(path))
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

fn first_terms(
    spec: &RunSpec,
    clock: &dyn Time,
    log: &mut WatchLog<'_>,
    stop: &AtomicBool,
) -> Result<Option<Terms>> {
    loop {
        let file = spec.read_competition()?;
        if file.is_some() || spec.names_game() {
            return Terms::of(spec, file, &[]).map(Some);
        }
        match spec
            .read_places(None, None, stop)
            .and_then(|found| Terms::of(spec, spec.read_competition()?, &found.submissions))
        {
            Ok(terms) => return Ok(Some(terms)),
            Err(JudgeError::Interrupted) => return Ok(None),
            Err(error @ (JudgeError::Input(_) | JudgeError::Game { .. }))
                if are_there(&spec.all_places()) =>
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
