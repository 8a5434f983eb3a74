//! The bench of a repeated game: programs play some seats, and ghosts the others from the record.

use super::story::Story;
use crate::terminal::{self, Style, span};
use engines::Seat;
use model::fault::Phase;
use model::fixture::Fixture;
use model::last_words::with_own_paths;
use model::stderr::KeptStderr;
use model::text::readable;
use referee::table::RecordedPart;
use referee::table::player::{Allowance, ExitReport, Player, Shutdown, Spent};
use referee::table::{Bench, Note, Seated};
use rulebook::JudgeError;
use run::play::worker::ProcessBench;
use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;
use std::time::Duration;

pub(super) struct ReproBench<'a> {
    pub(super) programs: ProcessBench<'a>,
    /// The recorded part of each seat; `None` if its program plays.
    pub(super) parts: Vec<Option<RecordedPart>>,
    pub(super) story: Rc<RefCell<Story>>,
}

impl Bench for ReproBench<'_> {
    fn seat(&mut self, fixture: &Fixture, seat: Seat) -> Result<Seated, JudgeError> {
        if let Some(part) = &self.parts[seat.index()] {
            return Ok(Seated {
                player: Box::new(part.ghost()),
                ready: None,
                startup_free_ms: None,
            });
        }
        let Seated {
            player,
            ready,
            startup_free_ms,
        } = self.programs.seat(fixture, seat)?;
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

    fn leave(
        &mut self,
        fixture: &Fixture,
        seat: Seat,
        player: Seated,
        shutdown: Shutdown,
    ) -> Result<ExitReport, JudgeError> {
        if self.parts[seat.index()].is_some() {
            return player.player.finish(shutdown);
        }
        self.programs.leave(fixture, seat, player, shutdown)
    }

    fn observe(&mut self, note: Note<'_>) -> Result<(), JudgeError> {
        self.programs.observe(note)?;
        self.story.borrow_mut().observe(note)
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

    fn tell(&mut self, message: &[u8]) {
        self.player.tell(message);
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
