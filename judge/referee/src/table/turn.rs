//! The messages to a seat, and what becomes of its answers.

use super::player::{Allowance, Cost, TableEvent};
use super::{Asked, Reply, Table};
use engines::erased::MoveRefused;
use engines::{Information, Lifetime, Notation, Seat};
use model::clock::ClockMode;
use model::fault::{Cause, Offence, Phase};
use model::note::Note;
use model::protocol::{self, Answer, FromBot, Ready, Said, TurnHead};
use model::record::TurnRecord;
use rulebook::Result;
use rulebook::rules::{Position, Rules};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::fmt::Write;
use std::mem;
use std::time::Duration;

impl Table<'_> {
    /// Fetches a player and, if it is new, says `hello`. Returns its offence if it does not become
    /// ready, and the cost of that.
    pub(super) fn greet(&mut self, seat: Seat) -> Result<Result<(), (Offence, Cost)>> {
        let seated = self.players.start_player(self.fixture, seat)?;
        let greeted = seated.ready.is_some();
        let unready = self.fixture.unready;
        let seat_state = &mut self.seats[seat.index()];
        seat_state.record.not_started = unready.is_some_and(|them| them.seats.contains(seat));
        seat_state.player = Some(seated);
        if greeted {
            return Ok(Ok(()));
        }
        self.message.clear();
        let hello = (self.fixture).hello(self.rules.info(), self.conditions, seat);
        protocol::write(&mut self.message, &hello);
        // A start-up is part of the one turn of its process.
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
        let seat_state = &mut self.seats[seat.index()];
        let own_ms = seat_state.seated().startup_free_ms;
        let free_us = self
            .conditions
            .startup_free_ms(own_ms)
            .map_or(u64::MAX, |ms| ms.saturating_mul(1000));
        seat_state.record.uncharged_us += spent.cost.cpu_us;
        seat_state.record.startup_wall_us += spent.cost.wall_us;
        let line = seat_state.seated().player.line();
        Ok(match outcome_of(spent.result, line, read_ready) {
            Ok(ready) => {
                if let Some(name) = &ready.name {
                    let bot_name = Some(model::fault::quote(name.as_bytes()));
                    seat_state.record.bot_name =
                        bot_name.filter(|bot_name| !bot_name.trim().is_empty());
                }
                seat_state.seated().ready = Some(ready);
                seat_state.startup_owed_us = spent.cost.cpu_us.saturating_sub(free_us);
                Ok(())
            }
            Err(offence) => Err((offence, spent.cost)),
        })
    }

    /// Charges the initialisation where the rules do.
    pub(super) fn begin(&mut self, seat: Seat) -> Result {
        self.message.clear();
        let start = self.fixture.start(self.rules.info(), seat);
        protocol::write(&mut self.message, &start);
        let charged = self.conditions.time.charge_start;
        let clock = self.seats[seat.index()].clock;
        let left_us = clock.left_us().filter(|_| charged);
        let backstop = Duration::from_millis(self.conditions.backstop_ms);
        let allowance = Allowance {
            idle: None,
            ..self.allowance(seat, left_us, backstop)
        };
        let spent = self.ask(seat, Phase::Start, allowance)?;
        self.players.on_event(TableEvent::Start(seat, spent.cost))?;
        let seat_state = &mut self.seats[seat.index()];
        let in_time = if charged {
            seat_state.charge(self.conditions.mode, spent.cost)
        } else {
            seat_state.record.uncharged_us += spent.cost.cpu_us;
            Ok(())
        };
        let line = seat_state.seated().player.line();
        match in_time.and(outcome_of(spent.result, line, read_ready)) {
            Ok(_) => Ok(()),
            Err(offence) => self.fault(seat, Phase::Start, offence, spent.cost),
        }
    }

    /// Asks a seat for its move on the present position. `take_turn` plays it.
    pub(super) fn ask_for_move(&mut self, seat: Seat) -> Result<Asked> {
        let seat_state = &mut self.seats[seat.index()];
        let (before, clock) = (seat_state.stderr.written(), seat_state.clock);
        let is_greeted = self.conditions.lifetime != Lifetime::Turn;
        let reply = if seat_state.gone {
            Reply::Gone
        } else if is_greeted {
            self.ask_ready(seat)?
        } else {
            match self.greet(seat)? {
                Ok(()) => self.ask_ready(seat)?,
                Err((offence, cost)) => Reply::Unready(offence, cost),
            }
        };
        // The standard error of a process that lives for one turn belongs to that turn.
        let held = match &reply {
            Reply::Spent { spent, .. } if is_greeted => spent.cost.stderr_before,
            _ => 0,
        };
        Ok(Asked {
            wrote: before + held,
            clock,
            reply,
        })
    }

    fn ask_ready(&mut self, seat: Seat) -> Result<Reply> {
        let ply = self.ply_reported_to(seat);
        let seat_state = &mut self.seats[seat.index()];
        seat_state.clock.begin_turn();
        // The start-up is part of the turn and comes off the clock that the bot sees, in whatever it
        // counts.
        let owed_us = mem::take(&mut seat_state.startup_owed_us);
        let left = |us: Option<u64>| us.map(|us| us.saturating_sub(owed_us));
        let left_us = left(seat_state.clock.left_us());
        let ready = seat_state.seated().ready.as_ref();
        let wants_legal = ready.is_some_and(|ready| ready.legal_moves);
        let head = TurnHead {
            ply,
            left_us,
            bank_us: left(seat_state.clock.bank_us()),
            moves: &mem::take(&mut seat_state.unsent_moves),
        };
        let game = &self.game;
        let legal = wants_legal.then_some(|out: &mut Vec<u8>| game.write_legal_moves(seat, out));
        self.message.clear();
        protocol::write_turn(
            &mut self.message,
            head,
            |out| game.write_view(seat, out),
            legal,
        )?;
        let allowance = self.allowance(seat, left_us, self.conditions.silence_max());
        let spent = self.ask(seat, Phase::Turn, allowance)?;
        Ok(Reply::Spent { spent, owed_us })
    }

    /// Charges a seat for its reply, and plays the move in it.
    pub(super) fn take_turn(&mut self, seat: Seat, asked: Asked) -> Result {
        let (mut spent, owed_us) = match asked.reply {
            Reply::Gone => return self.game.forfeit(seat, engines::Forfeit::Gone),
            Reply::Unready(offence, cost) => {
                let ply = self.ply();
                self.seats[seat.index()].mark_turn(ply, asked.wrote);
                return self.fault(seat, Phase::Hello, offence, cost);
            }
            Reply::Spent { spent, owed_us } => (spent, owed_us),
        };
        let ply = self.ply();
        spent.cost.cpu_us += owed_us;
        spent.cost.off_turn_us += owed_us;
        if self.conditions.mode == ClockMode::Wall {
            spent.cost.wall_us += owed_us;
        }
        let seat_state = &mut self.seats[seat.index()];
        seat_state.mark_turn(ply, asked.wrote);
        seat_state.record.uncharged_us -= owed_us;
        let in_time = seat_state.charge(self.conditions.mode, spent.cost);
        let room = seat_state.room_for_notes();
        let line = seat_state.seated().player.line();
        let answer = outcome_of(spent.result, line, read_move);
        let scene = Scene {
            rules: self.rules,
            game: &*self.game,
            size: &mut self.size,
            turn: ply + 1,
            room,
        };
        let said = answer.as_ref().map(|answer| answer.said);
        let note = scene.read(said.unwrap_or_default());
        let (mv, offence) = match in_time.and(answer) {
            Ok(answer) => play_answer(self.game.as_mut(), seat, answer, line)?,
            Err(offence) => (None, Some(offence)),
        };
        if let Some(note) = note {
            let seat_state = &mut self.seats[seat.index()];
            seat_state.notes_bytes += note.bytes();
            seat_state.notes.push(note);
        }
        match (&mv, offence) {
            (Some(_), Some(offence)) => {
                self.record_fault(seat, Phase::Turn, offence, spent.cost)?;
            }
            (None, Some(offence)) => self.fault(seat, Phase::Turn, offence, spent.cost)?,
            (_, None) => {}
        }
        let mv = mv.map(|mv| {
            self.spread(seat, &mv);
            RawValue::from_string(mv).expect("the game writes JSON")
        });
        let Cost {
            cpu_us, wall_us, ..
        } = spent.cost;
        let turn = TurnRecord {
            seat,
            mv,
            cpu_us,
            wall_us,
        };
        self.players.on_event(TableEvent::Turn(&turn))?;
        self.turns.push(turn);
        Ok(())
    }

    /// Passes a move on to the seats that may know it.
    fn spread(&mut self, mover: Seat, mv: &str) {
        let forgets = self.conditions.lifetime == Lifetime::Turn;
        if forgets || self.rules.info().information == Information::Hidden {
            return;
        }
        for seat in self.seats().filter(|&seat| seat != mover) {
            let unsent_moves = &mut self.seats[seat.index()].unsent_moves;
            let comma = if unsent_moves.is_empty() { "" } else { "," };
            write!(unsent_moves, "{comma}[{},{mv}]", mover.index()).expect("writing to memory");
        }
    }

    /// Returns the turns that a seat may know of: with hidden information its own, because the
    /// others' would reveal who is still alive.
    fn ply_reported_to(&self, seat: Seat) -> u32 {
        match self.rules.info().information {
            Information::Perfect => self.ply(),
            Information::Hidden => {
                let own = self.turns.iter().filter(|turn| turn.seat == seat).count();
                u32::try_from(own).expect("games are bounded")
            }
        }
    }
}

/// Extra output is the offence only after a valid answer, or before the question (no line): the
/// verdict must not depend on how much of a flood arrived at once.
fn first_offence<'a, T>(
    offence: Offence,
    line: &'a [u8],
    read: fn(&'a [u8]) -> Result<T, Offence>,
) -> Offence {
    if offence.cause != Cause::Unasked || line.is_empty() {
        return offence;
    }
    read(line).err().unwrap_or(offence)
}

/// Reads an answer, or finds the offence that kept it away.
fn outcome_of<'a, T>(
    result: Result<(), Offence>,
    line: &'a [u8],
    read: fn(&'a [u8]) -> Result<T, Offence>,
) -> Result<T, Offence> {
    result.map_err(|offence| first_offence(offence, line, read))?;
    read(line)
}

fn read_ready(line: &[u8]) -> Result<Ready, Offence> {
    let complaint = match protocol::read(line) {
        Ok(FromBot::Ready(ready)) => return Ok(ready),
        Ok(FromBot::Move(_)) => "a move, where \"ready\" was due".to_owned(),
        Err(complaint) => format!("not a \"ready\" message: {complaint}"),
    };
    Err(Offence::new(Cause::Malformed, complaint).quoting(line))
}

fn read_move(line: &[u8]) -> Result<Answer<'_>, Offence> {
    let complaint = match protocol::read(line) {
        Ok(FromBot::Move(answer)) => return Ok(answer),
        Ok(FromBot::Ready(_)) => "\"ready\", where a move was due".to_owned(),
        Err(complaint) => format!("not a \"move\" message: {complaint}"),
    };
    Err(Offence::new(Cause::Malformed, complaint).quoting(line))
}

/// A kit's answer after the submission's code raised an exception.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raised {
    exception: String,
}

/// Plays what the game carries out of an answer, whose whole text is `line`. Returns the move, if
/// any, and the offence.
fn play_answer(
    game: &mut dyn Position,
    seat: Seat,
    answer: Answer<'_>,
    line: &[u8],
) -> Result<(Option<String>, Option<Offence>)> {
    let mv = answer.mv.get();
    let offence = match game.play(seat, mv)? {
        Ok(spelled) => return Ok((Some(spelled), None)),
        Err(MoveRefused::Unreadable(complaint)) => {
            if let Ok(Raised { exception }) = serde_json::from_str(mv) {
                Offence::raised(&exception)
            } else {
                let detail = format!("not a move of this game: {complaint}");
                Offence::new(Cause::Malformed, detail)
            }
        }
        Err(MoveRefused::Broken(broken)) => Offence::new(Cause::IllegalMove, broken.message),
    };
    let offence = if answer.said.is_empty() {
        offence.quoting(line)
    } else {
        offence.quoting(format!("{{\"move\":{mv}}}").as_bytes())
    };
    Ok((game.play_broken(seat, mv)?, Some(offence)))
}

pub(super) type Size = (usize, usize);

struct Scene<'a> {
    rules: &'a dyn Rules,
    game: &'a dyn Position,
    /// Known once a note has asked for it.
    size: &'a mut Option<Size>,
    /// From 1.
    turn: u32,
    /// Bytes left for notes in this game.
    room: usize,
}

impl Scene<'_> {
    fn read(self, said: Said<'_>) -> Option<Note> {
        if said.is_empty() {
            return None;
        }
        // A game whose picture fails has no cells: a note decides nothing.
        if self.size.is_none() && said.marks.is_some() {
            let frame = self.game.frame().ok();
            *self.size = frame.map(|frame| (frame.width, frame.height));
        }
        let cell = |at: &str| cell(self.rules.notation(), self.game, (*self.size)?, at);
        Note::read(said, self.turn, self.room, &cell)
    }
}

/// A mark names a cell by the labels of the board, or as the game's moves do.
fn cell(notation: &Notation, game: &dyn Position, size: Size, at: &str) -> Option<Size> {
    let cell = match serde_json::from_str::<&str>(at) {
        Ok(name) => notation.cell(name, size),
        Err(_) => game.cell(at),
    };
    cell.filter(|&(column, row)| column < size.0 && row < size.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offence_is_same_however_output_is_chunked() {
        const READY: &[u8] = br#"{"ready":{}}"#;
        const MOVE: &[u8] = br#"{"move":[0,1]}"#;
        let more = || Offence::new(Cause::Unasked, "more output");
        for wrong in [&b"garbage"[..], MOVE] {
            let alone = read_ready(wrong).expect_err("wrong");
            assert_eq!(alone.cause, Cause::Malformed);
            assert_eq!(first_offence(more(), wrong, read_ready), alone);
        }
        for wrong in [&b"garbage"[..], READY] {
            let alone = read_move(wrong).expect_err("wrong");
            assert_eq!(alone.cause, Cause::Malformed);
            assert_eq!(first_offence(more(), wrong, read_move), alone);
        }
        assert_eq!(first_offence(more(), READY, read_ready), more());
        assert_eq!(first_offence(more(), MOVE, read_move), more());
        assert_eq!(first_offence(more(), b"", read_move), more());
        let silent = || Offence::new(Cause::Silence, "no answer");
        assert_eq!(first_offence(silent(), b"garbage", read_move), silent());
    }
}
