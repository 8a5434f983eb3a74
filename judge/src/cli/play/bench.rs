//! The table's bench of a game on display: programs and people.

use super::human::Human;
use super::stage::Stage;
use engines::Seat;
use model::fixture::Fixture;
use referee::table::player::{ExitReport, Shutdown};
use referee::table::{Bench, Note, Seated};
use rulebook::JudgeError;
use run::play::worker::ProcessBench;
use std::cell::RefCell;
use std::rc::Rc;

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
