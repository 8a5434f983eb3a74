//! A bot that is a process, asked through pipes. One poll loop reads and writes together.

mod watched;

pub use watched::{IdleReport, WorkerBots};

use super::machine::{self, CpuClock, Threads, variable_bytes, whole_us};
use super::offences::{self, TasksPeak};
use super::pipes::Pipes;
use super::reply_deadline::{Exhausted, Gauges, ReplyDeadline, Waited};
use model::advice;
use model::artifact::Artifact;
use model::fault::{Cause, Offence, Phase};
use model::stderr::KeptStderr;
use referee::table::player::{Allowance, Cost, ExitReport, Player, Shutdown, Spent};
use rulebook::Result;
use sandbox::{Cage, Launch, Limits};
use std::fmt::Write as _;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};
use watched::Watched;

const LINE_BYTES_MAX: usize = 64 << 10;

/// Maximum time from a bot's closing its output to its exit, so that the exit counts as its fault.
/// Also the time to end after a polite shutdown.
const EXIT_GRACE: Duration = Duration::from_millis(100);

/// CPU time between an answer and the next question, in µs, above which a bot is suspended there.
/// Waiting again takes 10 µs in Python, the compiler threads of a young Java program take 1 ms, the
/// collection of an idle Haskell program takes 4 ms. Without pinning, a clock may be behind by one
/// tick.
const OFF_TURN_US_MAX: u64 = 10_000;

/// A bot's process with its pipes and its CPU clock.
#[derive(Debug)]
pub struct ProcessPlayer {
    bot: Rc<Watched>,
    program: Box<Path>,
    bots: WorkerBots,
    pipes: Pipes,
    line: Vec<u8>,
    pub(super) line_bytes_max: usize,
    pub(super) cpu: CpuClock,
    limits: Limits,
    /// Maximum rate at which CPU time passes: 1 if bots are pinned, otherwise the number of CPUs.
    cpus: u32,
    /// CPU time at its start that is not charged; none once reported.
    startup_cpu: Option<Duration>,
    /// Number of abandoned questions whose answers are discarded when they come.
    pub(super) replies_to_discard: u32,
    stderr_before: usize,
    last_phase: Option<Phase>,
    suspended: bool,
    /// CPU time charged since the last check of its resources, in µs.
    unchecked_us: u64,
    tasks_shared_max: Option<u64>,
    /// The peak number of tasks since its last question; none if unknown.
    tasks: Option<TasksPeak>,
    /// Whether there was hardly any room for signals since its last question.
    lacked_signals: bool,
}

type Outcome = Result<(), Offence>;

/// Returns whether the bot ended or fell silent.
fn is_failure(offence: &Offence) -> bool {
    offence.exit.is_some() || matches!(offence.cause, Cause::Closed | Cause::Silence | Cause::Idle)
}

/// After this CPU time resources are checked, in µs. Too many threads take more.
const UNCHECKED_US_MAX: u64 = 500;

impl ProcessPlayer {
    /// Starts a bot. `cpus` is the number of CPUs that it can keep busy at once. A forked bot finds
    /// `lines` on its input, and answers `hello` before it is charged anything.
    pub fn start(launch: &Launch<'_>, cpus: u32, bots: &WorkerBots, lines: &[u8]) -> Result<Self> {
        let tasks_shared_max = launch.cage.tasks_shared_max();
        let tasks = tasks_shared_max.and_then(|_| machine::tasks());
        let mut running = launch.start(lines)?;
        let startup_cpu = running.before();
        let (cpu, pipes) = (CpuClock::of(&running, startup_cpu)?, running.take_pipes());
        let bot = Rc::new(Watched::new(running, launch.limits.memory_bytes_max));
        bots.add(&bot);
        Ok(Self {
            cpu,
            pipes: Pipes::new(pipes)?,
            bot,
            program: launch.program.into(),
            bots: bots.clone(),
            line: Vec::new(),
            line_bytes_max: LINE_BYTES_MAX,
            limits: launch.limits,
            cpus,
            startup_cpu,
            replies_to_discard: 0,
            stderr_before: 0,
            last_phase: None,
            suspended: false,
            unchecked_us: 0,
            tasks_shared_max,
            tasks: tasks.map(TasksPeak::since),
            lacked_signals: false,
        })
    }

    /// Asks without clocks and checks: only for programs that nobody charges. False: the program
    /// still has the question, so ask again with an empty message.
    pub(super) fn answers_at_once(&mut self, message: &[u8]) -> Result<bool, Offence> {
        if let Some(offence) = self.bot.offence().or_else(|| self.unrequested_output()) {
            return Err(offence);
        }
        self.pipes.send(message);
        self.pipes.read();
        let answer = self.take_answer().transpose()?;
        Ok(answer.is_some())
    }

    fn exchange(
        &mut self,
        message: &[u8],
        began: Instant,
        limit: Duration,
        deadline: &mut ReplyDeadline,
    ) -> Result<(Outcome, Waited)> {
        // A bot that already has the question may have answered.
        if !message.is_empty() {
            let unrequested_output = self.unrequested_output();
            if let Some(offence) = self.bot.offence().or(unrequested_output) {
                return Ok((Err(offence), Waited::default()));
            }
            self.pipes.send(message);
        }
        // A quick bot on the same CPU has answered by now: the write runs it at once.
        self.pipes.read();
        let outcome = match self.take_answer() {
            Some(outcome) => outcome,
            None => self.await_answer(began, limit, deadline)?,
        };
        let waited = deadline.waited(began.elapsed(), self)?;
        let outcome = outcome.map_err(|offence| {
            if waited.overloaded {
                offence.on_overloaded_machine(limit)
            } else {
                offence
            }
        });
        Ok((outcome, waited))
    }

    fn await_answer(
        &mut self,
        began: Instant,
        limit: Duration,
        deadline: &mut ReplyDeadline,
    ) -> Result<Outcome> {
        loop {
            if self.pipes.stdout.is_none() {
                return self.output_closed(limit);
            }
            let left = match deadline.left(began.elapsed(), self)? {
                Ok(left) => left,
                Err(exhausted) => {
                    self.replies_to_discard += 1;
                    return Ok(Err(self.quoting_partial_line(match exhausted {
                        Exhausted::Cpu => {
                            Offence::new(Cause::Time, "the CPU time ran out before an answer")
                        }
                        Exhausted::Silence => Offence::silence(limit),
                        Exhausted::Idle => {
                            Offence::new(Cause::Idle, "no silence is left in this game")
                        }
                    })));
                }
            };
            let left = left.min(self.bots.until_next_check());
            deadline.wake_within(began.elapsed(), left);
            let ready = self.pipes.poll(self.bot.running.pidfd(), left)?;
            if !ready.stdout {
                self.bot.running.resume_if_stopped();
            }
            if ready.stdin {
                self.pipes.send(&[]);
            }
            if ready.stderr {
                self.pipes.read_stderr();
            }
            if ready.stdout {
                self.pipes.read();
                if let Some(event) = self.take_answer() {
                    return Ok(event);
                }
            }
            if ready.exited {
                return self.exited();
            }
            if self.bots.check_when_due()? {
                self.record_shared_resources()?;
            }
            if let Some(offence) = self.bot.offence() {
                return Ok(Err(offence));
            }
        }
    }

    /// Records the resources that its user's programs share, as it may have gone short of them.
    fn record_shared_resources(&mut self) -> Result {
        self.lacked_signals |= self.bot.seen.get().lacks_signals();
        let Some(peak) = &mut self.tasks else {
            return Ok(());
        };
        // Read the clock last, so that it includes everything that these tasks have used.
        if let Some(tasks) = machine::tasks() {
            peak.add(tasks, self.cpu.total_us()?);
        }
        Ok(())
    }

    /// Returns whether others may have held the resources that it needed since its last question.
    fn went_short(&mut self) -> Result<bool> {
        let (Some(most), Some(_)) = (self.tasks_shared_max, self.tasks) else {
            return Ok(false);
        };
        self.record_shared_resources()?;
        let peak = self.tasks.expect("it was there");
        Ok(self.lacked_signals || peak.can_have_reached(most, sandbox::tasks_of_user))
    }

    fn take_answer(&mut self) -> Option<Outcome> {
        let output = &mut self.pipes.output;
        loop {
            if !output.take_line(&mut self.line) {
                let unfinished = output.bytes();
                return (unfinished.len() > self.line_bytes_max)
                    .then(|| flood(unfinished, self.line_bytes_max));
            }
            if self.line.len() > self.line_bytes_max {
                return Some(flood(&self.line, self.line_bytes_max));
            }
            if self.replies_to_discard == 0 {
                break;
            }
            self.replies_to_discard -= 1;
        }
        if output.bytes().is_empty() {
            return Some(Ok(()));
        }
        let more = Offence::new(Cause::Unasked, "more output after the answer's newline")
            .quoting(output.bytes());
        output.clear();
        Some(Err(more))
    }

    /// Output without a question. Standard error until now belongs to the last question.
    fn unrequested_output(&mut self) -> Option<Offence> {
        let has_output = self.pipes.drain_stderr_and_poll();
        self.stderr_before = self.pipes.stderr_kept.written();
        if !has_output {
            return None;
        }
        while self.pipes.read() {
            let output = &mut self.pipes.output;
            while self.replies_to_discard > 0 && output.take_line(&mut self.line) {
                self.replies_to_discard -= 1;
                self.line.clear();
            }
            if self.replies_to_discard == 0 && !output.bytes().is_empty() {
                let offence = Offence::new(Cause::Unasked, "output before the question")
                    .quoting(output.bytes());
                output.clear();
                return Some(offence);
            }
            if output.bytes().len() > self.line_bytes_max {
                break;
            }
        }
        None
    }

    fn quoting_partial_line(&self, offence: Offence) -> Offence {
        let unfinished = self.pipes.output.bytes();
        if unfinished.is_empty() {
            offence
        } else {
            offence.quoting(unfinished)
        }
    }

    fn output_closed(&mut self, wall: Duration) -> Result<Outcome> {
        if self.exits_within(wall.min(EXIT_GRACE))? {
            return self.exited();
        }
        let closed = Offence::new(Cause::Closed, "closed its output and did not exit");
        Ok(Err(self.quoting_partial_line(closed)))
    }

    fn exits_within(&mut self, limit: Duration) -> Result<bool> {
        let began = Instant::now();
        loop {
            let left = limit.saturating_sub(began.elapsed());
            let wake = left.min(self.bots.until_next_check());
            let ready = self.pipes.poll(self.bot.running.pidfd(), wake)?;
            if ready.exited || left.is_zero() {
                return Ok(ready.exited);
            }
            self.bots.check_when_due()?;
            if ready.stdin {
                self.pipes.send(&[]);
            }
            if ready.stderr {
                self.pipes.read_stderr();
            }
            if ready.stdout {
                self.pipes.read();
                self.pipes.output.clear();
            }
        }
    }

    fn exited(&mut self) -> Result<Outcome> {
        if let Some(offence) = self.bot.offence() {
            // The judge has ended it.
            return Ok(Err(offence));
        }
        loop {
            let has_more = self.pipes.read();
            if let Some(event) = self.take_answer() {
                return Ok(event);
            }
            if !has_more {
                break;
            }
        }
        let unfinished = !self.pipes.output.bytes().is_empty();
        let offence = offences::offence(&self.bot.running.ended()?, &self.limits, unfinished);
        let variables = variable_bytes(&self.program);
        let mut offence = offences::of_variables(offence, variables, &self.limits);
        if offence.cause == Cause::Exit
            && let Some(advice) = advice::on_output(&self.pipes.last_words())
        {
            write!(offence.detail, "; {advice}").expect("in memory");
        }
        Ok(Err(self.quoting_partial_line(offence)))
    }

    fn check_resources(&mut self) -> Result<Outcome> {
        self.unchecked_us = 0;
        self.bot.check()?;
        self.record_shared_resources()?;
        Ok(self.bot.offence().map_or(Ok(()), Err))
    }

    /// Suspends the bot between turns from now on if it used too much.
    fn off_turn_us(&mut self) -> Result<u64> {
        let Some(last_phase) = self.last_phase else {
            return Ok(0);
        };
        let used_us = self.cpu.since_us()?;
        self.bot.resume();
        // After its greeting, a bot may finish its start. That is charged, but does not suspend it.
        self.suspended |= last_phase != Phase::Hello && used_us > OFF_TURN_US_MAX;
        Ok(used_us)
    }
}

/// Without forks and groups, and with the limits of any bot.
pub(super) fn launch_of<'a>(artifact: &'a Artifact, cage: &'a Cage) -> Launch<'a> {
    Launch {
        program: artifact.program.as_ref(),
        args: &artifact.args,
        directory: artifact.directory.as_ref(),
        forks: false,
        limits: Limits::BOT,
        cage,
        group: None,
    }
}

impl Gauges for ProcessPlayer {
    fn cpu(&self) -> Result<Duration> {
        self.cpu.since_us().map(Duration::from_micros)
    }

    fn judge_cpu(&self) -> Result<Duration> {
        machine::own_cpu()
    }

    fn threads(&self) -> Threads {
        self.cpu.threads()
    }

    fn stolen(&self) -> Duration {
        machine::stolen(self.cpus == 1)
    }
}

impl Player for ProcessPlayer {
    fn ask(&mut self, phase: Phase, message: &[u8], allowance: Allowance) -> Result<Spent> {
        self.line.clear();
        self.lacked_signals = false;
        if let Some(tasks) = &mut self.tasks {
            tasks.begin();
        }
        let off_turn_us = self.off_turn_us()?;
        self.last_phase = Some(phase);
        let stolen = (allowance.cpu_us.is_none()).then(|| self.bots.recent_stolen(self.cpus == 1));
        let began = Instant::now();
        let off_turn = Duration::from_micros(off_turn_us);
        let mut deadline = ReplyDeadline::new(allowance, self.cpus, off_turn, stolen);
        let (outcome, waited) = self.exchange(message, began, allowance.wall, &mut deadline)?;
        let cost = Cost {
            cpu_us: self.cpu.charge_us()?,
            off_turn_us,
            wall_us: whole_us(began.elapsed()),
            uncharged_us: self.startup_cpu.take().map_or(0, whole_us),
            suspended: self.suspended,
            idle_us: whole_us(waited.idle),
            overloaded: waited.overloaded,
            went_short: outcome.as_ref().is_err_and(is_failure) && self.went_short()?,
            stderr_before: self.stderr_before,
        };
        if self.suspended {
            self.bot.suspend()?;
        }
        self.unchecked_us = self.unchecked_us.saturating_add(cost.cpu_us);
        let result = match outcome {
            Ok(()) if self.unchecked_us >= UNCHECKED_US_MAX => self.check_resources()?,
            outcome => outcome,
        };
        Ok(Spent { cost, result })
    }

    fn line(&self) -> &[u8] {
        &self.line
    }

    fn process(&self) -> Option<i32> {
        Some(self.bot.running.pid().as_raw())
    }

    fn send(&mut self, message: &[u8]) {
        self.pipes.send(message);
    }

    fn pause(&mut self) -> Result {
        self.bot.suspend()
    }

    fn take_stderr(&mut self) -> KeptStderr {
        self.pipes.take_stderr()
    }

    fn finish(mut self: Box<Self>, shutdown: Shutdown) -> Result<ExitReport> {
        if shutdown == Shutdown::Polite {
            self.pipes.stdin = None;
            self.bot.resume();
            self.exits_within(EXIT_GRACE)?;
        }
        self.bot.running.end()?;
        Ok(ExitReport {
            cpu_us: self.cpu.charge_us()?,
            stderr: self.pipes.take_stderr(),
        })
    }
}

fn flood(bytes: &[u8], bytes_max: usize) -> Outcome {
    let detail = format!("a line longer than {bytes_max} bytes");
    Err(Offence::new(Cause::Flood, detail).quoting(bytes))
}
