//! Display of a repeated game: each turn of the live bots, next to the recorded one.

use super::FoundGame;
use crate::cli::one_game::Watcher;
use crate::cli::out::say_each;
use crate::terminal::{self, Style, span};
use engines::Seat;
use model::fault::{Fault, Phase};
use model::numbers::plies;
use model::record::{End, MatchRecord, TurnRecord};
use model::stderr::{KeptStderr, with_own_paths};
use model::text::readable;
use referee::table::player::{Allowance, ExitReport, Player, Shutdown, Spent};
use referee::table::{RecordedPart, TableEvent};
use report::{Said, advice, describe};
use rulebook::{JudgeError, Result};
use serde_json::value::RawValue;
use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;
use std::time::Duration;

const MOVE_CHARS_MAX: usize = 200;

pub(super) struct Story {
    found: Rc<FoundGame>,
    roles: &'static [&'static str],
    live: Vec<bool>,
    /// The recorded part of each seat.
    parts: Vec<RecordedPart>,
    pause_at: Option<u32>,
    /// Number of turns so far, in all and by seat.
    pub(super) ply: u32,
    turns: Vec<usize>,
    /// The fault of the turn whose note comes next.
    fault: Option<Fault>,
    pub(super) departed: bool,
    pub(super) paused: bool,
}

impl Story {
    pub(super) fn new(found: &Rc<FoundGame>, live: &[bool], pause_at: Option<u32>) -> Self {
        let roles = &found.rules.info().roles[..live.len()];
        let parts = roles.iter().enumerate();
        Self {
            found: Rc::clone(found),
            roles,
            live: live.to_vec(),
            parts: parts
                .map(|(seat, role)| RecordedPart::of(&found.record, Seat::new(seat), role))
                .collect(),
            pause_at,
            ply: 0,
            turns: vec![0; live.len()],
            fault: None,
            departed: false,
            paused: false,
        }
    }

    /// Returns whether the game has passed the live bot's fault that had ended it.
    pub(super) fn is_past_the_fault(&self) -> bool {
        let record = &self.found.record;
        record.faults.last().is_some_and(|fault| {
            record.ended_by(fault) && self.live[fault.seat.index()] && self.ply > fault.ply
        })
    }

    /// Waits for Enter at the chosen ply; `process` is the bot's id.
    fn pause_if_due(&mut self, process: Option<i32>) {
        if self.pause_at != Some(self.ply) {
            return;
        }
        self.paused = true;
        let process = process.map_or_else(String::new, |pid| format!(" in process {pid}"));
        say!(
            "ply {}: press Enter to continue; the bot waits{process} and has no wall-time limit from here on",
            self.ply
        );
        // At the end of the input nobody is there to wait for.
        let _ = terminal::read_line();
    }

    /// A recorded player repeats its faults; any other one is a refused move.
    fn on_recorded_fault(&self, fault: &Fault) -> Result {
        if fault.phase == Phase::Turn
            && let Some((_, turn)) = self.recorded(fault.seat)
            && let Some(mv) = &turn.mv
            && self.recorded_fault(fault.seat).is_none()
        {
            return Err(JudgeError::RecordEnds(format!(
                "the recorded move of {}, {}, is not legal here: {}",
                self.who(fault.seat),
                shorten(mv.get()),
                describe(fault)
            )));
        }
        Ok(())
    }

    fn recorded(&self, seat: Seat) -> Option<(usize, &TurnRecord)> {
        self.found
            .record
            .turns
            .iter()
            .enumerate()
            .filter(|(_, turn)| turn.seat == seat)
            .nth(self.turns[seat.index()])
    }

    fn live_start(&mut self, fault: &Fault) {
        let (ply, who, why) = (self.ply, self.who(fault.seat), describe(fault));
        say!("ply {ply}  {who}: did not become ready: {why}");
        self.say_advice(fault);
        let facts = |fault: &Fault| (fault.seat, fault.phase, fault.cause);
        let mut recorded = self.found.record.faults.iter().map(facts);
        if recorded.any(|known| known == facts(fault)) {
            say!("    recorded: the same");
        } else {
            say!("    recorded: it became ready");
            self.depart();
        }
    }

    fn live_turn(&mut self, turn: &TurnRecord) {
        let TurnRecord {
            seat, mv, cpu_us, ..
        } = turn;
        let fault = self.fault.take();
        let answered = match (mv, &fault) {
            (Some(mv), Some(fault)) => format!("{}: {}", shorten(mv.get()), describe(fault)),
            (Some(mv), None) => shorten(mv.get()),
            (None, Some(fault)) => describe(fault),
            (None, None) => "no move".to_owned(),
        };
        let (recorded, is_same) =
            self.compare(*seat, mv.as_deref().map(RawValue::get), fault.as_ref());
        let (ply, who) = (self.ply, self.who(*seat));
        let ms = Duration::from_micros(*cpu_us).as_secs_f64() * 1000.0;
        say!("ply {ply}  {who}: {answered}   {ms:.3} ms CPU   {recorded}");
        if let Some(fault) = &fault {
            self.say_advice(fault);
        }
        if !is_same {
            self.depart();
        }
    }

    /// Describes the recorded turn, and returns whether it equals the new one.
    fn compare(&self, seat: Seat, mv: Option<&str>, fault: Option<&Fault>) -> (String, bool) {
        let Some((_, recorded)) = self.recorded(seat) else {
            return ("recorded: nothing, the game had ended".to_owned(), false);
        };
        let (before, is_same) = if let Some(before) = &recorded.mv {
            (shorten(before.get()), mv == Some(before.get()))
        } else if let Some(before) = self.recorded_fault(seat) {
            let is_same = fault.is_some_and(|now| now.cause == before.cause);
            (describe(before), is_same)
        } else {
            return ("recorded: no move".to_owned(), mv.is_none());
        };
        let text = if is_same {
            "as recorded".to_owned()
        } else {
            format!("recorded: {before}")
        };
        (text, is_same)
    }

    /// Returns the fault of the recorded turn that corresponds to a seat's current turn.
    fn recorded_fault(&self, seat: Seat) -> Option<&Fault> {
        self.found.record.fault_in(self.recorded(seat)?.0)
    }

    fn depart(&mut self) {
        if std::mem::replace(&mut self.departed, true) {
            return;
        }
        let others = if self.live.contains(&false) {
            "; the others play as recorded while they can"
        } else {
            ""
        };
        say!("    here the game departs from the record{others}");
    }

    fn say_advice(&self, fault: &Fault) {
        let found = &self.found;
        let entrant = &found.record.seats[fault.seat.index()].entrant;
        let advice = advice(fault, false, &found.manifest, entrant, &Said::default());
        say_each("    ", advice);
    }

    pub(super) fn ending(&self, record: &MatchRecord) -> String {
        ending(record, self.roles)
    }

    pub(super) fn who(&self, seat: Seat) -> String {
        who(&self.found.record, self.roles, seat)
    }
}

/// Formats a seat as `ann (cat)`.
pub(crate) fn who(record: &MatchRecord, roles: &[&str], seat: Seat) -> String {
    let index = seat.index();
    format!("{} ({})", record.seats[index].entrant, roles[index])
}

pub(crate) fn ending(record: &MatchRecord, roles: &[&str]) -> String {
    let why = &record.outcome.reason;
    match (record.end, record.faults.last()) {
        (End::Fault { seat, .. }, Some(fault)) => format!(
            "ply {}, {}: {}; {why}",
            fault.ply,
            who(record, roles, seat),
            describe(fault)
        ),
        _ => format!("after {} by the rules: {why}", plies(record.turns.len())),
    }
}

fn shorten(mv: &str) -> String {
    match mv.char_indices().nth(MOVE_CHARS_MAX) {
        None => mv.to_owned(),
        Some((end, _)) => format!("{}…", &mv[..end]),
    }
}

impl Watcher for Story {
    fn has_program(&self, seat: Seat) -> bool {
        self.live[seat.index()]
    }

    fn player(
        story: &Rc<RefCell<Self>>,
        seat: Seat,
        program: Option<Box<dyn Player>>,
    ) -> Box<dyn Player> {
        match program {
            None => Box::new(story.borrow().parts[seat.index()].player()),
            Some(player) => Box::new(Watched {
                player,
                seat,
                story: Rc::clone(story),
                when: "start".to_owned(),
            }),
        }
    }

    fn on_event(&mut self, event: TableEvent<'_>) -> Result {
        match event {
            TableEvent::Start(..) => {}
            TableEvent::Fault(fault) if !self.live[fault.seat.index()] => {
                self.on_recorded_fault(fault)?;
            }
            TableEvent::Fault(fault) if fault.phase == Phase::Turn => {
                self.fault = Some(fault.clone());
            }
            TableEvent::Fault(fault) => self.live_start(fault),
            TableEvent::Turn(turn) => {
                if self.live[turn.seat.index()] {
                    self.live_turn(turn);
                }
                self.ply += 1;
                self.turns[turn.seat.index()] += 1;
            }
        }
        Ok(())
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
    fn ask(&mut self, phase: Phase, message: &[u8], mut allowance: Allowance) -> Result<Spent> {
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

    fn finish(self: Box<Self>, shutdown: Shutdown) -> Result<ExitReport> {
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
