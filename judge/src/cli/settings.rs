//! A competition from flags.

use super::game_config::GameConfig;
use clap::Args;
use competition::{Changes, MEMORY_MIB, SILENCE_SECONDS_MIN};
use engines::Lifetime;
use error::JudgeError;
use rules::Rules;
use run::{CompetitionSpec, named_game};
use std::sync::Arc;
use words::clock::ClockMode;

/// Flags about a competition.
#[derive(Args, Default)]
pub(super) struct Settings {
    /// The name of a built-in competition (see `judge competitions`), or a TOML file
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "game")]
    pub(super) competition: Option<String>,
    /// The game: a built-in one, or the file or folder of one's own [default: found from the submissions]
    #[arg(long, value_name = "GAME|PATH")]
    pub(super) game: Option<String>,
    /// Number of initial states that each pairing plays [default: the competition's]
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(super) states: Option<u32>,
    /// Public seed for everything random, for practice and tests: anybody can draw the same games [default: the run's secret]
    #[arg(long, allow_negative_numbers = true, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    config: GameConfig,
    /// Time that the clock counts: cpu or wall time [default: the competition's, usually cpu]
    #[arg(long, value_name = "TIME", value_parser = clock_mode)]
    clock: Option<ClockMode>,
    /// Time limit for a turn, in seconds [default: the competition's]
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS")]
    turn_time: Option<f64>,
    /// Bank: time for all turns of a game, in seconds [default: the competition's]
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS")]
    bank: Option<f64>,
    /// Increment: time added to the bank each turn, in seconds [default: the competition's]
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS")]
    increment: Option<f64>,
    /// Wall-clock limit for an answer, in seconds; catches silence only [default: 10]
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS")]
    backstop: Option<f64>,
    /// Wall-clock limit for a bot to become ready, in seconds [default: 20]
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS")]
    startup: Option<f64>,
    /// Memory limit of a bot, in MiB [default: the competition's, 1024]
    #[arg(long, allow_negative_numbers = true, value_name = "MIB", value_parser = clap::value_parser!(u64).range(MEMORY_MIB))]
    memory: Option<u64>,
    /// How long a bot's process lives: turn, game or match [default: the competition's]
    #[arg(long, value_name = "SPAN", value_parser = lifetime)]
    lifetime: Option<Lifetime>,
    /// Let bots start processes; needs control groups (`judge doctor` says whether they work here)
    #[arg(long)]
    allow_processes: bool,
}

/// Flags about who meets whom, and the points for it.
#[derive(Args, Default)]
pub(super) struct Scored {
    /// Points taken off for each second of CPU time [default: the competition's]
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true)]
    k: Option<f64>,
    /// Every entrant also plays itself (in games for two)
    #[arg(long)]
    self_play: bool,
}

impl Scored {
    /// Adds the flags of this group to the changes.
    pub(super) const fn add_to(&self, changes: &mut Changes) {
        changes.points_per_cpu_second = self.k;
        changes.self_play = self.self_play;
    }
}

impl Settings {
    /// Returns the competition to play.
    ///
    /// # Errors
    /// When there is no such game, or a value is invalid.
    pub(super) fn competition(&self) -> Result<CompetitionSpec, JudgeError> {
        Ok(CompetitionSpec {
            named: self.competition.clone(),
            game: self.named_game()?,
            changes: self.changes()?,
        })
    }

    /// Returns the changes that the flags make.
    ///
    /// # Errors
    /// When a value is invalid; the message names it.
    fn changes(&self) -> Result<Changes, JudgeError> {
        let time = |flag, seconds: Option<f64>| seconds.map(|s| micros(flag, s)).transpose();
        Ok(Changes {
            game: self.config.settings()?,
            states: self.states,
            seed: self.seed,
            clock: self.clock,
            turn_us: time("--turn-time", self.turn_time)?,
            bank_us: time("--bank", self.bank)?,
            increment_us: time("--increment", self.increment)?,
            backstop_ms: silence("--backstop", self.backstop)?,
            startup_ms: silence("--startup", self.startup)?,
            memory_mib: self.memory,
            lifetime: self.lifetime,
            processes: self.allow_processes,
            ..Changes::default()
        })
    }

    /// Refuses flags that have no meaning for a single game.
    ///
    /// # Errors
    /// When `--states` was given.
    pub(super) fn admit_one_game(&self) -> Result<(), JudgeError> {
        if self.states.is_some() {
            let reason = "--states is for tournaments; use --state N to choose an initial state";
            return Err(JudgeError::input(reason));
        }
        Ok(())
    }

    /// Finds the named game.
    ///
    /// # Errors
    /// When there is no such game.
    pub(super) fn named_game(&self) -> Result<Option<Arc<dyn Rules>>, JudgeError> {
        self.game.as_deref().map(named_game).transpose()
    }
}

fn clock_mode(text: &str) -> Result<ClockMode, String> {
    match text {
        "cpu" => Ok(ClockMode::Cpu),
        "wall" => Ok(ClockMode::Wall),
        _ => Err("must be cpu or wall".to_owned()),
    }
}

fn lifetime(text: &str) -> Result<Lifetime, String> {
    match text {
        "turn" => Ok(Lifetime::Turn),
        "game" => Ok(Lifetime::Game),
        "match" => Ok(Lifetime::Match),
        _ => Err("must be turn, game or match".to_owned()),
    }
}

/// Longest time that a flag may set, in seconds: a day.
const SECONDS_MAX: f64 = 86_400.0;

/// Parses a limit on silence, and returns it in milliseconds.
fn silence(flag: &str, seconds: Option<f64>) -> Result<Option<u64>, JudgeError> {
    let Some(seconds) = seconds else {
        return Ok(None);
    };
    if seconds < SILENCE_SECONDS_MIN {
        return Err(JudgeError::input(format!(
            "{flag} {seconds}: must be {SILENCE_SECONDS_MIN} to {SECONDS_MAX} seconds, because the judge needs time to read an answer"
        )));
    }
    Ok(Some(micros(flag, seconds)? / 1000))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be positive and small"
)]
fn micros(flag: &str, seconds: f64) -> Result<u64, JudgeError> {
    if !(0.001..=SECONDS_MAX).contains(&seconds) {
        return Err(JudgeError::input(format!(
            "{flag} {seconds}: must be 0.001 to {SECONDS_MAX} seconds"
        )));
    }
    Ok((seconds * 1e6).round() as u64)
}
