//! One game to be played: who sits where, from which state, under which conditions.

use crate::artifact::KIT_STARTUP_FREE_MS;
use crate::clock::ClockMode;
use crate::draw::Luck;
use crate::hash::PartsHash;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Not;
use engines::{Lifetime, TimeControl};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What holds for every game of a run; a change of any of it makes other fixtures.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditions {
    /// The game's slug.
    pub game: String,
    /// The game's configuration, complete.
    pub config: Box<RawValue>,
    /// The time of each seat.
    pub time: TimeControl,
    /// What is charged to the clocks.
    pub mode: ClockMode,
    /// The wall time for an answer, in milliseconds, where the clock counts CPU time; it
    /// catches silence only, see `Allowance::wall` of the crate `play`.
    pub backstop_ms: u64,
    /// The wall time for start-up (`hello` to `ready`), in milliseconds.
    pub startup_ms: u64,
    /// The CPU time of a start-up that is free, in milliseconds: the rest is charged to the first
    /// turn of the process. None = the program's own, see
    /// [`Artifact::startup_free_ms`](crate::artifact::Artifact::startup_free_ms), or else
    /// [`Conditions::startup_default_ms`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub startup_free_ms: Option<u64>,
    /// The same where neither the competition nor the program says anything and a process lives for
    /// one turn. None = all is free: such a run was begun before there was a default, and keeps its
    /// charges. It is the one condition that no id depends on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub startup_default_ms: Option<u64>,
    /// Whether a wall clock is charged for startup CPU time beyond what is free. False on a CPU
    /// clock, which is always charged, and in runs begun before this existed.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub startup_on_wall_clock: bool,
    /// How long a bot's process lives.
    pub lifetime: Lifetime,
    /// Memory that a bot may allocate, in MiB.
    pub memory_mib: u64,
    /// Whether bots may start processes; those are charged and ended with them.
    #[serde(default)]
    pub processes: bool,
}

impl Conditions {
    /// Returns the conditions that ids depend on.
    #[must_use]
    pub fn in_ids(&self) -> Self {
        Self {
            startup_default_ms: None,
            ..self.clone()
        }
    }

    /// Returns the CPU time of a start-up that is free, in milliseconds, none = all of it; `own` is
    /// the program's own.
    pub fn startup_free_ms(&self, own: Option<u64>) -> Option<u64> {
        let default = self.startup_default_ms;
        let default = default.filter(|_| self.lifetime == Lifetime::Turn);
        self.startup_free_ms.or(own).or(default)
    }

    /// Says how much of a start-up is free, where some of it may be charged.
    pub fn startup_words(&self) -> Option<String> {
        let free = self.startup_free_ms(None)?;
        let kits = match self.startup_free_ms {
            Some(_) => String::new(),
            None => format!(" ({KIT_STARTUP_FREE_MS} ms with the kits for C++, OCaml and Haskell)"),
        };
        Some(format!(
            "{free} ms of CPU time are free until a process is ready{kits}; the rest is charged to its first turn"
        ))
    }
}

/// Who sits on a chair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Participant {
    /// The entrant's name.
    pub entrant: Arc<str>,
    /// The hash of what the entrant plays with.
    pub artifact: Arc<str>,
}

/// One game to be played. A big competition has millions of them in memory, so what many have
/// in common they share.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fixture {
    /// A hash of everything that the game depends on: rules, conditions, participants, setup, and
    /// what the bots draw from.
    pub id: String,
    /// The number of the initial state, from 0.
    pub state: u32,
    /// Who sits where, in seat order.
    pub seats: Vec<Participant>,
    /// The initial state.
    pub setup: Arc<RawValue>,
    /// What the bots draw from.
    pub luck: Arc<Luck>,
}

/// What of a game's id is the same for all games of a run: protocol, rules and conditions.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The hash of what all ids begin with.
    begun: PartsHash,
}

impl Terms {
    /// Makes the terms of a run; `rules_version` is [`engines::GameInfo::rules_version`].
    pub fn new(rules_version: u32, conditions: &Conditions) -> Self {
        #[derive(Serialize)]
        struct Content {
            protocol: u32,
            rules_version: u32,
            conditions: Conditions,
        }
        let content = Content {
            protocol: crate::protocol::VERSION,
            rules_version,
            conditions: conditions.in_ids(),
        };
        let mut begun = PartsHash::default();
        begun.add(&serde_json::to_vec(&content).expect("plain data"));
        Self { begun }
    }

    /// Returns the id of a game: a hash of everything that it depends on. `seats` is who sits
    /// where, by name and artifact, and `draw` is [`Luck::draw`].
    pub fn id(&self, state: u32, seats: &[(&str, &str)], setup: &RawValue, draw: &str) -> String {
        let own = serde_json::to_vec(&(state, seats, setup, draw)).expect("plain data");
        let mut id = self.begun.clone();
        id.add(&own);
        id.finish()
    }
}

impl Fixture {
    /// Makes a fixture and its id.
    pub fn new(
        terms: &Terms,
        state: u32,
        seats: Vec<Participant>,
        setup: Arc<RawValue>,
        luck: Arc<Luck>,
    ) -> Self {
        let names = seats.iter().map(|one| (&*one.entrant, &*one.artifact));
        let names: Vec<(&str, &str)> = names.collect();
        Self {
            id: terms.id(state, &names, &setup, &luck.draw),
            state,
            seats,
            setup,
            luck,
        }
    }

    /// Returns what identifies the match: fixtures with the same entrants in any seating.
    pub fn match_key(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.seats.iter().map(|s| &*s.entrant).collect();
        names.sort_unstable();
        names
    }
}
