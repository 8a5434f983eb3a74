//! Checks that a begun run may be continued under a competition, and names what differs.

use super::{Manifest, rules_version};
use model::competition::{Competition, CourseKit};
use model::draw::hash;
use rulebook::JudgeError;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

impl Manifest {
    /// Checks that a run may be continued under a competition: its finished games must still count.
    /// More states, other entrants and another scoring are allowed.
    pub fn admits(&self, competition: &Competition, folder: &Path) -> Result<(), JudgeError> {
        let folder = folder.display();
        let (old, new) = (
            &self.competition.conditions.game,
            &competition.conditions.game,
        );
        if old != new {
            return Err(JudgeError::input(format!(
                "{folder} holds a run of {old}, and this one is of {new}; choose another folder with --out"
            )));
        }
        if self.rules != rules_version(competition) {
            let (whose, old) = match competition.conditions.game_program {
                Some(_) => ("the game", "the game's old files".to_owned()),
                None => (
                    "this judge",
                    format!("the judge that played it ({})", self.judge),
                ),
            };
            return Err(JudgeError::input(format!(
                "{folder} began with version {} of the rules, but {whose} has version {}: all its games would be \
                 played again. Continue with {old}, or choose another folder with --out",
                self.rules,
                rules_version(competition),
            )));
        }
        let differ = differences(&self.competition, competition);
        if differ.is_empty() {
            return Ok(());
        }
        let old_settings = match (self.competition.seed, competition.seed) {
            (Some(seed), None) if differ.len() == 1 => {
                let states = self.competition.states;
                format!("continue with --seed {seed} --states {states}")
            }
            _ => "use the old settings".to_owned(),
        };
        Err(JudgeError::input(format!(
            "{folder} holds a run of another competition: {}. Choose another folder with --out, or {old_settings}",
            differ.join("; ")
        )))
    }
}

/// Lists the differences between two competitions in the settings that games depend on.
fn differences(old: &Competition, new: &Competition) -> Vec<String> {
    let settings = |of: &Competition| {
        let mut all = BTreeMap::new();
        let conditions = serde_json::to_value(of.conditions.in_ids()).expect("plain data");
        add_settings("", &conditions, &mut all);
        let seed = of
            .seed
            .map_or("drawn from a secret".into(), |seed| seed.to_string());
        all.insert("seed".to_owned(), seed);
        all.extend(kit_settings(&of.kit).map(|(key, value)| (key, value.to_string())));
        all
    };
    let (old, new) = (settings(old), settings(new));
    let said = |all: &BTreeMap<String, String>, key| {
        all.get(key).map_or("unset".to_owned(), String::clone)
    };
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    keys.into_iter()
        .filter(|key| old.get(*key) != new.get(*key))
        .map(|key| {
            format!(
                "{key} was {} and is now {}",
                said(&old, key),
                said(&new, key)
            )
        })
        .collect()
}

/// Adds each single setting of a value, named by all keys on its path.
fn add_settings(name: &str, value: &Value, all: &mut BTreeMap<String, String>) {
    if value.is_null() {
        return;
    }
    let Value::Object(inner) = value else {
        let (key, value) = in_a_file(name, value);
        all.insert(key, value);
        return;
    };
    for (key, value) in inner {
        let key = if name.is_empty() {
            key.clone()
        } else {
            format!("{name}.{key}")
        };
        add_settings(&key, value, all);
    }
}

/// Settings in other units than those of a competition file, whose keys there end in `_s`.
const IN_SECONDS: [(&str, f64); 5] = [
    ("turn_us", 1e6),
    ("bank_us", 1e6),
    ("increment_us", 1e6),
    ("backstop_ms", 1e3),
    ("startup_ms", 1e3),
];

/// Returns a setting's key and value as a competition file has them.
fn in_a_file(name: &str, value: &Value) -> (String, String) {
    let key = name.strip_prefix("time.").unwrap_or(name);
    let found = IN_SECONDS.iter().find(|(known, _)| *known == key);
    match (found, value.as_f64()) {
        (Some((_, per_second)), Some(number)) => {
            let key = key.trim_end_matches("_us").trim_end_matches("_ms");
            (format!("{key}_s"), (number / per_second).to_string())
        }
        _ if key == "mode" => ("counts".to_owned(), value.to_string()),
        _ => (key.to_owned(), value.to_string()),
    }
}

/// Returns the settings of a course's additions to kits that programs depend on; texts of files as
/// hashes.
fn kit_settings(kit: &CourseKit) -> impl Iterator<Item = (String, Value)> {
    let files = kit.files.iter().map(|file| {
        let text = hash(&[file.text.as_bytes()]);
        (format!("kit file {}", file.name), text.into())
    });
    let libraries = kit.libraries.clone().map(Into::into);
    let libraries = libraries.map(|libraries| ("libraries".to_owned(), libraries));
    files.chain(libraries)
}
