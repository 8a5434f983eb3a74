//! A player at the keyboard, and the players of its game.

use super::stage::{Stage, Typed};
use engines::Seat;
use model::fault::Phase;
use model::fixture::Fixture;
use referee::table::player::{Allowance, Cost, ExitReport, Player, Shutdown, Spent};
use referee::table::{PlayerSource, Seated, TableEvent};
use rulebook::JudgeError;
use run::play::worker::ProcessPlayers;
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

pub(super) struct HumanPlayers<'a> {
    pub(super) programs: ProcessPlayers<'a>,
    pub(super) stage: Rc<RefCell<Stage>>,
}

impl HumanPlayers<'_> {
    fn is_human(&self, seat: Seat) -> bool {
        !self.stage.borrow().player_infos[seat.index()].is_program
    }
}

impl PlayerSource for HumanPlayers<'_> {
    fn start_player(&mut self, fixture: &Fixture, seat: Seat) -> Result<Seated, JudgeError> {
        if self.is_human(seat) {
            return Ok(Seated {
                player: Box::new(Human::new(seat, Rc::clone(&self.stage))),
                ready: None,
                startup_free_ms: None,
            });
        }
        self.programs.start_player(fixture, seat)
    }

    fn release_player(
        &mut self,
        fixture: &Fixture,
        seat: Seat,
        player: Seated,
        shutdown: Shutdown,
    ) -> Result<ExitReport, JudgeError> {
        if self.is_human(seat) {
            return player.player.finish(shutdown);
        }
        self.programs
            .release_player(fixture, seat, player, shutdown)
    }

    fn on_event(&mut self, event: TableEvent<'_>) -> Result<(), JudgeError> {
        self.programs.on_event(event)?;
        self.stage.borrow_mut().on_event(event)
    }
}
