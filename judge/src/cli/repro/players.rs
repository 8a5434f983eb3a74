//! The players of a repeated game: programs in some seats, the record in the others.

use super::story::Story;
use crate::terminal::{self, Style, span};
use engines::Seat;
use model::fault::Phase;
use model::fixture::Fixture;
use model::stderr::KeptStderr;
use model::stderr::with_own_paths;
use model::text::readable;
use referee::table::RecordedPart;
use referee::table::player::{Allowance, ExitReport, Player, Shutdown, Spent};
use referee::table::{PlayerSource, Seated, TableEvent};
use rulebook::JudgeError;
use run::play::worker::ProcessPlayers;
use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;
use std::time::Duration;

pub(super) struct ReproPlayers<'a> {
    pub(super) programs: ProcessPlayers<'a>,
    /// The recorded part of each seat; `None` if its program plays.
    pub(super) parts: Vec<Option<RecordedPart>>,
    pub(super) story: Rc<RefCell<Story>>,
}

impl PlayerSource for ReproPlayers<'_> {
    fn start_player(&mut self, fixture: &Fixture, seat: Seat) -> Result<Seated, JudgeError> {
        if let Some(part) = &self.parts[seat.index()] {
            return Ok(Seated {
                player: Box::new(part.player()),
                ready: None,
                startup_free_ms: None,
            });
        }
        let Seated {
            player,
            ready,
            startup_free_ms,
        } = self.programs.start_player(fixture, seat)?;
        let watched = Watched {
            player,
            seat,
            story: Rc::clone(&self.story),
            when: "start".to_owned(),
        };
        Ok(Seated {
            player: Box::new(watched),
            ready,
            startup_free_ms,
        })
    }

    fn release_player(
        &mut self,
        fixture: &Fixture,
        seat: Seat,
        player: Seated,
        shutdown: Shutdown,
    ) -> Result<ExitReport, JudgeError> {
        if self.parts[seat.index()].is_some() {
            return player.player.finish(shutdown);
        }
        self.programs
            .release_player(fixture, seat, player, shutdown)
    }

    fn on_event(&mut self, event: TableEvent<'_>) -> Result<(), JudgeError> {
        self.programs.on_event(event)?;
        self.story.borrow_mut().on_event(event)
    }
}

/// Wall-time limit of an answer while its author uses a debugger.
const PAUSED_WALL: Duration = Duration::from_secs(24 * 3600);

/// A program whose standard error is passed on, and which waits for its author on request.
struct Watched {
    player: Box<dyn Player>,
    seat: Seat,
    story: Rc<RefCell<Story>>,
    when: String,
}

impl Player for Watched {
    fn ask(
        &mut self,
        phase: Phase,
        message: &[u8],
        mut allowance: Allowance,
    ) -> Result<Spent, JudgeError> {
        if phase == Phase::Turn {
            let mut story = self.story.borrow_mut();
            self.when = format!("ply {}", story.ply);
            story.pause_if_due(self.player.process());
        }
        if self.story.borrow().paused {
            allowance.wall = PAUSED_WALL;
        }
        let spent = self.player.ask(phase, message, allowance)?;
        self.take_stderr();
        Ok(spent)
    }

    fn line(&self) -> &[u8] {
        self.player.line()
    }

    fn process(&self) -> Option<i32> {
        self.player.process()
    }

    fn send(&mut self, message: &[u8]) {
        self.player.send(message);
    }

    fn take_stderr(&mut self) -> KeptStderr {
        let wrote = self.player.take_stderr();
        pass_on(&self.when, &self.story.borrow().who(self.seat), wrote);
        KeptStderr::default()
    }

    fn finish(self: Box<Self>, shutdown: Shutdown) -> Result<ExitReport, JudgeError> {
        let Self {
            player,
            seat,
            story,
            when,
        } = *self;
        let report = player.finish(shutdown)?;
        pass_on(&when, &story.borrow().who(seat), report.stderr);
        Ok(ExitReport {
            stderr: KeptStderr::default(),
            cpu_us: report.cpu_us,
        })
    }
}

/// Prints a bot's standard error on ours. A missing reader stops nothing.
fn pass_on(when: &str, name: &str, wrote: KeptStderr) {
    let paint = terminal::paint_of_stderr();
    let text = readable(&with_own_paths(&wrote.into_stderr(&[]).text));
    for line in text.lines() {
        let line = vec![
            span(format!("{when}  {name} | "), Style::Dim),
            span(line, Style::Plain),
        ];
        let _ = writeln!(std::io::stderr(), "{}", paint.line(&line));
    }
}
