//! The coordinator: hands fixtures to workers and writes what comes back into the journal.
//!
//! Only this side decides; workers only play. A worker that dies costs nothing but playing
//! its game again.

mod plan;
mod queue;
mod worker;

pub use plan::TournamentPlan;
pub use worker::Took;

use self::queue::Queue;
use self::worker::{Worker, WorkerMessage};
use error::JudgeError;
use journal::{Journal, MachineLine};
use play::worker::FixtureReport;
use std::collections::VecDeque;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;
use words::fixture::Fixture;
use words::record::MatchRecord;
use words::stderr::Stderr;

/// What the tournament tells while it runs.
#[derive(Debug)]
pub enum TournamentEvent<'a> {
    /// A game is in the journal; standard error is by seat.
    Finished(&'a MatchRecord, &'a [Stderr]),
    /// How long the game took that has just finished; only of games that are played here.
    Took(&'a MatchRecord, Took),
    /// A game will be played again, for reasons of ours.
    Again(&'a str),
    /// Something that people should know of where games are played elsewhere.
    Note(&'a str),
    /// Nothing else has happened for a while.
    Tick,
}

/// After so long without another event, [`TournamentEvent::Tick`] comes.
const TICK: Duration = Duration::from_millis(100);

/// Plays the fixtures that are not in the journal yet, in their order.
///
/// # Errors
/// When the journal cannot be written or no worker can be started. Games that could not be
/// played for reasons of ours are an error at the end, when all others have been played.
pub fn play(
    plan: &TournamentPlan<'_>,
    fixtures: &[Fixture],
    journal: &mut Journal,
    tell: &mut dyn FnMut(TournamentEvent<'_>),
) -> Result<(), JudgeError> {
    // Orphans of a worker that was killed come to us.
    sandbox::adopt_orphans()?;
    let missing = fixtures.iter().filter(|f| !journal.contains(&f.id));
    let queue = Queue::new(missing, plan);
    let jobs = plan.jobs.min(queue.len());
    let (sender, messages) = mpsc::channel();
    let unhired = thread::scope(|scope| {
        for index in 0..jobs {
            let (queue, sender) = (&queue, sender.clone());
            let started = thread::Builder::new().spawn_scoped(scope, move || {
                let result = employ(plan, index, queue, &sender);
                // The receiver is gone only when the journal has failed.
                let _ = sender.send(WorkerMessage::Ended(result));
            });
            match started {
                Ok(_) => {}
                Err(error) if index == 0 => {
                    return Err(JudgeError::io("start", "a thread for a worker", error));
                }
                // Those that there are do the work.
                Err(_) => break,
            }
        }
        drop(sender);
        let result = collect(plan, &messages, journal, tell);
        if result.is_err() {
            queue.close();
        }
        drop(messages);
        result
    })?;
    if plan.order.run_cgroups.is_some() {
        // Their control groups have been swept.
        sandbox::reap_orphans(&[])?;
    } else {
        sandbox::end_orphans(&[])?;
    }
    match unhired {
        // What others have not played, nobody will.
        Some(error) if queue.has_more() => Err(error),
        _ => queue.verdict(),
    }
}

/// Writes down what comes in until every worker has ended; returns why one could not be hired, if
/// that happened.
///
/// # Errors
/// When the journal cannot be written.
fn collect(
    plan: &TournamentPlan<'_>,
    messages: &mpsc::Receiver<WorkerMessage>,
    journal: &mut Journal,
    tell: &mut dyn FnMut(TournamentEvent<'_>),
) -> Result<Option<JudgeError>, JudgeError> {
    let mut unhired = None;
    let machine = plan.machine.as_ref().map(MachineLine::digest);
    loop {
        journal.sync_if_due()?;
        match messages.recv_timeout(TICK) {
            Ok(WorkerMessage::Report(FixtureReport::Done { mut record, stderr }, took)) => {
                if let Some(machine) = &plan.machine {
                    journal.append_machine(machine)?;
                }
                record.machine.clone_from(&machine);
                journal.append_with_stderr(&record, &stderr)?;
                tell(TournamentEvent::Finished(&record, &stderr));
                tell(TournamentEvent::Took(&record, took));
            }
            Ok(WorkerMessage::Report(FixtureReport::Failed { reason, .. }, _)) => {
                tell(TournamentEvent::Again(&reason));
            }
            Ok(WorkerMessage::Ended(Ok(()))) => {}
            Ok(WorkerMessage::Ended(Err(error))) => unhired = Some(error),
            Err(RecvTimeoutError::Timeout) => tell(TournamentEvent::Tick),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    journal.sync()?;
    Ok(unhired)
}

/// Keeps one worker at work until nothing is left; a worker that dies is replaced.
///
/// # Errors
/// When none can be hired; what is left is then for the others.
fn employ(
    plan: &TournamentPlan<'_>,
    index: usize,
    queue: &Queue<'_>,
    sender: &Sender<WorkerMessage>,
) -> Result<(), JudgeError> {
    while queue.has_more() {
        let mut worker = Worker::hire(plan, index)?;
        let mut given = VecDeque::new();
        let lost = worker.work(&mut given, queue, &plan.abandon, sender);
        let pid = worker.pid();
        let died = worker.dismiss(lost.is_err());
        if let Some(run_cgroups) = &plan.order.run_cgroups {
            run_cgroups.sweep_worker(pid);
        }
        if let (Some(current), Err(reason)) = (given.front(), lost) {
            let fixture = current.id.clone();
            let reason = died.map_or(reason.clone(), |status| format!("{reason} ({status})"));
            if queue.put_back(given, &reason) {
                let took = Took {
                    worker: index,
                    wall: Duration::ZERO,
                };
                let report = FixtureReport::Failed { fixture, reason };
                let _ = sender.send(WorkerMessage::Report(report, took));
            }
        }
    }
    Ok(())
}
