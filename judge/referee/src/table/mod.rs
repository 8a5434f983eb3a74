//! Plays one fixture: asks the seats for their moves, charges their clocks, and records the game.

pub mod player;
mod recorded_player;
mod turn;

pub use player::{PlayerSource, Seated, TableEvent};
pub use recorded_player::{RecordedPart, RecordedPlayer};

use crate::table::player::{Allowance, Cost, Shutdown, Spent};
use engines::{Lifetime, Refused, Seat};
use model::clock::{Clock, ClockMode};
use model::fault::{Cause, Fault, Offence, Phase};
use model::fixture::{Conditions, Fixture};
use model::note::{NOTES_BYTES_MAX, Note};
use model::record::{self, MatchRecord, SeatRecord, TurnRecord};
use model::stderr::{KeptStderr, Stderr, TurnMark};
use model::{FORMAT, protocol};
use rulebook::Result;
use rulebook::rules::{Position, Rules, RulesError};
use std::mem;
use std::time::Duration;

/// A finished game and the standard error of its bots, in seat order.
#[derive(Debug)]
pub struct PlayedGame {
    /// The record of the game.
    pub record: MatchRecord,
    /// The beginning and the end of standard error.
    pub stderr: Vec<Stderr>,
}

/// Plays a fixture to its end by `rules`, which are the rules that the conditions name.
pub fn play(
    rules: &dyn Rules,
    fixture: &Fixture,
    conditions: &Conditions,
    players: &mut dyn PlayerSource,
) -> Result<PlayedGame> {
    let game = rules
        .start(&fixture.setup)
        .map_err(|error| error.of("a setup"))?;
    let (seats, own) = (game.seats()?, fixture.seats.len());
    if seats != own {
        let reason = Refused(format!("it is for {seats} seats, not {own}"));
        return Err(RulesError::from(reason).of("a setup"));
    }
    let mut table = Table {
        fixture,
        conditions,
        rules,
        players,
        seats: fixture
            .seats
            .iter()
            .map(|seat| SeatState::new(conditions, &seat.entrant))
            .collect(),
        game,
        turns: Vec::new(),
        faults: Vec::new(),
        end: record::End::Rules,
        overloaded: false,
        message: Vec::new(),
        size: None,
    };
    table.open()?;
    table.play_turns()?;
    table.close()
}

struct Table<'a> {
    fixture: &'a Fixture,
    conditions: &'a Conditions,
    rules: &'a dyn Rules,
    players: &'a mut dyn PlayerSource,
    seats: Vec<SeatState>,
    game: Box<dyn Position>,
    turns: Vec<TurnRecord>,
    faults: Vec<Fault>,
    end: record::End,
    /// Whether a fault may be the machine's doing.
    overloaded: bool,
    /// Kept to reuse its memory.
    message: Vec<u8>,
    /// None until a bot has sent notes.
    size: Option<turn::Size>,
}

impl Table<'_> {
    /// Seats everybody, unless each turn has a process of its own.
    fn open(&mut self) -> Result {
        for (seat, participant) in self.seats().zip(&*self.fixture.seats) {
            let seed = self.fixture.luck.seed(seat);
            self.seats[seat.index()].record = SeatRecord::of(participant, seed);
        }
        if self.conditions.lifetime == Lifetime::Turn {
            return Ok(());
        }
        for seat in self.seats() {
            if self.game.outcome()?.is_some() {
                break;
            }
            match self.greet(seat)? {
                Ok(()) => self.begin(seat)?,
                Err((offence, cost)) => self.fault(seat, Phase::Hello, offence, cost)?,
            }
        }
        Ok(())
    }

    /// Plays to the end, in rounds. All seats to move are asked on one position, in seat order.
    /// Then their moves are played, so nobody sees a move before all have answered.
    fn play_turns(&mut self) -> Result {
        loop {
            let round = self.game.to_move()?;
            if round.is_empty() {
                return Ok(());
            }
            let mut asked = Vec::with_capacity(1);
            for seat in round.iter() {
                asked.push((seat, self.ask_for_move(seat)?));
            }
            let is_alone = asked.len() == 1;
            for (seat, asked) in asked {
                if is_alone || self.game.to_move()?.contains(seat) {
                    self.take_turn(seat, asked)?;
                } else {
                    self.seats[seat.index()].revert_question(&asked);
                }
                if self.conditions.lifetime == Lifetime::Turn {
                    self.dismiss(seat, Shutdown::Kill)?;
                }
            }
        }
    }

    fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        (0..self.seats.len()).map(Seat::new)
    }

    /// Records a fault; the game decides the effect of the missing move.
    fn fault(&mut self, seat: Seat, phase: Phase, offence: Offence, cost: Cost) -> Result {
        let cause = offence.cause;
        self.record_fault(seat, phase, offence, cost)?;
        let forfeit = cause.forfeit(phase);
        self.game.forfeit(seat, forfeit)?;
        if self.game.outcome()?.is_some() {
            self.end = record::End::Fault { cause, seat };
        }
        if forfeit == engines::Forfeit::Gone {
            self.seats[seat.index()].gone = true;
            self.dismiss(seat, Shutdown::Kill)?;
        }
        Ok(())
    }

    fn record_fault(&mut self, seat: Seat, phase: Phase, offence: Offence, cost: Cost) -> Result {
        let cause = offence.cause;
        let is_timeout = cause.is_wall_timeout(self.conditions.mode);
        let went_short = cost.went_short && cause.may_come_of_shortage();
        self.overloaded |= went_short || is_timeout && (cost.overloaded || cost.went_short);
        let fault = Fault {
            seat,
            ply: self.ply(),
            phase,
            cause,
            detail: offence.detail,
            raised: offence.raised,
            line: offence.line,
            exit: offence.exit,
            went_short,
            cpu_us: cost.cpu_us,
            wall_us: cost.wall_us,
        };
        self.players.on_event(TableEvent::Fault(&fault))?;
        self.faults.push(fault);
        Ok(())
    }

    fn dismiss(&mut self, seat: Seat, shutdown: Shutdown) -> Result {
        let seat_state = &mut self.seats[seat.index()];
        let Some(player) = seat_state.player.take() else {
            return Ok(());
        };
        let report = self
            .players
            .release_player(self.fixture, seat, player, shutdown)?;
        seat_state.record.uncharged_us += report.cpu_us;
        seat_state.stderr.append(report.stderr);
        Ok(())
    }

    fn close(mut self) -> Result<PlayedGame> {
        let outcome = self
            .game
            .outcome()?
            .expect("nobody is to move, so the game is over");
        for seat in self.seats() {
            if let Some(seated) = &mut self.seats[seat.index()].player {
                self.message.clear();
                let end = protocol::GameOver::of(outcome.seats[seat.index()], &outcome.reason);
                protocol::write(&mut self.message, &protocol::ToBot::End(end));
                seated.player.send(&self.message);
            }
        }
        for seat in self.seats() {
            self.dismiss(seat, Shutdown::Polite)?;
        }
        let stderr = self.seats.iter_mut().map(SeatState::take_stderr).collect();
        let record = MatchRecord {
            v: FORMAT,
            fixture: self.fixture.id,
            game: self.conditions.game.clone(),
            state: self.fixture.state,
            setup: (*self.fixture.setup).to_owned(),
            draw: self.fixture.luck.draw.clone(),
            seats: self.seats.into_iter().map(|it| it.record).collect(),
            turns: self.turns,
            faults: self.faults,
            end: self.end,
            outcome,
            overloaded: self.overloaded,
            machine: None,
        };
        Ok(PlayedGame { record, stderr })
    }

    fn ask(&mut self, seat: Seat, phase: Phase, allowance: Allowance) -> Result<Spent> {
        let seat_state = &mut self.seats[seat.index()];
        let player = &mut seat_state.seated().player;
        let spent = player.ask(phase, &self.message, allowance)?;
        seat_state.record.suspended |= spent.cost.suspended;
        seat_state.record.uncharged_us += spent.cost.uncharged_us;
        seat_state.record.idle_us += spent.cost.idle_us;
        let Some(limit) = self.conditions.idle_max() else {
            return Ok(spent);
        };
        let is_over = Duration::from_micros(seat_state.record.idle_us) > limit;
        let result = match spent.result {
            Ok(()) if is_over && spent.cost.idle_us > 0 => Err(Offence::idle(limit)),
            Err(offence) if offence.cause == Cause::Idle => Err(Offence {
                detail: Offence::idle(limit).detail,
                ..offence
            }),
            result => result,
        };
        Ok(Spent { result, ..spent })
    }

    /// Where the clock counts CPU time, `silence` is the maximum.
    fn allowance(&self, seat: Seat, left_us: Option<u64>, silence: Duration) -> Allowance {
        let backstop = Duration::from_millis(self.conditions.backstop_ms);
        match self.conditions.mode {
            ClockMode::Cpu => Allowance {
                cpu_us: left_us,
                wall: silence,
                idle: self.idle_left(seat),
            },
            ClockMode::Wall => Allowance {
                cpu_us: None,
                wall: left_us.map_or(backstop, Duration::from_micros),
                idle: None,
            },
        }
    }

    fn idle_left(&self, seat: Seat) -> Option<Duration> {
        let idle = Duration::from_micros(self.seats[seat.index()].record.idle_us);
        let limit = self.conditions.idle_max();
        limit.map(|limit| limit.saturating_sub(idle))
    }

    fn ply(&self) -> u32 {
        u32::try_from(self.turns.len()).expect("games are bounded")
    }
}

struct Asked {
    /// Bytes of standard error before it.
    wrote: usize,
    clock: Clock,
    reply: Reply,
}

enum Reply {
    /// Not asked.
    Gone,
    Unready(Offence, Cost),
    /// Answered, or made a fault.
    Spent {
        spent: Spent,
        /// Start-up time charged to the turn.
        owed_us: u64,
    },
}

struct SeatState {
    player: Option<Seated>,
    clock: Clock,
    /// Moves since the last turn, as the judge sends them.
    unsent_moves: String,
    record: SeatRecord,
    /// In microseconds beyond the free part; charged to the first turn.
    startup_owed_us: u64,
    stderr: KeptStderr,
    /// Where each turn begins in `stderr`.
    turn_marks: Vec<TurnMark>,
    notes: Vec<Note>,
    notes_bytes: usize,
    /// It gets no more questions.
    gone: bool,
}

impl SeatState {
    fn new(conditions: &Conditions, entrant: &str) -> Self {
        Self {
            player: None,
            clock: Clock::new(conditions.time_of(entrant)),
            unsent_moves: String::new(),
            record: SeatRecord::default(),
            startup_owed_us: 0,
            stderr: KeptStderr::default(),
            turn_marks: Vec::new(),
            notes: Vec::new(),
            notes_bytes: 0,
            gone: false,
        }
    }

    fn seated(&mut self) -> &mut Seated {
        self.player
            .as_mut()
            .expect("a seat is asked while its player sits there")
    }

    /// Marks standard error from byte `begin` on as written in the turn after `ply`.
    fn mark_turn(&mut self, ply: u32, begin: usize) {
        // Nothing was written in the turn before.
        if self.turn_marks.last().is_some_and(|last| last.1 == begin) {
            self.turn_marks.pop();
        }
        self.turn_marks.push(TurnMark(ply + 1, begin));
    }

    /// Takes a question back, because another seat's move has taken the turn away. The answer is
    /// not recorded, and its time is charged to nobody.
    fn revert_question(&mut self, asked: &Asked) {
        self.clock = asked.clock;
        if let Reply::Spent { spent, owed_us } = &asked.reply {
            self.startup_owed_us = *owed_us;
            self.record.uncharged_us += spent.cost.cpu_us;
            self.record.idle_us -= spent.cost.idle_us;
        }
    }

    fn take_stderr(&mut self) -> Stderr {
        let wrote = mem::take(&mut self.stderr).into_stderr(&self.turn_marks);
        Stderr {
            notes: mem::take(&mut self.notes),
            ..wrote
        }
    }

    /// If the clock has run out, that is the fault, even of a late answer or silence.
    fn charge(&mut self, mode: ClockMode, cost: Cost) -> Result<(), Offence> {
        self.record.cpu_us += cost.cpu_us;
        self.record.off_turn_us += cost.off_turn_us;
        self.record.wall_us += cost.wall_us;
        let spent_us = mode.counted(cost.cpu_us, cost.wall_us);
        let left_us = self.clock.left_us().unwrap_or(u64::MAX);
        self.clock
            .charge(spent_us)
            .map_err(|_| Offence::overtime(mode, spent_us, left_us))
    }

    fn room_for_notes(&self) -> usize {
        NOTES_BYTES_MAX.saturating_sub(self.notes_bytes)
    }
}
