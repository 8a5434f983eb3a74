//! Turns records into standings. Nothing here touches a process, a file or a clock.

mod bootstrap;
mod boundary;
mod comparison;
pub mod grades;
mod paired;
mod sprt;
mod standings;
mod strength;
mod table;
mod tally;
mod ties;

use model::competition::Scoring;
use model::fault::Cause;
use model::points::Points;
use model::record::MatchResult;
use model::tally::{Tally, Tie};
use std::collections::{BTreeMap, HashMap};
use ties::{Beat, Tied};

pub use bootstrap::{Blocks, RESAMPLES, Uncertainty};
pub use boundary::{Alarm, Change};
pub use comparison::{Comparison, Finding};
pub use paired::{Estimate, Paired, StateScores, places_score};
pub use sprt::{Accepted, Sprt, Unit, elo, score};
pub use standings::{MissedRequirement, Standing, Standings, UnrankedRow};
pub use strength::Rating;
pub use table::{Gathering, Removed, StandingsTable, ranks_of};
pub use tally::{Sums, points, tally};

/// An entrant of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranked {
    /// The entrant's name.
    pub name: String,
    /// The number of lexer tokens of its source, if counted.
    pub tokens: Option<u64>,
    /// Whether its version was submitted after somebody had been shown the draw.
    pub knew_draw: bool,
    /// Penalty for lateness; it is taken off the grade, or off the prize where there are no grades.
    pub penalty: Option<Points>,
    /// Whether it has a row next to the table, without a rank.
    pub unranked: bool,
}

impl Ranked {
    /// Creates an entrant without a token count.
    pub fn of(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }
}

fn numbers_of(entrants: &[Ranked]) -> HashMap<String, usize> {
    let names = entrants.iter().map(|one| one.name.clone());
    names.zip(0..).collect()
}

/// Gathers the faults that count against entrants.
#[derive(Clone, Debug, Default)]
pub struct Conduct {
    /// In graded games, and in the others.
    entrants: BTreeMap<String, [Counts; 2]>,
}

#[derive(Clone, Debug, Default)]
struct Counts {
    games: u64,
    /// Games with a fault of time or memory.
    timeouts: u64,
    /// The first fault of another kind: the game's number and the cause.
    offence: Option<(usize, Cause)>,
    offences: u64,
}

impl Conduct {
    /// Adds a game; `number` is its number in fixture order. Games may come in any order. Faults of
    /// time count for games that decide grades alone (`is_graded`), or for the others.
    pub fn add(&mut self, number: usize, game: &MatchResult, is_graded: bool) {
        for (index, seat) in game.seats.iter().enumerate() {
            let kinds = self.entrants.entry(seat.entrant.clone()).or_default();
            let counts = &mut kinds[usize::from(!is_graded)];
            counts.games += 1;
            let (short, other): (Vec<_>, Vec<_>) = game
                .faults
                .iter()
                .filter(|fault| fault.seat.index() == index)
                .partition(|fault| is_shortage(fault.cause));
            counts.timeouts += u64::from(!short.is_empty());
            counts.offences += u64::from(!other.is_empty());
            let is_first = counts.offence.is_none_or(|(known, _)| number < known);
            if let Some(fault) = other.first().filter(|_| is_first) {
                counts.offence = Some((number, fault.cause));
            }
        }
    }

    /// Returns why an entrant is disqualified, if it is.
    pub fn disqualified_for(&self, entrant: &str) -> Option<String> {
        self.entrants
            .get(entrant)?
            .iter()
            .find_map(Counts::disqualified_for)
    }
}

impl Counts {
    fn disqualified_for(&self) -> Option<String> {
        if let Some((number, cause)) = self.offence {
            let more = match self.offences {
                1 => String::new(),
                2 => ", and a fault in 1 more game".to_owned(),
                games => format!(", and faults in {} more games", games - 1),
            };
            return Some(format!("{cause} in game {number}{more}"));
        }
        let always = self.games > 0 && self.timeouts == self.games;
        always.then(|| format!("out of time or memory in all {} games", self.games))
    }
}

/// Returns whether a fault means that time or memory ran out. Such a fault costs only the game.
fn is_shortage(cause: Cause) -> bool {
    matches!(
        cause,
        Cause::Time | Cause::Silence | Cause::Idle | Cause::Memory
    )
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Placed {
    entrant: usize,
    rank: usize,
    place: usize,
    decided_by: Option<Tie>,
    in_circle: bool,
}

/// Puts entrants with their totals in order; those that no rule separates share the rank and are listed by name.
fn order(
    scoring: &Scoring,
    entrants: &[Ranked],
    totals: &[(usize, Tally)],
    beat: Beat<'_>,
) -> Vec<Placed> {
    let mut all: Vec<Tied<'_>> = totals
        .iter()
        .map(|(entrant, total)| Tied {
            entrant: *entrant,
            total,
            tokens: entrants[*entrant].tokens,
        })
        .collect();
    all.sort_by(|a, b| {
        let name = |one: &Tied<'_>| &entrants[one.entrant].name;
        a.total
            .compare_by(b.total, &scoring.ranking)
            .then_with(|| name(a).cmp(name(b)))
    });
    let is_equal =
        |a: &Tied<'_>, b: &Tied<'_>| a.total.compare_by(b.total, &scoring.ranking).is_eq();
    let mut placed = Vec::new();
    for class in all.chunk_by(is_equal) {
        let before = placed.len();
        let ranked = ties::order(class, &scoring.ties, beat);
        for rank_class in ranked.chunk_by(|a, b| a.ahead == b.ahead) {
            let rank = before + rank_class[0].ahead + 1;
            let tied: Vec<Tied<'_>> = rank_class.iter().map(|ranked| ranked.one).collect();
            for podium in ties::order(&tied, &scoring.podium, beat) {
                let entrant = podium.one.entrant;
                let ranked = rank_class
                    .iter()
                    .find(|ranked| ranked.one.entrant == entrant)
                    .expect("the podium orders who is there");
                placed.push(Placed {
                    entrant,
                    rank,
                    place: rank + podium.ahead,
                    decided_by: podium.decided_by.or(ranked.decided_by),
                    in_circle: podium.in_circle || ranked.in_circle,
                });
            }
        }
    }
    placed
}
