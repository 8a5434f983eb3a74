//! The position at a table, followed from what the table writes down.

use crate::terminal::Happened;
use engines::{Forfeit, Seat};
use error::JudgeError;
use report::describe;
use rules::Position;
use serde_json::value::RawValue;
use table::Note;
use table::player::Cost;
use words::clock::{Clock, ClockMode};
use words::fault::{Fault, Phase};
use words::fixture::Conditions;
use words::record::TurnRecord;

/// The same position as on the table, and what has led to it.
pub(super) struct Mirror {
    pub(super) game: Box<dyn Position>,
    pub(super) history: Vec<Happened>,
    /// Turns played.
    pub(super) ply: u32,
    gone: Vec<bool>,
    clocks: Vec<Clock>,
    mode: ClockMode,
    /// Whether the initialisation is charged.
    charges_start: bool,
    /// The fault of the turn that is about to be heard.
    fault: Option<Fault>,
}

impl Mirror {
    pub(super) fn new(
        conditions: &Conditions,
        game: Box<dyn Position>,
    ) -> Result<Self, JudgeError> {
        let seats = game.seats()?;
        Ok(Self {
            game,
            history: Vec::new(),
            ply: 0,
            gone: vec![false; seats],
            clocks: vec![Clock::new(conditions.time); seats],
            mode: conditions.mode,
            charges_start: conditions.time.charge_start,
            fault: None,
        })
    }

    fn hear_start(&mut self, seat: Seat, cost: Cost) {
        if self.charges_start {
            self.charge(seat, cost.cpu_us, cost.wall_us);
        }
    }

    fn charge(&mut self, seat: Seat, cpu_us: u64, wall_us: u64) {
        let spent_us = self.mode.counted(cpu_us, wall_us);
        // That a clock has run out is for the table to say.
        let _ = self.clocks[seat.index()].charge(spent_us);
    }

    /// Follows a note.
    ///
    /// # Errors
    /// When the rules fail.
    pub(super) fn observe(&mut self, note: Note<'_>) -> Result<(), JudgeError> {
        match note {
            Note::Start(seat, cost) => self.hear_start(seat, cost),
            Note::Fault(fault) => self.hear_fault(fault)?,
            Note::Turn(turn) => self.hear_turn(turn)?,
        }
        // Who is gone is not asked any more, which the table does not write down.
        while let Some(seat) = self.game.to_move()?.first() {
            if !self.gone[seat.index()] {
                break;
            }
            self.game.forfeit(seat, Forfeit::Gone)?;
        }
        Ok(())
    }

    fn hear_fault(&mut self, fault: &Fault) -> Result<(), JudgeError> {
        if fault.phase == Phase::Turn {
            self.fault = Some(fault.clone());
            return Ok(());
        }
        self.happened(fault.seat, describe(fault), true, fault.cpu_us);
        self.forfeit(fault)
    }

    fn forfeit(&mut self, fault: &Fault) -> Result<(), JudgeError> {
        let forfeit = fault.cause.forfeit(fault.phase);
        self.gone[fault.seat.index()] |= forfeit == Forfeit::Gone;
        self.game.forfeit(fault.seat, forfeit)
    }

    fn hear_turn(&mut self, turn: &TurnRecord) -> Result<(), JudgeError> {
        let TurnRecord {
            seat,
            mv,
            cpu_us,
            wall_us,
        } = turn;
        self.clocks[seat.index()].begin_turn();
        self.charge(*seat, *cpu_us, *wall_us);
        let fault = self.fault.take();
        let mut spelled = String::new();
        if let Some(mv) = mv.as_deref().map(RawValue::get) {
            spelled = self.game.spell(*seat, mv)?;
            let played = self.game.play_recorded(*seat, mv)?;
            played.expect("the table has played it");
        } else if let Some(fault) = &fault {
            self.forfeit(fault)?;
        }
        let text = fault.as_ref().map_or(spelled, describe);
        self.happened(*seat, text, fault.is_some(), *cpu_us);
        self.ply += 1;
        Ok(())
    }

    fn happened(&mut self, seat: Seat, text: String, is_fault: bool, cpu_us: u64) {
        self.history.push(Happened {
            ply: self.ply,
            seat: seat.index(),
            text,
            is_fault,
            cpu_us,
            bank_us: self.clocks[seat.index()].bank_us(),
        });
    }
}
