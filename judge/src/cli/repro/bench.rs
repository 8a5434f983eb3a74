//! The table's bench of a repeated game: some seats are played by programs, the others by
//! ghosts out of the record.

use super::story::Story;
use crate::author_log::readable;
use crate::error::JudgeError;
use crate::fixture::Fixture;
use crate::player::{Allowance, Farewell, Part, Player, Remains, Spent};
use crate::table::{Bench, Note, Seated};
use crate::worker::ProcessBench;
use engines::Seat;
use nix::unistd::Pid;
use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;
use std::time::Duration;

pub(super) struct ReproBench<'a> {
    pub(super) programs: ProcessBench<'a>,
    /// What is recorded of each seat; none where its program plays.
    pub(super) parts: Vec<Option<Part>>,
    pub(super) story: Rc<RefCell<Story>>,
}

impl Bench for ReproBench<'_> {
    fn seat(&mut self, fixture: &Fixture, seat: Seat) -> Result<Seated, JudgeError> {
        if let Some(part) = &self.parts[seat.index()] {
            return Ok(Seated {
                player: Box::new(part.ghost()),
                ready: None,
            });
        }
        let Seated { player, ready } = self.programs.seat(fixture, seat)?;
        let watched = Watched {
            player,
            story: Rc::clone(&self.story),
        };
        Ok(Seated {
            player: Box::new(watched),
            ready,
        })
    }

    fn leave(
        &mut self,
        fixture: &Fixture,
        seat: Seat,
        player: Seated,
        farewell: Farewell,
    ) -> Result<Remains, JudgeError> {
        if self.parts[seat.index()].is_some() {
            return player.player.finish(farewell);
        }
        self.programs.leave(fixture, seat, player, farewell)
    }

    fn hear(&mut self, note: Note<'_>) -> Result<(), JudgeError> {
        self.programs.hear(note)?;
        self.story.borrow_mut().hear(note)
    }
}

/// The wall time of an answer while its author looks at it in a debugger.
const PAUSED_WALL: Duration = Duration::from_secs(24 * 3600);

/// A program whose standard error is passed on, and which waits for its author where asked.
struct Watched {
    player: Box<dyn Player>,
    story: Rc<RefCell<Story>>,
}

impl Player for Watched {
    fn ask(&mut self, message: &[u8], mut allowance: Allowance) -> Result<Spent, JudgeError> {
        if message.starts_with(b"{\"turn\"") {
            let mut story = self.story.borrow_mut();
            story.pause_if_due(self.player.process());
        }
        if self.story.borrow().has_paused() {
            allowance.wall = PAUSED_WALL;
        }
        let spent = self.player.ask(message, allowance)?;
        pass_on(&self.player.take_stderr());
        Ok(spent)
    }

    fn line(&self) -> &[u8] {
        self.player.line()
    }

    fn process(&self) -> Option<Pid> {
        self.player.process()
    }

    fn tell(&mut self, message: &[u8]) {
        self.player.tell(message);
    }

    fn take_stderr(&mut self) -> Vec<u8> {
        pass_on(&self.player.take_stderr());
        Vec::new()
    }

    fn finish(self: Box<Self>, farewell: Farewell) -> Result<Remains, JudgeError> {
        let remains = self.player.finish(farewell)?;
        pass_on(&remains.stderr);
        Ok(Remains {
            stderr: Vec::new(),
            ..remains
        })
    }
}

/// Shows what a bot wrote on standard error on ours; that nobody reads it stops nothing.
fn pass_on(bytes: &[u8]) {
    let text = readable(&String::from_utf8_lossy(bytes));
    let _ = std::io::stderr().write_all(text.as_bytes());
}
