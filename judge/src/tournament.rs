//! The coordinator: hands fixtures to workers and writes what comes back into the journal.
//!
//! Only this side decides; workers only play. A worker that dies costs nothing but playing
//! its game again.

use crate::error::JudgeError;
use crate::fixture::Fixture;
use crate::journal::Journal;
use crate::record::MatchRecord;
use crate::sandbox;
use crate::worker::{Order, Report};
use engines::Lifetime;
use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// How a tournament is played.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The program that serves as worker, with the verb `worker`.
    pub judge: &'a Path,
    /// What every worker is told first; `pin` is set for each.
    pub order: Order,
    /// Whether each worker is bound to a CPU of its own.
    pub pin: bool,
    /// How many workers.
    pub jobs: usize,
    /// Set from outside to let the games in play end and start no more.
    pub stop: Arc<AtomicBool>,
}

/// What the tournament tells while it runs.
#[derive(Debug)]
pub enum Event<'a> {
    /// A game is in the journal; standard error is by seat.
    Finished(&'a MatchRecord, &'a [String]),
    /// A game will be played again, for reasons of ours.
    Again(&'a str),
    /// Nothing else has happened for a while.
    Tick,
}

/// A fixture that failed for reasons of ours is tried this often in all.
const TRIES_MAX: u32 = 3;
/// Fixtures that a worker has at a time: the one in play, and the next, so that it never
/// waits for the coordinator.
const FIXTURES_AHEAD: usize = 2;
/// After so long without another event, [`Event::Tick`] comes.
const TICK: Duration = Duration::from_millis(100);

/// Plays the fixtures that are not in the journal yet, in their order.
///
/// # Errors
/// When the journal cannot be written or no worker can be started. Games that could not be
/// played for reasons of ours are an error at the end, when all others have been played.
pub fn play(
    plan: &Plan<'_>,
    fixtures: &[Fixture],
    journal: &mut Journal,
    tell: &mut dyn FnMut(Event<'_>),
) -> Result<(), JudgeError> {
    // Orphans of a worker that was killed come to us.
    sandbox::adopt_orphans()?;
    let missing = fixtures.iter().filter(|f| !journal.contains(&f.id));
    let queue = Queue::new(missing, plan);
    let jobs = plan.jobs.min(queue.len());
    let (sender, messages) = mpsc::channel();
    std::thread::scope(|scope| {
        for index in 0..jobs {
            let (queue, sender) = (&queue, sender.clone());
            scope.spawn(move || {
                let result = employ(plan, index, queue, &sender);
                // The receiver is gone only when the journal has failed.
                let _ = sender.send(Message::Ended(result));
            });
        }
        drop(sender);
        let result = collect(&messages, journal, tell);
        if result.is_err() {
            queue.close();
        }
        drop(messages);
        result
    })?;
    sandbox::end_strays(&[])?;
    queue.verdict()
}

fn collect(
    messages: &mpsc::Receiver<Message>,
    journal: &mut Journal,
    tell: &mut dyn FnMut(Event<'_>),
) -> Result<(), JudgeError> {
    let mut failure = None;
    loop {
        journal.sync_if_due()?;
        match messages.recv_timeout(TICK) {
            Ok(Message::Report(Report::Done { record, stderr })) => {
                journal.append(&record)?;
                tell(Event::Finished(&record, &stderr));
            }
            Ok(Message::Report(Report::Failed { reason, .. })) => tell(Event::Again(&reason)),
            Ok(Message::Ended(Ok(()))) => {}
            Ok(Message::Ended(Err(error))) => failure = Some(error),
            Err(RecvTimeoutError::Timeout) => tell(Event::Tick),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    journal.sync()?;
    failure.map_or(Ok(()), Err)
}

enum Message {
    Report(Report),
    Ended(Result<(), JudgeError>),
}

/// Fixtures that one worker plays one after the other.
type Unit<'a> = VecDeque<&'a Fixture>;

/// What is still to be played.
struct Queue<'a> {
    state: Mutex<QueueState<'a>>,
    /// Set from outside, see [`Plan::stop`].
    stop: Arc<AtomicBool>,
    /// Set when the journal has failed.
    closed: AtomicBool,
}

#[derive(Default)]
struct QueueState<'a> {
    /// Fixtures that are played one after the other by one worker.
    units: VecDeque<Unit<'a>>,
    tries: HashMap<String, u32>,
    given_up: usize,
    last_reason: String,
}

impl<'a> Queue<'a> {
    fn new(fixtures: impl Iterator<Item = &'a Fixture>, plan: &Plan<'_>) -> Self {
        let units = match plan.order.conditions.lifetime {
            Lifetime::Turn | Lifetime::Game => fixtures.map(|f| VecDeque::from([f])).collect(),
            Lifetime::Match => by_match(fixtures),
        };
        Self {
            state: Mutex::new(QueueState {
                units,
                ..QueueState::default()
            }),
            stop: Arc::clone(&plan.stop),
            closed: AtomicBool::new(false),
        }
    }

    fn state(&self) -> MutexGuard<'_, QueueState<'a>> {
        self.state
            .lock()
            .expect("nobody panics while holding the queue")
    }

    fn len(&self) -> usize {
        self.state().units.len()
    }

    fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    /// Tells whether no more games shall be begun.
    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.closed.load(Ordering::Relaxed)
    }

    fn next(&self) -> Option<Unit<'a>> {
        if self.is_over() {
            return None;
        }
        self.state().units.pop_front()
    }

    /// Takes back what a worker could not finish; counts a try for the fixture that failed.
    fn put_back(&self, mut unit: Unit<'a>, failed: &str, reason: &str) {
        let mut state = self.state();
        reason.clone_into(&mut state.last_reason);
        let tries = state.tries.entry(failed.to_owned()).or_default();
        *tries += 1;
        if *tries >= TRIES_MAX {
            state.given_up += 1;
            unit.retain(|fixture| fixture.id != failed);
        }
        if !unit.is_empty() {
            state.units.push_front(unit);
        }
    }

    fn verdict(&self) -> Result<(), JudgeError> {
        let state = self.state();
        match state.given_up {
            0 => Ok(()),
            games => Err(JudgeError::Unplayed {
                games,
                reason: state.last_reason.clone(),
            }),
        }
    }
}

/// Brings the fixtures of a match together, in the order in which matches first come up.
fn by_match<'a>(fixtures: impl Iterator<Item = &'a Fixture>) -> VecDeque<Unit<'a>> {
    let mut units: Vec<Unit<'a>> = Vec::new();
    let mut index: HashMap<Vec<&str>, usize> = HashMap::new();
    for fixture in fixtures {
        let unit = *index.entry(fixture.match_key()).or_insert(units.len());
        if unit == units.len() {
            units.push(VecDeque::new());
        }
        units[unit].push_back(fixture);
    }
    units.into()
}

/// Keeps one worker at work until nothing is left; a worker that dies is replaced.
fn employ(
    plan: &Plan<'_>,
    index: usize,
    queue: &Queue<'_>,
    sender: &Sender<Message>,
) -> Result<(), JudgeError> {
    while let Some(first) = queue.next() {
        let mut worker = match Worker::hire(plan, index) {
            Ok(worker) => worker,
            Err(error) => {
                let id = first[0].id.clone();
                queue.put_back(first, &id, &error.to_string());
                return Err(error);
            }
        };
        let mut given = first;
        let lost = worker.work(&mut given, queue, sender);
        let died = worker.dismiss(lost.is_err());
        if let (Some(current), Err(reason)) = (given.front(), lost) {
            let id = current.id.clone();
            let reason = died.map_or(reason.clone(), |status| format!("{reason} ({status})"));
            queue.put_back(given, &id, &reason);
            let report = Report::Failed {
                fixture: id,
                reason,
            };
            let _ = sender.send(Message::Report(report));
        }
    }
    Ok(())
}

struct Worker {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Worker {
    fn hire(plan: &Plan<'_>, index: usize) -> Result<Self, JudgeError> {
        let failed = |source| JudgeError::Launch {
            program: plan.judge.to_owned(),
            source,
        };
        let mut child = Command::new(plan.judge)
            .arg("worker")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // An interrupt from the terminal is for the coordinator alone.
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let mut order = plan.order.clone();
        order.pin = plan.pin.then_some(index);
        let mut worker = Self {
            stdin: child.stdin.take(),
            stdout: BufReader::new(child.stdout.take().expect("it is piped")),
            child,
        };
        // A worker that cannot take its order is found out when it does not answer.
        let _ = worker.send(&order);
        Ok(worker)
    }

    fn send(&mut self, line: &impl serde::Serialize) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(line).expect("plain data");
        line.push(b'\n');
        self.stdin
            .as_mut()
            .expect("open until the end")
            .write_all(&line)
    }

    /// Has fixtures played until the queue is empty. `given` holds those that the worker has
    /// and has not reported; what is in it when the worker fails must be played again.
    fn work<'a>(
        &mut self,
        given: &mut Unit<'a>,
        queue: &Queue<'a>,
        sender: &Sender<Message>,
    ) -> Result<(), String> {
        let mut sent = 0;
        loop {
            while given.len() < FIXTURES_AHEAD {
                match queue.next() {
                    Some(unit) => given.extend(unit),
                    None => break,
                }
            }
            if queue.is_over() {
                // What the worker has already is played to its end.
                given.truncate(sent);
            }
            if given.is_empty() {
                return Ok(());
            }
            while sent < given.len().min(FIXTURES_AHEAD) {
                self.send(given[sent])
                    .map_err(|e| format!("a worker takes no more games: {e}"))?;
                sent += 1;
            }
            let report = self.receive()?;
            if let Report::Failed { reason, .. } = report {
                return Err(reason);
            }
            given.pop_front();
            sent -= 1;
            let _ = sender.send(Message::Report(report));
        }
    }

    fn receive(&mut self) -> Result<Report, String> {
        let mut line = String::new();
        match self.stdout.read_line(&mut line) {
            Ok(0) => Err("a worker died in mid-game".to_owned()),
            Ok(_) => serde_json::from_str(&line)
                .map_err(|e| format!("a worker's report is unreadable: {e}")),
            Err(e) => Err(format!("a worker's report cannot be read: {e}")),
        }
    }

    /// Lets the worker end, or ends it if it still lives; tells how it had died.
    fn dismiss(mut self, kill: bool) -> Option<String> {
        self.stdin = None;
        if kill && matches!(self.child.try_wait(), Ok(None)) {
            // Fails only when it is dead by now.
            let _ = self.child.kill();
            let _ = self.child.wait();
            return None;
        }
        let status = self.child.wait().ok()?;
        Some(status.to_string())
    }
}
