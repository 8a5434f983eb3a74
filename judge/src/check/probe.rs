//! Small conversations, by the player of games, that test what no game tests.

#![expect(clippy::disallowed_methods, reason = "it is a file of the kernel's")]

use super::situation::Situation;
use engines::{Information, Lifetime, Notation, Seat};
use model::fault::{Cause, Offence, Phase};
use model::fixture::{Conditions, Fixture};
use model::protocol::{self, FromBot, TurnHead};
use referee::table::player::{Allowance, Cost, Player, Shutdown};
use rulebook::JudgeError;
use rulebook::rules::Rules;
use run::play::worker::{Order, ProcessPlayers};
use run::play::{IdleReport, ProcessPlayer};
use sandbox::end_orphans;
use std::cell::RefCell;
use std::fs;
use std::time::{Duration, Instant};

/// CPU time between two turns that may still belong to the end of an answer, in microseconds.
pub(super) const IDLE_BUSY_US_MAX: u64 = 100_000;
const WATCH: Duration = Duration::from_millis(300);
/// How long the bot may take to exit. Games allow less, but the machine may be busy.
const EXIT: Duration = Duration::from_secs(3);
/// How long the answer may take of a bot that only waits for the end of its input.
const PROMPT: Duration = Duration::from_secs(1);
/// Limit on the CPU time of an answer in a conversation, in microseconds, however long the clock.
const ANSWER_CPU_US_MAX: u64 = 60_000_000;

pub(super) struct Prober<'a> {
    pub(super) rules: &'a dyn Rules,
    conditions: &'a Conditions,
    program: &'a str,
    players: RefCell<ProcessPlayers<'a>>,
    /// Whether programs have control groups or namespaces, whose end also ends all their processes.
    grouped: bool,
    ends: Instant,
}

pub(super) struct IdleBehaviour {
    pub(super) after: IdleReport,
    pub(super) at_end: IdleReport,
    pub(super) memory_bytes: u64,
}

pub(super) enum NoAnswer {
    Fault(String),
    /// The machine did not give it what it needs.
    Machine,
}

impl NoAnswer {
    /// Returns whose fault it is that no answer came. A program that computes does not wait.
    pub(super) fn of(offence: &Offence, cost: &Cost) -> Self {
        let was_silent = matches!(offence.cause, Cause::Silence | Cause::Idle);
        let waited = was_silent && (cost.overloaded || cost.went_short);
        if waited || cost.went_short && offence.cause.may_come_of_shortage() {
            Self::Machine
        } else {
            Self::Fault(offence.detail.clone())
        }
    }
}

pub(super) struct Conversation {
    pub(super) player: Box<ProcessPlayer>,
    legal: bool,
    grouped: bool,
    ends: Instant,
}

impl<'a> Prober<'a> {
    pub(super) fn notation(&self) -> &'a Notation {
        self.rules.notation()
    }

    pub(super) fn new(
        rules: &'a dyn Rules,
        order: &'a Order,
        program: &'a str,
        ends: Instant,
    ) -> Self {
        Self {
            rules,
            ends,
            conditions: &order.conditions,
            program,
            players: RefCell::new(ProcessPlayers::new(order)),
            grouped: order.run_cgroups.is_some() || order.isolation.namespaces.are_used(),
        }
    }

    pub(super) fn left(&self) -> Duration {
        self.ends.saturating_duration_since(Instant::now())
    }

    pub(super) fn is_over(&self) -> bool {
        self.left().is_zero()
    }

    pub(super) fn idle_behaviour(
        &self,
        fixture: &Fixture,
        at: &Situation,
    ) -> Result<Option<IdleBehaviour>, JudgeError> {
        let Some(mut conversation) = self.open(fixture, at.seat)? else {
            return Ok(None);
        };
        if self.answer(&mut conversation, at)?.is_none() {
            conversation.close()?;
            return Ok(None);
        }
        let mut after = conversation.player.watch(WATCH)?;
        // On a busy machine, a bot may wait long for a CPU to go back to reading, but only once.
        if after.output.is_none()
            && after.cpu_us <= IDLE_BUSY_US_MAX
            && after.busy_us() > IDLE_BUSY_US_MAX
        {
            after = conversation.player.watch(WATCH)?;
        }
        let memory_bytes = conversation.memory_bytes();
        let at_end = conversation.player.end_input(EXIT)?;
        conversation.close()?;
        Ok(Some(IdleBehaviour {
            after,
            at_end,
            memory_bytes,
        }))
    }

    /// Asks a silent bot, ends its input after `wait`, and returns what it then writes at once.
    pub(super) fn held_back(
        &self,
        fixture: &Fixture,
        at: &Situation,
        wait: Duration,
    ) -> Result<Option<String>, JudgeError> {
        let mut conversation = self.start()?;
        let answers = self
            .greet(&mut conversation, fixture, at.seat, wait)?
            .is_ok()
            && self.begin(&mut conversation, fixture, at.seat, wait)?
            && conversation
                .ask(Phase::Turn, &self.turn(conversation.legal, at)?, wait, None)?
                .is_ok();
        let prompt = (!answers)
            .then(|| conversation.player.end_input(PROMPT))
            .transpose()?;
        conversation.close()?;
        Ok(prompt
            .filter(|prompt| prompt.exited)
            .and_then(|prompt| prompt.output))
    }

    pub(super) fn afresh(
        &self,
        fixture: &Fixture,
        at: &Situation,
    ) -> Result<Option<String>, JudgeError> {
        let mut answers = self.in_one_process(fixture, &[at])?;
        Ok(answers.pop().flatten())
    }

    /// Asks about several situations in one process, and returns the answers in order.
    pub(super) fn in_one_process(
        &self,
        fixture: &Fixture,
        situations: &[&Situation],
    ) -> Result<Vec<Option<String>>, JudgeError> {
        let Some(first) = situations.first() else {
            return Ok(Vec::new());
        };
        let Some(mut conversation) = self.open(fixture, first.seat)? else {
            return Ok(vec![None; situations.len()]);
        };
        let mut answers = Vec::new();
        for at in situations {
            answers.push(self.answer(&mut conversation, at)?);
        }
        conversation.close()?;
        Ok(answers)
    }

    /// Writes the messages to a seat of a game, from `hello` to the last turn, as for one process.
    pub(super) fn conversation(
        &self,
        fixture: &Fixture,
        seat: Seat,
        turns: &[Situation],
    ) -> Result<Vec<u8>, JudgeError> {
        let mut all = self.hello(fixture, seat);
        if self.conditions.lifetime != Lifetime::Turn {
            all.extend(self.start_message(fixture, seat));
        }
        for at in turns {
            all.extend(self.turn(false, at)?);
        }
        Ok(all)
    }

    pub(super) fn ready(
        &self,
        fixture: &Fixture,
        seat: Seat,
    ) -> Result<Result<Conversation, NoAnswer>, JudgeError> {
        let mut conversation = self.start()?;
        let greeted = self.greet(&mut conversation, fixture, seat, self.startup())?;
        let Err(why) = greeted else {
            return Ok(Ok(conversation));
        };
        conversation.close()?;
        Ok(Err(why))
    }

    fn open(&self, fixture: &Fixture, seat: Seat) -> Result<Option<Conversation>, JudgeError> {
        let Ok(mut conversation) = self.ready(fixture, seat)? else {
            return Ok(None);
        };
        if self.begin(&mut conversation, fixture, seat, self.startup())? {
            return Ok(Some(conversation));
        }
        conversation.close()?;
        Ok(None)
    }

    fn greet(
        &self,
        conversation: &mut Conversation,
        fixture: &Fixture,
        seat: Seat,
        timeout: Duration,
    ) -> Result<Result<(), NoAnswer>, JudgeError> {
        let hello = self.hello(fixture, seat);
        let cpu_us = u64::try_from(timeout.as_micros()).ok();
        let ready = match conversation.ask(Phase::Hello, &hello, timeout, cpu_us)? {
            Ok(ready) => ready,
            Err(why) => return Ok(Err(why)),
        };
        let Ok(FromBot::Ready(ready)) = protocol::read(ready.as_bytes()) else {
            let what = "it does not say that it is ready";
            return Ok(Err(NoAnswer::Fault(what.to_owned())));
        };
        conversation.legal = ready.legal_moves;
        Ok(Ok(()))
    }

    /// Sends `start`, if a process lives longer than a turn.
    fn begin(
        &self,
        conversation: &mut Conversation,
        fixture: &Fixture,
        seat: Seat,
        timeout: Duration,
    ) -> Result<bool, JudgeError> {
        if self.conditions.lifetime == Lifetime::Turn {
            return Ok(true);
        }
        let message = self.start_message(fixture, seat);
        Ok(conversation
            .ask(Phase::Start, &message, timeout, None)?
            .is_ok())
    }

    fn start_message(&self, fixture: &Fixture, seat: Seat) -> Vec<u8> {
        let mut message = Vec::new();
        let start = fixture.start(self.rules.info(), seat);
        protocol::write(&mut message, &start);
        message
    }

    fn startup(&self) -> Duration {
        Duration::from_millis(self.conditions.startup_ms)
    }

    fn start(&self) -> Result<Conversation, JudgeError> {
        let player = self
            .players
            .borrow_mut()
            .start(self.program, Seat::new(0))?;
        Ok(Conversation {
            player: Box::new(player),
            legal: false,
            grouped: self.grouped,
            ends: self.ends,
        })
    }

    fn hello(&self, fixture: &Fixture, seat: Seat) -> Vec<u8> {
        let mut message = Vec::new();
        let hello = fixture.hello(self.rules.info(), self.conditions, seat);
        protocol::write(&mut message, &hello);
        message
    }

    /// Writes a question; `legal` tells whether it lists the legal moves.
    fn turn(&self, legal: bool, at: &Situation) -> Result<Vec<u8>, JudgeError> {
        let time = self.conditions.time;
        let bank_us = time.bank_us.map(|bank| bank + time.increment_us);
        let hidden = self.rules.info().information == Information::Hidden;
        let tells = !hidden && self.conditions.lifetime != Lifetime::Turn;
        let head = TurnHead {
            ply: if hidden { at.own } else { at.ply },
            left_us: time.turn_us.or(bank_us),
            bank_us,
            moves: if tells { &at.unsent_moves } else { "" },
        };
        let game = &at.game;
        let legal = legal.then_some(|out: &mut Vec<u8>| game.write_legal_moves(at.seat, out));
        let mut message = Vec::new();
        protocol::write_turn(
            &mut message,
            head,
            |out| game.write_view(at.seat, out),
            legal,
        )?;
        Ok(message)
    }

    fn answer(
        &self,
        conversation: &mut Conversation,
        at: &Situation,
    ) -> Result<Option<String>, JudgeError> {
        let time = self.conditions.time;
        let cpu_us = time
            .turn_us
            .or(time.bank_us)
            .map(|us| us.min(ANSWER_CPU_US_MAX));
        let turn = self.turn(conversation.legal, at)?;
        Ok(conversation
            .ask(Phase::Turn, &turn, self.conditions.silence_max(), cpu_us)?
            .ok())
    }
}

impl Conversation {
    pub(super) fn allowance(&self, cpu_us: Option<u64>, wall: Duration) -> Allowance {
        let left = self.ends.saturating_duration_since(Instant::now());
        let left_us = u64::try_from(left.as_micros()).unwrap_or(u64::MAX);
        Allowance {
            cpu_us: Some(cpu_us.map_or(left_us, |us| us.min(left_us))),
            wall: wall.min(left),
            idle: None,
        }
    }

    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.ends
    }

    /// Returns the answer, or why there is no proper one.
    fn ask(
        &mut self,
        phase: Phase,
        message: &[u8],
        wall: Duration,
        cpu_us: Option<u64>,
    ) -> Result<Result<String, NoAnswer>, JudgeError> {
        let allowance = self.allowance(cpu_us, wall);
        let spent = self.player.ask(phase, message, allowance)?;
        let line = String::from_utf8_lossy(self.player.line());
        Ok(match &spent.result {
            Ok(()) => Ok(line.trim().to_owned()),
            Err(offence) => Err(NoAnswer::of(offence, &spent.cost)),
        })
    }

    /// Returns the peak of the process's memory in bytes; 0 if unknown.
    fn memory_bytes(&self) -> u64 {
        let pid = self.player.process();
        let path = pid.map(|pid| format!("/proc/{pid}/status"));
        let status = path
            .and_then(|path| fs::read_to_string(path).ok())
            .unwrap_or_default();
        status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .and_then(|text| text.split_whitespace().next())
            .and_then(|kib| kib.parse::<u64>().ok())
            .unwrap_or(0)
            << 10
    }

    pub(super) fn close(self) -> Result<(), JudgeError> {
        self.player.finish(Shutdown::Kill)?;
        if self.grouped {
            return Ok(());
        }
        end_orphans(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_silence_or_early_end_may_blame_machine() {
        let is_machines = |cause, overloaded, went_short| {
            let cost = Cost {
                overloaded,
                went_short,
                ..Cost::default()
            };
            let why = NoAnswer::of(&Offence::new(cause, "why"), &cost);
            matches!(why, NoAnswer::Machine)
        };
        for (cause, overloaded, went_short, expected) in [
            (Cause::Silence, false, false, false),
            (Cause::Silence, true, false, true),
            (Cause::Silence, false, true, true),
            (Cause::Exit, true, false, false),
            (Cause::Exit, false, true, true),
            (Cause::Time, true, true, false),
            (Cause::Malformed, true, true, false),
        ] {
            let found = is_machines(cause, overloaded, went_short);
            assert_eq!(found, expected, "{cause}, {overloaded}, {went_short}");
        }
    }
}
