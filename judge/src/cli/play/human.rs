//! A player at the keyboard, and the bench where it sits next to programs.

use super::stage::{Stage, Typed};
use engines::Seat;
use model::fault::Phase;
use model::fixture::Fixture;
use referee::table::player::{Allowance, Cost, ExitReport, Player, Shutdown, Spent};
use referee::table::{Bench, Note, Seated};
use rulebook::JudgeError;
use run::play::worker::ProcessBench;
use std::cell::RefCell;
use std::rc::Rc;

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
        !self.stage.borrow().sittings[seat.index()].is_program
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
