//! The table's bench of a game that is shown: programs and people.

use super::human::Human;
use super::stage::Stage;
use engines::Seat;
use error::JudgeError;
use play::worker::ProcessBench;
use std::cell::RefCell;
use std::rc::Rc;
use table::player::{Allowance, ExitReport, Player, Shutdown, Spent};
use table::{Bench, Note, Seated};
use words::fault::Phase;
use words::fixture::Fixture;

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
        let stage = Rc::clone(&self.stage);
        if self.is_human(seat) {
            return Ok(Seated {
                player: Box::new(Human::new(seat, stage)),
                ready: None,
            });
        }
        let Seated { player, ready } = self.programs.seat(fixture, seat)?;
        let timed = Timed {
            player,
            seat,
            stage,
        };
        Ok(Seated {
            player: Box::new(timed),
            ready,
        })
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
        self.stage.borrow_mut().observe(note);
        Ok(())
    }
}

/// A program whose initialisation is told to the clock that is shown.
struct Timed {
    player: Box<dyn Player>,
    seat: Seat,
    stage: Rc<RefCell<Stage>>,
}

impl Player for Timed {
    fn ask(
        &mut self,
        phase: Phase,
        message: &[u8],
        allowance: Allowance,
    ) -> Result<Spent, JudgeError> {
        let spent = self.player.ask(phase, message, allowance)?;
        if phase == Phase::Start {
            self.stage.borrow_mut().started(self.seat, spent.cost);
        }
        Ok(spent)
    }

    fn line(&self) -> &[u8] {
        self.player.line()
    }

    fn process(&self) -> Option<i32> {
        self.player.process()
    }

    fn tell(&mut self, message: &[u8]) {
        self.player.tell(message);
    }

    fn take_stderr(&mut self) -> Vec<u8> {
        self.player.take_stderr()
    }

    fn finish(self: Box<Self>, shutdown: Shutdown) -> Result<ExitReport, JudgeError> {
        self.player.finish(shutdown)
    }
}
