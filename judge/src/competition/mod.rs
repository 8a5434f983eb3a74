//! The rules of a competition as data: what is played, how often, under which clock, and
//! what counts.

use crate::clock::ClockMode;
use crate::fixture::Conditions;
use engines::Entry;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Everything that a competition fixes. Who takes part is not in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Competition {
    /// What holds for every game.
    pub conditions: Conditions,
    /// How many initial states each pairing plays.
    pub states: u32,
    /// What the initial states are drawn from.
    pub seed: u64,
    /// Whether an entrant also meets itself.
    pub self_play: bool,
    /// What counts.
    pub scoring: Scoring,
}

/// What counts towards the total.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scoring {
    /// Points taken off for each second of CPU time charged.
    pub points_per_cpu_second: f64,
}

/// Wall time for an answer where the clock counts CPU time.
const BACKSTOP_MS: u64 = 10_000;
/// Memory for a bot; what the courses' machines have room for with several games at once.
const MEMORY_MIB: u64 = 1024;
/// Wall time for start-up; interpreters on a loaded machine take seconds.
const STARTUP_MS: u64 = 20_000;

impl Competition {
    /// Gives the competition that a game has when nothing else is said.
    pub fn standard(entry: &Entry, config: Box<RawValue>) -> Self {
        let particular = PARTICULARS.iter().find(|p| p.game == entry.info.slug);
        let particular = particular.unwrap_or(&Particular {
            game: "",
            states: 1,
            points_per_cpu_second: 0.0,
        });
        Self {
            conditions: Conditions {
                game: entry.info.slug.to_owned(),
                config,
                time: entry.info.time,
                mode: ClockMode::Cpu,
                backstop_ms: BACKSTOP_MS,
                startup_ms: STARTUP_MS,
                lifetime: entry.info.lifetime,
                memory_mib: MEMORY_MIB,
            },
            states: particular.states,
            seed: 1,
            self_play: false,
            scoring: Scoring {
                points_per_cpu_second: particular.points_per_cpu_second,
            },
        }
    }
}

/// What a course fixes beyond the game itself.
struct Particular {
    game: &'static str,
    states: u32,
    points_per_cpu_second: f64,
}

const PARTICULARS: &[Particular] = &[Particular {
    game: "catch-the-cat",
    states: 100,
    // The course's formula has K·CpuTime and leaves K open.
    points_per_cpu_second: 1.0,
}];
