//! One turn of a seat: its question, and the handling of its answer.

use super::answer::{Played, first_offence, play_answer, read_move};
use super::asked::{Asked, Reply};
use super::notes::Scene;
use super::{Note, Table};
use crate::table::player::Cost;
use engines::{Information, Lifetime, Seat};
use model::clock::ClockMode;
use model::fault::Phase;
use model::protocol::{self, Said, TurnHead};
use model::record::TurnRecord;
use rulebook::JudgeError;
use serde_json::value::RawValue;
use std::fmt::Write;
use std::mem;

impl Table<'_> {
    /// Asks a seat for its move, and plays nothing.
    pub(super) fn ask_for_move(&mut self, seat: Seat) -> Result<Asked, JudgeError> {
        let chair = &mut self.chairs[seat.index()];
        let (before, clock) = (chair.stderr.written(), chair.clock);
        let is_greeted = self.conditions.lifetime != Lifetime::Turn;
        let reply = if chair.gone {
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

    /// Asks a seat whose player is ready.
    fn ask_ready(&mut self, seat: Seat) -> Result<Reply, JudgeError> {
        let ply = self.ply_told_to(seat);
        let chair = &mut self.chairs[seat.index()];
        chair.clock.begin_turn();
        // The start-up is part of the turn and comes off the clock that the bot sees.
        let owed_us = mem::take(&mut chair.startup_owed_us);
        let counted_us = self
            .conditions
            .mode
            .counted(owed_us, self.owed_wall_us(owed_us));
        let chair = &mut self.chairs[seat.index()];
        let left = |us: Option<u64>| us.map(|us| us.saturating_sub(counted_us));
        let left_us = left(chair.clock.left_us());
        let wants_legal = chair.seated().ready.as_ref().is_some_and(|r| r.legal_moves);
        let head = TurnHead {
            ply,
            left_us,
            bank_us: left(chair.clock.bank_us()),
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
        )?;
        let allowance = self.allowance(seat, left_us, self.conditions.silence_max());
        let spent = self.ask(seat, Phase::Turn, allowance)?;
        Ok(Reply::Spent { spent, owed_us })
    }

    /// Returns the part of a start-up that a wall clock is charged, in microseconds.
    const fn owed_wall_us(&self, owed_us: u64) -> u64 {
        match self.conditions.mode {
            ClockMode::Wall => owed_us,
            ClockMode::Cpu => 0,
        }
    }

    /// Charges a seat that is to move for its reply, and plays the move in it.
    pub(super) fn take_turn(&mut self, seat: Seat, asked: Asked) -> Result<(), JudgeError> {
        let (mut spent, owed_us) = match asked.reply {
            Reply::Gone => return self.game.forfeit(seat, engines::Forfeit::Gone),
            Reply::Unready(offence, cost) => {
                let ply = self.ply();
                self.chairs[seat.index()].mark_turn(ply, asked.wrote);
                return self.fault(seat, Phase::Hello, offence, cost);
            }
            Reply::Spent { spent, owed_us } => (spent, owed_us),
        };
        let ply = self.ply();
        spent.cost.cpu_us += owed_us;
        spent.cost.off_turn_us += owed_us;
        spent.cost.wall_us += self.owed_wall_us(owed_us);
        let chair = &mut self.chairs[seat.index()];
        chair.mark_turn(ply, asked.wrote);
        chair.record.uncharged_us -= owed_us;
        let in_time = chair.charge(self.conditions.mode, spent.cost);
        let room = chair.room_for_notes();
        let line = chair.seated().player.line();
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
            self.chairs[seat.index()].keep(note);
        }
        match (&mv, offence) {
            (Some(_), Some(offence)) => {
                self.note_fault(seat, Phase::Turn, offence, spent.cost)?;
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
        self.bench.observe(Note::Turn(&turn))?;
        self.turns.push(turn);
        Ok(())
    }

    /// Passes a move on to the other seats, where the game lets them know it.
    fn spread(&mut self, mover: Seat, mv: &str) {
        let forgets = self.conditions.lifetime == Lifetime::Turn;
        if forgets || self.rules.info().information == Information::Hidden {
            return;
        }
        for seat in self.seats().filter(|&seat| seat != mover) {
            let news = &mut self.chairs[seat.index()].news;
            let comma = if news.is_empty() { "" } else { "," };
            write!(news, "{comma}[{},{mv}]", mover.index()).expect("writing to memory");
        }
    }

    /// Returns the number of turns that a seat may know of.
    ///
    /// Where information is hidden this is its own turns only: the number of the others' turns
    /// would reveal who is still alive.
    fn ply_told_to(&self, seat: Seat) -> u32 {
        match self.rules.info().information {
            Information::Perfect => self.ply(),
            Information::Hidden => {
                let own = self.turns.iter().filter(|turn| turn.seat == seat).count();
                u32::try_from(own).expect("games are bounded")
            }
        }
    }
}
