//! A seat at the table: its player, its clock, its record, and the messages before its first turn.

use super::Table;
use super::player::Seated;
use super::turn::{Asked, Reply, first_offence, read_ready};
use crate::table::player::{Allowance, Cost};
use engines::{Lifetime, Seat};
use model::clock::{Clock, ClockMode};
use model::fault::{Offence, Phase};
use model::fixture::Conditions;
use model::note::Note;
use model::protocol::{self, Hello, Start};
use model::record::SeatRecord;
use model::stderr::{KeptStderr, Stderr, TurnMark};
use rulebook::JudgeError;
use std::mem;
use std::time::Duration;

/// The state of a seat during a game.
pub(super) struct Chair {
    pub(super) player: Option<Seated>,
    pub(super) clock: Clock,
    /// Moves since the seat's last turn, as the judge sends them.
    pub(super) news: String,
    pub(super) record: SeatRecord,
    /// Start-up time beyond the free part, in microseconds. The seat's first turn is charged with
    /// it.
    pub(super) startup_owed_us: u64,
    pub(super) stderr: KeptStderr,
    /// Where the output of each turn begins in `stderr`.
    turns_wrote: Vec<TurnMark>,
    /// The bot's notes.
    pub(super) notes: Vec<Note>,
    /// Their size, in bytes.
    pub(super) notes_bytes: usize,
    /// Whether the bot is gone; it gets no more questions.
    pub(super) gone: bool,
}

impl Chair {
    /// Creates the chair of a seat that has had no question yet.
    pub(super) fn new(conditions: &Conditions) -> Self {
        Self {
            player: None,
            clock: Clock::new(conditions.time),
            news: String::new(),
            record: SeatRecord::default(),
            startup_owed_us: 0,
            stderr: KeptStderr::default(),
            turns_wrote: Vec::new(),
            notes: Vec::new(),
            notes_bytes: 0,
            gone: false,
        }
    }

    /// Returns the seat's player.
    pub(super) fn seated(&mut self) -> &mut Seated {
        self.player
            .as_mut()
            .expect("a seat is asked while its player sits there")
    }

    /// Marks standard error from byte `begin` on as written in the turn after `ply`.
    pub(super) fn mark_turn(&mut self, ply: u32, begin: usize) {
        // Nothing was written in the turn before.
        if self.turns_wrote.last().is_some_and(|last| last.1 == begin) {
            self.turns_wrote.pop();
        }
        self.turns_wrote.push(TurnMark(ply + 1, begin));
    }

    /// Takes a question back, because another seat's move has taken the turn away. The answer is
    /// not recorded, and its time is charged to nobody.
    pub(super) fn unask(&mut self, asked: &Asked) {
        self.clock = asked.clock;
        if let Reply::Spent { spent, owed_us } = &asked.reply {
            self.startup_owed_us = *owed_us;
            self.record.uncharged_us += spent.cost.cpu_us;
            self.record.idle_us -= spent.cost.idle_us;
        }
    }

    /// Takes the standard error that the bot has written in the game, and its notes.
    pub(super) fn take_wrote(&mut self) -> Stderr {
        let wrote = mem::take(&mut self.stderr).into_stderr(&self.turns_wrote);
        Stderr {
            notes: mem::take(&mut self.notes),
            ..wrote
        }
    }

    /// Charges the clock. If the clock has run out, that is the fault, even where the answer came
    /// late or the wait ended in silence.
    pub(super) fn charge(&mut self, mode: ClockMode, cost: Cost) -> Result<(), Offence> {
        self.record.cpu_us += cost.cpu_us;
        self.record.off_turn_us += cost.off_turn_us;
        self.record.wall_us += cost.wall_us;
        let spent_us = mode.counted(cost.cpu_us, cost.wall_us);
        let left_us = self.clock.left_us().unwrap_or(u64::MAX);
        self.clock
            .charge(spent_us)
            .map_err(|_| Offence::overtime(mode, spent_us, left_us))
    }
}

impl Table<'_> {
    /// Fetches a player and, if it is new, says `hello`. Returns its offence if it does not become
    /// ready, and the cost of that.
    pub(super) fn greet(&mut self, seat: Seat) -> Result<Result<(), (Offence, Cost)>, JudgeError> {
        let seated = self.bench.seat(self.fixture, seat)?;
        let greeted = seated.ready.is_some();
        let unready = self.fixture.unready;
        let chair = &mut self.chairs[seat.index()];
        chair.record.not_started = unready.is_some_and(|them| them.seats.contains(seat));
        chair.player = Some(seated);
        if greeted {
            return Ok(Ok(()));
        }
        self.message.clear();
        let luck = &self.fixture.luck;
        let hello = Hello {
            protocol: protocol::VERSION,
            game: self.rules.info().slug,
            seat: seat.index(),
            role: self.rules.info().roles[seat.index()],
            seats: self.chairs.len(),
            config: &self.conditions.config,
            seed: luck.seed(seat),
            long_seed: &luck.seeds[seat.index()],
            time: self.conditions.time,
            counts: self.conditions.mode,
            lifetime: self.conditions.lifetime,
            notes: true,
        };
        protocol::write_hello(&mut self.message, &hello);
        // Where a process lives for one turn, its start-up is a part of that.
        let is_part_of_turn = self.conditions.lifetime == Lifetime::Turn;
        // A bot that keeps its first games waiting may not do so in all others.
        let counts = is_part_of_turn || self.fixture.later.contains(seat);
        let idle = counts.then(|| self.idle_left(seat)).flatten();
        let allowance = Allowance {
            cpu_us: None,
            wall: Duration::from_millis(self.conditions.startup_ms),
            idle,
        };
        let spent = self.ask(seat, Phase::Hello, allowance)?;
        let chair = &mut self.chairs[seat.index()];
        let own_ms = chair.seated().startup_free_ms;
        let free_us = self
            .conditions
            .startup_free_ms(own_ms)
            .map_or(u64::MAX, |ms| ms.saturating_mul(1000));
        chair.record.uncharged_us += spent.cost.cpu_us;
        chair.record.startup_wall_us += spent.cost.wall_us;
        let line = chair.seated().player.line();
        let result = spent
            .result
            .map_err(|offence| first_offence(offence, line, read_ready));
        Ok(match result.and_then(|()| read_ready(line)) {
            Ok(ready) => {
                if let Some(name) = &ready.name {
                    let says = Some(model::fault::quote(name.as_bytes()));
                    chair.record.says = says.filter(|says| !says.trim().is_empty());
                }
                chair.seated().ready = Some(ready);
                chair.startup_owed_us = spent.cost.cpu_us.saturating_sub(free_us);
                Ok(())
            }
            Err(offence) => Err((offence, spent.cost)),
        })
    }

    /// Says `start` and charges the initialisation where the rules do.
    pub(super) fn begin(&mut self, seat: Seat) -> Result<(), JudgeError> {
        self.message.clear();
        let luck = &self.fixture.luck;
        let start = Start {
            seat: seat.index(),
            role: self.rules.info().roles[seat.index()],
            seed: luck.seed(seat),
            long_seed: &luck.seeds[seat.index()],
        };
        protocol::write_start(&mut self.message, &start);
        let charged = self.conditions.time.charge_start;
        let left_us = if charged {
            self.chairs[seat.index()].clock.left_us()
        } else {
            None
        };
        let backstop = Duration::from_millis(self.conditions.backstop_ms);
        let allowance = Allowance {
            idle: None,
            ..self.allowance(seat, left_us, backstop)
        };
        let spent = self.ask(seat, Phase::Start, allowance)?;
        self.bench.observe(super::Note::Start(seat, spent.cost))?;
        let chair = &mut self.chairs[seat.index()];
        let in_time = if charged {
            chair.charge(self.conditions.mode, spent.cost)
        } else {
            chair.record.uncharged_us += spent.cost.cpu_us;
            Ok(())
        };
        let line = chair.seated().player.line();
        let result = spent
            .result
            .map_err(|offence| first_offence(offence, line, read_ready));
        match in_time.and(result).and_then(|()| read_ready(line)) {
            Ok(_) => Ok(()),
            Err(offence) => self.fault(seat, Phase::Start, offence, spent.cost),
        }
    }
}
