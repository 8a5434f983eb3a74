use super::seat_state::SeatState;
use super::{Asked, Reply, Table};
use crate::table::player::Cost;
use engines::erased::MoveRefused;
use engines::{Information, Lifetime, Notation, Seat};
use model::clock::ClockMode;
use model::fault::{Cause, Offence, Phase};
use model::note::{NOTES_BYTES_MAX, Note};
use model::protocol::{self, Answer, FromBot, Ready, Said, TurnHead};
use model::record::TurnRecord;
use rulebook::JudgeError;
use rulebook::rules::{Position, Rules};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt::Write;
use std::mem;

impl Table<'_> {
    /// Asks a seat for its move on the present position. `take_turn` plays it.
    pub(super) fn ask_for_move(&mut self, seat: Seat) -> Result<Asked, JudgeError> {
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

    fn ask_ready(&mut self, seat: Seat) -> Result<Reply, JudgeError> {
        let ply = self.ply_reported_to(seat);
        let seat_state = &mut self.seats[seat.index()];
        seat_state.clock.begin_turn();
        // The start-up is part of the turn and comes off the clock that the bot sees.
        let owed_us = mem::take(&mut seat_state.startup_owed_us);
        let counted_us = self
            .conditions
            .mode
            .counted(owed_us, self.owed_wall_us(owed_us));
        let seat_state = &mut self.seats[seat.index()];
        let left = |us: Option<u64>| us.map(|us| us.saturating_sub(counted_us));
        let left_us = left(seat_state.clock.left_us());
        let wants_legal = seat_state
            .seated()
            .ready
            .as_ref()
            .is_some_and(|r| r.legal_moves);
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

    /// In microseconds.
    const fn owed_wall_us(&self, owed_us: u64) -> u64 {
        match self.conditions.mode {
            ClockMode::Wall => owed_us,
            ClockMode::Cpu => 0,
        }
    }

    /// Charges a seat for its reply, and plays the move in it.
    pub(super) fn take_turn(&mut self, seat: Seat, asked: Asked) -> Result<(), JudgeError> {
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
        spent.cost.wall_us += self.owed_wall_us(owed_us);
        let seat_state = &mut self.seats[seat.index()];
        seat_state.mark_turn(ply, asked.wrote);
        seat_state.record.uncharged_us -= owed_us;
        let in_time = seat_state.charge(self.conditions.mode, spent.cost);
        let room = seat_state.room_for_notes();
        let line = seat_state.seated().player.line();
        let answer = match spent.result {
            Ok(()) => read_move(line),
            Err(offence) => Err(first_offence(offence, line, read_move)),
        };
        let scene = Scene {
            rules: self.rules,
            game: &*self.game,
            size: &mut self.size,
            turn: ply + 1,
            room,
        };
        let said = answer
            .as_ref()
            .map_or_else(|_| Said::default(), |answer| answer.said);
        let note = scene.read(said);
        let Played { mv, offence } = match in_time.and(answer) {
            Ok(answer) => play_answer(self.game.as_mut(), seat, answer, line)?,
            Err(offence) => offence.into(),
        };
        if let Some(note) = note {
            self.seats[seat.index()].keep(note);
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
        self.players.on_event(super::TableEvent::Turn(&turn))?;
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
pub(super) fn first_offence<'a, T>(
    offence: Offence,
    line: &'a [u8],
    read: fn(&'a [u8]) -> Result<T, Offence>,
) -> Offence {
    if offence.cause != Cause::Unasked || line.is_empty() {
        return offence;
    }
    read(line).err().unwrap_or(offence)
}

pub(super) fn read_ready(line: &[u8]) -> Result<Ready, Offence> {
    let complaint = match protocol::read(line) {
        Ok(FromBot::Ready(ready)) => return Ok(ready),
        Ok(FromBot::Move(_)) => "a move, where \"ready\" was due".to_owned(),
        Err(complaint) => format!("not a \"ready\" message: {complaint}"),
    };
    Err(Offence::new(Cause::Malformed, complaint).quoting(line))
}

pub(super) fn read_move(line: &[u8]) -> Result<Answer<'_>, Offence> {
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

fn raised(mv: &str) -> Option<String> {
    let raised: Result<Raised, _> = serde_json::from_str(mv);
    raised.ok().map(|raised| raised.exception)
}

pub(super) struct Played {
    /// `None` if the game carries nothing out.
    pub(super) mv: Option<String>,
    pub(super) offence: Option<Offence>,
}

impl From<Offence> for Played {
    fn from(offence: Offence) -> Self {
        Self {
            mv: None,
            offence: Some(offence),
        }
    }
}

/// Plays what the game carries out of an answer, whose whole text is `line`.
pub(super) fn play_answer(
    game: &mut dyn Position,
    seat: Seat,
    answer: Answer<'_>,
    line: &[u8],
) -> Result<Played, JudgeError> {
    let mv = answer.mv;
    let offence = |refused| match refused {
        MoveRefused::Unreadable(complaint) => match raised(mv.get()) {
            Some(exception) => Offence::raised(&exception),
            None => Offence::new(
                Cause::Malformed,
                format!("not a move of this game: {complaint}"),
            ),
        },
        MoveRefused::Broken(broken) => Offence::new(Cause::IllegalMove, broken.message),
    };
    Ok(match game.play(seat, mv.get())? {
        Ok(spelled) => Played {
            mv: Some(spelled),
            offence: None,
        },
        Err(refused) => Played {
            mv: game.play_broken(seat, mv.get())?,
            offence: Some(offence(refused).quoting(&quotable(answer, line))),
        },
    })
}

fn quotable<'a>(answer: Answer<'_>, line: &'a [u8]) -> Cow<'a, [u8]> {
    if answer.said.is_empty() {
        line.into()
    } else {
        format!("{{\"move\":{}}}", answer.mv.get())
            .into_bytes()
            .into()
    }
}

pub(super) type Size = (usize, usize);

pub(super) struct Scene<'a> {
    pub(super) rules: &'a dyn Rules,
    pub(super) game: &'a dyn Position,
    /// Known once a note has asked for it.
    pub(super) size: &'a mut Option<Size>,
    /// From 1.
    pub(super) turn: u32,
    /// Bytes left for notes in this game.
    pub(super) room: usize,
}

impl Scene<'_> {
    pub(super) fn read(self, said: Said<'_>) -> Option<Note> {
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

impl SeatState {
    pub(super) fn room_for_notes(&self) -> usize {
        NOTES_BYTES_MAX.saturating_sub(self.notes_bytes)
    }

    pub(super) fn keep(&mut self, note: Note) {
        self.notes_bytes += note.bytes();
        self.notes.push(note);
    }
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
