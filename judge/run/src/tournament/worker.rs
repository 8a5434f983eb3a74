use super::queue::{Queue, Unit, Verdict};
use super::{Lost, TournamentPlan};
use crate::play::worker::{FixtureReport, line_of};
use engines::Lifetime;
use model::clock::{self, ClockMode};
use model::fixture::Conditions;
use model::record::MatchRecord;
use model::stderr::Stderr;
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::signal::{self, Signal};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use rulebook::{JudgeError, Result};
use sandbox::FIRST_BYTES_MAX;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::mem;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// The game in play, and the next, so that a worker never waits for the coordinator.
const FIXTURES_AHEAD: usize = 2;

const CHECK: Duration = Duration::from_millis(100);

pub(super) enum WorkerMessage {
    Done {
        record: Box<MatchRecord>,
        stderr: Vec<Stderr>,
        took: PlayTime,
    },
    /// A game will be played again, for this reason.
    Replay(String),
    Ended(Result),
}

/// The duration of a game, and its worker.
#[derive(Clone, Copy, Debug)]
pub struct PlayTime {
    /// The number of the worker, from 0.
    pub worker: usize,
    /// Wall time since the previous report, or since the start of the worker's process.
    pub wall: Duration,
}

pub(super) struct Worker {
    index: usize,
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    wall_max: Option<Duration>,
}

impl Worker {
    pub(super) fn spawn(plan: &TournamentPlan<'_>, index: usize) -> Result<Self> {
        let wall_max = game_wall_max(&plan.order.conditions)?;
        let failed = |source| JudgeError::Launch {
            program: plan.judge.to_owned(),
            source,
        };
        let mut child = Command::new(plan.judge)
            .arg("worker")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // An interrupt from the terminal must reach only the coordinator.
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let stdin = child.stdin.take().expect("it is piped");
        fcntl(&stdin, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))
            .map_err(|e| JudgeError::os("write to a worker", e))?;
        let mut order = plan.order.clone();
        order.pin = plan.pin.then_some(index);
        let mut worker = Self {
            index,
            stdin: Some(stdin),
            stdout: BufReader::new(child.stdout.take().expect("it is piped")),
            child,
            wall_max,
        };
        // A worker that cannot take its order is noticed when it does not answer.
        let _ = worker.send(&line_of(&order));
        Ok(worker)
    }

    fn send(&mut self, line: &[u8]) -> std::io::Result<()> {
        let mut rest = line;
        while !rest.is_empty() {
            let mut stdin = self.stdin.as_ref().expect("open until the end");
            match stdin.write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if !is_ready(stdin.as_fd(), PollFlags::POLLOUT) {
                        self.resume_if_stopped();
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// `given`: fixtures assigned to the worker and not reported yet. On an error the caller
    /// requeues them.
    pub(super) fn work<'a>(
        &mut self,
        given: &mut Unit<'a>,
        queue: &Queue<'a>,
        abandon: &AtomicBool,
        sender: &Sender<WorkerMessage>,
    ) -> Result<(), Lost> {
        let mut sent = 0;
        let mut began = Instant::now();
        loop {
            while given.len() < FIXTURES_AHEAD {
                match queue.next() {
                    Some(unit) => given.extend(unit),
                    None => break,
                }
            }
            if queue.is_over() {
                // The worker finishes the games that it already has.
                given.truncate(sent);
            }
            if given.is_empty() {
                if !queue.has_more() {
                    return Ok(());
                }
                queue.wait();
                began = Instant::now();
                continue;
            }
            while sent < given.len().min(FIXTURES_AHEAD) {
                let line = line_of(&queue.task(given[sent]));
                // A worker reads no fixture while it plays: both would wait if the pipe were full.
                if sent > 0 && line.len() > FIRST_BYTES_MAX {
                    break;
                }
                self.send(&line)
                    .map_err(|e| Lost::of(format!("a worker accepts no more games: {e}")))?;
                sent += 1;
            }
            let (mut record, stderr) = match self.receive(abandon).map_err(Lost::of)? {
                FixtureReport::Done { record, stderr } => (record, stderr),
                FixtureReport::Failed {
                    reason,
                    is_of_rules,
                    ..
                } => {
                    return Err(Lost {
                        reason,
                        is_of_rules,
                    });
                }
            };
            let verdict = queue.judge(given[0], &mut record);
            given.pop_front();
            sent -= 1;
            let took = PlayTime {
                worker: self.index,
                wall: mem::replace(&mut began, Instant::now()).elapsed(),
            };
            let message = match verdict {
                Verdict::Counts => WorkerMessage::Done {
                    record,
                    stderr,
                    took,
                },
                Verdict::Replay(reason) => WorkerMessage::Replay(reason),
                Verdict::Unplayed => continue,
            };
            let _ = sender.send(message);
        }
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A worker that takes far longer than any game can is stuck.
    fn receive(&mut self, abandon: &AtomicBool) -> Result<FixtureReport, String> {
        let mut line = Vec::new();
        let began = Instant::now();
        while line.last() != Some(&b'\n') {
            let pipe = self.stdout.get_ref().as_fd();
            if !self.stdout.buffer().is_empty() || is_ready(pipe, PollFlags::POLLIN) {
                let chunk = self
                    .stdout
                    .fill_buf()
                    .map_err(|e| format!("a worker's report cannot be read: {e}"))?;
                if chunk.is_empty() {
                    return Err("a worker died during a game".to_owned());
                }
                let end = chunk.iter().position(|&byte| byte == b'\n');
                let length = end.map_or(chunk.len(), |end| end + 1);
                line.extend_from_slice(&chunk[..length]);
                self.stdout.consume(length);
                continue;
            }
            self.resume_if_stopped();
            if abandon.load(Ordering::Relaxed) {
                return Err("its games were abandoned".to_owned());
            }
            if let Some(longest) = self.wall_max.filter(|longest| began.elapsed() >= *longest) {
                let minutes = longest.as_secs() / 60;
                return Err(format!(
                    "a worker did not finish its game within {minutes} minutes"
                ));
            }
        }
        serde_json::from_slice(&line).map_err(|e| format!("a worker's report is malformed: {e}"))
    }

    fn id(&self) -> Pid {
        Pid::from_raw(self.child.id().cast_signed())
    }

    /// The worker itself notices the lost time, as on a machine that was suspended.
    fn resume_if_stopped(&self) {
        let flags = WaitPidFlag::WSTOPPED | WaitPidFlag::WNOHANG;
        if let Ok(WaitStatus::Stopped(pid, _)) = waitid(Id::Pid(self.id()), flags) {
            // Fails only if it is already dead.
            let _ = signal::kill(pid, Signal::SIGCONT);
        }
    }

    /// Lets the worker end, or ends it if it is still alive; returns how it had died.
    pub(super) fn terminate(mut self, kill: bool) -> Option<String> {
        self.stdin = None;
        if kill && matches!(self.child.try_wait(), Ok(None)) {
            // Fails only if it is already dead.
            let _ = (self.child.kill(), self.child.wait());
            return None;
        }
        let ends = WaitPidFlag::WSTOPPED | WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
        while let Ok(WaitStatus::Stopped(pid, _)) = waitid(Id::Pid(self.id()), ends) {
            let _ = signal::kill(pid, Signal::SIGCONT);
        }
        let status = self.child.wait().ok()?;
        Some(status.to_string())
    }
}

fn is_ready(pipe: BorrowedFd<'_>, how: PollFlags) -> bool {
    let mut pipe = [PollFd::new(pipe, how)];
    match ppoll(&mut pipe, Some(CHECK.into()), None) {
        Ok(0) | Err(Errno::EINTR) => false,
        // Reading or writing reports the problem.
        Ok(_) | Err(_) => true,
    }
}

/// No limit covers the time that bots wait for a CPU that others have.
const CROWD_FACTOR: u64 = 10;
/// Allowance for the judge's own work, in milliseconds.
const SPARE_MS: u64 = 5000;

/// None if a turn may take any time.
fn game_wall_max(conditions: &Conditions) -> Result<Option<Duration>> {
    let rules = rulebook::rules::of(conditions)?;
    let info = rules.info();
    let (seats, turns) = (info.roles.len() as u64, u64::from(info.plies_max));
    let times = conditions
        .clocks
        .keys()
        .map(|name| conditions.time_of(name));
    let longest_us = times
        .chain([conditions.time])
        .map(|time| clock::game_max_us(time, info.plies_max))
        .try_fold(0, |longest, us| Some(us?.max(longest)));
    let clock_us = match (longest_us, conditions.mode) {
        (Some(us), ClockMode::Cpu | ClockMode::Wall) => us,
        (None, ClockMode::Cpu) => return Ok(None),
        // In this case the limit on silence limits turns.
        (None, ClockMode::Wall) => 0,
    };
    let starts = match conditions.lifetime {
        Lifetime::Turn => turns,
        Lifetime::Game | Lifetime::Match => seats,
    };
    let starts_ms = conditions.startup_ms.saturating_mul(starts);
    let silence_ms = conditions.backstop_ms.saturating_mul(turns + seats);
    let total_ms = (clock_us / 1000)
        .saturating_mul(seats)
        .saturating_add(starts_ms)
        .saturating_add(silence_ms)
        .saturating_mul(CROWD_FACTOR)
        .saturating_add(SPARE_MS);
    Ok(Some(Duration::from_millis(total_ms)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn game_may_take_ten_times_its_total_limits() {
        let rules = rulebook::rules::find("catch-the-cat").expect("registered");
        let mut conditions = rulebook::standard(&*rules).conditions;
        let turns = u64::from(rules.info().plies_max);
        conditions.time.turn_us = Some(2000);
        (conditions.time.bank_us, conditions.time.increment_us) = (None, 0);
        (conditions.startup_ms, conditions.backstop_ms) = (7, 3);
        conditions.lifetime = Lifetime::Game;
        let max = |conditions: &Conditions| game_wall_max(conditions).expect("registered");
        let ms = |ms| Some(Duration::from_millis(10 * ms + 5000));
        assert_eq!(max(&conditions), ms(4 * turns + 14 + 3 * (turns + 2)));
        conditions.lifetime = Lifetime::Turn;
        let found = max(&conditions);
        assert_eq!(found, ms(4 * turns + 7 * turns + 3 * (turns + 2)));
        conditions.time.turn_us = None;
        assert_eq!(max(&conditions), None);
        conditions.mode = ClockMode::Wall;
        assert_eq!(max(&conditions), ms(7 * turns + 3 * (turns + 2)));
    }
}
