//! A game's configuration from flags, for every verb that draws initial states.

use clap::Args;
use competition::GameSettings;
use error::JudgeError;
use rules::Rules;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The game's own settings; what is not said has the game's default.
#[derive(Args, Default)]
pub(super) struct GameConfig {
    /// Side of the board, for games with this setting
    #[arg(long, value_name = "N")]
    side: Option<i64>,
    /// Another setting of the game, for example `blocks_max=0.2` (protocol.md lists them); may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
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
        if let Some(side) = self.side {
            values.insert("side".to_owned(), side.into());
        }
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
        let side = self.side.iter().map(|side| format!(" --side {side}"));
        let set = self.set.iter().map(|setting| format!(" --set {setting}"));
        Ok(GameSettings {
            values,
            written: side.chain(set).collect(),
        })
    }
}
