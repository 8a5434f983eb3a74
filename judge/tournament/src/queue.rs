//! What is still to be played, and what must be played again.

use super::plan::TournamentPlan;
use engines::Lifetime;
use error::JudgeError;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use words::fault::{Fault, Phase};
use words::fixture::{Fixture, Participant};
use words::record::MatchRecord;

/// A fixture that failed for reasons of ours, of an overloaded machine, or because somebody may
/// have ended the bot of an entrant, is tried this often in all.
const TRIES_MAX: u32 = 3;

/// The bots of an entrant may be ended so often in a run, and once more for each so many games
/// that it plays, before it is charged at once: whoever meets more of that ends its bots itself,
/// so as to have games that it loses played again.
const KILLS_SPARE: u32 = 10;
const GAMES_PER_KILL: u32 = 100;

const OVERLOADED: &str = "a bot did not answer in time while the machine was overloaded";

/// Fixtures that one worker plays one after the other.
pub(super) type Unit<'a> = VecDeque<&'a Fixture>;

/// What is still to be played.
pub(super) struct Queue<'a> {
    state: Mutex<QueueState<'a>>,
    plan: &'a TournamentPlan<'a>,
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
    /// Tries in which the bot of an entrant was ended, by fixture and entrant.
    kills: HashMap<(String, String), u32>,
    kills_of: HashMap<String, Kills>,
    given_up: usize,
    last_reason: String,
    /// Why programs are not what was built, by artifact.
    spoiled: BTreeMap<String, String>,
}

/// How often bots of an entrant were ended, and the games that they have played.
#[derive(Default)]
struct Kills {
    kills: u32,
    games: u32,
}

/// What becomes of a game that was played.
pub(super) enum Verdict {
    /// It is recorded.
    Counts,
    /// It is played again, for this reason.
    Again(String),
    /// It cannot be played until a program has been built again.
    Spoiled,
}

impl<'a> Queue<'a> {
    pub(super) fn new(
        fixtures: impl Iterator<Item = &'a Fixture>,
        plan: &'a TournamentPlan<'a>,
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
            plan,
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
        self.plan.stop.load(Ordering::Relaxed) || self.closed.load(Ordering::Relaxed)
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

    /// Takes back what a worker could not finish; counts a try for the first fixture, which
    /// failed. Returns whether it will be played again.
    pub(super) fn put_back(&self, mut unit: Unit<'a>, reason: &str) -> bool {
        let Some(failed) = unit.front() else {
            return false;
        };
        let spoiled = failed.seats.iter().any(|seat| self.is_spoiled(seat));
        let mut state = self.state();
        reason.clone_into(&mut state.last_reason);
        let tries = state.tries.entry(failed.id.clone()).or_default();
        *tries += 1;
        let again = !spoiled && *tries < TRIES_MAX;
        if !again {
            state.given_up += 1;
            unit.pop_front();
        }
        if !unit.is_empty() {
            state.units.push_front(unit);
        }
        again
    }

    /// Judges a game that was played. One that counts tells in its record how often it was
    /// tried; one that is played again goes to the end of the queue, when the machine may be in a
    /// better state.
    pub(super) fn judge(&self, fixture: &'a Fixture, record: &mut MatchRecord) -> Verdict {
        let unstarted = |fault: &&Fault| fault.phase == Phase::Hello;
        let unstarted = record.faults.iter().filter(unstarted);
        let mut seats = unstarted.map(|fault| &fixture.seats[fault.seat.index()]);
        if seats.any(|seat| self.is_spoiled(seat)) {
            self.state().given_up += 1;
            return Verdict::Spoiled;
        }
        let mut state = self.state();
        if let Some(reason) = state.doubt(fixture, record) {
            state.units.push_back(VecDeque::from([fixture]));
            return Verdict::Again(reason);
        }
        state.count(fixture);
        Verdict::Counts
    }

    /// Returns whether a participant's program is not what was built. What else it was to play is
    /// given up then.
    fn is_spoiled(&self, participant: &Participant) -> bool {
        let hash = &*participant.artifact;
        let artifacts = &self.plan.order.artifacts;
        let Some(artifact) = artifacts.iter().find(|artifact| artifact.hash == *hash) else {
            return false;
        };
        let Err(reason) = (self.plan.intact)(artifact) else {
            return false;
        };
        let mut state = self.state();
        let plays = |fixture: &Fixture| fixture.seats.iter().any(|seat| *seat.artifact == *hash);
        let left: usize = state.units.iter().map(VecDeque::len).sum();
        for unit in &mut state.units {
            unit.retain(|fixture| !plays(fixture));
        }
        state.units.retain(|unit| !unit.is_empty());
        state.given_up += left - state.units.iter().map(VecDeque::len).sum::<usize>();
        let entrant = &participant.entrant;
        state.spoiled.entry(hash.to_owned()).or_insert_with(|| {
            format!(
                "the program of {entrant} is not what was built (artifacts/{hash}): {reason}; run \
                 the same command again to rebuild it"
            )
        });
        true
    }

    pub(super) fn verdict(&self) -> Result<(), JudgeError> {
        let state = self.state();
        let spoiled: Vec<&str> = state.spoiled.values().map(String::as_str).collect();
        let reason = match spoiled.as_slice() {
            [] => state.last_reason.clone(),
            programs => programs.join("; "),
        };
        match state.given_up {
            0 => Ok(()),
            games => Err(JudgeError::Unplayed { games, reason }),
        }
    }
}

impl QueueState<'_> {
    /// Returns why a game should be played again, if it may be. Where a bot was ended in every
    /// try, its fault says so.
    fn doubt(&mut self, fixture: &Fixture, record: &mut MatchRecord) -> Option<String> {
        if record.overloaded {
            let overloads = self.overloads.entry(fixture.id.clone()).or_default();
            *overloads += 1;
            if *overloads < TRIES_MAX {
                return Some(OVERLOADED.to_owned());
            }
        }
        let mut again = None;
        let ended = |fault: &&mut Fault| play::may_be_from_outside(fault);
        for fault in record.faults.iter_mut().filter(ended) {
            let entrant = fixture.seats[fault.seat.index()].entrant.to_string();
            let all = self.kills_of.entry(entrant.clone()).or_default();
            all.kills += 1;
            let key = (fixture.id.clone(), entrant.clone());
            let tries = self.kills.entry(key).or_default();
            *tries += 1;
            if *tries >= TRIES_MAX {
                write!(fault.detail, "; ended so in {tries} tries of this game")
            } else if all.kills > KILLS_SPARE + all.games / GAMES_PER_KILL {
                write!(
                    fault.detail,
                    "; its bots were ended so {} times in this run",
                    all.kills
                )
            } else {
                let exit = fault.exit.expect("a signal");
                again = Some(format!("something ended the bot of {entrant} ({exit})"));
                continue;
            }
            .expect("writing to memory");
        }
        again
    }

    /// Counts a game that was played.
    fn count(&mut self, fixture: &Fixture) {
        for seat in &fixture.seats {
            if let Some(kills) = self.kills_of.get_mut(&*seat.entrant) {
                kills.games += 1;
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;

    /// A game of ann and bob in which ann's bot was ended by `SIGKILL`.
    fn game(number: u32) -> (Fixture, MatchRecord) {
        let entry = engines::game("catch-the-cat").expect("registered");
        let conditions = competition::standard(entry).conditions;
        let seats = ["ann", "bob"].map(|name| Participant {
            entrant: name.into(),
            artifact: name.into(),
        });
        let setup = RawValue::from_string("{}".to_owned()).expect("JSON");
        let fixture = Fixture::new(entry, &conditions, number, seats.to_vec(), setup.into());
        let record = r#"{"v":2,"fixture":"f","game":"g","state":0,"setup":{},"seats":[],"turns":[],
            "faults":[{"seat":0,"ply":0,"phase":"turn","cause":"crash","detail":"ended",
            "exit":{"signal":9},"cpu_us":1,"wall_us":1}],
            "end":"rules","outcome":{"seats":[],"reason":""}}"#;
        (fixture, serde_json::from_str(record).expect("a record"))
    }

    #[test]
    fn a_bot_that_is_ended_in_game_after_game_has_no_more_of_them_played_again() {
        let mut state = QueueState::default();
        let mut again = |games: std::ops::Range<u32>| {
            let doubts = games.map(game).filter_map(|(fixture, mut record)| {
                let doubt = state.doubt(&fixture, &mut record);
                if doubt.is_none() {
                    state.count(&fixture);
                    let said = &record.faults[0].detail;
                    assert!(said.contains("its bots were ended so"), "{said}");
                }
                doubt
            });
            doubts.count()
        };
        assert_eq!(again(0..KILLS_SPARE), KILLS_SPARE as usize);
        assert_eq!(again(100..200), 0);
    }
}
