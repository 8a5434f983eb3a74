//! Plays one fixture: asks the seats for their moves, charges their clocks, and writes down
//! what happened. It knows players and rules, and neither processes nor files.

use crate::clock::{Clock, ClockMode};
use crate::error::JudgeError;
use crate::fault::{Cause, Fault, Offence, Phase};
use crate::fixture::{Conditions, Fixture};
use crate::player::{Allowance, Cost, Farewell, Player, Remains, Spent};
use crate::protocol::{self, FromBot, Hello, Ready, Start, TurnHead};
use crate::record::{self, MatchRecord, SeatRecord, TurnRecord};
use engines::erased::{AnyGame, MoveRefused};
use engines::object::Object;
use engines::{Entry, Information, Lifetime, Seat};
use serde_json::value::RawValue;
use std::fmt::Write;
use std::mem;
use std::time::Duration;

/// Where players come from and go to.
pub trait Bench {
    /// Gives the player for a seat of the fixture.
    ///
    /// # Errors
    /// When it cannot be started for reasons of ours.
    fn seat(&mut self, fixture: &Fixture, seat: Seat) -> Result<Seated, JudgeError>;

    /// Takes a player back; one that may play again (`lifetime = match`) may be kept.
    ///
    /// # Errors
    /// When it cannot be ended for reasons of ours.
    fn leave(
        &mut self,
        fixture: &Fixture,
        seat: Seat,
        player: Seated,
        farewell: Farewell,
    ) -> Result<Remains, JudgeError>;

    /// Hears what is written down, as it happens. Most benches have no use for it.
    ///
    /// # Errors
    /// To give the game up.
    fn hear(&mut self, _note: Note<'_>) -> Result<(), JudgeError> {
        Ok(())
    }
}

/// Something that is written down about a game.
#[derive(Clone, Copy, Debug)]
pub enum Note<'a> {
    /// A fault; one that was made in a turn comes before that turn.
    Fault(&'a Fault),
    /// A turn.
    Turn(&'a TurnRecord),
}

/// A player at the table.
pub struct Seated {
    /// The player.
    pub player: Box<dyn Player>,
    /// What it said when it became ready, if it has been greeted already.
    pub ready: Option<Ready>,
}

/// A finished game and what its bots wrote on standard error, in seat order.
#[derive(Debug)]
pub struct Played {
    /// The record.
    pub record: MatchRecord,
    /// Standard error, capped per process.
    pub stderr: Vec<Vec<u8>>,
}

/// Standard error kept per seat and game, over all its processes.
const STDERR_BYTES_PER_GAME: usize = 16 << 10;

/// Plays a fixture to its end.
///
/// # Errors
/// When the judge or the machine fails; the game must then be played again.
pub fn play(
    fixture: &Fixture,
    conditions: &Conditions,
    bench: &mut dyn Bench,
) -> Result<Played, JudgeError> {
    let entry = conditions.entry()?;
    let game = entry
        .start(&fixture.setup)
        .map_err(|reason| JudgeError::Rules {
            what: "a setup",
            reason,
        })?;
    let mut table = Table {
        fixture,
        conditions,
        entry,
        bench,
        chairs: fixture
            .seats
            .iter()
            .map(|_| Chair::new(conditions))
            .collect(),
        game,
        turns: Vec::new(),
        faults: Vec::new(),
        end: record::End::Rules,
        overloaded: false,
        message: Vec::new(),
    };
    table.open()?;
    table.play_turns()?;
    table.close()
}

struct Chair {
    player: Option<Seated>,
    clock: Clock,
    /// Moves since the seat's last turn, as they are sent.
    news: String,
    record: SeatRecord,
    stderr: Vec<u8>,
    /// The bot is gone and is not asked any more.
    gone: bool,
}

impl Chair {
    fn new(conditions: &Conditions) -> Self {
        Self {
            player: None,
            clock: Clock::new(conditions.time),
            news: String::new(),
            record: SeatRecord::default(),
            stderr: Vec::new(),
            gone: false,
        }
    }
}

struct Table<'a> {
    fixture: &'a Fixture,
    conditions: &'a Conditions,
    entry: &'static Entry,
    bench: &'a mut dyn Bench,
    chairs: Vec<Chair>,
    game: Box<dyn AnyGame>,
    turns: Vec<TurnRecord>,
    faults: Vec<Fault>,
    end: record::End,
    /// A fault may be the machine's doing.
    overloaded: bool,
    /// The message being sent; kept so that its memory is used again.
    message: Vec<u8>,
}

impl Table<'_> {
    /// Seats everybody, unless each turn has a process of its own.
    fn open(&mut self) -> Result<(), JudgeError> {
        for (chair, sitter) in self.chairs.iter_mut().zip(&self.fixture.seats) {
            chair.record = SeatRecord::of(sitter);
        }
        if self.conditions.lifetime == Lifetime::Turn {
            return Ok(());
        }
        for seat in self.seats() {
            if self.game.outcome().is_none() && self.greet(seat)? {
                self.begin(seat)?;
            }
        }
        Ok(())
    }

    fn play_turns(&mut self) -> Result<(), JudgeError> {
        while let Some(seat) = self.game.to_move().first() {
            let per_turn = self.conditions.lifetime == Lifetime::Turn;
            if !per_turn || self.greet(seat)? {
                self.turn(seat)?;
            }
            if per_turn {
                self.dismiss(seat, Farewell::Kill)?;
            }
        }
        Ok(())
    }

    fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        (0..self.chairs.len()).map(Seat::new)
    }

    /// Fetches a player and, if it is new, says `hello`; tells whether it is ready.
    fn greet(&mut self, seat: Seat) -> Result<bool, JudgeError> {
        let seated = self.bench.seat(self.fixture, seat)?;
        let greeted = seated.ready.is_some();
        self.chairs[seat.index()].player = Some(seated);
        if greeted {
            return Ok(true);
        }
        self.message.clear();
        let hello = Hello {
            protocol: protocol::VERSION,
            game: self.entry.info.slug,
            seat: seat.index(),
            role: self.entry.info.roles[seat.index()],
            seats: self.chairs.len(),
            config: &self.conditions.config,
            seed: self.fixture.seed(seat),
            time: self.conditions.time,
            lifetime: self.conditions.lifetime,
        };
        protocol::write_hello(&mut self.message, &hello);
        let allowance = Allowance {
            cpu_us: None,
            wall: Duration::from_millis(self.conditions.startup_ms),
        };
        let spent = self.ask(seat, allowance)?;
        let chair = &mut self.chairs[seat.index()];
        chair.record.uncharged_us += spent.cost.cpu_us;
        chair.record.startup_wall_us += spent.cost.wall_us;
        let line = seated_of(chair).player.line();
        let result = spent
            .result
            .map_err(|offence| first_of_hello(offence, line));
        match result.and_then(|()| read_ready(chair)) {
            Ok(ready) => {
                if let Some(name) = &ready.name {
                    chair.record.says = Some(crate::fault::quote(name.as_bytes()));
                }
                seated_of(chair).ready = Some(ready);
                Ok(true)
            }
            Err(offence) => self
                .fault(seat, Phase::Hello, offence, spent.cost)
                .map(|()| false),
        }
    }

    /// Says `start` and charges the initialisation where the rules do.
    fn begin(&mut self, seat: Seat) -> Result<(), JudgeError> {
        self.message.clear();
        let start = Start {
            seat: seat.index(),
            role: self.entry.info.roles[seat.index()],
            seed: self.fixture.seed(seat),
        };
        protocol::write_start(&mut self.message, &start);
        let charged = self.conditions.time.charge_start;
        let left_us = if charged {
            self.chairs[seat.index()].clock.left_us()
        } else {
            None
        };
        let spent = self.ask(seat, self.allowance(left_us))?;
        let chair = &mut self.chairs[seat.index()];
        let in_time = if charged {
            charge(chair, self.conditions.mode, spent.cost)
        } else {
            chair.record.uncharged_us += spent.cost.cpu_us;
            Ok(())
        };
        let ready = in_time.and(spent.result).and_then(|()| read_ready(chair));
        match ready {
            Ok(_) => Ok(()),
            Err(offence) => self.fault(seat, Phase::Start, offence, spent.cost),
        }
    }

    /// Asks a seat for its move and plays it.
    fn turn(&mut self, seat: Seat) -> Result<(), JudgeError> {
        let ply = self.ply_told_to(seat);
        let chair = &mut self.chairs[seat.index()];
        if chair.gone {
            self.game.forfeit(seat, engines::Forfeit::Gone);
            return Ok(());
        }
        chair.clock.begin_turn();
        let left_us = chair.clock.left_us();
        let wants_legal = seated_of(chair)
            .ready
            .as_ref()
            .is_some_and(|r| r.legal_moves);
        let head = TurnHead {
            ply,
            left_us,
            bank_us: chair.clock.bank_us(),
            moves: &mem::take(&mut chair.news),
        };
        let game = &self.game;
        let legal = wants_legal.then_some(|out: &mut Vec<u8>| game.write_legal_moves(seat, out));
        self.message.clear();
        protocol::write_turn(
            &mut self.message,
            head,
            |out| game.write_view(seat, out),
            legal,
        );
        let spent = self.ask(seat, self.allowance(left_us))?;
        let chair = &mut self.chairs[seat.index()];
        let in_time = charge(chair, self.conditions.mode, spent.cost);
        let line = seated_of(chair).player.line();
        let game = &mut self.game;
        let played = in_time
            .and(spent.result.map_err(|offence| first_offence(offence, line)))
            .and_then(|()| play_line(game.as_mut(), seat, line));
        let mv = match played {
            Ok(mv) => {
                self.spread(seat, &mv);
                Some(RawValue::from_string(mv).expect("the game writes JSON"))
            }
            Err(offence) => {
                self.fault(seat, Phase::Turn, offence, spent.cost)?;
                None
            }
        };
        let Cost {
            cpu_us, wall_us, ..
        } = spent.cost;
        let turn = TurnRecord(seat, mv, cpu_us, wall_us);
        self.bench.hear(Note::Turn(&turn))?;
        self.turns.push(turn);
        Ok(())
    }

    /// Tells the others of a move, where the game lets them know.
    fn spread(&mut self, mover: Seat, mv: &str) {
        let forgets = self.conditions.lifetime == Lifetime::Turn;
        if forgets || self.entry.info.information == Information::Hidden {
            return;
        }
        for seat in self.seats().filter(|&seat| seat != mover) {
            let news = &mut self.chairs[seat.index()].news;
            let comma = if news.is_empty() { "" } else { "," };
            write!(news, "{comma}[{},{mv}]", mover.index()).expect("writing to memory");
        }
    }

    /// Writes a fault down and lets the game decide what it means.
    fn fault(
        &mut self,
        seat: Seat,
        phase: Phase,
        offence: Offence,
        cost: Cost,
    ) -> Result<(), JudgeError> {
        let cause = offence.cause;
        let forfeit = cause.forfeit(phase);
        let for_want_of_wall_time = match self.conditions.mode {
            ClockMode::Cpu => cause == Cause::Silence,
            ClockMode::Wall => matches!(cause, Cause::Silence | Cause::Time),
        };
        self.overloaded |= for_want_of_wall_time && cost.overloaded;
        let fault = Fault {
            seat,
            ply: self.ply(),
            phase,
            cause,
            detail: offence.detail,
            line: offence.line,
            exit: offence.exit,
            cpu_us: cost.cpu_us,
            wall_us: cost.wall_us,
        };
        self.bench.hear(Note::Fault(&fault))?;
        self.faults.push(fault);
        self.game.forfeit(seat, forfeit);
        if self.game.outcome().is_some() {
            self.end = record::End::Fault { cause, seat };
        }
        if forfeit == engines::Forfeit::Gone {
            self.chairs[seat.index()].gone = true;
            self.dismiss(seat, Farewell::Kill)?;
        }
        Ok(())
    }

    fn dismiss(&mut self, seat: Seat, farewell: Farewell) -> Result<(), JudgeError> {
        let chair = &mut self.chairs[seat.index()];
        let Some(player) = chair.player.take() else {
            return Ok(());
        };
        let remains = self.bench.leave(self.fixture, seat, player, farewell)?;
        chair.record.uncharged_us += remains.cpu_us;
        let room = STDERR_BYTES_PER_GAME - chair.stderr.len();
        chair
            .stderr
            .extend_from_slice(&remains.stderr[..room.min(remains.stderr.len())]);
        Ok(())
    }

    /// Tells everybody the result and writes the record.
    fn close(mut self) -> Result<Played, JudgeError> {
        let outcome = self
            .game
            .outcome()
            .expect("nobody is to move, so the game is over");
        for seat in self.seats() {
            if let Some(seated) = &mut self.chairs[seat.index()].player {
                self.message.clear();
                let end = protocol::End::of(outcome.seats[seat.index()], &outcome.reason);
                protocol::write_end(&mut self.message, &end);
                seated.player.tell(&self.message);
            }
        }
        for seat in self.seats() {
            self.dismiss(seat, Farewell::Polite)?;
        }
        let stderr = self
            .chairs
            .iter_mut()
            .map(|chair| mem::take(&mut chair.stderr));
        let stderr = stderr.collect();
        let record = MatchRecord {
            v: record::VERSION,
            fixture: self.fixture.id.clone(),
            game: self.conditions.game.clone(),
            state: self.fixture.state,
            setup: (*self.fixture.setup).to_owned(),
            seats: self.chairs.into_iter().map(|chair| chair.record).collect(),
            turns: self.turns,
            faults: self.faults,
            end: self.end,
            outcome,
            overloaded: self.overloaded,
        };
        Ok(Played { record, stderr })
    }

    fn ask(&mut self, seat: Seat, allowance: Allowance) -> Result<Spent, JudgeError> {
        let chair = &mut self.chairs[seat.index()];
        let spent = seated_of(chair).player.ask(&self.message, allowance)?;
        chair.record.suspended |= spent.cost.suspended;
        Ok(spent)
    }

    fn allowance(&self, left_us: Option<u64>) -> Allowance {
        let backstop = Duration::from_millis(self.conditions.backstop_ms);
        match self.conditions.mode {
            ClockMode::Cpu => Allowance {
                cpu_us: left_us,
                wall: backstop,
            },
            ClockMode::Wall => Allowance {
                cpu_us: None,
                wall: left_us.map_or(backstop, Duration::from_micros),
            },
        }
    }

    /// Gives the number of turns that a seat may know of: where information is hidden, how many
    /// the others have had would tell who is still alive.
    fn ply_told_to(&self, seat: Seat) -> u32 {
        match self.entry.info.information {
            Information::Perfect => self.ply(),
            Information::Hidden => {
                let own = self.turns.iter().filter(|turn| turn.0 == seat).count();
                u32::try_from(own).expect("games are bounded")
            }
        }
    }

    fn ply(&self) -> u32 {
        u32::try_from(self.turns.len()).expect("games are bounded")
    }
}

fn seated_of(chair: &mut Chair) -> &mut Seated {
    chair
        .player
        .as_mut()
        .expect("a seat is asked while its player sits there")
}

/// Charges the clock. A clock that has run out is the fault, also where an answer came late
/// or silence was what the wait ended with.
fn charge(chair: &mut Chair, mode: ClockMode, cost: Cost) -> Result<(), Offence> {
    chair.record.cpu_us += cost.cpu_us;
    chair.record.off_turn_us += cost.off_turn_us;
    chair.record.wall_us += cost.wall_us;
    let spent_us = match mode {
        ClockMode::Cpu => cost.cpu_us,
        ClockMode::Wall => cost.wall_us,
    };
    let left_us = chair.clock.left_us().unwrap_or(u64::MAX);
    chair.clock.charge(spent_us).map_err(|_| {
        let kind = match mode {
            ClockMode::Cpu => "CPU",
            ClockMode::Wall => "wall",
        };
        let detail = format!("took {spent_us} µs of {kind} time; {left_us} µs were left");
        Offence::new(Cause::Time, detail)
    })
}

fn read_ready(chair: &mut Chair) -> Result<Ready, Offence> {
    let line = seated_of(chair).player.line();
    let complaint = match protocol::read(line) {
        Ok(FromBot::Ready(Object(ready))) => return Ok(ready),
        Ok(FromBot::Move(_)) => "a move, where \"ready\" was due".to_owned(),
        Err(complaint) => format!("not a \"ready\" message: {complaint}"),
    };
    Err(Offence::new(Cause::Malformed, complaint).quoting(line))
}

/// More output than was asked for is the offence only if the answer before it is one: what
/// is wrong must not depend on how much of a flood came at once.
fn first_offence(offence: Offence, line: &[u8]) -> Offence {
    match protocol::read(line) {
        Err(complaint) if offence.cause == Cause::Unasked => not_a_move(&complaint, line),
        _ => offence,
    }
}

/// The same for `hello`, before which there is no line at all.
fn first_of_hello(offence: Offence, line: &[u8]) -> Offence {
    match protocol::read(line) {
        Err(complaint) if offence.cause == Cause::Unasked && !line.is_empty() => {
            not_ready(&complaint, line)
        }
        _ => offence,
    }
}

fn not_ready(complaint: &str, line: &[u8]) -> Offence {
    let detail = format!("not a \"ready\" message: {complaint}");
    Offence::new(Cause::Malformed, detail).quoting(line)
}

fn not_a_move(complaint: &str, line: &[u8]) -> Offence {
    let detail = format!("not a \"move\" message: {complaint}");
    Offence::new(Cause::Malformed, detail).quoting(line)
}

fn play_line(game: &mut dyn AnyGame, seat: Seat, line: &[u8]) -> Result<String, Offence> {
    let malformed = |complaint| Offence::new(Cause::Malformed, complaint).quoting(line);
    let mv = match protocol::read(line) {
        Ok(FromBot::Move(mv)) => mv,
        Ok(FromBot::Ready(_)) => {
            return Err(malformed("\"ready\", where a move was due".to_owned()));
        }
        Err(complaint) => return Err(not_a_move(&complaint, line)),
    };
    game.play(seat, mv.get()).map_err(|refused| match refused {
        MoveRefused::Unreadable(complaint) => {
            malformed(format!("not a move of this game: {complaint}"))
        }
        MoveRefused::Broken(broken) => {
            Offence::new(Cause::IllegalMove, broken.message).quoting(line)
        }
    })
}
