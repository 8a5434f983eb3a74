//! The coordinator: hands fixtures to workers and writes what comes back into the journal.
//!
//! Only this side decides; workers only play. A worker that dies costs nothing but playing
//! its game again.

mod queue;

use self::queue::{Queue, Unit};
use crate::error::JudgeError;
use crate::fixture::Fixture;
use crate::journal::Journal;
use crate::record::MatchRecord;
use crate::sandbox;
use crate::worker::{Order, Report};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// How a tournament is played.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The program that serves as worker, with the verb `worker`.
    pub judge: &'a Path,
    /// What every worker is told first; `pin` is set for each, and `games_max` from what is to
    /// be played.
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

const OVERLOADED: &str = "a bot did not answer in time while the machine was overloaded";
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
    thread::scope(|scope| {
        for index in 0..jobs {
            let (queue, sender) = (&queue, sender.clone());
            let started = thread::Builder::new().spawn_scoped(scope, move || {
                let result = employ(plan, index, queue, &sender);
                // The receiver is gone only when the journal has failed.
                let _ = sender.send(Message::Ended(result));
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
        let result = collect(&messages, journal, tell);
        if result.is_err() {
            queue.close();
        }
        drop(messages);
        result
    })?;
    if plan.order.yard.is_some() {
        // Their control groups have been swept.
        sandbox::reap_strays(&[])?;
    } else {
        sandbox::end_strays(&[])?;
    }
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

/// Keeps one worker at work until nothing is left; a worker that dies is replaced.
fn employ(
    plan: &Plan<'_>,
    index: usize,
    queue: &Queue<'_>,
    sender: &Sender<Message>,
) -> Result<(), JudgeError> {
    while let Some(first) = queue.next() {
        let mut worker = match Worker::hire(plan, index, queue.games_max) {
            Ok(worker) => worker,
            Err(error) => {
                let id = first[0].id.clone();
                queue.put_back(first, &id, &error.to_string());
                return Err(error);
            }
        };
        let mut given = first;
        let lost = worker.work(&mut given, queue, sender);
        let pid = worker.child.id();
        let died = worker.dismiss(lost.is_err());
        if let Some(yard) = &plan.order.yard {
            yard.sweep_worker(pid);
        }
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
    fn hire(plan: &Plan<'_>, index: usize, games_max: usize) -> Result<Self, JudgeError> {
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
        order.games_max = games_max;
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
            let report = match report {
                Report::Failed { reason, .. } => return Err(reason),
                Report::Done { record, .. } if record.overloaded && queue.try_again(given[0]) => {
                    Report::Failed {
                        fixture: record.fixture,
                        reason: OVERLOADED.to_owned(),
                    }
                }
                done @ Report::Done { .. } => done,
            };
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
