//! Display of a game in progress, and input from people.

use crate::cli::one_game::Watcher;
use crate::cli::out::say_each;
use crate::terminal::{
    self, COLUMNS, HistoryEntry, Line, Paint, PlayerInfo, Scene, Screen, Span, Style, line,
    read_line, span, wrapped,
};
use engines::erased::MoveRefused;
use engines::{Forfeit, Frame, Information, Seat};
use model::clock::{Clock, ClockMode};
use model::fault::{Fault, Phase};
use model::fixture::Conditions;
use model::record::TurnRecord;
use referee::table::TableEvent;
use referee::table::player::{Allowance, Cost, Player, Spent};
use report::describe;
use rulebook::rules::{Position, Rules};
use rulebook::{JudgeError, Result};
use serde_json::value::RawValue;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

const PACE: Duration = Duration::from_millis(300);

/// Lines below the help: a blank one and the prompt.
const LINES_BELOW: usize = 2;

pub(super) struct Stage {
    pub(super) rules: Arc<dyn Rules>,
    /// A copy of the table's position, with its history.
    game: Box<dyn Position>,
    history: Vec<HistoryEntry>,
    ply: u32,
    gone: Vec<bool>,
    clocks: Vec<Clock>,
    mode: ClockMode,
    charges_start: bool,
    /// The fault of the turn whose note comes next.
    fault: Option<Fault>,
    pub(super) player_infos: Vec<PlayerInfo>,
    title: String,
    /// Whether a screen is redrawn; otherwise each picture comes below the last one.
    on_screen: bool,
    paint: Paint,
    pace: Duration,
    pub(super) screen: Option<Screen>,
    is_secret: bool,
    /// The last two pictures of each seat, the latest one last; without secrets only the first seat's.
    pictures: Vec<[Option<Frame>; 2]>,
    /// The ply at which a person quit.
    pub(super) left_at: Option<u32>,
}

impl Stage {
    pub(super) fn new(
        rules: Arc<dyn Rules>,
        conditions: &Conditions,
        game: Box<dyn Position>,
        player_infos: Vec<PlayerInfo>,
        title: String,
        pace: Option<Duration>,
    ) -> Self {
        let has_human = player_infos.iter().any(|info| !info.is_program);
        let on_screen = if has_human {
            terminal::is_screen_with_keys()
        } else {
            terminal::is_screen()
        };
        let usual = if on_screen && !has_human {
            PACE
        } else {
            Duration::ZERO
        };
        let hidden = rules.info().information == Information::Hidden;
        let clocks = player_infos.iter().map(|info| Clock::new(info.time));
        Self {
            rules,
            game,
            history: Vec::new(),
            ply: 0,
            gone: vec![false; player_infos.len()],
            clocks: clocks.collect(),
            mode: conditions.mode,
            charges_start: conditions.time.charge_start,
            fault: None,
            pictures: vec![[None, None]; player_infos.len()],
            player_infos,
            title,
            on_screen,
            paint: terminal::paint(),
            pace: pace.unwrap_or(usual),
            screen: None,
            is_secret: hidden && has_human,
            left_at: None,
        }
    }

    pub(super) fn roles(&self) -> &'static [&'static str] {
        &self.rules.info().roles[..self.player_infos.len()]
    }

    pub(super) fn open(&mut self) -> Result {
        self.screen = self.on_screen.then(|| Screen::open(self.paint));
        self.watch()
    }

    fn watch(&mut self) -> Result {
        if self.is_secret {
            return Ok(());
        }
        let status = self.game.to_move()?.first().map(|seat| {
            let role = self.player_infos[seat.index()].role;
            format!("{role} to move")
        });
        self.turn_page(0, self.game.frame()?);
        self.show_all(&span(status.unwrap_or_default(), Style::Dim))?;
        if !self.pace.is_zero() {
            sleep(self.pace);
        }
        Ok(())
    }

    /// Replaces the last picture, which becomes the one before.
    fn turn_page(&mut self, of: usize, frame: Frame) {
        self.pictures[of].swap(0, 1);
        self.pictures[of][1] = Some(frame);
    }

    pub(super) fn show_end(&mut self) -> Result {
        if self.is_secret {
            self.pictures[0] = [None, Some(self.game.frame()?)];
        }
        // Pictures one below the other have shown it already.
        if self.on_screen || self.is_secret {
            self.show_all(&span("", Style::Plain))?;
        }
        Ok(())
    }

    fn show_all(&self, status: &Span) -> Result {
        self.draw(0, &self.player_infos, &self.history, status)
    }

    fn draw(
        &self,
        of: usize,
        player_infos: &[PlayerInfo],
        history: &[HistoryEntry],
        status: &Span,
    ) -> Result {
        let [before, Some(frame)] = &self.pictures[of] else {
            return Ok(());
        };
        let scene = Scene {
            title: &self.title,
            notation: self.rules.notation(),
            palette: self.rules.palette(),
            frame,
            before: before.as_ref(),
            player_infos,
            history,
            to_move: self.game.to_move()?.first().map(Seat::index),
        };
        if let Some(screen) = &self.screen {
            let (columns, lines) = screen.size();
            let status = status.wrapped(columns);
            let below = status.len().max(1) + 1;
            let mut picture = scene.lines(columns, Some(lines.saturating_sub(below)));
            picture.extend(status);
            screen.show(&picture);
        } else {
            let lines = scene.lines(COLUMNS, None);
            say_each("", lines.iter().map(|line| self.paint.line(line)));
            say!();
        }
        Ok(())
    }

    /// Calls a person to the turn, and hides the position from the others first.
    fn call(&mut self, seat: Seat) -> Result {
        if !self.is_secret {
            return Ok(());
        }
        self.turn_page(seat.index(), self.game.seen(seat)?);
        let people = self.player_infos.iter().filter(|info| !info.is_program);
        if people.count() < 2 {
            return Ok(());
        }
        let role = self.roles()[seat.index()];
        let text = format!("{role} to move; press Enter when nobody else is looking ");
        if let Some(screen) = &self.screen {
            screen.show(&[]);
        }
        self.line(&text).map(|_| ())
    }

    /// Asks a person until a move is legal.
    fn turn(&mut self, seat: Seat) -> Result<String> {
        self.call(seat)?;
        let mut refused = None;
        loop {
            match refused.take() {
                Some(why) if self.screen.is_none() => say!("{why}"),
                why => self.show_to(seat, &span(why.unwrap_or_default(), Style::Bad))?,
            }
            let role = self.roles()[seat.index()];
            let typed = self.line(&format!("{role} (? for moves, q to quit): "))?;
            match typed.trim() {
                "" => {}
                "?" | "help" => self.help(seat)?,
                text => match self.read_move(seat, text)? {
                    Ok(mv) => return Ok(mv),
                    Err(why) => refused = Some(why),
                },
            }
        }
    }

    fn read_move(&self, seat: Seat, text: &str) -> Result<Result<String, String>> {
        Ok(match self.game.read(seat, text)? {
            Err(why) => Err(why.to_string()),
            Ok(mv) => (self.game.copy()?.play(seat, &mv)?).map_err(|refused| match refused {
                MoveRefused::Broken(why) => format!("{text}: {why}"),
                MoveRefused::Unreadable(why) => why,
            }),
        })
    }

    fn show_to(&self, seat: Seat, status: &Span) -> Result {
        if self.is_secret {
            let mut own = self.history.clone();
            own.retain(|one| one.seat == seat.index());
            // The others' times would reveal their turns.
            let mut player_infos = self.player_infos.clone();
            for info in &mut player_infos {
                info.is_program = false;
            }
            self.draw(seat.index(), &player_infos, &own, status)?;
        } else if self.screen.is_some() {
            // Elsewhere the picture is on display already.
            self.show_all(status)?;
        }
        Ok(())
    }

    fn help(&mut self, seat: Seat) -> Result {
        let columns = self
            .screen
            .as_ref()
            .map_or(COLUMNS, |screen| screen.size().0);
        let game = &self.game;
        let moves: Vec<String> = game
            .legal_moves(seat)?
            .into_iter()
            .map(|mv| Ok(game.spell(seat, &mv)?.replace(' ', "\u{a0}")))
            .collect::<Result<_>>()?;
        let all = if self.rules.info().moves_listed {
            "The legal moves"
        } else {
            "Some legal moves"
        };
        let mut lines = vec!["How to type moves:".to_owned()];
        let notation = self.rules.notation();
        lines.extend(notation.help.iter().map(|line| format!("  {line}")));
        lines.push(format!("{all} ({}):", moves.len()));
        lines.extend(
            wrapped(&moves.join("  "), columns.saturating_sub(2))
                .into_iter()
                .map(|line| format!("  {}", line.replace('\u{a0}', " "))),
        );
        let Some(screen) = &self.screen else {
            say_each("", lines);
            return Ok(());
        };
        let room = screen.size().1.saturating_sub(LINES_BELOW + 1);
        if lines.len() > room {
            lines.truncate(room);
            lines.push("  … and more".to_owned());
        }
        let picture = lines.into_iter().map(|text| line(text, Style::Plain));
        screen.show(&picture.collect::<Vec<Line>>());
        self.line("press Enter to continue ").map(|_| ())
    }

    fn line(&mut self, prompt: &str) -> Result<String> {
        let typed = if let Some(screen) = &self.screen {
            screen.ask(prompt)
        } else {
            say!("{prompt}");
            read_line()
        }
        .filter(|line| !matches!(line.trim(), "q" | "quit"));
        self.left_at = typed.is_none().then_some(self.ply);
        typed.ok_or(JudgeError::Interrupted)
    }

    fn charge(&mut self, seat: Seat, cpu_us: u64, wall_us: u64) {
        let spent_us = self.mode.counted(cpu_us, wall_us);
        // The table itself reports that a clock has run out.
        let _ = self.clocks[seat.index()].charge(spent_us);
    }

    fn apply(&mut self, event: TableEvent<'_>) -> Result {
        match event {
            TableEvent::Start(seat, cost) if self.charges_start => {
                self.charge(seat, cost.cpu_us, cost.wall_us);
            }
            TableEvent::Start(..) => {}
            TableEvent::Fault(fault) if fault.phase == Phase::Turn => {
                self.fault = Some(fault.clone());
            }
            TableEvent::Fault(fault) => {
                self.happened(fault.seat, describe(fault), true, fault.cpu_us);
                self.forfeit(fault)?;
            }
            TableEvent::Turn(turn) => self.hear_turn(turn)?,
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

    fn forfeit(&mut self, fault: &Fault) -> Result {
        let forfeit = fault.cause.forfeit(fault.phase);
        self.gone[fault.seat.index()] |= forfeit == Forfeit::Gone;
        self.game.forfeit(fault.seat, forfeit)
    }

    fn hear_turn(&mut self, turn: &TurnRecord) -> Result {
        let seat = turn.seat;
        self.clocks[seat.index()].begin_turn();
        self.charge(seat, turn.cpu_us, turn.wall_us);
        let fault = self.fault.take();
        let mut spelled = String::new();
        if let Some(mv) = turn.mv.as_deref().map(RawValue::get) {
            spelled = self.game.spell(seat, mv)?;
            self.game
                .play_recorded(seat, mv)?
                .expect("the table has played it");
        } else if let Some(fault) = &fault {
            self.forfeit(fault)?;
        }
        let text = fault.as_ref().map_or(spelled, describe);
        self.happened(seat, text, fault.is_some(), turn.cpu_us);
        self.ply += 1;
        Ok(())
    }

    fn happened(&mut self, seat: Seat, text: String, is_fault: bool, cpu_us: u64) {
        self.history.push(HistoryEntry {
            ply: self.ply,
            seat: seat.index(),
            text,
            is_fault,
            cpu_us,
            bank_us: self.clocks[seat.index()].bank_us(),
        });
    }
}

struct Human {
    seat: Seat,
    stage: Rc<RefCell<Stage>>,
    line: Vec<u8>,
}

impl Player for Human {
    fn ask(&mut self, phase: Phase, _: &[u8], _: Allowance) -> Result<Spent> {
        self.line = match phase {
            Phase::Hello | Phase::Start => b"{\"ready\":{}}".to_vec(),
            Phase::Turn => {
                let mv = self.stage.borrow_mut().turn(self.seat)?;
                format!("{{\"move\":{mv}}}").into_bytes()
            }
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

impl Watcher for Stage {
    fn has_program(&self, seat: Seat) -> bool {
        self.player_infos[seat.index()].is_program
    }

    fn player(
        stage: &Rc<RefCell<Self>>,
        seat: Seat,
        program: Option<Box<dyn Player>>,
    ) -> Box<dyn Player> {
        program.unwrap_or_else(|| {
            Box::new(Human {
                seat,
                stage: Rc::clone(stage),
                line: Vec::new(),
            })
        })
    }

    fn on_event(&mut self, event: TableEvent<'_>) -> Result {
        self.apply(event)?;
        if let TableEvent::Turn(_) = event {
            self.watch()?;
        }
        Ok(())
    }
}
