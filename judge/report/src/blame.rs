//! Faults of bots in plain words, with evidence and remedy.

use super::sheet::Roles;
use crate::words::joined;
use engines::Seat;
use engines::quote::safe_sentence;
use model::fault::{Fault, quote};
use model::game_id::GameId;
use model::record::MatchResult;
use model::stderr;
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
}

impl FirstFault {
    /// Says in a line what happened.
    pub fn line(&self, logs: &AuthorLogs) -> String {
        self.with_error(self.said(logs).error.as_deref())
    }

    fn said(&self, logs: &AuthorLogs) -> Said {
        Said::read(logs, &self.entrant, self.fixture, &self.fault)
    }

    fn with_error(&self, error: Option<&str>) -> String {
        format!(
            "{}: game {}, as {} against {}, ply {}: {}",
            self.entrant,
            self.game,
            self.role,
            self.opponents,
            self.fault.ply,
            describe_in(&self.fault, self.overloaded, error)
        )
    }

    /// Returns what the bot wrote in place of an answer, if that is the fault.
    pub fn wrote(&self) -> Option<String> {
        wrote(&self.fault)
    }

    /// Says in lines what happened, what the bot wrote in place of an answer, and the remedy.
    pub fn lines(&self, logs: &AuthorLogs, manifest: &Manifest) -> Vec<String> {
        let said = self.said(logs);
        let line = self.with_error(said.error.as_deref());
        let (fault, whose) = (&self.fault, &self.entrant);
        let advice = advice(fault, self.overloaded, manifest, whose, &said);
        [line].into_iter().chain(advice).collect()
    }
}

/// Finds the first fault of each bot among games that it gets one by one.
#[derive(Debug)]
pub struct FirstFaults {
    roles: Roles,
    seen: HashSet<String>,
}

impl FirstFaults {
    /// Begins before the games of a competition with these roles.
    pub fn new(roles: Roles) -> Self {
        Self {
            roles,
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
                });
            }
        }
        first
    }
}

/// Describes a fault, made harmless to terminals.
pub fn describe(fault: &Fault) -> String {
    quote(fault.verdict(None))
}

pub(super) fn describe_in(fault: &Fault, overloaded: bool, said: Option<&str>) -> String {
    let excuse = if fault.went_short {
        " (other programs left hardly any threads or signals for it)"
    } else if overloaded {
        " (the machine was overloaded in this game)"
    } else {
        ""
    };
    format!("{}{excuse}", safe_sentence(&fault.verdict(said)))
}

/// The last words of a bot that died on standard error; empty for other bots.
#[derive(Debug, Default)]
pub struct Said {
    pub(super) error: Option<String>,
    last: Option<String>,
}

impl Said {
    pub(super) fn read(logs: &AuthorLogs, entrant: &str, fixture: GameId, fault: &Fault) -> Self {
        let log = logs.of(entrant, &fixture.text());
        let Some(log) = log.ok().filter(|_| fault.cause.is_death()) else {
            return Self::default();
        };
        let wrote = joined(log.stderr.iter().map(|(_, text)| text), "\n");
        let error = stderr::said(fault, &wrote).map(str::to_owned);
        let last = wrote
            .lines()
            .rfind(|line| error.is_none() && !line.trim().is_empty())
            .map(|line| line.trim().to_owned());
        Self { error, last }
    }
}

fn wrote(fault: &Fault) -> Option<String> {
    let line = fault.line.as_ref();
    line.map(|line| format!("it wrote: {line}"))
}

/// Returns what a bot wrote last, and the remedy, line by line.
pub fn advice(
    fault: &Fault,
    overloaded: bool,
    manifest: &Manifest,
    entrant: &str,
    said: &Said,
) -> Vec<String> {
    let conditions = &manifest.competition.conditions;
    let own = manifest.entrants.iter().find(|line| line.name == entrant);
    let kit = rulebook::rules::find(&conditions.game)
        .map_or(&[][..], |rules| rules.kits())
        .iter()
        .find(|kit| own.is_some_and(|own| own.form == kit.language));
    let last = (said.last.as_ref())
        .map(|last| format!("its last line on standard error: {}", quote(last)));
    let words = kit.map(|kit| &kit.advice);
    let remedy = fault.remedy(
        words,
        conditions.lifetime,
        said.error.as_deref(),
        overloaded,
    );
    wrote(fault).into_iter().chain(last).chain(remedy).collect()
}

pub(super) fn opponents(result: &MatchResult, seat: Seat) -> String {
    let others = result
        .seats
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != seat.index());
    joined(others.map(|(_, other)| &other.entrant), " & ")
}
