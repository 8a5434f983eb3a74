//! A player at the keyboard.

use super::stage::{Stage, Typed};
use engines::Seat;
use model::fault::Phase;
use referee::table::player::{Allowance, Cost, Player, Spent};
use rulebook::JudgeError;
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
    ///
    /// # Errors
    /// When the person leaves.
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
