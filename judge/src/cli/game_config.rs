//! From flags to a game's configuration; shared by every verb that draws initial states.

use clap::Args;
use engines::Entry;
use error::JudgeError;
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
    /// Returns the game's configuration, complete.
    ///
    /// # Errors
    /// When a setting is not allowed; the message names it.
    pub(super) fn of(&self, entry: &Entry) -> Result<Box<RawValue>, JudgeError> {
        self.complete(entry, Map::new())
    }

    /// Returns a complete configuration with what the flags change.
    ///
    /// # Errors
    /// When a setting is not allowed; the message names it.
    pub(super) fn over(&self, entry: &Entry, base: &RawValue) -> Result<Box<RawValue>, JudgeError> {
        let base = serde_json::from_str(base.get()).expect("a configuration is an object");
        self.complete(entry, base)
    }

    fn complete(
        &self,
        entry: &Entry,
        mut settings: Map<String, Value>,
    ) -> Result<Box<RawValue>, JudgeError> {
        settings.extend(self.settings()?);
        let settings = Value::from(settings).to_string();
        entry.configure(&settings).map_err(|reason| {
            let title = entry.info.title;
            let flags = self.flags();
            JudgeError::input(format!("{title} refuses{flags}: {reason}"))
        })
    }

    /// Returns the flags as they were written, with a blank before each.
    fn flags(&self) -> String {
        let side = self.side.iter().map(|side| format!(" --side {side}"));
        let set = self.set.iter().map(|setting| format!(" --set {setting}"));
        side.chain(set).collect()
    }

    /// Gathers the flags as settings.
    fn settings(&self) -> Result<Map<String, Value>, JudgeError> {
        let mut settings = Map::new();
        if let Some(side) = self.side {
            settings.insert("side".to_owned(), side.into());
        }
        for setting in &self.set {
            let (name, value) = setting.split_once('=').ok_or_else(|| {
                JudgeError::input(format!("--set {setting}: must have the form NAME=VALUE"))
            })?;
            if settings.contains_key(name) {
                return Err(JudgeError::input(format!(
                    "--set {setting}: {name} is set twice; remove one"
                )));
            }
            // What is no JSON is a text.
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
            settings.insert(name.to_owned(), value);
        }
        Ok(settings)
    }
}
