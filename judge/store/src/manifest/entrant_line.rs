//! The line of an entrant in the manifest, and whether a begun run may be continued.

use super::{Manifest, rules_version};
use jiff::Timestamp;
use model::competition::{Competition, CourseKit};
use model::draw::hash;
use model::entrant::{Blame, Comment, Entrant, Replaced};
use model::lateness::Timing;
use model::points::Points;
use rulebook::{Result, refuse};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Not;
use std::path::Path;

/// One entrant in the manifest.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the file")]
pub struct EntrantLine {
    /// The entrant's name.
    pub name: String,
    /// The kind of submission.
    pub form: String,
    /// The hash of its artifact; none if it cannot play.
    pub artifact: Option<String>,
    /// Its origin: a file's name, or a repository and its commit.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub origin: String,
    /// The number of the version that plays, or of the newest one, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<usize>,
    /// Why the newest version does not play, if an earlier one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
    /// The newest version, if an earlier one plays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<NewestLine>,
    /// The size of its sources in lexer tokens, where the language has a count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Why it cannot play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
    /// Who or what is to blame for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blame: Option<Blame>,
    /// Whether it was submitted with a file `anonymous`: the public knows it by a pseudonym.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub anonymous: bool,
    /// Whether a learning platform gave it its name, which may be the author's own.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub platform_named: bool,
    /// The nickname that it asks for in its `judge.toml`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nickname: Option<String>,
    /// Whether its artifact was submitted after anybody was shown what is drawn.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub knew_draw: bool,
    /// The receipt time of the version that plays, or of the newest one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
    /// Published instead of `timing`: the points that are taken off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub penalty: Option<Points>,
    /// Published instead of `timing`: whether it plays without a rank.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub unranked: bool,
    /// The bot's name in its `judge.toml`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The language of its sources, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Its longest comment, if the course asks for one that describes the bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<Comment>,
    /// Warnings for its author.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The newest version of an entrant, if an earlier one plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewestLine {
    /// Its number; none if it could not be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<usize>,
    /// When it was received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received: Option<Timestamp>,
    /// Why it does not play.
    pub reason: String,
}

impl From<&Replaced> for NewestLine {
    fn from(replaced: &Replaced) -> Self {
        let last = replaced.last.as_ref();
        Self {
            version: last.map(|last| last.number),
            received: last.and_then(|last| last.received.parse().ok()),
            reason: replaced.broken.to_string(),
        }
    }
}

impl EntrantLine {
    pub(super) fn of(entrant: &Entrant) -> Self {
        // The file is in the run's folder.
        let here = "";
        let replaced = entrant.replaced.as_ref();
        let about = &entrant.about;
        let (artifact, broken) = (entrant.artifact(), entrant.program.as_ref().err());
        Self {
            name: entrant.name.clone(),
            form: entrant.form.to_owned(),
            artifact: artifact.map(|artifact| artifact.hash.clone()),
            origin: entrant.origin.clone(),
            version: entrant.version.as_ref().map(|v| v.number),
            tokens: artifact.and_then(|artifact| artifact.tokens),
            replaced: replaced.map(|replaced| replaced.words(here)),
            newest: replaced.map(NewestLine::from),
            broken: broken.map(ToString::to_string),
            blame: broken.map(|broken| broken.blame),
            anonymous: entrant.anonymous,
            platform_named: entrant.platform_named,
            knew_draw: false,
            nickname: about.nickname.clone(),
            timing: entrant.timing,
            penalty: None,
            unranked: false,
            title: about.name.clone(),
            language: about.language.clone(),
            comment: entrant.comment.clone(),
            warnings: entrant.notes(here),
        }
    }

    /// Returns the points that lateness takes off, if any.
    pub fn penalty(&self) -> Option<Points> {
        self.timing
            .and_then(|timing| timing.lateness.penalty())
            .or(self.penalty)
    }

    /// Returns whether it was received too late. A withdrawn submission is not too late.
    pub fn is_too_late(&self) -> bool {
        let timing = self.timing.filter(|_| self.blame != Some(Blame::Withdrawn));
        timing.is_some_and(|timing| timing.is_too_late())
    }
}

impl Manifest {
    /// Checks that a run may be continued under a competition: its finished games must still count.
    pub fn admits(&self, competition: &Competition, folder: &Path) -> Result {
        let folder = folder.display();
        let (old, new) = (
            &self.competition.conditions.game,
            &competition.conditions.game,
        );
        if old != new {
            return refuse(format!(
                "{folder} holds a run of {old}, and this one is of {new}; choose another folder with --out"
            ));
        }
        if self.rules != rules_version(competition) {
            let (whose, old) = match competition.conditions.game_program {
                Some(_) => ("the game", "the game's old files".to_owned()),
                None => (
                    "this judge",
                    format!("the judge that played it ({})", self.judge),
                ),
            };
            return refuse(format!(
                "{folder} began with version {} of the rules, but {whose} has version {}: all its games would be \
                 played again. Continue with {old}, or choose another folder with --out",
                self.rules,
                rules_version(competition),
            ));
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
        refuse(format!(
            "{folder} holds a run of another competition: {}. Choose another folder with --out, or {old_settings}",
            differ.join("; ")
        ))
    }
}

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
    let starts = first_other_start(old, new);
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
        .chain(starts)
        .collect()
}

fn first_other_start(old: &Competition, new: &Competition) -> Option<String> {
    let both = old.states_drawn().min(new.states_drawn());
    (0..both).find_map(|state| {
        let [was, now] = [old, new].map(|one| one.start(state).map_or("drawn", RawValue::get));
        (was != now).then(|| format!("initial state {state} was {was} and is now {now}"))
    })
}

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

fn in_a_file(name: &str, value: &Value) -> (String, String) {
    let key = match name.strip_prefix("clocks.") {
        Some(own) => &format!("clock.entrants.{own}"),
        None => name.strip_prefix("time.").unwrap_or(name),
    };
    let last = key.rsplit('.').next().unwrap_or(key);
    let found = IN_SECONDS.iter().find(|(known, _)| *known == last);
    match (found, value.as_f64()) {
        (Some((_, per_second)), Some(number)) => {
            let key = key.trim_end_matches("_us").trim_end_matches("_ms");
            (format!("{key}_s"), (number / per_second).to_string())
        }
        _ if key == "mode" => ("counts".to_owned(), value.to_string()),
        _ => (key.to_owned(), value.to_string()),
    }
}

/// Returns the settings of kits that programs depend on; texts of files as hashes.
fn kit_settings(kit: &CourseKit) -> impl Iterator<Item = (String, Value)> {
    let files = kit.files.iter().map(|file| {
        let text = hash(&[file.text.as_bytes()]);
        (format!("kit file {}", file.name), text.into())
    });
    let libraries = kit.libraries.clone();
    files.chain(libraries.map(|it| ("libraries".to_owned(), it.into())))
}
