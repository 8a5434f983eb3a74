//! A competition from flags.

use super::out::{number, whole};
use clap::Args;
use engines::Lifetime;
use model::clock::ClockMode;
use rulebook::rules::Rules;
use rulebook::{Changes, GameSettings, JudgeError, MEMORY_MIB, SILENCE_SECONDS_MIN};
use run::{CompetitionSpec, named_game};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Flags about a competition.
#[derive(Args, Default, PartialEq)]
pub(super) struct Settings {
    /// A competition file, or the name of a built-in one
    #[arg(long, value_name = "FILE", conflicts_with = "game")]
    pub(super) competition: Option<String>,
    /// The game, if no file of the submissions names it
    ///
    /// A built-in one, or the file or folder of one's own.
    #[arg(long, value_name = "GAME")]
    pub(super) game: Option<String>,
    /// Number of initial states of each pairing
    ///
    /// [default: the competition's]
    #[arg(long, help_heading = KEYS, allow_negative_numbers = true, value_name = "N", value_parser = whole::<u32>(1..=1_000_000))]
    pub(super) states: Option<u32>,
    /// Public seed, to draw the same games again
    ///
    /// Everything random follows from it, for practice and tests [default: the run's secret].
    #[arg(long, help_heading = KEYS, allow_negative_numbers = true, value_name = "N", value_parser = whole::<u64>(0..=u64::MAX))]
    seed: Option<u64>,
    #[command(flatten)]
    config: GameConfig,
    /// Time that the clock counts: cpu or wall
    #[arg(long, hide_short_help = true, help_heading = KEYS, value_name = "TIME", value_parser = clock_mode)]
    counts: Option<ClockMode>,
    /// Time limit for a turn, in seconds
    #[arg(long, hide_short_help = true, help_heading = KEYS, allow_negative_numbers = true, value_name = "SECONDS", value_parser = number)]
    turn_s: Option<f64>,
    /// Bank: time for all turns of a game, in seconds
    #[arg(long, hide_short_help = true, help_heading = KEYS, allow_negative_numbers = true, value_name = "SECONDS", value_parser = number)]
    bank_s: Option<f64>,
    /// Increment: time added to the bank each turn, in seconds
    #[arg(long, hide_short_help = true, help_heading = KEYS, allow_negative_numbers = true, value_name = "SECONDS", value_parser = number)]
    increment_s: Option<f64>,
    /// Wall-clock limit for an answer, in seconds; catches silence only [default: 10]
    #[arg(long, hide_short_help = true, help_heading = KEYS, allow_negative_numbers = true, value_name = "SECONDS", value_parser = number)]
    backstop_s: Option<f64>,
    /// Wall-clock limit for a bot to become ready, in seconds [default: 20]
    #[arg(long, hide_short_help = true, help_heading = KEYS, allow_negative_numbers = true, value_name = "SECONDS", value_parser = number)]
    startup_s: Option<f64>,
    /// Memory limit of a bot, in MiB [default: 1024]
    #[arg(long, hide_short_help = true, help_heading = KEYS, allow_negative_numbers = true, value_name = "MIB", value_parser = whole::<u64>(MEMORY_MIB))]
    memory_mib: Option<u64>,
    /// How long a bot's process lives: turn, game or match
    #[arg(long, hide_short_help = true, help_heading = KEYS, value_name = "SPAN", value_parser = lifetime)]
    lifetime: Option<Lifetime>,
    /// Let bots start processes; needs control groups (`judge doctor` says whether they work here)
    #[arg(long, hide_short_help = true, help_heading = KEYS)]
    processes: bool,
}

/// Flags about who meets whom, and the points for it.
#[derive(Args, Default, PartialEq)]
pub(super) struct Scored {
    /// Points taken off for each second of CPU time (K)
    #[arg(long, hide_short_help = true, help_heading = KEYS, value_name = "POINTS", allow_negative_numbers = true, value_parser = number)]
    points_per_cpu_second: Option<f64>,
    /// Every entrant also plays itself (in games for two)
    #[arg(long, hide_short_help = true, help_heading = KEYS)]
    self_play: bool,
}

impl Scored {
    /// Adds the flags of this group to the changes.
    pub(super) const fn add_to(&self, changes: &mut Changes) {
        changes.points_per_cpu_second = self.points_per_cpu_second;
        changes.self_play = self.self_play;
    }
}

impl Settings {
    /// Returns the competition to play.
    pub(super) fn competition(&self) -> Result<CompetitionSpec, JudgeError> {
        Ok(CompetitionSpec {
            named: self.competition.clone(),
            game: self.named_game()?,
            changes: self.changes()?,
        })
    }

    /// Returns the changes that the flags make.
    fn changes(&self) -> Result<Changes, JudgeError> {
        let time = |flag, seconds: Option<f64>| seconds.map(|s| micros(flag, s)).transpose();
        Ok(Changes {
            game: self.config.settings()?,
            states: self.states,
            seed: self.seed,
            clock: self.counts,
            turn_us: time("--turn-s", self.turn_s)?,
            bank_us: time("--bank-s", self.bank_s)?,
            increment_us: time("--increment-s", self.increment_s)?,
            backstop_ms: silence("--backstop-s", self.backstop_s)?,
            startup_ms: silence("--startup-s", self.startup_s)?,
            memory_mib: self.memory_mib,
            lifetime: self.lifetime,
            processes: self.processes,
            ..Changes::default()
        })
    }

    /// Refuses flags that have no meaning for a single game.
    pub(super) fn admit_one_game(&self) -> Result<(), JudgeError> {
        if self.states.is_some() {
            let reason = "--states is for tournaments; use --state N to choose an initial state";
            return Err(JudgeError::input(reason));
        }
        Ok(())
    }

    /// Finds the named game.
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

/// Heading of the flags that a competition file has as keys.
pub(super) const KEYS: &str = "Keys of a competition file, for this command";

/// The game's own settings; what is not said has the game's default.
#[derive(Args, Default, PartialEq, Eq)]
pub(super) struct GameConfig {
    /// A setting of the game, such as `side=9` (`judge competition GAME` lists them); may be repeated
    #[arg(long, hide_short_help = true, help_heading = KEYS, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

impl GameConfig {
    /// Returns the game's complete configuration.
    pub(super) fn of(&self, rules: &dyn Rules) -> Result<Box<RawValue>, JudgeError> {
        let nothing = RawValue::from_string("{}".to_owned()).expect("JSON");
        self.settings()?.over(rules, &nothing)
    }

    /// Collects the flags as settings.
    pub(super) fn settings(&self) -> Result<GameSettings, JudgeError> {
        let mut values = Map::new();
        for setting in &self.set {
            let (name, value) = setting.split_once('=').ok_or_else(|| {
                JudgeError::input(format!("--set {setting}: must have the form NAME=VALUE"))
            })?;
            if values.contains_key(name) {
                return Err(JudgeError::input(format!(
                    "--set {setting}: {name} is set twice; remove one"
                )));
            }
            // Any value that is not JSON is a text.
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
            values.insert(name.to_owned(), value);
        }
        let written = self.set.iter().flat_map(|setting| [" --set ", setting]);
        Ok(GameSettings {
            values,
            written: written.collect(),
        })
    }
}
