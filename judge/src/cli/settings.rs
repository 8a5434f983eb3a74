//! From flags to a competition.

use super::game_config::GameConfig;
use crate::competition::Competition;
use crate::error::JudgeError;
use crate::fixture::find_game;
use clap::Args;
use engines::{Entry, Lifetime};

/// What can be said about a competition on the command line.
#[derive(Args)]
pub(super) struct Settings {
    /// The game; found from the submissions where it is not given
    #[arg(long, value_name = "GAME")]
    pub(super) game: Option<String>,
    /// How many initial states each pairing plays [default: the game's, 100 for Catch the Cat]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    states: Option<u32>,
    /// What the initial states are drawn from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    config: GameConfig,
    /// Points taken off per second of CPU time [default: the game's, 1 for Catch the Cat]
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true)]
    k: Option<f64>,
    /// The most CPU time a turn may take, in seconds [default: the game's]
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS")]
    turn_time: Option<f64>,
    /// The most wall time an answer may take, in seconds; catches silence only
    #[arg(
        long,
        allow_negative_numbers = true,
        value_name = "SECONDS",
        default_value_t = 10.0
    )]
    backstop: f64,
    /// The most wall time a bot may take to become ready, in seconds
    #[arg(
        long,
        allow_negative_numbers = true,
        value_name = "SECONDS",
        default_value_t = 20.0
    )]
    startup: f64,
    /// The memory that a bot may allocate, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(MEMORY_MIB))]
    memory: u64,
    /// How long a bot's process lives: turn, game or match [default: the game's]
    #[arg(long, value_name = "SPAN", value_parser = lifetime)]
    lifetime: Option<Lifetime>,
    /// Also let everybody meet itself (in games for two)
    #[arg(long)]
    self_play: bool,
}

impl Settings {
    /// Makes the competition of a game that these settings describe.
    ///
    /// # Errors
    /// When a value is not allowed; the message names it.
    pub(super) fn competition(&self, entry: &'static Entry) -> Result<Competition, JudgeError> {
        let config = self.config.of(entry)?;
        let mut competition = Competition::standard(entry, config);
        competition.seed = self.seed;
        competition.self_play = self.self_play;
        let conditions = &mut competition.conditions;
        conditions.backstop_ms = micros("--backstop", self.backstop)? / 1000;
        conditions.startup_ms = micros("--startup", self.startup)? / 1000;
        conditions.memory_mib = self.memory;
        if let Some(seconds) = self.turn_time {
            conditions.time.turn_us = Some(micros("--turn-time", seconds)?);
        }
        if let Some(lifetime) = self.lifetime {
            conditions.lifetime = lifetime;
        }
        if let Some(states) = self.states {
            competition.states = states;
        }
        if let Some(k) = self.k {
            if !(0.0..=1e6).contains(&k) {
                return Err(JudgeError::input(format!(
                    "--k {k}: allowed are 0 to 1000000 points per second"
                )));
            }
            competition.scoring.points_per_cpu_second = k;
        }
        Ok(competition)
    }

    /// Finds the game that was named.
    ///
    /// # Errors
    /// When there is no such game.
    pub(super) fn named_game(&self) -> Result<Option<&'static Entry>, JudgeError> {
        self.game.as_deref().map(find_game).transpose()
    }
}

fn lifetime(text: &str) -> Result<Lifetime, String> {
    match text {
        "turn" => Ok(Lifetime::Turn),
        "game" => Ok(Lifetime::Game),
        "match" => Ok(Lifetime::Match),
        _ => Err("allowed are turn, game and match".to_owned()),
    }
}

/// What a bot may be given: an interpreter starts in the least, and nobody has more than the
/// most.
const MEMORY_MIB: std::ops::RangeInclusive<u64> = 16..=1_048_576;

/// The longest time that can be asked for: a day.
const SECONDS_MAX: f64 = 86_400.0;

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be positive and small"
)]
fn micros(flag: &str, seconds: f64) -> Result<u64, JudgeError> {
    if !(0.001..=SECONDS_MAX).contains(&seconds) {
        return Err(JudgeError::input(format!(
            "{flag} {seconds}: allowed are 0.001 to {SECONDS_MAX} seconds"
        )));
    }
    Ok((seconds * 1e6).round() as u64)
}
