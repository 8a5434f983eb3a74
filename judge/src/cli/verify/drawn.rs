//! The draw of each initial state, or its known part.

use competition::schedule;
use engines::Seat;
use error::JudgeError;
use serde_json::json;
use words::competition::Competition;
use words::draw::Draw;
use words::record::MatchRecord;

/// The draw of the initial states. An unknown part is taken from the first game that is checked:
/// all games of one state share it.
pub(super) struct DrawnStates(Vec<DrawnState>);

#[derive(Default)]
struct DrawnState {
    setup: Option<String>,
    digest: Option<String>,
    seeds: Option<Vec<u32>>,
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
        let rules = rules::of(&competition.conditions)?;
        let state = |state| {
            let luck = draw.state(state).luck(seats);
            let seeds: Vec<u32> = (0..seats).map(|n| luck.seed(Seat::new(n))).collect();
            Ok(DrawnState {
                setup: Some(schedule::setup(&*rules, competition, draw, state)?.to_string()),
                digest: Some(luck.draw),
                seeds: Some(seeds),
            })
        };
        (0..competition.states_drawn())
            .map(state)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Takes the published digests of the draw.
    pub(super) fn named(digests: &[String]) -> Self {
        let states = digests.iter().map(|digest| DrawnState {
            digest: Some(digest.clone()),
            ..DrawnState::default()
        });
        Self(states.collect())
    }

    /// Returns whether the draw of a state has this digest.
    pub(super) fn has(&self, state: u32, digest: &str) -> bool {
        let state = self.0.get(state as usize);
        state.is_some_and(|state| state.digest.as_deref() == Some(digest))
    }

    /// Lists the digests.
    pub(super) fn digests(&self) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .map(|state| state.digest.as_deref().unwrap_or_default())
    }

    /// Takes the unknown parts of a state's draw from a game.
    pub(super) fn learn(&mut self, record: &MatchRecord) {
        if let Some(drawn) = self.0.get_mut(record.state as usize) {
            drawn.setup.get_or_insert_with(|| record.setup.to_string());
            drawn.digest.get_or_insert_with(|| record.draw.clone());
            drawn.seeds.get_or_insert_with(|| seeds(record));
        }
    }

    /// Lists the differences of a game from the known parts of the draw.
    pub(super) fn differences(&self, record: &MatchRecord) -> Vec<String> {
        let Some(drawn) = self.0.get(record.state as usize) else {
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
        if let Some(expected) = drawn.seeds.as_ref().filter(|expected| **expected != found) {
            let text = |seeds: &[u32]| json!(seeds).to_string();
            compare("seed", Some(&text(expected)), &text(&found));
        }
        differences
    }
}

fn seeds(record: &MatchRecord) -> Vec<u32> {
    record.seats.iter().map(|seat| seat.seed).collect()
}
