//! A copy of the position at a table, kept up to date from the table's notes.

use crate::terminal::Happened;
use engines::{Forfeit, Seat};
use model::clock::{Clock, ClockMode};
use model::fault::{Fault, Phase};
use model::fixture::Conditions;
use model::record::TurnRecord;
use referee::table::Note;
use referee::table::player::Cost;
use report::describe;
use rulebook::JudgeError;
use rulebook::rules::Position;
use serde_json::value::RawValue;

/// A copy of the table's position, with its history.
pub(super) struct Mirror {
    pub(super) game: Box<dyn Position>,
    pub(super) history: Vec<Happened>,
    /// Number of turns played.
    pub(super) ply: u32,
    gone: Vec<bool>,
    clocks: Vec<Clock>,
    mode: ClockMode,
    /// Whether the time for `start` is charged.
    charges_start: bool,
    /// The fault of the turn whose note comes next.
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
        // The table itself reports that a clock has run out.
        let _ = self.clocks[seat.index()].charge(spent_us);
    }

    /// Applies a note of the table.
    ///
    /// # Errors
    /// When the rules fail.
    pub(super) fn observe(&mut self, note: Note<'_>) -> Result<(), JudgeError> {
        match note {
            Note::Start(seat, cost) => self.hear_start(seat, cost),
            Note::Fault(fault) => self.hear_fault(fault)?,
            Note::Turn(turn) => self.hear_turn(turn)?,
        }
        // A seat that is gone has no more turns; the table writes no notes about that.
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
            self.game
                .play_recorded(*seat, mv)?
                .expect("the table has played it");
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
