//! Small conversations, by the player of games, that test what no game tests.

#![expect(clippy::disallowed_methods, reason = "it is a file of the kernel's")]

use engines::{Forfeit, Information, Lifetime, Seat};
use model::fault::{Cause, Fault, Offence, Phase};
use model::fixture::{Conditions, Fixture};
use model::protocol::{self, FromBot, TurnHead};
use model::record::MatchRecord;
use referee::table::player::{Allowance, Cost, Player, Shutdown};
use rulebook::Result;
use rulebook::rules::{Position, Rules};
use run::play::worker::{Order, ProcessPlayers};
use run::play::{IdleReport, ProcessPlayer};
use sandbox::end_orphans;
use std::cell::RefCell;
use std::fmt::Write as _;
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

/// A position in which to question a bot.
pub(super) struct Situation {
    game: Box<dyn Position>,
    pub(super) seat: Seat,
    ply: u32,
    own: u32,
    /// The others' moves since the seat's last turn, in the form of the protocol.
    unsent_moves: String,
}

impl Situation {
    /// Plays first legal moves until a seat has had `turns` turns and is to move again, if it ever is.
    pub(super) fn of(
        rules: &dyn Rules,
        fixture: &Fixture,
        seat: Seat,
        turns: u32,
    ) -> Result<Option<Self>> {
        let mut at = Self {
            game: rules
                .start(&fixture.setup)
                .map_err(|error| error.of("a setup"))?,
            seat,
            ply: 0,
            own: 0,
            unsent_moves: String::new(),
        };
        loop {
            let Some(mover) = at.game.to_move()?.first() else {
                return Ok(None);
            };
            if mover == seat && at.own == turns {
                return Ok(Some(at));
            }
            let Some(first) = at.game.legal_moves(mover)?.into_iter().next() else {
                return Ok(None);
            };
            let Ok(mv) = at.game.play(mover, &first)? else {
                return Ok(None);
            };
            if mover == seat {
                at.own += 1;
                at.unsent_moves.clear();
            } else {
                push_move(&mut at.unsent_moves, mover, &mv);
            }
            at.ply += 1;
        }
    }

    /// Returns the situations of a seat in a recorded game, up to one of its faults.
    pub(super) fn along(
        rules: &dyn Rules,
        record: &MatchRecord,
        fault: &Fault,
    ) -> Result<Vec<Self>> {
        let mut all = Vec::new();
        let mut game = rules
            .start(&record.setup)
            .map_err(|error| error.of("a recorded setup"))?;
        let (mut own, mut unsent_moves) = (0, String::new());
        for ply in 0..=fault.ply {
            let turn = record.turns.get(ply as usize);
            if turn.map_or(ply == fault.ply, |turn| turn.seat == fault.seat) {
                all.push(Self {
                    game: game.copy()?,
                    seat: fault.seat,
                    ply,
                    own,
                    unsent_moves: std::mem::take(&mut unsent_moves),
                });
                own += 1;
            } else if let Some(turn) = turn
                && let Some(mv) = &turn.mv
            {
                push_move(&mut unsent_moves, turn.seat, mv.get());
            }
            if !follow(game.as_mut(), record, ply as usize)? {
                break;
            }
        }
        Ok(all)
    }
}

fn push_move(moves: &mut String, by: Seat, mv: &str) {
    let comma = if moves.is_empty() { "" } else { "," };
    write!(moves, "{comma}[{},{mv}]", by.index()).expect("writing to memory");
}

fn follow(game: &mut dyn Position, record: &MatchRecord, ply: usize) -> Result<bool> {
    let Some(turn) = record.turns.get(ply) else {
        return Ok(false);
    };
    // A seat that is gone has no more turns.
    while let Some(gone) = game.to_move()?.first().filter(|&seat| seat != turn.seat) {
        game.forfeit(gone, Forfeit::Gone)?;
    }
    if let Some(mv) = &turn.mv {
        return Ok(game.play_recorded(turn.seat, mv.get())?.is_ok());
    }
    let same = |f: &&Fault| f.seat == turn.seat && f.ply as usize == ply;
    let why = record.faults.iter().find(same);
    if let Some(why) = why {
        game.forfeit(turn.seat, why.cause.forfeit(why.phase))?;
    }
    Ok(why.is_some())
}

pub(super) struct IdleBehaviour {
    pub(super) after: IdleReport,
    pub(super) at_end: IdleReport,
    pub(super) memory_bytes: u64,
}

/// A proper answer, or why there is none: `None` if the machine did not give the bot what it needs.
pub(super) type Asked<T> = Result<T, Option<String>>;

/// Returns why no answer came, if that is the bot's fault. A program that computes does not wait.
pub(super) fn own_fault(offence: &Offence, cost: &Cost) -> Option<String> {
    let was_silent = matches!(offence.cause, Cause::Silence | Cause::Idle);
    let waited = was_silent && (cost.overloaded || cost.went_short);
    let is_machines = waited || cost.went_short && offence.cause.may_come_of_shortage();
    (!is_machines).then(|| offence.detail.clone())
}

/// Talks with the program of a submission, with a new process for each conversation.
pub(super) struct Prober<'a> {
    pub(super) rules: &'a dyn Rules,
    pub(super) fixtures: &'a [Fixture],
    pub(super) order: &'a Order,
    pub(super) program: &'a str,
    pub(super) players: RefCell<ProcessPlayers<'a>>,
    pub(super) ends: Instant,
}

impl<'a> Prober<'a> {
    pub(super) fn left(&self) -> Duration {
        self.ends.saturating_duration_since(Instant::now())
    }

    pub(super) fn is_over(&self) -> bool {
        self.left().is_zero()
    }

    /// Returns a seat's first turn in the first game.
    pub(super) fn first_turn(&self, seat: Seat) -> Result<Option<(&'a Fixture, Situation)>> {
        let Some(fixture) = self.fixtures.first() else {
            return Ok(None);
        };
        let first = Situation::of(self.rules, fixture, seat, 0)?;
        Ok(first.map(|first| (fixture, first)))
    }

    /// Starts a process, and ends it after `talk`.
    pub(super) fn talk<T>(
        &self,
        fixture: &Fixture,
        seat: Seat,
        talk: impl FnOnce(&mut Conversation<'_, 'a>) -> Result<T>,
    ) -> Result<T> {
        let mut players = self.players.borrow_mut();
        let mut conversation = Conversation {
            player: Box::new(players.start(self.program, Seat::new(0))?),
            prober: self,
            fixture,
            seat,
            legal: false,
        };
        let said = talk(&mut conversation);
        conversation.player.finish(Shutdown::Kill)?;
        // The end of a control group or namespace ends all its processes.
        if self.order.run_cgroups.is_none() && !self.order.isolation.namespaces.are_used() {
            end_orphans(&[])?;
        }
        said
    }

    pub(super) fn idle_behaviour(
        &self,
        fixture: &Fixture,
        at: &Situation,
    ) -> Result<Option<IdleBehaviour>> {
        self.talk(fixture, at.seat, |conversation| {
            if !conversation.open(self.startup())? || conversation.answer(at)?.is_none() {
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
            Ok(Some(IdleBehaviour {
                after,
                memory_bytes: conversation.memory_bytes(),
                at_end: conversation.player.end_input(EXIT)?,
            }))
        })
    }

    /// Asks a silent bot, ends its input after `wait`, and returns what it then writes at once.
    pub(super) fn held_back(
        &self,
        fixture: &Fixture,
        at: &Situation,
        wait: Duration,
    ) -> Result<Option<String>> {
        self.talk(fixture, at.seat, |conversation| {
            if conversation.open(wait)? {
                let turn = self.turn(conversation.legal, at)?;
                if conversation.ask(Phase::Turn, &turn, wait, None)?.is_ok() {
                    return Ok(None);
                }
            }
            let prompt = conversation.player.end_input(PROMPT)?;
            Ok(prompt.output.filter(|_| prompt.exited))
        })
    }

    pub(super) fn afresh(&self, fixture: &Fixture, at: &Situation) -> Result<Option<String>> {
        Ok(self.in_one_process(fixture, &[at])?.pop().flatten())
    }

    /// Asks about several situations of a seat in one process, and returns the answers in order.
    pub(super) fn in_one_process(
        &self,
        fixture: &Fixture,
        situations: &[&Situation],
    ) -> Result<Vec<Option<String>>> {
        self.talk(fixture, situations[0].seat, |conversation| {
            let is_open = conversation.open(self.startup())?;
            situations
                .iter()
                .map(|at| {
                    if is_open {
                        conversation.answer(at)
                    } else {
                        Ok(None)
                    }
                })
                .collect()
        })
    }

    /// Writes the messages to a seat of a game, from `hello` to the last turn, as for one process.
    pub(super) fn conversation(
        &self,
        fixture: &Fixture,
        seat: Seat,
        turns: &[Situation],
    ) -> Result<Vec<u8>> {
        let mut all = self.hello(fixture, seat);
        all.extend(self.start_message(fixture, seat).unwrap_or_default());
        for at in turns {
            all.extend(self.turn(false, at)?);
        }
        Ok(all)
    }

    pub(super) fn startup(&self) -> Duration {
        Duration::from_millis(self.order.conditions.startup_ms)
    }

    fn hello(&self, fixture: &Fixture, seat: Seat) -> Vec<u8> {
        let mut message = Vec::new();
        let hello = fixture.hello(self.rules.info(), &self.order.conditions, seat);
        protocol::write(&mut message, &hello);
        message
    }

    /// Writes `start`, if a process lives longer than a turn.
    fn start_message(&self, fixture: &Fixture, seat: Seat) -> Option<Vec<u8>> {
        (self.order.conditions.lifetime != Lifetime::Turn).then(|| {
            let mut message = Vec::new();
            protocol::write(&mut message, &fixture.start(self.rules.info(), seat));
            message
        })
    }

    /// Writes a question; `legal` tells whether it lists the legal moves.
    fn turn(&self, legal: bool, at: &Situation) -> Result<Vec<u8>> {
        let Conditions { time, lifetime, .. } = &self.order.conditions;
        let bank_us = time.bank_us.map(|bank| bank + time.increment_us);
        let hidden = self.rules.info().information == Information::Hidden;
        let tells = !hidden && *lifetime != Lifetime::Turn;
        let head = TurnHead {
            ply: if hidden { at.own } else { at.ply },
            left_us: time.turn_us.or(bank_us),
            bank_us,
            moves: if tells { &at.unsent_moves } else { "" },
        };
        let legal = legal.then_some(|out: &mut Vec<u8>| at.game.write_legal_moves(at.seat, out));
        let mut message = Vec::new();
        let view = |out: &mut Vec<u8>| at.game.write_view(at.seat, out);
        protocol::write_turn(&mut message, head, view, legal)?;
        Ok(message)
    }
}

pub(super) struct Conversation<'p, 'a> {
    pub(super) player: Box<ProcessPlayer>,
    pub(super) prober: &'p Prober<'a>,
    fixture: &'p Fixture,
    seat: Seat,
    legal: bool,
}

impl Conversation<'_, '_> {
    pub(super) fn allowance(&self, cpu_us: Option<u64>, wall: Duration) -> Allowance {
        let left = self.prober.left();
        let left_us = u64::try_from(left.as_micros()).unwrap_or(u64::MAX);
        Allowance {
            cpu_us: Some(cpu_us.map_or(left_us, |us| us.min(left_us))),
            wall: wall.min(left),
            idle: None,
        }
    }
    pub(super) fn greet(&mut self, timeout: Duration) -> Result<Asked<()>> {
        let hello = self.prober.hello(self.fixture, self.seat);
        let cpu_us = u64::try_from(timeout.as_micros()).ok();
        Ok(self
            .ask(Phase::Hello, &hello, timeout, cpu_us)?
            .and_then(|ready| match protocol::read(ready.as_bytes()) {
                Ok(FromBot::Ready(ready)) => {
                    self.legal = ready.legal_moves;
                    Ok(())
                }
                _ => Err(Some("it does not say that it is ready".to_owned())),
            }))
    }

    /// Returns whether the bot became ready, for a game too if a process lives that long.
    fn open(&mut self, timeout: Duration) -> Result<bool> {
        if self.greet(timeout)?.is_err() {
            return Ok(false);
        }
        let Some(message) = self.prober.start_message(self.fixture, self.seat) else {
            return Ok(true);
        };
        Ok(self.ask(Phase::Start, &message, timeout, None)?.is_ok())
    }

    fn answer(&mut self, at: &Situation) -> Result<Option<String>> {
        let conditions = &self.prober.order.conditions;
        let limit_us = conditions.time.turn_us.or(conditions.time.bank_us);
        let cpu_us = limit_us.map(|us| us.min(ANSWER_CPU_US_MAX));
        let turn = self.prober.turn(self.legal, at)?;
        let asked = self.ask(Phase::Turn, &turn, conditions.silence_max(), cpu_us)?;
        Ok(asked.ok())
    }

    fn ask(
        &mut self,
        phase: Phase,
        message: &[u8],
        wall: Duration,
        cpu_us: Option<u64>,
    ) -> Result<Asked<String>> {
        let allowance = self.allowance(cpu_us, wall);
        let spent = self.player.ask(phase, message, allowance)?;
        let line = String::from_utf8_lossy(self.player.line());
        Ok(match &spent.result {
            Ok(()) => Ok(line.trim().to_owned()),
            Err(offence) => Err(own_fault(offence, &spent.cost)),
        })
    }

    /// Returns the peak of the process's memory in bytes; 0 if unknown.
    fn memory_bytes(&self) -> u64 {
        let kib = self.player.process().and_then(|pid| {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
            status
                .lines()
                .find_map(|line| line.strip_prefix("VmHWM:"))?
                .split_whitespace()
                .next()?
                .parse::<u64>()
                .ok()
        });
        kib.unwrap_or(0) << 10
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
            own_fault(&Offence::new(cause, "why"), &cost).is_none()
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
