//! A game's configuration from flags, for every verb that draws initial states.

use clap::Args;
use rulebook::GameSettings;
use rulebook::JudgeError;
use rulebook::rules::Rules;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

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
    ///
    /// # Errors
    /// When a setting is invalid; the message names it.
    pub(super) fn of(&self, rules: &dyn Rules) -> Result<Box<RawValue>, JudgeError> {
        let nothing = RawValue::from_string("{}".to_owned()).expect("JSON");
        self.settings()?.over(rules, &nothing)
    }

    /// Collects the flags as settings.
    ///
    /// # Errors
    /// When a setting is not of the form `NAME=VALUE`, or is given twice.
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
