//! Display of a repeated game: each turn of the live bots, next to the recorded one.

use super::find::FoundGame;
use engines::Seat;
use model::fault::{Fault, Phase};
use model::numbers::plies;
use model::record::{End, MatchRecord, TurnRecord};
use referee::table::TableEvent;
use report::{Said, advice, describe};
use rulebook::JudgeError;
use serde_json::value::RawValue;
use std::io::BufRead;
use std::rc::Rc;
use std::time::Duration;

const MOVE_CHARS_MAX: usize = 200;

pub(super) struct Story {
    found: Rc<FoundGame>,
    pub(super) roles: Vec<&'static str>,
    live: Vec<bool>,
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
        Self {
            found: Rc::clone(found),
            roles: found.rules.info().roles[..live.len()].to_vec(),
            live: live.to_vec(),
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
        self.found
            .record
            .faults
            .last()
            .filter(|fault| self.found.record.ended_by(fault))
            .is_some_and(|fault| self.live[fault.seat.index()] && self.ply > fault.ply)
    }

    /// Waits for Enter at the chosen ply; `process` is the bot's id.
    pub(super) fn pause_if_due(&mut self, process: Option<i32>) {
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
        let _ = std::io::stdin().lock().read_line(&mut String::new());
    }

    pub(super) fn on_event(&mut self, event: TableEvent<'_>) -> Result<(), JudgeError> {
        match event {
            TableEvent::Start(..) => Ok(()),
            TableEvent::Fault(fault) if !self.live[fault.seat.index()] => {
                self.on_recorded_fault(fault)
            }
            TableEvent::Fault(fault) if fault.phase == Phase::Turn => {
                self.fault = Some(fault.clone());
                Ok(())
            }
            TableEvent::Fault(fault) => {
                self.live_start(fault);
                Ok(())
            }
            TableEvent::Turn(turn) => {
                if self.live[turn.seat.index()] {
                    self.live_turn(turn);
                }
                self.ply += 1;
                self.turns[turn.seat.index()] += 1;
                Ok(())
            }
        }
    }

    /// A recorded player repeats its faults; any other one is a refused move.
    fn on_recorded_fault(&self, fault: &Fault) -> Result<(), JudgeError> {
        let recorded = self.recorded(fault.seat);
        let is_known = self.recorded_fault(fault.seat).is_some();
        match recorded.and_then(|(_, turn)| turn.mv.as_ref()) {
            Some(mv) if fault.phase == Phase::Turn && !is_known => {
                Err(JudgeError::RecordEnds(format!(
                    "the recorded move of {}, {}, is not legal here: {}",
                    self.who(fault.seat),
                    shorten(mv.get()),
                    describe(fault)
                )))
            }
            _ => Ok(()),
        }
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
        say!(
            "ply {}  {}: did not become ready: {}",
            self.ply,
            self.who(fault.seat),
            describe(fault)
        );
        self.say_advice(fault);
        let known = self.found.record.faults.iter().any(|recorded| {
            (recorded.seat, recorded.phase, recorded.cause)
                == (fault.seat, fault.phase, fault.cause)
        });
        if known {
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
        say!(
            "ply {}  {}: {answered}   {} ms CPU   {recorded}",
            self.ply,
            self.who(*seat),
            millis(*cpu_us)
        );
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
        let before = recorded.mv.as_deref().map(RawValue::get);
        if let Some(before) = before {
            let is_same = mv == Some(before);
            let text = if is_same {
                "as recorded".to_owned()
            } else {
                format!("recorded: {}", shorten(before))
            };
            return (text, is_same);
        }
        let Some(before) = self.recorded_fault(seat) else {
            return ("recorded: no move".to_owned(), mv.is_none());
        };
        if fault.is_some_and(|now| now.cause == before.cause) {
            ("as recorded".to_owned(), true)
        } else {
            (format!("recorded: {}", describe(before)), false)
        }
    }

    /// Returns the fault of the recorded turn that corresponds to a seat's current turn.
    fn recorded_fault(&self, seat: Seat) -> Option<&Fault> {
        self.found.record.fault_in(self.recorded(seat)?.0)
    }

    fn depart(&mut self) {
        if self.departed {
            return;
        }
        self.departed = true;
        if self.live.contains(&false) {
            say!(
                "    here the game departs from the record; the others play as recorded while they can"
            );
        } else {
            say!("    here the game departs from the record");
        }
    }

    fn say_advice(&self, fault: &Fault) {
        let entrant = &self.found.record.seats[fault.seat.index()].entrant;
        for line in advice(
            fault,
            false,
            &self.found.manifest,
            entrant,
            &Said::default(),
        ) {
            say!("    {line}");
        }
    }

    pub(super) fn ending(&self, record: &MatchRecord) -> String {
        ending(record, &self.roles)
    }

    pub(super) fn who(&self, seat: Seat) -> String {
        who(&self.found.record, &self.roles, seat)
    }
}

/// Formats a seat as `ann (cat)`.
pub(in crate::cli) fn who(record: &MatchRecord, roles: &[&str], seat: Seat) -> String {
    let index = seat.index();
    format!("{} ({})", record.seats[index].entrant, roles[index])
}

pub(in crate::cli) fn ending(record: &MatchRecord, roles: &[&str]) -> String {
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
    if mv.chars().count() <= MOVE_CHARS_MAX {
        return mv.to_owned();
    }
    let head: String = mv.chars().take(MOVE_CHARS_MAX).collect();
    format!("{head}…")
}

fn millis(us: u64) -> String {
    format!("{:.3}", Duration::from_micros(us).as_secs_f64() * 1000.0)
}
