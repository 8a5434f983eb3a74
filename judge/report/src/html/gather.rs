//! A summary of a run, gathered game by game for its page.

use super::histogram::Histogram;
use super::phrases;
use super::source::ReadGame;
use crate::outputs::PlayedOn;
use engines::{GameResult, Outcome};
use model::competition::{Competition, Scoring};
use model::fault::{Cause, Fault, Phase, quote};
use model::points::Points;
use model::record::MatchRecord;
use rulebook::JudgeError;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// Maximum number of kinds of faults of one entrant that a page reports individually.
pub(super) const FAULTS_TOLD_MAX: usize = 20;

/// All facts about a run on its page, besides the table and the games themselves.
#[derive(Debug, Default)]
pub(super) struct Summary {
    /// Names, ranked entrants first; an entrant is an index into this list.
    pub(super) names: Vec<String>,
    pub(super) index: HashMap<String, usize>,
    /// By entrant.
    pub(super) conduct: Vec<EntrantSummary>,
    /// By entrant, by opponent, and by the first one's seat (0 in games for more than two).
    pub(super) pairs: BTreeMap<(usize, usize, usize), PairRecord>,
    /// By initial state.
    pub(super) states: BTreeMap<u32, State>,
    /// The points of entrants, by initial state.
    pub(super) points: BTreeMap<u32, BTreeMap<usize, Points>>,
    /// The played games, in fixture order.
    pub(super) games: Vec<GameSummary>,
    /// One copy of each combination of seats and places.
    pub(super) results: HashSet<Rc<SeatsAndPlaces>>,
    /// Number of played games on each machine.
    pub(super) played_on: PlayedOn,
}

/// Turns and faults of an entrant.
#[derive(Debug, Default)]
pub(super) struct EntrantSummary {
    /// The counted time of its turns.
    pub(super) turns: Histogram,
    /// The name that its bot gave itself.
    pub(super) says: Option<String>,
    pub(super) causes: BTreeMap<Cause, u64>,
    /// The first of its faults of each kind, at most [`FAULTS_TOLD_MAX`] kinds.
    pub(super) faults: Vec<FaultEntry>,
}

/// Faults of one kind, represented by the first of them.
#[derive(Debug)]
pub(super) struct FaultEntry {
    pub(super) game: usize,
    pub(super) seat: usize,
    pub(super) opponents: Vec<usize>,
    /// Number of faults of this kind.
    pub(super) count: u64,
    /// The turn of the fault, from 1; `None` if it was outside of turns.
    pub(super) turn: Option<u32>,
    pub(super) what: String,
    pub(super) line: Option<String>,
}

/// The results of one entrant against another, by their places in their games.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PairRecord {
    pub(super) ahead: u64,
    pub(super) level: u64,
    pub(super) behind: u64,
    /// The first of their games.
    pub(super) game: usize,
}

/// The results on an initial state.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) games: u64,
    /// Games won by the seat; joint wins count for each.
    pub(super) won: Vec<u64>,
    pub(super) drawn: u64,
    pub(super) turns: u64,
    /// The first of its games.
    pub(super) game: usize,
}

/// A summary of a game, in 48 bytes: a page has one for each game of its run.
#[derive(Debug)]
pub(super) struct GameSummary {
    /// The number in `games.csv`.
    pub(super) number: u32,
    /// Number of turns, over all seats.
    pub(super) turns: u32,
    pub(super) result: Rc<SeatsAndPlaces>,
    /// Each fault's entrant and cause.
    pub(super) faults: Box<[(usize, Cause)]>,
    /// The lead of the winners over the next, in points of the game's own formula; `None` if all
    /// have the same place.
    pub(super) margin: Option<u64>,
}

/// The entrants of a game and their places, by seat. Many games share them.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct SeatsAndPlaces {
    pub(super) seats: Vec<usize>,
    pub(super) places: Vec<u8>,
}

impl GameSummary {
    /// Returns the number in `games.csv`.
    pub(super) const fn number(&self) -> usize {
        self.number as usize
    }

    /// Returns the entrants by seat.
    pub(super) fn seats(&self) -> &[usize] {
        &self.result.seats
    }
}

/// Why a game is worth watching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    /// The winner had the smallest lead in points.
    Closest,
    /// The winner was ranked furthest below an opponent that it beat.
    Upset,
    /// The closest game between the best entrants of the table that met.
    Top,
    /// The longest game: shown only if no game of another kind exists.
    Longest,
}

impl Feature {
    /// Returns the name of the kind.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Closest => "closest finish",
            Self::Upset => "biggest upset",
            Self::Top => "best against best",
            Self::Longest => "longest game",
        }
    }
}

/// Why a page shows a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    Featured(Feature),
    Fault,
    Upset,
    Sample,
    Other,
}

impl Why {
    /// Returns the reason in words; empty if it needs none.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Featured(feature) => feature.words(),
            Self::Fault => "fault",
            Self::Upset => "upset",
            Self::Sample => "sample",
            Self::Other => "",
        }
    }
}

/// Returns the lead of the winners over the next, in points.
fn margin(outcome: &Outcome) -> Option<u64> {
    let of = |is_won: bool| {
        outcome
            .seats
            .iter()
            .filter(move |seat| (seat.placement == 1) == is_won)
            .map(|seat| seat.points)
            .max()
    };
    Some(of(true)?.abs_diff(of(false)?))
}

/// Returns a fault in the page's form; `seats` are the numbers of the game's entrants.
fn told(game: usize, seats: &[usize], fault: &Fault) -> FaultEntry {
    let seat = fault.seat.index();
    let others = seats.iter().enumerate().filter(|(other, _)| *other != seat);
    FaultEntry {
        game,
        seat,
        opponents: others.map(|(_, &other)| other).collect(),
        count: 1,
        turn: (fault.phase == Phase::Turn).then_some(fault.ply.saturating_add(1)),
        what: phrases::fault(fault),
        line: fault.line.as_deref().map(|line| quote(line.as_bytes())),
    }
}

/// Adds a fault to those reported. Faults that differ only in numbers are of one kind.
fn tell(faults: &mut Vec<FaultEntry>, fault: FaultEntry) {
    let is_digit = |c: &char| c.is_ascii_digit();
    let kind = |what: &str| what.chars().filter(|c| !is_digit(c)).collect::<String>();
    let own = kind(&fault.what);
    if let Some(same) = faults.iter_mut().find(|one| kind(&one.what) == own) {
        same.count += 1;
    } else if faults.len() < FAULTS_TOLD_MAX {
        faults.push(fault);
    }
}

impl Summary {
    /// Creates a summary with the names of ranked entrants, best first.
    pub(super) fn new(ranked: impl Iterator<Item = String>) -> Self {
        let mut summary = Self::default();
        for name in ranked {
            summary.number(&name);
        }
        summary
    }

    /// Returns an entrant's number; a new name gets the next one.
    pub(super) fn number(&mut self, name: &str) -> usize {
        if let Some(&known) = self.index.get(name) {
            return known;
        }
        let number = self.names.len();
        self.names.push(name.to_owned());
        self.conduct.push(EntrantSummary::default());
        self.index.insert(name.to_owned(), number);
        number
    }

    /// Adds a game with its number in fixture order.
    pub(super) fn add(&mut self, competition: &Competition, game: usize, record: &MatchRecord) {
        let mode = competition.conditions.mode;
        let names: Vec<String> = record
            .seats
            .iter()
            .map(|seat| seat.entrant.clone())
            .collect();
        let seats: Vec<usize> = names.iter().map(|name| self.number(name)).collect();
        let places: Vec<u8> = record
            .outcome
            .seats
            .iter()
            .map(|seat| seat.placement)
            .collect();
        for turn in &record.turns {
            self.conduct[seats[turn.seat.index()]]
                .turns
                .add(turn.counted_us(mode));
        }
        for (seat, participant) in record.seats.iter().enumerate() {
            let conduct = &mut self.conduct[seats[seat]];
            if conduct.says.is_none() {
                conduct.says.clone_from(&participant.says);
            }
        }
        self.add_faults(game, &seats, record);
        self.add_pairs(game, &seats, &places);
        let entrants = names.iter().map(String::as_str);
        if !competition.scoring.is_unranked(entrants) {
            self.add_state(game, record);
            self.add_points(&competition.scoring, &seats, record);
        }
        self.played_on.add(record.machine.as_deref());
        let faults = record
            .faults
            .iter()
            .map(|fault| (seats[fault.seat.index()], fault.cause));
        let summary = GameSummary {
            number: u32::try_from(game).expect("a run has fewer games"),
            turns: u32::try_from(record.turns.len()).expect("a line has fewer turns"),
            faults: faults.collect(),
            margin: margin(&record.outcome),
            result: self.result(SeatsAndPlaces { seats, places }),
        };
        self.games.push(summary);
    }

    /// Returns the one copy of seats and places.
    fn result(&mut self, own: SeatsAndPlaces) -> Rc<SeatsAndPlaces> {
        if let Some(known) = self.results.get(&own) {
            return Rc::clone(known);
        }
        let own = Rc::new(own);
        self.results.insert(Rc::clone(&own));
        own
    }

    fn add_faults(&mut self, game: usize, seats: &[usize], record: &MatchRecord) {
        for fault in &record.faults {
            let conduct = &mut self.conduct[seats[fault.seat.index()]];
            *conduct.causes.entry(fault.cause).or_default() += 1;
            tell(&mut conduct.faults, told(game, seats, fault));
        }
    }

    /// Lists the first faults of an entrant again, for a reader who may see other parts of its
    /// games.
    pub(super) fn tell_faults(
        &self,
        entrant: usize,
        read: ReadGame<'_>,
    ) -> Result<Vec<FaultEntry>, JudgeError> {
        let mut all = Vec::new();
        let games = self
            .games
            .iter()
            .filter(|game| game.faults.iter().any(|(whose, _)| *whose == entrant));
        for game in games {
            let own = read
                .record(game.number())?
                .into_iter()
                .flat_map(|game| game.faults)
                .filter(|fault| game.seats()[fault.seat.index()] == entrant);
            for fault in own {
                tell(&mut all, told(game.number(), game.seats(), &fault));
            }
        }
        Ok(all)
    }

    fn add_pairs(&mut self, game: usize, seats: &[usize], places: &[u8]) {
        for (a, &one) in seats.iter().enumerate() {
            for (b, &other) in seats.iter().enumerate() {
                if one == other {
                    continue;
                }
                let role = if seats.len() == 2 { a } else { 0 };
                let fresh = PairRecord {
                    game,
                    ..PairRecord::default()
                };
                let pair = self.pairs.entry((one, other, role)).or_insert(fresh);
                match places[a].cmp(&places[b]) {
                    std::cmp::Ordering::Less => pair.ahead += 1,
                    std::cmp::Ordering::Equal => pair.level += 1,
                    std::cmp::Ordering::Greater => pair.behind += 1,
                }
            }
        }
    }

    fn add_points(&mut self, scoring: &Scoring, seats: &[usize], record: &MatchRecord) {
        let gained = self.points.entry(record.state).or_default();
        for (seat, &entrant) in seats.iter().enumerate() {
            let cpu_us = record.seats[seat].cpu_us;
            let points = rulebook::scoring::points(scoring.points, &record.outcome, seat);
            let cost = scoring.cpu_cost(cpu_us);
            *gained.entry(entrant).or_default() += points - cost;
        }
    }

    fn add_state(&mut self, game: usize, record: &MatchRecord) {
        let state = self.states.entry(record.state).or_insert_with(|| State {
            won: vec![0; record.seats.len()],
            game,
            ..State::default()
        });
        state.games += 1;
        state.turns += record.turns.len() as u64;
        let won: Vec<bool> = record
            .outcome
            .seats
            .iter()
            .map(|seat| seat.result)
            .map(|result| result == GameResult::Won)
            .collect();
        state.drawn += u64::from(!won.contains(&true));
        for (count, won) in state.won.iter_mut().zip(won) {
            *count += u64::from(won);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_faults_are_told_once_with_their_count_whatever_their_numbers() {
        let fault = |what: &str| FaultEntry {
            game: 1,
            seat: 0,
            opponents: Vec::new(),
            count: 1,
            turn: Some(1),
            what: what.to_owned(),
            line: None,
        };
        let mut told = Vec::new();
        for what in ["crash: signal 11", "no time: 12 ms", "no time: 140 ms"] {
            tell(&mut told, fault(what));
        }
        let told: Vec<_> = told.iter().map(|one| (&one.what[..], one.count)).collect();
        assert_eq!(told, [("crash: signal 11", 1), ("no time: 12 ms", 2)]);
    }
}
