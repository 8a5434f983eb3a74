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
    seeds: Option<String>,
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
                seeds: Some(json!(seeds).to_string()),
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

    /// Lists the differences of a game from the draw.
    pub(super) fn differences(&mut self, record: &MatchRecord) -> Vec<String> {
        let Some(drawn) = self.0.get_mut(record.state as usize) else {
            return vec![format!("state: there is no state {}", record.state)];
        };
        let seeds: Vec<u32> = record.seats.iter().map(|seat| seat.seed).collect();
        let parts = [
            ("setup", &mut drawn.setup, record.setup.to_string()),
            ("draw", &mut drawn.digest, record.draw.clone()),
            ("seed", &mut drawn.seeds, json!(seeds).to_string()),
        ];
        let mut differences = Vec::new();
        for (field, expected, found) in parts {
            let expected = expected.get_or_insert_with(|| found.clone());
            if *expected != found {
                differences.push(format!("{field}: expected {expected}, found {found}"));
            }
        }
        differences
    }
}
