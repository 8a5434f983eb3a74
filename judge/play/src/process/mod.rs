//! A bot that is a process, asked through pipes in one poll loop that reads and writes
//! together.

mod quiet;
mod watched;

pub use quiet::Quiet;
pub use watched::Company;

use super::cpu_clock::CpuClock;
use super::death;
use super::holdings::TasksPeak;
use super::machine::{self, Threads};
use super::pipes::{Chunk, Pipes};
use super::reply_deadline::{Exhausted, Gauges, ReplyDeadline};
use error::JudgeError;
use sandbox::{Launch, Limits};
use std::rc::Rc;
use std::time::{Duration, Instant};
use table::player::{Allowance, Cost, ExitReport, Player, Shutdown, Spent};
use watched::Watched;
use words::fault::{Cause, Offence, Phase};

/// The longest line that a bot may write.
const LINE_BYTES_MAX: usize = 64 << 10;

/// How long a bot that has closed its output may take to exit, so that the exit and not
/// the closing is named as its fault; and how long a bot may linger after a polite shutdown.
const EXIT_GRACE: Duration = Duration::from_millis(100);

/// A bot that uses more CPU time than this between an answer and the next question is stopped
/// there from then on. What an honest program does there takes less: returning from the write
/// and waiting again 10 µs in Python, the compiler threads of a young Java program 1 ms in all,
/// the collection of a small heap by an idle Haskell program (`-threaded`) 4 ms. Where bots are
/// not pinned, a clock may be behind by a tick of the kernel when the answer comes, at most this
/// much.
const OFF_TURN_US_MAX: u64 = 10_000;

/// A bot's process with its pipes and its CPU clock.
#[derive(Debug)]
pub struct ProcessPlayer {
    bot: Rc<Watched>,
    /// Itself and the others of its worker.
    company: Company,
    pipes: Pipes,
    line: Vec<u8>,
    cpu: CpuClock,
    limits: Limits,
    /// How fast CPU time can pass: 1 when bots are pinned, else the number of CPUs.
    cpus: u32,
    /// What it had used when it was started and is not charged, until that is told.
    before: Option<Duration>,
    /// Answers to questions that were given up; they are thrown away when they come.
    owed: u32,
    /// What it was asked last; none where it starts.
    asked: Option<Phase>,
    /// It is stopped between its turns.
    suspended: bool,
    /// What it was charged since it was last looked at, in µs.
    unseen_us: u64,
    /// How many tasks its user may have together, where that user has other programs.
    tasks_shared_max: Option<u64>,
    /// How many there have been since it was asked; none where nobody tells.
    tasks: Option<TasksPeak>,
    /// There was hardly room for signals since it was asked.
    lacked_signals: bool,
}

/// What waiting brought.
enum Outcome {
    /// An answer; it is in `line`.
    Answer,
    Offence(Offence),
}

impl Outcome {
    /// Returns whether the bot ended or fell silent.
    fn is_failure(&self) -> bool {
        let Self::Offence(offence) = self else {
            return false;
        };
        let told = offence.exit.is_some() || offence.cause == Cause::Closed;
        told || offence.cause == Cause::Silence
    }
}

/// One question, from when it is asked.
#[derive(Clone, Copy)]
struct Question<'a> {
    message: &'a [u8],
    began: Instant,
    allowance: Allowance,
    /// CPU time used before it.
    off_turn_us: u64,
    /// What a hypervisor had taken before it, where wall time is limited.
    stolen: Option<Duration>,
}

/// To start more threads than a bot may have takes longer than this, in microseconds of CPU
/// time, in one turn or in several, and so it is looked at as often and not more.
const UNSEEN_US_MAX: u64 = 500;

impl ProcessPlayer {
    /// Starts a bot in the company of the others that the same worker runs; `cpus` tells how many
    /// CPUs it can keep busy at once. A bot that is forked finds `lines` on its input, at least
    /// `hello`, and answers that before it is charged anything.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn start(
        launch: &Launch<'_>,
        cpus: u32,
        company: &Company,
        lines: &[u8],
    ) -> Result<Self, JudgeError> {
        let tasks_shared_max = launch.cage.tasks_shared_max();
        let tasks = tasks_shared_max.and_then(|_| machine::tasks());
        let mut running = launch.start(lines)?;
        let before = running.before();
        let (cpu, pipes) = (CpuClock::of(&running, before)?, running.take_pipes());
        let bot = Rc::new(Watched::new(running, launch.limits.memory_bytes_max));
        company.join(&bot);
        Ok(Self {
            cpu,
            pipes: Pipes::new(pipes)?,
            bot,
            company: company.clone(),
            line: Vec::new(),
            limits: launch.limits,
            cpus,
            before,
            owed: 0,
            asked: None,
            suspended: false,
            unseen_us: 0,
            tasks_shared_max,
            tasks: tasks.map(TasksPeak::since),
            lacked_signals: false,
        })
    }

    /// Throws the next answer away when it comes.
    pub(super) fn owe_an_answer(&mut self) {
        self.owed += 1;
    }

    /// Asks, and gives what came and whether the machine was overloaded.
    fn converse(&mut self, question: Question<'_>) -> Result<(Outcome, bool), JudgeError> {
        // Where it has the question already, it may have answered.
        if !question.message.is_empty() {
            if let Some(offence) = self.bot.offence().or_else(|| self.unasked()) {
                return Ok((Outcome::Offence(offence), false));
            }
            self.pipes.send(question.message);
        }
        // A quick bot on the same CPU has answered by now: the write lets it run at once.
        self.pipes.read();
        let off_turn = Duration::from_micros(question.off_turn_us);
        let mut deadline =
            ReplyDeadline::new(question.allowance, self.cpus, off_turn, question.stolen);
        let event = match self.take_answer() {
            Some(event) => event,
            None => self.await_answer(question, &mut deadline)?,
        };
        let elapsed = question.began.elapsed();
        let limit = question.allowance.wall;
        let overloaded = elapsed >= limit && deadline.was_overloaded(elapsed, self)?;
        let event = match event {
            Outcome::Offence(offence) if overloaded => {
                Outcome::Offence(offence.on_overloaded_machine(limit))
            }
            event => event,
        };
        Ok((event, overloaded))
    }

    fn await_answer(
        &mut self,
        question: Question<'_>,
        deadline: &mut ReplyDeadline,
    ) -> Result<Outcome, JudgeError> {
        let limit = question.allowance.wall;
        loop {
            if self.pipes.output_is_closed() {
                return self.output_closed(limit);
            }
            let left = match deadline.left(question.began.elapsed(), self)? {
                Ok(left) => left,
                Err(Exhausted::Cpu) => {
                    let detail = "the CPU time ran out before an answer";
                    return Ok(self.give_up(Offence::new(Cause::Time, detail)));
                }
                Err(Exhausted::Silence) => {
                    return Ok(self.give_up(Offence::silence(limit)));
                }
            };
            let left = left.min(self.company.next_look());
            deadline.wake_within(question.began.elapsed(), left);
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
            if self.company.look_when_due()? {
                self.note_what_is_shared()?;
            }
            if let Some(offence) = self.bot.offence() {
                return Ok(Outcome::Offence(offence));
            }
        }
    }

    /// Notes what the programs of its user have, of which it may have gone short.
    fn note_what_is_shared(&mut self) -> Result<(), JudgeError> {
        self.lacked_signals |= self.bot.seen().lacks_signals();
        let Some(peak) = &mut self.tasks else {
            return Ok(());
        };
        // The clock is read last, so that it has counted all that these tasks have taken.
        if let Some(tasks) = machine::tasks() {
            peak.add(tasks, self.cpu.total_us()?);
        }
        Ok(())
    }

    /// Returns whether others may have had what it needed since it was asked.
    fn went_short(&mut self) -> Result<bool, JudgeError> {
        let (Some(most), Some(_)) = (self.tasks_shared_max, self.tasks) else {
            return Ok(false);
        };
        self.note_what_is_shared()?;
        let peak = self.tasks.expect("it was there");
        Ok(self.lacked_signals || peak.can_have_reached(most, sandbox::tasks_of_user))
    }

    /// Takes the answer from the output, or tells what is wrong with what came.
    fn take_answer(&mut self) -> Option<Outcome> {
        let output = &mut self.pipes.output;
        loop {
            if !output.take_line(&mut self.line) {
                let unfinished = output.bytes();
                return (unfinished.len() > LINE_BYTES_MAX).then(|| flood(unfinished));
            }
            if self.line.len() > LINE_BYTES_MAX {
                return Some(flood(&self.line));
            }
            if self.owed == 0 {
                break;
            }
            self.owed -= 1;
        }
        if output.bytes().is_empty() {
            return Some(Outcome::Answer);
        }
        let more = Offence::new(Cause::Unasked, "more output after the answer's newline");
        let more = more.quoting(output.bytes());
        output.clear();
        Some(Outcome::Offence(more))
    }

    /// Looks for output that nobody asked for, behind the answers that are owed.
    fn unasked(&mut self) -> Option<Offence> {
        while self.pipes.read() == Chunk::Some {
            let output = &mut self.pipes.output;
            while self.owed > 0 && output.take_line(&mut self.line) {
                self.owed -= 1;
                self.line.clear();
            }
            if self.owed == 0 && !output.bytes().is_empty() {
                let offence = Offence::new(Cause::Unasked, "output before the question");
                let offence = offence.quoting(output.bytes());
                output.clear();
                return Some(offence);
            }
            if output.bytes().len() > LINE_BYTES_MAX {
                break;
            }
        }
        None
    }

    fn give_up(&mut self, offence: Offence) -> Outcome {
        self.owed += 1;
        Outcome::Offence(self.with_unfinished(offence))
    }

    /// Quotes the unfinished line, if one has begun.
    fn with_unfinished(&self, offence: Offence) -> Offence {
        let unfinished = self.pipes.output.bytes();
        if unfinished.is_empty() {
            offence
        } else {
            offence.quoting(unfinished)
        }
    }

    /// The output was closed: the end of the process follows, or it lives on.
    fn output_closed(&mut self, wall: Duration) -> Result<Outcome, JudgeError> {
        if self.exits_within(wall.min(EXIT_GRACE))? {
            return self.exited();
        }
        let closed = Offence::new(Cause::Closed, "closed its output and did not exit");
        Ok(Outcome::Offence(self.with_unfinished(closed)))
    }

    /// Waits for the process to exit; what it still writes is read and thrown away.
    fn exits_within(&mut self, limit: Duration) -> Result<bool, JudgeError> {
        let began = Instant::now();
        loop {
            let left = limit.saturating_sub(began.elapsed());
            let wake = left.min(self.company.next_look());
            let ready = self.pipes.poll(self.bot.running.pidfd(), wake)?;
            if ready.exited || left.is_zero() {
                return Ok(ready.exited);
            }
            self.company.look_when_due()?;
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

    /// The process has exited: an answer may still be in the pipe.
    fn exited(&mut self) -> Result<Outcome, JudgeError> {
        if let Some(offence) = self.bot.offence() {
            // We have ended it.
            return Ok(Outcome::Offence(offence));
        }
        loop {
            let chunk = self.pipes.read();
            if let Some(event) = self.take_answer() {
                return Ok(event);
            }
            if chunk != Chunk::Some {
                break;
            }
        }
        let unfinished = !self.pipes.output.bytes().is_empty();
        let offence = death::offence(&self.bot.running.ended()?, &self.limits, unfinished);
        Ok(Outcome::Offence(self.with_unfinished(offence)))
    }

    /// Looks at what the bot holds when it has answered.
    fn look(&mut self) -> Result<Result<(), Offence>, JudgeError> {
        self.unseen_us = 0;
        self.bot.look()?;
        self.note_what_is_shared()?;
        Ok(self.bot.offence().map_or(Ok(()), Err))
    }

    /// Returns what the bot has used since it was last charged, and has it stopped from now on
    /// if that was too much for a bot that waits.
    fn off_turn_us(&mut self) -> Result<u64, JudgeError> {
        let Some(asked) = self.asked else {
            return Ok(0);
        };
        let used_us = self.cpu.since_us()?;
        self.bot.resume();
        // After its greeting may come what is left of its start (a C++ program's global objects,
        // where it is built with a main of ours); it is charged and no more.
        self.suspended |= asked != Phase::Hello && used_us > OFF_TURN_US_MAX;
        Ok(used_us)
    }
}

impl Gauges for ProcessPlayer {
    fn cpu(&self) -> Result<Duration, JudgeError> {
        self.cpu.since_us().map(Duration::from_micros)
    }

    fn threads(&self) -> Threads {
        self.cpu.threads()
    }

    fn stolen(&self) -> Duration {
        machine::stolen(self.cpus == 1)
    }
}

impl Player for ProcessPlayer {
    fn ask(
        &mut self,
        phase: Phase,
        message: &[u8],
        allowance: Allowance,
    ) -> Result<Spent, JudgeError> {
        self.line.clear();
        self.lacked_signals = false;
        if let Some(tasks) = &mut self.tasks {
            tasks.begin();
        }
        let off_turn_us = self.off_turn_us()?;
        self.asked = Some(phase);
        let stolen = (allowance.cpu_us.is_none()).then(|| {
            self.company
                .stolen_lately(|| machine::stolen(self.cpus == 1))
        });
        let began = Instant::now();
        let (event, overloaded) = self.converse(Question {
            message,
            began,
            allowance,
            off_turn_us,
            stolen,
        })?;
        let cost = Cost {
            cpu_us: self.cpu.charge_us()?,
            off_turn_us,
            wall_us: whole_us(began.elapsed()),
            uncharged_us: self.before.take().map_or(0, whole_us),
            suspended: self.suspended,
            overloaded,
            went_short: event.is_failure() && self.went_short()?,
        };
        if self.suspended {
            self.bot.suspend()?;
        }
        self.unseen_us = self.unseen_us.saturating_add(cost.cpu_us);
        let result = match event {
            Outcome::Answer if self.unseen_us >= UNSEEN_US_MAX => self.look()?,
            Outcome::Answer => Ok(()),
            Outcome::Offence(offence) => Err(offence),
        };
        Ok(Spent { cost, result })
    }

    fn line(&self) -> &[u8] {
        &self.line
    }

    fn process(&self) -> Option<i32> {
        Some(self.bot.running.pid().as_raw())
    }

    fn tell(&mut self, message: &[u8]) {
        self.pipes.send(message);
    }

    fn pause(&mut self) -> Result<(), JudgeError> {
        self.bot.suspend()
    }

    fn stderr_bytes(&mut self) -> usize {
        self.pipes.stderr_bytes()
    }

    fn take_stderr(&mut self) -> Vec<u8> {
        self.pipes.take_stderr()
    }

    fn finish(mut self: Box<Self>, shutdown: Shutdown) -> Result<ExitReport, JudgeError> {
        if shutdown == Shutdown::Polite {
            self.pipes.close_input();
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

fn whole_us(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).expect("within 584,000 years")
}

fn flood(bytes: &[u8]) -> Outcome {
    let detail = format!("a line longer than {LINE_BYTES_MAX} bytes");
    Outcome::Offence(Offence::new(Cause::Flood, detail).quoting(bytes))
}
