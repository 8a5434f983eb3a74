//! Which games are played: a pure function of competition and entrants.

use crate::artifact::Artifact;
use crate::competition::Competition;
use crate::error::JudgeError;
use crate::fixture::{Fixture, Sitter};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

/// An entrant that can play.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// The entrant's name.
    pub name: String,
    /// What it plays with.
    pub artifact: Artifact,
}

/// Lists every game of a competition for two seats: everybody in the first seat meets
/// everybody in the second, on every initial state. All games of one state come before those
/// of the next, so that early standings compare like with like.
///
/// # Errors
/// When the rules refuse the competition's configuration.
pub fn fixtures(
    competition: &Competition,
    contestants: &[Contestant],
) -> Result<Vec<Fixture>, JudgeError> {
    let entry = competition.conditions.entry()?;
    let mut fixtures = Vec::new();
    for state in 0..competition.states {
        let setup = setup(competition, state)?;
        for first in contestants {
            for second in contestants {
                if first.name == second.name && !competition.self_play {
                    continue;
                }
                let seats = [first, second].map(sitter).to_vec();
                let fixture =
                    Fixture::new(entry, &competition.conditions, state, seats, setup.clone());
                fixtures.push(fixture);
            }
        }
    }
    Ok(fixtures)
}

fn sitter(contestant: &Contestant) -> Sitter {
    Sitter {
        entrant: contestant.name.clone(),
        artifact: contestant.artifact.hash.clone(),
    }
}

/// Draws the initial state with this number; it depends on nothing but the seed and the
/// configuration, so every pair meets the same states.
fn setup(competition: &Competition, state: u32) -> Result<Box<RawValue>, JudgeError> {
    let entry = competition.conditions.entry()?;
    let digest = Sha256::new()
        .chain_update(competition.seed.to_le_bytes())
        .chain_update(state.to_le_bytes())
        .finalize();
    let head: [u8; 8] = digest[..8].try_into().expect("a digest has 32 bytes");
    entry
        .draw(&competition.conditions.config, u64::from_le_bytes(head))
        .map_err(|reason| JudgeError::Rules {
            what: "the competition's configuration",
            reason,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::path::PathBuf;

    fn contestants(names: &[&str]) -> Vec<Contestant> {
        let make = |name: &&str| Contestant {
            name: (*name).to_owned(),
            artifact: Artifact {
                hash: format!("hash of {name}"),
                directory: PathBuf::new(),
                program: PathBuf::new(),
                args: Vec::new(),
            },
        };
        names.iter().map(make).collect()
    }

    fn competition(states: u32) -> Competition {
        let entry = engines::game("catch-the-cat").expect("registered");
        let config = entry.configure("{}").expect("the defaults are allowed");
        Competition {
            states,
            ..Competition::standard(entry, config)
        }
    }

    #[test]
    fn every_cat_meets_every_other_catcher_on_the_same_states() {
        let fixtures = fixtures(&competition(5), &contestants(&["a", "b", "c"])).expect("allowed");
        assert_eq!(fixtures.len(), 3 * 2 * 5);
        let ids: HashSet<&str> = fixtures.iter().map(|f| f.id.as_str()).collect();
        assert_eq!(ids.len(), fixtures.len(), "ids are unique");
        let setups: HashSet<&str> = fixtures.iter().map(|f| f.setup.get()).collect();
        assert_eq!(setups.len(), 5, "one setup for each state");
        assert!(fixtures.iter().all(|f| f.seats[0] != f.seats[1]));
    }

    #[test]
    fn self_play_adds_the_pairs_of_one() {
        let mut competition = competition(2);
        competition.self_play = true;
        let fixtures = fixtures(&competition, &contestants(&["a", "b"])).expect("allowed");
        assert_eq!(fixtures.len(), 2 * 2 * 2);
    }

    #[test]
    fn ids_stay_when_entrants_or_states_are_added_and_change_with_the_conditions() {
        let ids = |competition: &Competition, names: &[&str]| -> HashSet<String> {
            let list = fixtures(competition, &contestants(names)).expect("allowed");
            list.into_iter().map(|f| f.id).collect()
        };
        let few = ids(&competition(2), &["a", "b"]);
        assert!(few.is_subset(&ids(&competition(3), &["a", "b", "c"])));
        let mut slower = competition(2);
        slower.conditions.time.turn_us = Some(1);
        assert!(few.is_disjoint(&ids(&slower, &["a", "b"])));
        let mut reseeded = competition(2);
        reseeded.seed = 2;
        assert!(few.is_disjoint(&ids(&reseeded, &["a", "b"])));
    }
}
