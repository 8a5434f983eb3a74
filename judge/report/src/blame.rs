//! Each bot's first fault in plain words: the bot, the game, the opponents, the fault and its
//! evidence.

use super::sheet::Roles;
use engines::Seat;
use model::fault::{Fault, quote};
use model::record::MatchResult;
use std::collections::HashSet;

/// The first fault of a bot in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstFault {
    /// The bot's entrant.
    pub entrant: String,
    /// The game's number in fixture order, from 1.
    pub game: usize,
    /// The role of the bot.
    pub role: &'static str,
    /// The other entrants, separated by ` & `.
    pub opponents: String,
    /// Number of plies before it.
    pub ply: u32,
    /// Cause and detail, safe to show.
    pub what: String,
    /// The offending line, safe to show.
    pub line: Option<String>,
}

impl FirstFault {
    /// Returns the fault as two or three lines; `repeat` is the command that plays the game again.
    pub fn lines(&self, repeat: &str) -> Vec<String> {
        let (entrant, game, role) = (&self.entrant, self.game, self.role);
        let mut lines = vec![format!(
            "{entrant}: game {game}, as {role} against {}, ply {}: {}",
            self.opponents, self.ply, self.what
        )];
        if let Some(line) = &self.line {
            lines.push(format!("    it wrote: {line}"));
        }
        lines.push(format!("    to play it again: {repeat}"));
        lines
    }
}

/// Finds the first fault of each bot among games that it gets one by one.
#[derive(Debug, Default)]
pub struct FirstFaults {
    seen: HashSet<String>,
}

impl FirstFaults {
    /// Returns the faults in a game that are the first ones of their bots.
    pub fn of(&mut self, roles: Roles, game: usize, result: &MatchResult) -> Vec<FirstFault> {
        let mut first = Vec::new();
        for fault in &result.faults {
            let entrant = &result.seats[fault.seat.index()].entrant;
            if self.seen.insert(entrant.clone()) {
                first.push(FirstFault {
                    entrant: entrant.clone(),
                    game,
                    role: roles[fault.seat.index()],
                    opponents: opponents(result, fault.seat),
                    ply: fault.ply,
                    what: describe_in(result, fault),
                    line: fault.line.clone(),
                });
            }
        }
        first
    }
}

/// Describes a fault: its cause, which `protocol.md` explains, and its detail, made harmless to
/// terminals.
pub fn describe(fault: &Fault) -> String {
    let detail = quote(fault.detail.as_bytes());
    format!("{}: {detail}", fault.cause)
}

/// Describes a fault as [`describe`] does, and says whether the machine was overloaded in the game,
/// or had no threads or signals left for the bot.
pub(super) fn describe_in(result: &MatchResult, fault: &Fault) -> String {
    let excuse = if fault.went_short {
        " (other programs left hardly any threads or signals for it)"
    } else if result.overloaded {
        " (the machine was overloaded in this game)"
    } else {
        ""
    };
    format!("{}{excuse}", describe(fault))
}

/// Returns the names of the others at the table.
pub(super) fn opponents(result: &MatchResult, seat: Seat) -> String {
    let names: Vec<&str> = result
        .seats
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != seat.index())
        .map(|(_, other)| other.entrant.as_str())
        .collect();
    names.join(" & ")
}
