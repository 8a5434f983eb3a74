//! Display of a game in progress, and input from people.

use crate::cli::out::say_each;
use crate::terminal::{
    COLUMNS, HistoryEntry, Line, Paint, PlayerInfo, Scene, Screen, Span, Style, read_line, span,
    wrapped,
};
use engines::erased::MoveRefused;
use engines::{Forfeit, Frame, Information, Seat};
use model::clock::{Clock, ClockMode};
use model::fault::{Fault, Phase};
use model::fixture::Conditions;
use model::record::TurnRecord;
use referee::table::TableEvent;
use report::describe;
use rulebook::JudgeError;
use rulebook::rules::{Position, Rules};
use serde_json::value::RawValue;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

#[derive(Clone, Copy, Debug)]
pub(super) struct ShowOptions {
    /// Whether a screen is redrawn; otherwise each picture comes below the last one.
    pub(super) on_screen: bool,
    pub(super) paint: Paint,
    pub(super) pace: Duration,
}

pub(super) enum Typed {
    Move(String),
    Refused(String),
    Help,
    Nothing,
}

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
    show: ShowOptions,
    screen: Option<Screen>,
    is_secret: bool,
    /// The last two pictures of each seat, the latest one last; without secrets only the first seat's.
    pictures: Vec<[Option<Frame>; 2]>,
    has_left: bool,
}

impl Stage {
    pub(super) fn new(
        rules: Arc<dyn Rules>,
        conditions: &Conditions,
        game: Box<dyn Position>,
        player_infos: Vec<PlayerInfo>,
        title: String,
        show: ShowOptions,
    ) -> Self {
        let has_human = player_infos
            .iter()
            .any(|player_info| !player_info.is_program);
        let hidden = rules.info().information == Information::Hidden;
        let clocks = player_infos
            .iter()
            .map(|player_info| Clock::new(player_info.time));
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
            show,
            screen: None,
            is_secret: hidden && has_human,
            has_left: false,
        }
    }

    pub(super) fn roles(&self) -> &'static [&'static str] {
        &self.rules.info().roles[..self.player_infos.len()]
    }

    pub(super) fn left_at(&self) -> Option<u32> {
        self.has_left.then_some(self.ply)
    }

    pub(super) fn open(&mut self) -> Result<(), JudgeError> {
        self.screen = self.show.on_screen.then(|| Screen::open(self.show.paint));
        self.watch()
    }

    pub(super) fn close(&mut self) {
        self.screen = None;
    }

    pub(super) fn on_event(&mut self, event: TableEvent<'_>) -> Result<(), JudgeError> {
        self.apply(event)?;
        if let TableEvent::Turn(_) = event {
            self.watch()?;
        }
        Ok(())
    }

    fn watch(&mut self) -> Result<(), JudgeError> {
        if self.is_secret {
            return Ok(());
        }
        let status = self
            .game
            .to_move()?
            .first()
            .map_or_else(String::new, |seat| {
                let player_info = &self.player_infos[seat.index()];
                format!("{} to move", player_info.role)
            });
        self.turn_page(0, self.game.frame()?);
        self.show_all(&span(status, Style::Dim))?;
        if !self.show.pace.is_zero() {
            sleep(self.show.pace);
        }
        Ok(())
    }

    /// Replaces the last picture, which becomes the one before.
    fn turn_page(&mut self, of: usize, frame: Frame) {
        self.pictures[of].swap(0, 1);
        self.pictures[of][1] = Some(frame);
    }

    pub(super) fn show_end(&mut self) -> Result<(), JudgeError> {
        if self.is_secret {
            self.pictures[0] = [None, Some(self.game.frame()?)];
        }
        // Pictures one below the other have shown it already.
        if self.show.on_screen || self.is_secret {
            self.show_all(&span("", Style::Plain))?;
        }
        Ok(())
    }

    fn show_all(&self, status: &Span) -> Result<(), JudgeError> {
        self.draw(0, &self.player_infos, &self.history, status)
    }

    fn draw(
        &self,
        of: usize,
        player_infos: &[PlayerInfo],
        history: &[HistoryEntry],
        status: &Span,
    ) -> Result<(), JudgeError> {
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
            for line in scene.lines(COLUMNS, None) {
                say!("{}", self.show.paint.line(&line));
            }
            say!();
        }
        Ok(())
    }

    /// Calls a person to the turn, and hides the position from the others first.
    pub(super) fn call(&mut self, seat: Seat) -> Result<(), JudgeError> {
        if !self.is_secret {
            return Ok(());
        }
        self.turn_page(seat.index(), self.game.seen(seat)?);
        if self
            .player_infos
            .iter()
            .filter(|player_info| !player_info.is_program)
            .count()
            < 2
        {
            return Ok(());
        }
        let role = self.roles()[seat.index()];
        let text = format!("{role} to move; press Enter when nobody else is looking ");
        if let Some(screen) = &self.screen {
            screen.show(&[]);
        }
        self.line(&text).map(|_| ())
    }

    pub(super) fn ask(&mut self, seat: Seat, word: Option<&str>) -> Result<Typed, JudgeError> {
        let index = seat.index();
        let role = self.roles()[index];
        if self.screen.is_some() || word.is_none() {
            self.show_to(seat, &span(word.unwrap_or_default(), Style::Bad))?;
        } else if let Some(word) = word {
            say!("{word}");
        }
        let typed = self.line(&format!("{role} (? for moves, q to quit): "))?;
        let text = typed.trim();
        if text == "?" || text == "help" {
            return Ok(Typed::Help);
        }
        if text.is_empty() {
            return Ok(Typed::Nothing);
        }
        let refused = |why: String| Typed::Refused(why);
        Ok(match self.game.read(seat, text)? {
            Err(why) => refused(why.to_string()),
            Ok(mv) => match self.game.copy()?.play(seat, &mv)? {
                Ok(mv) => Typed::Move(mv),
                Err(MoveRefused::Broken(why)) => refused(format!("{text}: {why}")),
                Err(MoveRefused::Unreadable(why)) => refused(why),
            },
        })
    }

    fn show_to(&self, seat: Seat, status: &Span) -> Result<(), JudgeError> {
        if self.is_secret {
            let own = |one: &&HistoryEntry| one.seat == seat.index();
            let own: Vec<HistoryEntry> = self.history.iter().filter(own).cloned().collect();
            // The others' times would reveal their turns.
            let mut player_infos = self.player_infos.clone();
            for player_info in &mut player_infos {
                player_info.is_program = false;
            }
            self.draw(seat.index(), &player_infos, &own, status)?;
        } else if self.screen.is_some() {
            // Elsewhere the picture is on display already.
            self.show_all(status)?;
        }
        Ok(())
    }

    pub(super) fn help(&mut self, seat: Seat) -> Result<(), JudgeError> {
        let columns = self
            .screen
            .as_ref()
            .map_or(COLUMNS, |screen| screen.size().0);
        let game = &self.game;
        let moves: Vec<String> = game
            .legal_moves(seat)?
            .into_iter()
            .map(|mv| Ok(game.spell(seat, &mv)?.replace(' ', "\u{a0}")))
            .collect::<Result<_, JudgeError>>()?;
        let mut lines: Vec<String> = vec!["How to type moves:".to_owned()];
        lines.extend(
            self.rules
                .notation()
                .help
                .iter()
                .map(|line| format!("  {line}")),
        );
        let all = if self.rules.info().moves_listed {
            "The legal moves"
        } else {
            "Some legal moves"
        };
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
        let lines = lines.into_iter().map(|line| vec![span(line, Style::Plain)]);
        screen.show(&lines.collect::<Vec<Line>>());
        self.line("press Enter to continue ").map(|_| ())
    }

    fn read(&self, prompt: &str) -> Option<String> {
        if let Some(screen) = &self.screen {
            return screen.ask(prompt);
        }
        say!("{prompt}");
        read_line()
    }

    fn line(&mut self, prompt: &str) -> Result<String, JudgeError> {
        let typed = self
            .read(prompt)
            .filter(|line| !matches!(line.trim(), "q" | "quit"));
        self.has_left = typed.is_none();
        typed.ok_or(JudgeError::Interrupted)
    }

    fn charge(&mut self, seat: Seat, cpu_us: u64, wall_us: u64) {
        let spent_us = self.mode.counted(cpu_us, wall_us);
        // The table itself reports that a clock has run out.
        let _ = self.clocks[seat.index()].charge(spent_us);
    }

    fn apply(&mut self, event: TableEvent<'_>) -> Result<(), JudgeError> {
        match event {
            TableEvent::Start(seat, cost) if self.charges_start => {
                self.charge(seat, cost.cpu_us, cost.wall_us);
            }
            TableEvent::Start(..) => {}
            TableEvent::Fault(fault) => self.hear_fault(fault)?,
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

    fn hear_fault(&mut self, fault: &Fault) -> Result<(), JudgeError> {
        if fault.phase == Phase::Turn {
            self.fault = Some(fault.clone());
            return Ok(());
        }
        self.happened(fault.seat, describe(fault), true, fault.cpu_us);
        self.forfeit(fault)
    }

    fn forfeit(&mut self, fault: &Fault) -> Result<(), JudgeError> {
        let forfeit = fault.cause.forfeit(fault.phase);
        self.gone[fault.seat.index()] |= forfeit == Forfeit::Gone;
        self.game.forfeit(fault.seat, forfeit)
    }

    fn hear_turn(&mut self, turn: &TurnRecord) -> Result<(), JudgeError> {
        let TurnRecord {
            seat,
            mv,
            cpu_us,
            wall_us,
        } = turn;
        self.clocks[seat.index()].begin_turn();
        self.charge(*seat, *cpu_us, *wall_us);
        let fault = self.fault.take();
        let mut spelled = String::new();
        if let Some(mv) = mv.as_deref().map(RawValue::get) {
            spelled = self.game.spell(*seat, mv)?;
            self.game
                .play_recorded(*seat, mv)?
                .expect("the table has played it");
        } else if let Some(fault) = &fault {
            self.forfeit(fault)?;
        }
        let text = fault.as_ref().map_or(spelled, describe);
        self.happened(*seat, text, fault.is_some(), *cpu_us);
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
