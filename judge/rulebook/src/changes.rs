use crate::error::{JudgeError, Result, refuse};
use crate::file::{Complaint, TABLE_KEYS, TOP_LEVEL_KEYS};
use crate::rules::Rules;
use engines::Refused;
use model::fault::quote;
use serde_json::Map;
use serde_json::value::RawValue;
use std::slice;
use toml::{Table, Value};

/// Changes to a competition by a command. Parts that it does not mention keep their values.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Settings of the game.
    pub game: GameSettings,
    /// The seed of everything random.
    pub seed: Option<u64>,
    /// Other keys of the competition's file.
    pub keys: Vec<KeyChange>,
}

const OWN_CLOCKS: &str = "clock.entrants.";

/// Another value for a key of a competition's file.
#[derive(Clone, Debug)]
pub struct KeyChange {
    /// The key with its table: `clock.turn_s`.
    pub key: String,
    /// The value in TOML; what is not TOML is a text.
    pub value: String,
    /// The change as typed, for messages: `--turn-s 2`.
    pub written: String,
}

impl KeyChange {
    /// Changes a key by the flag with its name: `clock.turn_s` by `--turn-s`.
    pub fn by_flag(key: &str, value: String) -> Self {
        let name = key.rsplit('.').next().unwrap_or(key);
        Self {
            key: key.to_owned(),
            written: format!("--{} {value}", name.replace('_', "-")),
            value,
        }
    }

    fn put_into(&self, table: &mut Table) {
        let value = format!("value = {}", self.value)
            .parse()
            .ok()
            .and_then(|mut table: Table| table.remove("value"))
            .unwrap_or_else(|| Value::from(self.value.as_str()));
        // An entrant's name may have dots.
        let own = self
            .key
            .strip_prefix(OWN_CLOCKS)
            .and_then(|rest| rest.rsplit_once('.'));
        let (tables, key) = match (own, self.key.split_once('.')) {
            (Some((name, key)), _) => (vec!["clock", "entrants", name.trim_matches('"')], key),
            (None, Some((outer, key))) => (vec![outer], key),
            (None, None) => (Vec::new(), self.key.as_str()),
        };
        let mut inner = table;
        for name in tables {
            let entry = inner.entry(name).or_insert_with(|| Table::new().into());
            // The reader refuses a table in place of a value.
            if !entry.is_table() {
                *entry = Table::new().into();
            }
            inner = entry.as_table_mut().expect("it has become one");
        }
        inner.insert(key.to_owned(), value);
    }
}

impl Changes {
    pub(crate) fn are_of_competition(&self) -> Result {
        for (place, KeyChange { key, written, .. }) in self.keys.iter().enumerate() {
            let table = key.split('.').next().unwrap_or_default();
            if ["kit", "slurm", "toolchains", "watch"].contains(&table) {
                return refuse(format!(
                    "{written}: only the competition's file may have this key"
                ));
            }
            if let Some(other) = self.keys[..place].iter().find(|other| other.key == *key) {
                return refuse(format!(
                    "{written}: {} sets it too; remove one",
                    other.written
                ));
            }
        }
        Ok(())
    }

    /// Returns a competition file with the changed keys, without the keys of files, which were read before.
    pub(crate) fn text(&self, text: &str) -> String {
        let mut table: Table = text.parse().expect("it was read before");
        table.remove("kit");
        if table.get("states").is_some_and(Value::is_str) {
            table.remove("states");
        }
        for change in &self.keys {
            change.put_into(&mut table);
        }
        table.to_string()
    }

    pub(crate) fn written(&self, key: Option<&str>) -> String {
        let one = self.keys.iter().find(|change| {
            let own = change.key.rsplit('.').next();
            key.is_some() && own == key
        });
        let all = one.map_or(&*self.keys, slice::from_ref);
        let written: Vec<&str> = all.iter().map(|change| &*change.written).collect();
        quote(written.join(" "))
    }
}

/// Settings of a game, by name.
#[derive(Clone, Debug, Default)]
pub struct GameSettings {
    /// The settings.
    pub values: Map<String, serde_json::Value>,
    /// The settings as written, for messages, each with a space before it: ` --set side=5`.
    pub written: String,
}

impl GameSettings {
    /// Returns a game's complete configuration: these settings over a base, with defaults for all others.
    pub fn over(&self, rules: &dyn Rules, base: &RawValue) -> Result<Box<RawValue>> {
        let mut settings: Map<String, serde_json::Value> =
            serde_json::from_str(base.get()).expect("a configuration is an object");
        settings.extend(self.values.clone());
        let settings = serde_json::Value::from(settings).to_string();
        let refused = |reason: Refused| {
            let (title, written) = (rules.info().title, quote(&self.written));
            let reason = match Complaint::of(&reason.to_string()) {
                Complaint::UnknownKey(key @ ("states" | "seed"), _) => {
                    let more = if key == "states" {
                        "; a file of start positions is for a competition file: states = \"FILE\""
                    } else {
                        ""
                    };
                    format!("`{key}` is no setting of the game; give it as --{key}{more}")
                }
                Complaint::UnknownKey(key, _) if TOP_LEVEL_KEYS.contains(&key) => {
                    format!("`{key}` is no setting of the game; only a competition file has it")
                }
                complaint => complaint.words(),
            };
            let meant = TABLE_KEYS
                .iter()
                .find(|dotted| {
                    let own = dotted.rsplit('.').next();
                    self.values.keys().any(|key| own == Some(key))
                })
                .map(|key| format!("; a competition has {key}"))
                .unwrap_or_default();
            JudgeError::input(format!("{title} refuses{written}: {reason}{meant}"))
        };
        rules
            .configure(&settings)
            .map_err(|error| error.reported(refused))
    }
}
