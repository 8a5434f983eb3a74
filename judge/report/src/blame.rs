//! Faults of bots in plain words: the bot, the game, the opponents, what happened, the evidence and
//! the remedy.

use super::sheet::Roles;
use engines::Seat;
use model::clock::ClockMode;
use model::fault::{Cause, Fault, quote};
use model::fixture::Conditions;
use model::game_id::GameId;
use model::last_words;
use model::record::MatchResult;
use rulebook::JudgeError;
use std::collections::HashSet;
use store::author_log::AuthorLogs;
use store::manifest::Manifest;

/// The first fault of a bot in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstFault {
    /// The bot's entrant.
    pub entrant: String,
    /// The game's number in fixture order, from 1.
    pub game: usize,
    fixture: GameId,
    role: &'static str,
    /// The other entrants, separated by ` & `.
    opponents: String,
    fault: Fault,
    overloaded: bool,
    mode: ClockMode,
}

impl FirstFault {
    /// Says in a line what happened.
    pub fn line(&self, logs: &AuthorLogs) -> Result<String, JudgeError> {
        let said = said(logs, &self.entrant, self.fixture, &self.fault)?;
        Ok(format!(
            "{}: game {}, as {} against {}, ply {}: {}",
            self.entrant,
            self.game,
            self.role,
            self.opponents,
            self.fault.ply,
            describe_in(&self.fault, self.overloaded, self.mode, said.as_deref())
        ))
    }

    /// Says in lines what happened, what the bot wrote in place of an answer, and the remedy.
    pub fn lines(&self, logs: &AuthorLogs, manifest: &Manifest) -> Result<Vec<String>, JudgeError> {
        let said = said(logs, &self.entrant, self.fixture, &self.fault)?;
        let advice = advice(&self.fault, manifest, &self.entrant, said.as_deref());
        Ok([self.line(logs)?].into_iter().chain(advice).collect())
    }
}

/// Finds the first fault of each bot among games that it gets one by one.
#[derive(Debug)]
pub struct FirstFaults {
    roles: Roles,
    mode: ClockMode,
    seen: HashSet<String>,
}

impl FirstFaults {
    /// Begins before the games of a competition with these roles and conditions.
    pub fn new(roles: Roles, conditions: &Conditions) -> Self {
        Self {
            roles,
            mode: conditions.mode,
            seen: HashSet::new(),
        }
    }

    /// Returns the faults in a game that are the first ones of their bots.
    pub fn of(&mut self, game: usize, result: &MatchResult) -> Vec<FirstFault> {
        let mut first = Vec::new();
        for fault in &result.faults {
            let entrant = &result.seats[fault.seat.index()].entrant;
            if self.seen.insert(entrant.clone()) {
                first.push(FirstFault {
                    entrant: entrant.clone(),
                    game,
                    fixture: result.fixture,
                    role: self.roles[fault.seat.index()],
                    opponents: opponents(result, fault.seat),
                    fault: fault.clone(),
                    overloaded: result.overloaded,
                    mode: self.mode,
                });
            }
        }
        first
    }
}

/// Describes a fault by a clock that counts this time, made harmless to terminals.
pub fn describe(fault: &Fault, mode: ClockMode) -> String {
    quote(fault.verdict(mode, None).to_string().as_bytes())
}

/// Describes a fault as [`describe`] does, after the error that the bot has `said`. Says whether the
/// machine was overloaded in the game, or had no threads or signals left for the bot.
pub(super) fn describe_in(
    fault: &Fault,
    overloaded: bool,
    mode: ClockMode,
    said: Option<&str>,
) -> String {
    let mut verdict = fault.verdict(mode, said);
    let excuse = if fault.went_short {
        " (other programs left hardly any threads or signals for it)"
    } else if overloaded {
        verdict.asks = "";
        " (the machine was overloaded in this game)"
    } else {
        ""
    };
    let words = said.map_or_else(|| verdict.to_string(), |said| format!("{said}; {verdict}"));
    format!("{}{excuse}", quote(words.as_bytes()))
}

/// Returns the error on a bot's standard error in a game, or else its last line, if the bot died.
pub(super) fn said(
    logs: &AuthorLogs,
    entrant: &str,
    fixture: GameId,
    fault: &Fault,
) -> Result<Option<String>, JudgeError> {
    if !matches!(fault.cause, Cause::Crash | Cause::Memory | Cause::Exit) {
        return Ok(None);
    }
    let wrote = logs.of(entrant, &fixture.text())?.stderr;
    let wrote: Vec<String> = wrote.into_iter().map(|(_, text)| text).collect();
    let wrote = wrote.join("\n");
    let last = || wrote.lines().rfind(|line| !line.trim().is_empty());
    let said = last_words::error(&wrote).or_else(last);
    Ok(said.map(|line| line.trim().to_owned()))
}

/// Returns what a bot wrote in place of an answer, and the remedy, line by line.
pub fn advice(
    fault: &Fault,
    manifest: &Manifest,
    entrant: &str,
    said: Option<&str>,
) -> Vec<String> {
    let conditions = &manifest.competition.conditions;
    let mut entrants = manifest.entrants.iter();
    let form = entrants
        .find(|line| line.name == entrant)
        .map(|line| &*line.form);
    let kits = rulebook::rules::find(&conditions.game).map_or(&[][..], |rules| rules.kits());
    let kit = kits.iter().find(|kit| Some(kit.language) == form);
    let line = fault.line.as_ref().map(|line| format!("it wrote: {line}"));
    let remedy = fault.remedy(kit.map(|kit| &kit.advice), conditions.lifetime, said);
    line.into_iter().chain(remedy).collect()
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
