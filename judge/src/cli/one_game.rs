//! A game that this process plays by itself, of `judge play` and `judge repro`, and its folder.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a folder of its own"
)]

use super::exit::{EXIT_INTERRUPTED, hear};
use crate::terminal;
use engines::Seat;
use intake::{self, BuildContext, ProgramCache, Toolchains};
use model::artifact::Artifact;
use model::competition::Competition;
use model::draw::Draw;
use model::fixture::{Conditions, Fixture, Participant, Terms, leg};
use referee::table::player::{ExitReport, Player, Shutdown};
use referee::table::{PlayedGame, PlayerSource, Seated, TableEvent};
use rulebook::rules::Rules;
use rulebook::{IoContext, JudgeError, Result};
use run::THIS_PROGRAM;
use run::play::worker::{Order, ProcessPlayers};
use sandbox::{Builder, Isolation, OpenRunCgroups};
use serde_json::value::RawValue;
use std::cell::RefCell;
use std::fs::read_to_string;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;
use system::cleanup::{self, TemporaryFolder};
use system::files::make_folder;

/// On an interrupt: sets the flag that it returns, calls `last`, removes what would be left over, and
/// ends the program and its bots.
pub(super) fn on_interrupt(last: impl FnOnce() + Send + 'static) -> Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    let mut heard = hear()?;
    std::thread::spawn(move || {
        if heard.read_exact(&mut [0]).is_ok() {
            flag.store(true, Ordering::SeqCst);
            last();
            cleanup::sweep();
            std::process::exit(EXIT_INTERRUPTED.into());
        }
    });
    Ok(interrupted)
}

/// Waits for the end of the program, if it was interrupted: a result is then useless.
pub(super) fn await_end(interrupted: &AtomicBool) {
    while interrupted.load(Ordering::SeqCst) {
        std::thread::park();
    }
}

/// A folder that is removed when the command ends, even by an interrupt.
pub(super) struct CommandFolder {
    folder: TemporaryFolder,
    interrupted: Arc<AtomicBool>,
    cache: Option<ProgramCache>,
}

impl CommandFolder {
    /// An interrupt removes the folder, restores the terminal, and ends the program and its bots.
    pub(super) fn open(verb: &str) -> Result<Self> {
        // Programs may run as another user.
        let folder =
            TemporaryFolder::new(verb, 0o755).or_io("make a folder in", std::env::temp_dir())?;
        Ok(Self {
            folder,
            interrupted: on_interrupt(terminal::restore)?,
            cache: ProgramCache::of_user(),
        })
    }

    pub(super) fn await_interrupt(&self) {
        await_end(&self.interrupted);
    }

    /// Makes a folder for a seat, which keeps the versions of two authors apart.
    pub(super) fn seat_dir(&self, seat: usize) -> Result<PathBuf> {
        let folder = self.folder.path().join(seat.to_string());
        make_folder(&folder)?;
        Ok(folder)
    }

    pub(super) fn build(
        &self,
        path: &Path,
        seat: usize,
        game: &Arc<dyn Rules>,
        competition: &Competition,
        isolation: &Isolation,
        toolchains: &Toolchains,
    ) -> Result<Artifact> {
        let mut submission = intake::open_one(path, Some(game), &self.interrupted)?;
        submission.admit(&**game);
        let folder = self.seat_dir(seat)?;
        let context = BuildContext {
            run: &folder,
            game: &**game,
            conditions: &competition.conditions,
            jobs: 1,
            builds: competition.builds,
            kit: &competition.kit,
            toolchains,
            builder: Builder {
                judge: Path::new(THIS_PROGRAM),
                isolation,
                stop: &self.interrupted,
            },
            failed_of: None,
            cache: self.cache.as_ref(),
            has_begun: false,
            received: SystemTime::now(),
            deadlines: None,
        };
        let mut entrants = intake::prepare(vec![submission], context, &|_| ())?;
        let entrant = entrants.pop().expect("one was handed in");
        for warning in entrant.notes("") {
            say!("{}: note: {warning}", path.display());
        }
        entrant.program.map_err(|broken| {
            let log = broken.log.as_ref().and_then(|log| read_to_string(log).ok());
            let output = log.map_or_else(String::new, |text| format!("\n{}", text.trim_end()));
            let path = path.display();
            JudgeError::input(format!("{path} cannot play: {broken}{output}"))
        })
    }
}

pub(super) fn fixture(
    rules: &dyn Rules,
    conditions: &Conditions,
    (draw, state): (&Draw, u32),
    seats: Arc<[Participant]>,
    setup: Box<RawValue>,
) -> Fixture {
    let names: Vec<&str> = seats.iter().map(|one| &*one.entrant).collect();
    let leg = leg(conditions.lifetime, &names);
    let luck = draw.state(state).luck_of_leg(names.len(), leg);
    let terms = Terms::new(rules.info().rules_version, conditions);
    Fixture::new(&terms, state, seats, setup.into(), luck.into())
}

/// Sees a game that this process plays, and seats those who are no programs.
pub(super) trait Watcher: 'static {
    fn has_program(&self, seat: Seat) -> bool;

    /// Returns the player of a seat: that of its program, if it has one, perhaps watched.
    fn player(
        watcher: &Rc<RefCell<Self>>,
        seat: Seat,
        program: Option<Box<dyn Player>>,
    ) -> Box<dyn Player>;

    fn on_event(&mut self, event: TableEvent<'_>) -> Result;
}

struct Players<'a, W> {
    programs: ProcessPlayers<'a>,
    watcher: Rc<RefCell<W>>,
}

impl<W: Watcher> PlayerSource for Players<'_, W> {
    fn start_player(&mut self, fixture: &Fixture, seat: Seat) -> Result<Seated> {
        if !self.watcher.borrow().has_program(seat) {
            return Ok(Seated {
                player: W::player(&self.watcher, seat, None),
                ready: None,
                startup_free_ms: None,
            });
        }
        let seated = self.programs.start_player(fixture, seat)?;
        Ok(Seated {
            player: W::player(&self.watcher, seat, Some(seated.player)),
            ..seated
        })
    }

    fn release_player(
        &mut self,
        fixture: &Fixture,
        seat: Seat,
        seated: Seated,
        shutdown: Shutdown,
    ) -> Result<ExitReport> {
        if !self.watcher.borrow().has_program(seat) {
            return seated.player.finish(shutdown);
        }
        self.programs
            .release_player(fixture, seat, seated, shutdown)
    }

    fn on_event(&mut self, event: TableEvent<'_>) -> Result {
        self.programs.on_event(event)?;
        self.watcher.borrow_mut().on_event(event)
    }
}

/// Plays a game. This process becomes a worker, pinned to the CPU of index `pin`.
pub(super) fn play<W: Watcher>(
    rules: &dyn Rules,
    (fixture, conditions): (&Fixture, &Conditions),
    artifacts: Vec<Artifact>,
    pin: Option<usize>,
    (isolation, run_cgroups): (Isolation, Option<&OpenRunCgroups>),
    watcher: &Rc<RefCell<W>>,
) -> Result<PlayedGame> {
    if let Some(index) = pin {
        sandbox::pin_to(index)?;
    }
    sandbox::adopt_orphans()?;
    let order = Order {
        conditions: conditions.clone(),
        artifacts: artifacts
            .into_iter()
            .chain(rules.program().cloned())
            .collect(),
        pin,
        isolation,
        run_cgroups: run_cgroups.map(OpenRunCgroups::run_cgroups).cloned(),
    };
    let mut players = Players {
        programs: ProcessPlayers::new(&order),
        watcher: Rc::clone(watcher),
    };
    let played = referee::table::play(rules, fixture, conditions, &mut players);
    let closed = players.programs.close();
    played.and_then(|played| closed.map(|()| played))
}
