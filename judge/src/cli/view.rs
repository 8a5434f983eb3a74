//! `judge view`: writes the tables and the page of a run, or the page of one of its games.

use super::exit::{Done, stop_on_interrupt};
use super::one_game::on_interrupt;
use super::out::{say_each, whole};
use super::repro::story::ending;
use super::repro::{FoundGame, find_game};
use super::run_output;
use crate::progress::Stages;
use crate::terminal::{
    self, COLUMNS, HistoryEntry, Key, Keys, Line, PlayerInfo, Scene, Screen, Style, joined, line,
};
use clap::Args;
use engines::{Frame, in_words};
use model::fault::{Phase, quote};
use model::numbers::{self, counted};
use report::{Replay, describe, html, replay};
use rulebook::{JudgeError, Result, refuse};
use run::PastRun;
use run::commands::shown;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
pub(super) struct ViewArgs {
    /// The run folder
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// A game: its number in games.csv, from 1, or the beginning of its id
    ///
    /// Without it, the tables and the page of the whole run are written again.
    #[arg(value_name = "GAME")]
    game: Option<String>,
    /// Also write a page for every game
    ///
    /// Into the folder `games` next to the run's page.
    #[arg(long, conflicts_with = "game")]
    full: bool,
    /// Show the game in this terminal and write no page
    #[arg(long, requires = "game")]
    terminal: bool,
    /// Start at the position after this many plies
    ///
    /// Without a terminal, print only this one.
    #[arg(long, value_name = "N", requires = "game", value_parser = whole::<usize>(0..=u64::MAX))]
    ply: Option<usize>,
    /// Describe every position in words
    ///
    /// For readers who cannot see the board.
    #[arg(long, requires = "game")]
    words: bool,
    /// Show only what this seat sees; its number or role
    ///
    /// In games with hidden information.
    #[arg(long, value_name = "SEAT", requires = "game")]
    seen_by: Option<String>,
}

impl ViewArgs {
    pub(super) fn execute(&self) -> Result<Done> {
        let is_shown = self.terminal || self.ply.is_some() || self.words || self.seen_by.is_some();
        let path = match &self.game {
            Some(game) if is_shown => return self.show(game),
            Some(game) => {
                let found = find_game(&self.run, game)?;
                let competition = &found.manifest.competition;
                html::write_game(&found.run, competition, found.number, &found.record)?
            }
            None => {
                let past = PastRun::open(&self.run)?;
                let games = past.games(&Stages::default())?;
                run_output::findings(&games);
                let stop = self.full.then(stop_on_interrupt).transpose()?;
                past.write(&games, stop.as_deref(), &Stages::default())?;
                say!(
                    "wrote the tables; they and the page have {} of {}",
                    run_output::played(&games),
                    counted(games.listed().len(), "game")
                );
                past.folder.join(html::FILE_NAME)
            }
        };
        say!("wrote {}; open it in a browser", shown(&path));
        Ok(Done::Success)
    }

    fn show(&self, game: &str) -> Result<Done> {
        let found = find_game(&self.run, game)?;
        let conditions = &found.manifest.competition.conditions;
        let pictures = replay(&*found.rules, conditions, &found.record)?;
        let mut viewer = Viewer::new(&found, &pictures);
        viewer.eyes = self.eyes(&found)?;
        if let Some(ply) = self.ply {
            viewer.at = viewer.after(ply)?;
        }
        if terminal::is_screen_with_keys() && !self.words {
            viewer.step()?;
            return Ok(Done::Success);
        }
        let bot_words = html::bot_words_of_game(&found.run, &found.record, &pictures)?;
        let all = match self.ply {
            Some(_) => viewer.at..=viewer.at,
            None => 0..=viewer.last(),
        };
        for at in all {
            if self.words {
                viewer.print_ply(at);
            } else {
                viewer.print(at);
            }
            viewer.say_bot_words(&bot_words, at);
        }
        Ok(Done::Success)
    }

    fn eyes(&self, found: &FoundGame) -> Result<Option<usize>> {
        let Some(named) = &self.seen_by else {
            return Ok(None);
        };
        let roles = &found.rules.info().roles[..found.record.seats.len()];
        let is_it = |seat: &usize| *named == seat.to_string() || *named == roles[*seat];
        let seat = (0..roles.len()).find(is_it);
        seat.map(Some).ok_or_else(|| {
            let seats = roles.iter().enumerate();
            let known = joined(seats.map(|(seat, role)| format!("{seat} ({role})")), ", ");
            JudgeError::input(format!(
                "--seen-by {named}: no such seat; choose one of: {known}"
            ))
        })
    }
}

/// How long each position is shown while the game runs by itself.
const PACE: Duration = Duration::from_millis(400);
/// Time between two checks of the terminal's size.
const GLANCE: Duration = Duration::from_millis(200);
const PAGE: usize = 10;
/// Lines below the picture: the last event, and the keys.
const LINES_BELOW: usize = 2;
const KEYS: &str = "← → step  space run  ↑ ↓ ten  Home End  v view  q quit";

struct Viewer<'a> {
    found: &'a FoundGame,
    pictures: &'a Replay,
    title: String,
    player_infos: Vec<PlayerInfo>,
    history: Vec<HistoryEntry>,
    /// Number of steps before the current position.
    at: usize,
    eyes: Option<usize>,
    running: bool,
}

impl<'a> Viewer<'a> {
    fn new(found: &'a FoundGame, pictures: &'a Replay) -> Self {
        let record = &found.record;
        let conditions = &found.manifest.competition.conditions;
        let player_infos = record
            .seats
            .iter()
            .zip(found.rules.info().roles)
            .map(|(seat, role)| PlayerInfo {
                name: seat.entrant.clone(),
                role,
                is_program: true,
                time: conditions.time_of(&seat.entrant),
            });
        let mut ply = 0;
        let history = pictures.steps.iter().map(|step| {
            let fault = step.fault.map(|number| &record.faults[number]);
            let before = ply;
            ply += u32::from(fault.is_none_or(|fault| fault.phase == Phase::Turn));
            HistoryEntry {
                ply: before,
                seat: step.seat.index(),
                text: fault.map_or_else(|| step.spelled.clone(), describe),
                is_fault: fault.is_some(),
                cpu_us: step.cpu_us,
                bank_us: step.bank_us,
            }
        });
        let number = found
            .number
            .map_or_else(String::new, |number| format!(", game {number}"));
        Self {
            title: format!("{}{number}", found.rules.info().title),
            player_infos: player_infos.collect(),
            history: history.collect(),
            found,
            pictures,
            at: 0,
            eyes: None,
            running: false,
        }
    }

    fn last(&self) -> usize {
        self.pictures.steps.len()
    }

    /// Returns the number of steps after which `ply` plies have been played.
    fn after(&self, ply: usize) -> Result<usize> {
        let plies = self.found.record.turns.len();
        if ply > plies {
            return refuse(format!(
                "--ply {ply}: this game has only {}",
                numbers::plies(plies)
            ));
        }
        // The end of the game includes the steps after the last turn.
        if ply == plies {
            return Ok(self.last());
        }
        Ok(self
            .history
            .iter()
            .filter(|one| (one.ply as usize) < ply)
            .count())
    }

    fn frame(&self, at: usize) -> Frame {
        let whole = self.whole(at);
        self.eyes
            .map_or_else(|| whole.clone(), |seat| whole.seen_by(seat))
    }

    fn whole(&self, at: usize) -> &Frame {
        match at {
            0 => &self.pictures.first,
            at => &self.pictures.steps[at - 1].frame,
        }
    }

    fn lines(&self, at: usize, columns: usize, lines: Option<usize>) -> Vec<Line> {
        let frame = self.frame(at);
        let before = at.checked_sub(1).map(|at| self.frame(at));
        let scene = Scene {
            title: &self.title,
            notation: self.found.rules.notation(),
            palette: self.found.rules.palette(),
            frame: &frame,
            before: before.as_ref(),
            player_infos: &self.player_infos,
            history: &self.history[..at],
            to_move: self.history.get(at).map(|next| next.seat),
        };
        scene.lines(columns, lines)
    }

    fn status(&self, at: usize) -> Line {
        let record = &self.found.record;
        if let Some(next) = self.history.get(at) {
            let whose = self.eyes.map_or_else(String::new, |seat| {
                format!(", as {} sees it", self.player_infos[seat].role)
            });
            let plies = numbers::plies(record.turns.len());
            return line(format!("after {} of {plies}{whose}", next.ply), Style::Dim);
        }
        let text = if self.pictures.is_whole {
            ending(record, self.found.rules.info().roles)
        } else {
            "the rules refuse the rest of the record".to_owned()
        };
        let style = if record.end.charged().is_some() {
            Style::Bad
        } else {
            Style::Bold
        };
        line(text, style)
    }

    fn print(&self, at: usize) {
        let paint = terminal::paint();
        say_each(
            "",
            self.lines(at, COLUMNS, None)
                .iter()
                .map(|line| paint.line(line)),
        );
        say!("{}\n", paint.line(&self.status(at)));
    }

    fn print_ply(&self, at: usize) {
        let frame = self.frame(at);
        let before = at.checked_sub(1).map(|at| self.whole(at));
        let rules = &self.found.rules;
        let happened = match at.checked_sub(1).map(|last| &self.history[last]) {
            None => "Start".to_owned(),
            Some(one) => {
                let (role, name) = (self.player_infos[one.seat].role, self.name(one.seat));
                format!(
                    "Turn {at} of {}, {role} ({name}): {}",
                    self.last(),
                    one.text
                )
            }
        };
        let notes = frame.notes.iter().map(|note| format!("; {note}"));
        say!("{happened}{}.", notes.collect::<String>());
        say!(
            "{}",
            in_words(&frame, before, rules.notation(), rules.info().roles)
        );
        if at == self.last() {
            say!("{}", terminal::paint().line(&self.status(at)));
        }
        say!("");
    }

    fn name(&self, seat: usize) -> String {
        quote(self.player_infos[seat].name.as_bytes())
    }

    fn say_bot_words(&self, bot_words: &html::BotWords, at: usize) {
        for (_, seat, note) in bot_words.notes.iter().filter(|(step, ..)| *step == at) {
            let name = self.name(*seat);
            for (says, text) in [("says", &note.text), ("had this cut", &note.cut)] {
                if !text.is_empty() {
                    say!("{name} {says}: {}\n", quote(text.as_bytes()));
                }
            }
        }
        for (_, seat, text) in bot_words.wrote.iter().filter(|(step, ..)| *step == at) {
            say!("{} wrote on standard error:", self.name(*seat));
            say_each("  ", text.lines().map(|line| quote(line.as_bytes())));
            say!("");
        }
    }

    fn step(&mut self) -> Result {
        on_interrupt(terminal::restore)?;
        let screen = Screen::open(terminal::paint());
        let mut keys = Keys::default();
        let mut shown = None;
        loop {
            let state = (screen.size(), self.at, self.eyes, self.running);
            if shown != Some(state) {
                self.draw(&screen);
                shown = Some(state);
            }
            let wait = if self.running { PACE } else { GLANCE };
            match keys.next(wait) {
                Some(Key::Char('q')) => break,
                Some(key) => self.press(key),
                None if self.running => self.go(1),
                None => {}
            }
        }
        Ok(())
    }

    fn draw(&self, screen: &Screen) {
        let (columns, lines) = screen.size();
        let mut picture = self.lines(self.at, columns, Some(lines.saturating_sub(LINES_BELOW)));
        picture.push(self.status(self.at));
        picture.push(line(KEYS, Style::Dim));
        screen.show(&picture);
    }

    fn press(&mut self, key: Key) {
        let was_running = std::mem::take(&mut self.running);
        match key {
            Key::Left => self.at = self.at.saturating_sub(1),
            Key::Right => self.go(1),
            Key::Up | Key::PageUp => self.at = self.at.saturating_sub(PAGE),
            Key::Down | Key::PageDown => self.go(PAGE),
            Key::Home => self.at = 0,
            Key::End => self.at = self.last(),
            Key::Char(' ') => {
                self.running = !was_running;
                if self.running && self.at == self.last() {
                    self.at = 0;
                }
            }
            Key::Char('v') if !self.pictures.first.visible.is_empty() => {
                let next = self.eyes.map_or(0, |seat| seat + 1);
                self.eyes = (next < self.player_infos.len()).then_some(next);
            }
            Key::Char(_) => self.running = was_running,
        }
    }

    fn go(&mut self, steps: usize) {
        self.at = (self.at + steps).min(self.last());
        self.running &= self.at < self.last();
    }
}
