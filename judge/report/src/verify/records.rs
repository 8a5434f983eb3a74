//! Check of each game once, against the rules and against the draw.

use super::Inspection;
use engines::Seat;
use model::competition::Competition;
use model::draw::Draw;
use model::fixture::{Conditions, legs};
use model::record::MatchRecord;
use referee::verify::{WordsKnown, referee};
use rulebook::rules::Rules;
use rulebook::{JudgeError, schedule};
use serde_json::json;
use std::sync::Arc;

/// The facts that games are checked against.
pub struct Expected<'a> {
    rules: Arc<dyn Rules>,
    /// The conditions of all games.
    pub conditions: &'a Conditions,
    words: WordsKnown<'a>,
    /// The draw of the initial states.
    pub drawn: DrawnStates,
}

/// The result of the check of a game.
pub struct Checked {
    /// Whether it has a number that no game can have.
    is_wild: bool,
    against_rules: Vec<String>,
    /// The differences from the draw; `None` if the game is not of the drawn states.
    otherwise_drawn: Option<Vec<String>>,
    /// The entrants whose bots were not started.
    pub not_started: Vec<String>,
}

impl<'a> Expected<'a> {
    /// Creates the checks of the games of one competition.
    pub fn new(
        conditions: &'a Conditions,
        words: WordsKnown<'a>,
        drawn: DrawnStates,
    ) -> Result<Self, JudgeError> {
        Ok(Self {
            rules: rulebook::rules::of(conditions)?,
            conditions,
            words,
            drawn,
        })
    }

    /// Checks a game; `is_drawn` says whether it belongs to the drawn states.
    pub fn check(&self, record: &MatchRecord, is_drawn: bool) -> Result<Checked, JudgeError> {
        let wild = record.wild_number();
        let against_rules = if let Some((field, number)) = &wild {
            vec![format!("{field}: no game can have {number}")]
        } else {
            referee(&*self.rules, self.conditions, record, self.words)?
                .iter()
                .map(ToString::to_string)
                .collect()
        };
        Ok(Checked {
            is_wild: wild.is_some(),
            against_rules,
            otherwise_drawn: is_drawn.then(|| self.drawn.differences(record)),
            not_started: record
                .seats
                .iter()
                .filter(|seat| seat.not_started)
                .map(|seat| seat.entrant.clone())
                .collect(),
        })
    }
}

/// The games checked so far.
#[derive(Default)]
pub struct Records {
    refereed: usize,
    against_rules: usize,
    drawn_ones: usize,
    otherwise_drawn: usize,
    is_wild: bool,
}

impl Records {
    /// Adds a game; `place` says where it was found.
    pub fn add(&mut self, place: &str, checked: &Checked, inspection: &mut Inspection) {
        let Checked {
            is_wild,
            against_rules,
            otherwise_drawn,
            ..
        } = checked;
        self.is_wild |= is_wild;
        self.refereed += 1;
        self.against_rules += usize::from(!against_rules.is_empty());
        self.drawn_ones += usize::from(otherwise_drawn.is_some());
        let otherwise_drawn = otherwise_drawn.as_deref().unwrap_or_default();
        self.otherwise_drawn += usize::from(!otherwise_drawn.is_empty());
        for difference in against_rules.iter().chain(otherwise_drawn) {
            inspection.differs(format_args!("{place}: {difference}"));
        }
    }

    /// Adds the result to the table. Returns whether the games can be added up.
    pub fn summarize(self, inspection: &mut Inspection) -> bool {
        inspection.row(
            "rules, faults, clocks",
            self.refereed,
            "game",
            self.against_rules,
        );
        inspection.row(
            "setups and seeds",
            self.drawn_ones,
            "game",
            self.otherwise_drawn,
        );
        !self.is_wild
    }
}

/// The draw of the initial states; the first game checked gives an unknown part, as all games of a state share it.
pub struct DrawnStates {
    states: Vec<DrawnState>,
    legs: usize,
}

#[derive(Default)]
struct DrawnState {
    setup: Option<String>,
    digest: String,
    /// By leg, see [`model::fixture::leg`]; public names hide which leg a game is.
    seeds: Vec<Vec<u32>>,
}

impl DrawnStates {
    /// Repeats the draw.
    pub fn of(competition: &Competition, seats: usize, draw: &Draw) -> Result<Self, JudgeError> {
        let rules = rulebook::rules::of(&competition.conditions)?;
        let legs = legs(competition.conditions.lifetime, seats);
        let state = |state| {
            let own = draw.state(state);
            let seeds = (0..legs).map(|leg| {
                let luck = own.luck_of_leg(seats, leg);
                (0..seats).map(|n| luck.seed(Seat::new(n))).collect()
            });
            Ok(DrawnState {
                setup: Some(schedule::setup(&*rules, competition, draw, state)?.to_string()),
                digest: own.digest(),
                seeds: seeds.collect(),
            })
        };
        let states = (0..competition.states_drawn())
            .map(state)
            .collect::<Result<_, _>>()?;
        Ok(Self { states, legs })
    }

    /// Takes the published digests of the draw.
    pub fn named(competition: &Competition, seats: usize, digests: &[String]) -> Self {
        let states = digests.iter().zip(0..).map(|(digest, state)| DrawnState {
            setup: competition.start(state).map(ToString::to_string),
            digest: digest.clone(),
            ..DrawnState::default()
        });
        Self {
            states: states.collect(),
            legs: legs(competition.conditions.lifetime, seats),
        }
    }

    /// Returns whether the draw of a state has this digest.
    pub fn has(&self, state: u32, digest: &str) -> bool {
        let state = self.states.get(state as usize);
        state.is_some_and(|state| state.digest == digest)
    }

    /// Lists the digests.
    pub fn digests(&self) -> impl Iterator<Item = &str> {
        self.states.iter().map(|state| &*state.digest)
    }

    /// Takes the unknown parts of a state's draw from a game.
    pub fn learn(&mut self, record: &MatchRecord) {
        if let Some(drawn) = self.states.get_mut(record.state as usize) {
            drawn.setup.get_or_insert_with(|| record.setup.to_string());
            let seeds = seeds(record);
            if drawn.seeds.len() < self.legs && !drawn.seeds.contains(&seeds) {
                drawn.seeds.push(seeds);
            }
        }
    }

    /// Lists the differences of a game from the known parts of the draw.
    pub fn differences(&self, record: &MatchRecord) -> Vec<String> {
        let Some(drawn) = self.states.get(record.state as usize) else {
            return vec![format!("state: there is no state {}", record.state)];
        };
        let mut differences = Vec::new();
        let mut compare = |field: &str, expected: Option<&str>, found: &str| {
            if let Some(expected) = expected.filter(|expected| *expected != found) {
                differences.push(format!("{field}: expected {expected}, found {found}"));
            }
        };
        compare("setup", drawn.setup.as_deref(), record.setup.get());
        compare("draw", Some(&drawn.digest), &record.draw);
        let found = seeds(record);
        if let [expected, ..] = &*drawn.seeds
            && !drawn.seeds.contains(&found)
        {
            let text = |seeds: &[u32]| json!(seeds).to_string();
            compare("seed", Some(&text(expected)), &text(&found));
        }
        differences
    }
}

fn seeds(record: &MatchRecord) -> Vec<u32> {
    record.seats.iter().map(|seat| seat.seed).collect()
}
