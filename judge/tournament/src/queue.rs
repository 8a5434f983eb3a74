//! What is still to be played, and what must be played again.

use super::plan::TournamentPlan;
use engines::Lifetime;
use error::JudgeError;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use words::fixture::Fixture;

/// A fixture that failed for reasons of ours, or of an overloaded machine, is tried this often
/// in all.
const TRIES_MAX: u32 = 3;

/// Fixtures that one worker plays one after the other.
pub(super) type Unit<'a> = VecDeque<&'a Fixture>;

/// What is still to be played.
pub(super) struct Queue<'a> {
    state: Mutex<QueueState<'a>>,
    /// Set from outside, see [`TournamentPlan::stop`].
    stop: Arc<AtomicBool>,
    /// Set when the journal has failed.
    closed: AtomicBool,
    /// The most games that are played one after the other, those that are tried again included.
    pub(super) games_max: usize,
}

#[derive(Default)]
struct QueueState<'a> {
    units: VecDeque<Unit<'a>>,
    tries: HashMap<String, u32>,
    /// Tries on an overloaded machine.
    overloads: HashMap<String, u32>,
    given_up: usize,
    last_reason: String,
}

impl<'a> Queue<'a> {
    pub(super) fn new(
        fixtures: impl Iterator<Item = &'a Fixture>,
        plan: &TournamentPlan<'_>,
    ) -> Self {
        let units = match plan.order.conditions.lifetime {
            Lifetime::Turn | Lifetime::Game => fixtures.map(|f| VecDeque::from([f])).collect(),
            Lifetime::Match => by_match(fixtures),
        };
        let longest = units.iter().map(VecDeque::len).max().unwrap_or(1);
        Self {
            state: Mutex::new(QueueState {
                units,
                ..QueueState::default()
            }),
            stop: Arc::clone(&plan.stop),
            closed: AtomicBool::new(false),
            games_max: longest * TRIES_MAX as usize,
        }
    }

    fn state(&self) -> MutexGuard<'_, QueueState<'a>> {
        self.state
            .lock()
            .expect("nobody panics while holding the queue")
    }

    pub(super) fn len(&self) -> usize {
        self.state().units.len()
    }

    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    /// Returns whether no more games shall be begun.
    pub(super) fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.closed.load(Ordering::Relaxed)
    }

    /// Returns whether there is something to begin.
    pub(super) fn has_more(&self) -> bool {
        !self.is_over() && self.len() > 0
    }

    pub(super) fn next(&self) -> Option<Unit<'a>> {
        if self.is_over() {
            return None;
        }
        self.state().units.pop_front()
    }

    /// Takes back what a worker could not finish; counts a try for the fixture that failed.
    pub(super) fn put_back(&self, mut unit: Unit<'a>, failed: &str, reason: &str) {
        let mut state = self.state();
        reason.clone_into(&mut state.last_reason);
        let tries = state.tries.entry(failed.to_owned()).or_default();
        *tries += 1;
        if *tries >= TRIES_MAX {
            state.given_up += 1;
            unit.retain(|fixture| fixture.id != failed);
        }
        if !unit.is_empty() {
            state.units.push_front(unit);
        }
    }

    /// Takes back a game that was played while the machine was overloaded; tells whether it will
    /// be played again. It goes to the end of the queue, when the machine may have more time.
    pub(super) fn try_again(&self, fixture: &'a Fixture) -> bool {
        let mut state = self.state();
        let overloads = state.overloads.entry(fixture.id.clone()).or_default();
        *overloads += 1;
        let again = *overloads < TRIES_MAX;
        if again {
            state.units.push_back(VecDeque::from([fixture]));
        }
        again
    }

    pub(super) fn verdict(&self) -> Result<(), JudgeError> {
        let state = self.state();
        match state.given_up {
            0 => Ok(()),
            games => Err(JudgeError::Unplayed {
                games,
                reason: state.last_reason.clone(),
            }),
        }
    }
}

/// Brings the fixtures of a match together, in the order in which matches first come up.
fn by_match<'a>(fixtures: impl Iterator<Item = &'a Fixture>) -> VecDeque<Unit<'a>> {
    let mut units: Vec<Unit<'a>> = Vec::new();
    let mut index: HashMap<Vec<&str>, usize> = HashMap::new();
    for fixture in fixtures {
        let unit = *index.entry(fixture.match_key()).or_insert(units.len());
        if unit == units.len() {
            units.push(VecDeque::new());
        }
        units[unit].push_back(fixture);
    }
    units.into()
}
