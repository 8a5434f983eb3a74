//! A competition from flags.

use super::out::{number, whole};
use clap::Args;
use rulebook::rules::Rules;
use rulebook::{Changes, GameSettings, JudgeError, KeyChange, MEMORY_MIB};
use run::{CompetitionSpec, named_game};
use serde_json::Value;
use serde_json::value::RawValue;
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
    #[arg(long, help_heading = KEYS, value_name = "N", value_parser = whole::<u32>(1..=1_000_000))]
    pub(super) states: Option<u32>,
    /// Public seed, to draw the same games again
    ///
    /// Everything random follows from it, for practice and tests [default: the run's secret].
    #[arg(long, help_heading = KEYS, value_name = "N", value_parser = whole::<u64>(0..=u64::MAX))]
    seed: Option<u64>,
    /// A setting of the game, such as `side=9` (`judge competition GAME` lists them), or another key,
    /// such as `clock.backstop_s=3`; may be repeated
    #[arg(long, hide_short_help = true, help_heading = KEYS, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Time limit for a turn, in seconds
    #[arg(long, hide_short_help = true, help_heading = KEYS, value_name = "SECONDS", value_parser = number)]
    turn_s: Option<f64>,
    /// Bank: time for all turns of a game, in seconds
    #[arg(long, hide_short_help = true, help_heading = KEYS, value_name = "SECONDS", value_parser = number)]
    bank_s: Option<f64>,
    /// Memory limit of a bot, in MiB [default: 1024]
    #[arg(long, hide_short_help = true, help_heading = KEYS, value_name = "MIB", value_parser = whole::<u64>(MEMORY_MIB))]
    memory_mib: Option<u64>,
    /// How long a bot's process lives
    #[arg(long, hide_short_help = true, help_heading = KEYS, value_name = "SPAN", value_parser = ["turn", "game", "match"])]
    lifetime: Option<String>,
}

impl Settings {
    pub(super) fn competition(&self) -> Result<CompetitionSpec, JudgeError> {
        Ok(CompetitionSpec {
            named: self.competition.clone(),
            game: self.named_game()?,
            changes: self.changes()?,
        })
    }

    fn changes(&self) -> Result<Changes, JudgeError> {
        let number = |value: Option<f64>| value.map(|value| value.to_string());
        let flags = [
            ("states", self.states.map(|states| states.to_string())),
            ("clock.turn_s", number(self.turn_s)),
            ("clock.bank_s", number(self.bank_s)),
            (
                "bots.memory_mib",
                self.memory_mib.map(|mib| mib.to_string()),
            ),
            ("bots.lifetime", self.lifetime.clone()),
        ];
        let flags = flags
            .into_iter()
            .filter_map(|(key, value)| Some(KeyChange::by_flag(key, value?)));
        let config = GameConfig {
            set: self.set.clone(),
        };
        Ok(Changes {
            game: config.settings()?,
            seed: self.seed,
            keys: flags.chain(config.keys()?).collect(),
        })
    }

    pub(super) fn admit_one_game(&self) -> Result<(), JudgeError> {
        if self.states.is_some() {
            let reason = "--states is for tournaments; use --state N to choose an initial state";
            return Err(JudgeError::input(reason));
        }
        Ok(())
    }

    pub(super) fn named_game(&self) -> Result<Option<Arc<dyn Rules>>, JudgeError> {
        self.game.as_deref().map(named_game).transpose()
    }
}

pub(super) const KEYS: &str = "Keys of a competition file, for this command";

/// The game's own settings; what is not said has the game's default.
#[derive(Args, Default, PartialEq, Eq)]
pub(super) struct GameConfig {
    /// A setting of the game, such as `side=9` (`judge competition GAME` lists them); may be repeated
    #[arg(long, hide_short_help = true, help_heading = KEYS, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

impl GameConfig {
    pub(super) fn of(&self, rules: &dyn Rules) -> Result<Box<RawValue>, JudgeError> {
        if let Some(change) = self.keys()?.next() {
            return Err(JudgeError::input(format!(
                "{}: only a competition has this key; give settings of the game",
                change.written
            )));
        }
        let nothing = RawValue::from_string("{}".to_owned()).expect("JSON");
        self.settings()?.over(rules, &nothing)
    }

    pub(super) fn settings(&self) -> Result<GameSettings, JudgeError> {
        let mut settings = GameSettings::default();
        for (name, value) in self.pairs()?.filter(|(name, _)| !name.contains('.')) {
            // Any value that is not JSON is a text.
            let json = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
            settings.values.insert(name.to_owned(), json);
            settings.written.extend([" --set ", name, "=", value]);
        }
        Ok(settings)
    }

    fn keys(&self) -> Result<impl Iterator<Item = KeyChange>, JudgeError> {
        let others = self.pairs()?.filter(|(name, _)| name.contains('.'));
        Ok(others.map(|(name, value)| KeyChange {
            key: name.to_owned(),
            value: value.to_owned(),
            written: format!("--set {name}={value}"),
        }))
    }

    /// Splits the flags into names and values; no name appears twice.
    fn pairs(&self) -> Result<impl Iterator<Item = (&str, &str)>, JudgeError> {
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for setting in &self.set {
            let pair = setting.split_once('=').ok_or_else(|| {
                JudgeError::input(format!("--set {setting}: must have the form NAME=VALUE"))
            })?;
            if pairs.iter().any(|(name, _)| *name == pair.0) {
                return Err(JudgeError::input(format!(
                    "--set {setting}: {} is set twice; remove one",
                    pair.0
                )));
            }
            pairs.push(pair);
        }
        Ok(pairs.into_iter())
    }
}
