//! Changes to a competition by a command.

use crate::RATE_MAX;
use crate::error::JudgeError;
use crate::rules::Rules;
use engines::Lifetime;
use model::clock::ClockMode;
use model::competition::{Competition, Schedule};
use model::fault::quote;
use model::fixture::IDLE_DEFAULT_MS;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Changes to a competition by a command. Parts that it does not mention keep their values.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Settings of the game.
    pub game: GameSettings,
    /// Number of initial states that each pairing plays.
    pub states: Option<u32>,
    /// The seed of everything random.
    pub seed: Option<u64>,
    /// Whether the clock counts CPU time or wall time.
    pub clock: Option<ClockMode>,
    /// The time for a turn, in microseconds.
    pub turn_us: Option<u64>,
    /// The time for all turns of a game, in microseconds.
    pub bank_us: Option<u64>,
    /// The time added to the bank each turn, in microseconds.
    pub increment_us: Option<u64>,
    /// Maximum silence of a bot in a turn, in milliseconds of wall time.
    pub backstop_ms: Option<u64>,
    /// Maximum time until a bot is ready, in milliseconds of wall time.
    pub startup_ms: Option<u64>,
    /// The limit of a bot's memory, in MiB.
    pub memory_mib: Option<u64>,
    /// How long a bot's process lives.
    pub lifetime: Option<Lifetime>,
    /// Whether to allow bots to start processes.
    pub processes: bool,
    /// Points taken off for each second of CPU time.
    pub points_per_cpu_second: Option<f64>,
    /// Whether to make every entrant also play itself.
    pub self_play: bool,
}

impl Changes {
    /// Applies the changes to a competition.
    pub fn apply(
        &self,
        rules: &dyn Rules,
        mut competition: Competition,
    ) -> Result<Competition, JudgeError> {
        let conditions = &mut competition.conditions;
        conditions.config = self.game.over(rules, &conditions.config)?;
        conditions.processes |= self.processes;
        conditions.memory_mib = self.memory_mib.unwrap_or(conditions.memory_mib);
        if let Some(backstop_ms) = self.backstop_ms {
            conditions.backstop_ms = backstop_ms;
            // The default must not undo what was asked for.
            if conditions.idle_ms == IDLE_DEFAULT_MS {
                conditions.idle_ms = backstop_ms.max(IDLE_DEFAULT_MS);
            }
        }
        conditions.startup_ms = self.startup_ms.unwrap_or(conditions.startup_ms);
        let time = &mut conditions.time;
        time.increment_us = self.increment_us.unwrap_or(time.increment_us);
        time.turn_us = self.turn_us.or(time.turn_us);
        time.bank_us = self.bank_us.or(time.bank_us);
        if time.bank_us.is_none() && self.increment_us.is_some() {
            let reason = "--increment-s needs a bank to add to; give --bank-s too";
            return Err(JudgeError::input(reason));
        }
        conditions.mode = self.clock.unwrap_or(conditions.mode);
        conditions.lifetime = self.lifetime.unwrap_or(conditions.lifetime);
        competition.seed = self.seed.or(competition.seed);
        competition.states = self.states.unwrap_or(competition.states);
        self.apply_to_scoring(competition)
    }

    fn apply_to_scoring(&self, mut competition: Competition) -> Result<Competition, JudgeError> {
        if let Some(rate) = self.points_per_cpu_second {
            if !(0.0..=RATE_MAX).contains(&rate) {
                return Err(JudgeError::input(format!(
                    "--points-per-cpu-second {rate}: must be 0 to {RATE_MAX} points per second"
                )));
            }
            competition.scoring.points_per_cpu_second = rate;
        }
        if self.self_play {
            let Schedule::Pairs { self_play } = &mut competition.schedule else {
                let reason =
                    "--self-play works only with a round robin for two (schedule kind \"pairs\")";
                return Err(JudgeError::input(reason));
            };
            *self_play = true;
        }
        Ok(competition)
    }
}

/// Settings of a game, by name.
#[derive(Clone, Debug, Default)]
pub struct GameSettings {
    /// The settings.
    pub values: Map<String, Value>,
    /// The settings as written, for messages, each with a space before it: ` --set side=5`.
    pub written: String,
}

impl GameSettings {
    /// Returns a game's complete configuration: a base, overridden by these settings, with defaults
    /// for all others.
    pub fn over(&self, rules: &dyn Rules, base: &RawValue) -> Result<Box<RawValue>, JudgeError> {
        let mut settings: Map<String, Value> =
            serde_json::from_str(base.get()).expect("a configuration is an object");
        settings.extend(self.values.clone());
        let settings = Value::from(settings).to_string();
        let refused = |reason| {
            let (title, written) = (rules.info().title, quote(self.written.as_bytes()));
            JudgeError::input(format!("{title} refuses{written}: {reason}"))
        };
        rules
            .configure(&settings)
            .map_err(|error| error.told(refused))
    }
}
