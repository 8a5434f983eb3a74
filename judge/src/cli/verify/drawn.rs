//! The draw of each initial state, or its known part.

use engines::Seat;
use model::competition::Competition;
use model::draw::Draw;
use model::fixture::legs;
use model::record::MatchRecord;
use rulebook::JudgeError;
use rulebook::schedule;
use serde_json::json;

/// The draw of the initial states. An unknown part is taken from the first game that is checked:
/// all games of one state share it.
pub(super) struct DrawnStates {
    states: Vec<DrawnState>,
    legs: usize,
}

#[derive(Default)]
struct DrawnState {
    setup: Option<String>,
    digest: Option<String>,
    /// By leg, see [`model::fixture::leg`]; public names hide which leg a game is.
    seeds: Vec<Vec<u32>>,
}

impl DrawnStates {
    /// Repeats the draw.
    ///
    /// # Errors
    /// When the rules refuse the competition's configuration.
    pub(super) fn of(
        competition: &Competition,
        seats: usize,
        draw: &Draw,
    ) -> Result<Self, JudgeError> {
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
                digest: Some(own.digest()),
                seeds: seeds.collect(),
            })
        };
        let states = (0..competition.states_drawn())
            .map(state)
            .collect::<Result<_, _>>()?;
        Ok(Self { states, legs })
    }

    /// Takes the published digests of the draw.
    pub(super) fn named(competition: &Competition, seats: usize, digests: &[String]) -> Self {
        let states = digests.iter().map(|digest| DrawnState {
            digest: Some(digest.clone()),
            ..DrawnState::default()
        });
        Self {
            states: states.collect(),
            legs: legs(competition.conditions.lifetime, seats),
        }
    }

    /// Returns whether the draw of a state has this digest.
    pub(super) fn has(&self, state: u32, digest: &str) -> bool {
        let state = self.states.get(state as usize);
        state.is_some_and(|state| state.digest.as_deref() == Some(digest))
    }

    /// Lists the digests.
    pub(super) fn digests(&self) -> impl Iterator<Item = &str> {
        self.states
            .iter()
            .map(|state| state.digest.as_deref().unwrap_or_default())
    }

    /// Takes the unknown parts of a state's draw from a game.
    pub(super) fn learn(&mut self, record: &MatchRecord) {
        if let Some(drawn) = self.states.get_mut(record.state as usize) {
            drawn.setup.get_or_insert_with(|| record.setup.to_string());
            drawn.digest.get_or_insert_with(|| record.draw.clone());
            let seeds = seeds(record);
            if drawn.seeds.len() < self.legs && !drawn.seeds.contains(&seeds) {
                drawn.seeds.push(seeds);
            }
        }
    }

    /// Lists the differences of a game from the known parts of the draw.
    pub(super) fn differences(&self, record: &MatchRecord) -> Vec<String> {
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
        compare("draw", drawn.digest.as_deref(), &record.draw);
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
