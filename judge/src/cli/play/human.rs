//! A player at the keyboard, the position that it sees, and the bench where it sits beside
//! programs.

use super::stage::{Stage, Typed};
use crate::terminal::Happened;
use engines::{Forfeit, Seat};
use model::clock::{Clock, ClockMode};
use model::fault::{Fault, Phase};
use model::fixture::{Conditions, Fixture};
use model::record::TurnRecord;
use referee::table::player::{Allowance, Cost, ExitReport, Player, Shutdown, Spent};
use referee::table::{Bench, Note, Seated};
use report::describe;
use rulebook::JudgeError;
use rulebook::rules::Position;
use run::play::worker::ProcessBench;
use serde_json::value::RawValue;
use std::cell::RefCell;
use std::rc::Rc;

/// A person, without a clock.
pub(super) struct Human {
    seat: Seat,
    stage: Rc<RefCell<Stage>>,
    line: Vec<u8>,
}

impl Human {
    pub(super) fn new(seat: Seat, stage: Rc<RefCell<Stage>>) -> Self {
        Self {
            seat,
            stage,
            line: Vec::new(),
        }
    }

    /// Asks until the person types a legal move.
    fn turn(&self) -> Result<String, JudgeError> {
        let mut stage = self.stage.borrow_mut();
        stage.call(self.seat)?;
        let mut word = None;
        loop {
            let typed = stage.ask(self.seat, word.as_deref())?;
            word = match typed {
                Typed::Move(mv) => return Ok(mv),
                Typed::Refused(why) => Some(why),
                Typed::Help => {
                    stage.help(self.seat)?;
                    None
                }
                Typed::Nothing => None,
            };
        }
    }
}

impl Player for Human {
    fn ask(
        &mut self,
        phase: Phase,
        _message: &[u8],
        _allowance: Allowance,
    ) -> Result<Spent, JudgeError> {
        self.line = match phase {
            Phase::Hello | Phase::Start => b"{\"ready\":{}}".to_vec(),
            Phase::Turn => format!("{{\"move\":{}}}", self.turn()?).into_bytes(),
        };
        Ok(Spent {
            cost: Cost::default(),
            result: Ok(()),
        })
    }

    fn line(&self) -> &[u8] {
        &self.line
    }
}

pub(super) struct PlayBench<'a> {
    pub(super) programs: ProcessBench<'a>,
    pub(super) stage: Rc<RefCell<Stage>>,
}

impl PlayBench<'_> {
    fn is_human(&self, seat: Seat) -> bool {
        !self.stage.borrow().sittings()[seat.index()].is_program
    }
}

impl Bench for PlayBench<'_> {
    fn seat(&mut self, fixture: &Fixture, seat: Seat) -> Result<Seated, JudgeError> {
        if self.is_human(seat) {
            return Ok(Seated {
                player: Box::new(Human::new(seat, Rc::clone(&self.stage))),
                ready: None,
                startup_free_ms: None,
            });
        }
        self.programs.seat(fixture, seat)
    }

    fn leave(
        &mut self,
        fixture: &Fixture,
        seat: Seat,
        player: Seated,
        shutdown: Shutdown,
    ) -> Result<ExitReport, JudgeError> {
        if self.is_human(seat) {
            return player.player.finish(shutdown);
        }
        self.programs.leave(fixture, seat, player, shutdown)
    }

    fn observe(&mut self, note: Note<'_>) -> Result<(), JudgeError> {
        self.programs.observe(note)?;
        self.stage.borrow_mut().observe(note)
    }
}

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
