//! The coordinator: hands fixtures to workers, decides, and writes their records into the journal.

mod evidence;
mod queue;
#[cfg(test)]
mod tests;
mod worker;

pub use evidence::EndedBots;
pub(crate) use evidence::Startups;
pub use worker::PlayTime;

use self::queue::Queue;
use self::worker::{Worker, WorkerMessage};
use crate::play::worker::Order;
use crate::programs::{THIS_PROGRAM, intact};
use model::artifact::Artifact;
use model::fixture::Fixture;
use model::record::MatchRecord;
use model::stderr::Stderr;
use rulebook::{JudgeError, Result};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;
use store::{Journal, MachineLine};

/// An event of a running tournament.
#[derive(Debug)]
pub enum TournamentEvent<'a> {
    /// A game is in the journal; standard error is by seat. Only games played on this machine have a
    /// time.
    Finished(&'a MatchRecord, &'a [Stderr], Option<PlayTime>),
    /// A game will be played again, because of a judge error.
    Again(&'a str),
    /// A message for the user about games that are played elsewhere.
    Note(&'a str),
    /// No other event has happened for a while.
    Tick,
}

const TICK: Duration = Duration::from_millis(100);

/// Plays the fixtures that are not in the journal yet, in their order.
pub fn play(
    plan: &TournamentPlan<'_>,
    fixtures: &[Fixture],
    journal: &mut Journal,
    tell: &mut dyn FnMut(TournamentEvent<'_>),
) -> Result {
    // This process adopts the orphans of a killed worker.
    sandbox::adopt_orphans()?;
    let queue = Queue::new(fixtures, journal.games(), plan)?;
    let jobs = plan.jobs.min(queue.len());
    let (sender, messages) = mpsc::channel();
    let unhired = thread::scope(|scope| {
        for index in 0..jobs {
            let (queue, sender) = (&queue, sender.clone());
            let started = thread::Builder::new().spawn_scoped(scope, move || {
                let result = employ(plan, index, queue, &sender);
                // The receiver is gone only if the journal has failed.
                let _ = sender.send(WorkerMessage::Ended(result));
            });
            if let Err(error) = started {
                if index == 0 {
                    return Err(JudgeError::io("start", "a thread for a worker", error));
                }
                // The workers that have started do the work.
                break;
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
    // A program with the rules of a game looks like an orphan.
    crate::play::disconnect();
    if plan.order.run_cgroups.is_some() {
        // The sweep has ended their control groups.
        sandbox::reap_orphans(&[])?;
    } else {
        sandbox::end_orphans(&[])?;
    }
    match unhired {
        // No worker is left to play the remaining games.
        Some(error) if queue.has_more() => Err(error),
        _ => queue.verdict(),
    }
}

fn collect(
    plan: &TournamentPlan<'_>,
    messages: &mpsc::Receiver<WorkerMessage>,
    journal: &mut Journal,
    tell: &mut dyn FnMut(TournamentEvent<'_>),
) -> Result<Option<JudgeError>> {
    let mut unhired = None;
    let machine = plan.machine.as_ref().map(MachineLine::digest);
    loop {
        journal.sync_if_due()?;
        match messages.recv_timeout(TICK) {
            Ok(WorkerMessage::Done {
                mut record,
                stderr,
                took,
            }) => {
                if let Some(machine) = &plan.machine {
                    journal.append_machine(machine)?;
                }
                record.machine.clone_from(&machine);
                journal.append_with_stderr(&record, &stderr)?;
                tell(TournamentEvent::Finished(&record, &stderr, Some(took)));
            }
            Ok(WorkerMessage::Replay(reason)) => tell(TournamentEvent::Again(&reason)),
            Ok(WorkerMessage::Ended(Ok(()))) => {}
            Ok(WorkerMessage::Ended(Err(error))) => unhired = Some(error),
            Err(RecvTimeoutError::Timeout) => tell(TournamentEvent::Tick),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    journal.sync()?;
    Ok(unhired)
}

fn employ(
    plan: &TournamentPlan<'_>,
    index: usize,
    queue: &Queue<'_>,
    sender: &Sender<WorkerMessage>,
) -> Result {
    while queue.has_more() {
        let mut worker = Worker::spawn(plan, index)?;
        let mut given = VecDeque::new();
        let lost = worker.work(&mut given, queue, &plan.abandon, sender);
        let pid = worker.pid();
        let died = worker.terminate(lost.is_err());
        if let Some(run_cgroups) = &plan.order.run_cgroups {
            run_cgroups.sweep_worker(pid);
        }
        if let Err(mut lost) = lost {
            if let Some(status) = died.filter(|_| !lost.is_of_rules) {
                lost.reason = format!("{} ({status})", lost.reason);
            }
            if queue.requeue(given, &lost) {
                let _ = sender.send(WorkerMessage::Replay(lost.reason));
            }
        }
    }
    Ok(())
}

/// The settings of a tournament.
pub struct TournamentPlan<'a> {
    /// The program that serves as worker, with the verb `worker`.
    pub judge: &'a Path,
    /// The first message to every worker; `pin` is set for each.
    pub order: Order,
    /// The description of this machine for the journal; none if games are only tried out.
    pub machine: Option<MachineLine>,
    /// Whether each worker is bound to its own CPU.
    pub pin: bool,
    /// Returns why the program of an artifact differs from its build; called when it did not start.
    pub intact: &'a (dyn Fn(&Artifact) -> Result<(), String> + Sync),
    /// How often bots of each entrant were ended before; this tournament continues to count.
    pub ended: Arc<EndedBots>,
    /// Number of workers.
    pub jobs: usize,
    /// Set from outside to finish the games in play and start no more.
    pub stop: Arc<AtomicBool>,
    /// Set from outside, after [`Self::stop`], to end the games in play too, and discard them.
    pub abandon: Arc<AtomicBool>,
}

impl TournamentPlan<'_> {
    /// Returns a plan of games by this program that are only tried out.
    pub fn new(order: Order, jobs: usize) -> Self {
        Self {
            judge: Path::new(THIS_PROGRAM),
            order,
            machine: None,
            pin: false,
            intact: &intact,
            ended: Arc::default(),
            jobs,
            stop: Arc::default(),
            abandon: Arc::default(),
        }
    }
}

struct Lost {
    reason: String,
    is_of_rules: bool,
}

impl Lost {
    const fn of(reason: String) -> Self {
        Self {
            reason,
            is_of_rules: false,
        }
    }

    fn reason_in(&self, fixture: &Fixture) -> String {
        if !self.is_of_rules {
            return self.reason.clone();
        }
        let names: Vec<&str> = fixture.seats.iter().map(|seat| &*seat.entrant).collect();
        format!(
            "{} on state {}: {}",
            names.join(" against "),
            fixture.state,
            self.reason
        )
    }
}
