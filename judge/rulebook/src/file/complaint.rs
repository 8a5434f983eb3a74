//! The TOML reader's complaints in everyday words. The user's own text is quoted unchanged.

use crate::nearest::did_you_mean;
use model::fault::quote;
use std::ops::Range;
use toml::Spanned;

pub(crate) enum Complaint<'a> {
    /// An unknown key, with the reader's list of known keys.
    UnknownKey(&'a str, Option<&'a str>),
    /// A value that its key does not allow, with the reader's list of allowed ones.
    UnknownValue(&'a str, Option<&'a str>),
    MissingKey(&'a str),
    Kind {
        found: &'a str,
        expected: &'a str,
    },
    Other(&'a str),
}

/// The keys of a competition's file that are not tables: in TOML they precede all tables.
pub const TOP_LEVEL_KEYS: [&str; 10] = [
    "game", "title", "states", "seed", "round", "deadline", "timezone", "late", "too_late",
    "received",
];

/// Keys of tables that a command may want to change, with their tables.
pub const TABLE_KEYS: [&str; 17] = [
    "bots.lifetime",
    "bots.memory_mib",
    "bots.processes",
    "builds.cpu_s",
    "builds.wall_s",
    "clock.backstop_s",
    "clock.bank_s",
    "clock.charge_start",
    "clock.counts",
    "clock.idle_s",
    "clock.increment_s",
    "clock.startup_free_ms",
    "clock.startup_s",
    "clock.turn_s",
    "schedule.self_play",
    "scoring.cpu_step_ms",
    "scoring.points_per_cpu_second",
];

/// Advice for missing keys of grades. It has all three, because the reader names one at a time.
const GRADES: &str = "grades need steps = [{ at_least = 500, grade = \"5\" }] from the best down, the grade below \
                      all steps, as otherwise = \"2\", and that of entrants who are disqualified or do not play, as \
                      disqualified = \"1\"";

const NEEDED: [(&str, &str); 4] = [
    ("game", "add the game at the top, as game = \"reversi\""),
    ("steps", GRADES),
    ("otherwise", GRADES),
    ("disqualified", GRADES),
];

/// Beginnings of the reader's complaints about a word that is no value.
const BARE: [&str; 5] = [
    "invalid boolean",
    "invalid float",
    "invalid integer",
    "invalid datetime",
    "string values must be quoted",
];

impl<'a> Complaint<'a> {
    /// Splits a message of the reader into its parts. Searches for the reader's own words from both
    /// ends, so that nothing in the user's text between them can pass for one.
    pub(crate) fn of(message: &'a str) -> Self {
        let unknown = |what: &str| {
            let rest = message.strip_prefix(what)?.strip_prefix(" `")?;
            let (name, known) = match rest.rsplit_once("`, expected ") {
                Some((name, known)) => (name, Some(known)),
                None => (rest.rsplit_once("`, there are no ")?.0, None),
            };
            let known = known.map(|known| known.strip_prefix("one of ").unwrap_or(known));
            Some((name, known))
        };
        if let Some((name, known)) = unknown("unknown field") {
            return Self::UnknownKey(name, known);
        }
        if let Some((name, known)) = unknown("unknown variant") {
            return Self::UnknownValue(name, known);
        }
        let missing = message.strip_prefix("missing field `");
        if let Some(key) = missing.and_then(|rest| rest.strip_suffix('`')) {
            return Self::MissingKey(key);
        }
        let of_kind = message
            .strip_prefix("invalid type: ")
            .or_else(|| message.strip_prefix("invalid value: "));
        match of_kind.and_then(|rest| rest.rsplit_once(", expected ")) {
            Some((found, expected)) => Self::Kind { found, expected },
            None => Self::Other(message),
        }
    }

    pub(crate) fn words(&self) -> String {
        let name = |name: &str| quote(name);
        let allowed = |word: &str, known: Option<&str>| {
            let known = known.map(|known| {
                // The known words are between each two quotes.
                let meant = did_you_mean(word, known.split('`').skip(1).step_by(2));
                format!("{meant}; allowed: {known}")
            });
            known.unwrap_or_default()
        };
        match *self {
            Self::UnknownKey(key, known) if TOP_LEVEL_KEYS.contains(&key) => {
                let known = known.unwrap_or("nothing");
                format!("`{key}` must be above the first [table]; allowed here: {known}")
            }
            Self::UnknownKey("own_pages", _) => {
                "own_pages: always on for these bots now; delete the line".to_owned()
            }
            Self::UnknownKey(key, known) => {
                format!("unknown key `{}`{}", name(key), allowed(key, known))
            }
            Self::UnknownValue(value, known) => {
                format!("unknown value `{}`{}", name(value), allowed(value, known))
            }
            Self::MissingKey(key) => {
                let what = NEEDED.iter().find(|(needed, _)| *needed == key).map_or_else(String::new, |(_, what)| format!(": {what}"));
                format!("missing key `{key}`{what}")
            }
            Self::Kind {
                found: what,
                expected: kind,
            } => format!("{} is {}", found(what), not(kind)),
            Self::Other("invalid basic string, expected `\"`") => {
                "a text in quotes does not end".to_owned()
            }
            Self::Other("wanted string or table") => "a text is needed".to_owned(),
            Self::Other(message) if BARE.iter().any(|start| message.starts_with(start)) => {
                "this is no number, no date, no text in quotes, and neither true nor false; write a number as 4, a text as \"reversi\" and a date as 2026-12-24T18:00:00+01:00".to_owned()
            }
            Self::Other(message) => message.replace('\n', " "),
        }
    }
}

fn found(what: &str) -> String {
    const KINDS: [(&str, &str); 4] = [
        ("floating point ", "the number "),
        ("integer ", "the whole number "),
        ("string ", "the text "),
        ("boolean ", "the value "),
    ];
    match what {
        "map" => "a table".to_owned(),
        "sequence" => "a list".to_owned(),
        _ => KINDS
            .into_iter()
            .find_map(|(theirs, ours)| {
                let value = what.strip_prefix(theirs)?;
                Some(format!("{ours}{value}"))
            })
            .unwrap_or_else(|| what.to_owned()),
    }
}

fn not(kind: &str) -> String {
    match kind {
        "i64" => "not a whole number".to_owned(),
        "u64" | "u32" | "usize" => "not a whole number from 0 on".to_owned(),
        "f32" | "f64" => "not a number".to_owned(),
        "a string" => "not a text (in quotes)".to_owned(),
        "a boolean" => "neither true nor false".to_owned(),
        "a sequence" => "not a list".to_owned(),
        "a map" => "not a table".to_owned(),
        _ if kind.starts_with("struct ") => "not a table".to_owned(),
        _ => format!("not a {}", kind.strip_prefix("a ").unwrap_or(kind)),
    }
}

/// The place of a problem in the text, as a byte range, and its description.
pub(super) type Wrong = (Range<usize>, String);

pub(super) fn wrong<T, V>(value: &Spanned<V>, reason: impl Into<String>) -> Result<T, Wrong> {
    Err((value.span(), reason.into()))
}

/// Refuses a value that is in its list before, and one for which `refused` has a reason.
pub(super) fn each_once<T: PartialEq>(
    list: &str,
    all: Vec<Spanned<T>>,
    name: impl Fn(&T) -> String,
    refused: impl Fn(&T) -> Option<String>,
) -> Result<Vec<T>, Wrong> {
    for (index, one) in all.iter().enumerate() {
        let value = one.get_ref();
        let is_twice = all[..index].iter().any(|other| other.get_ref() == value);
        let twice = is_twice.then(|| format!("{} appears twice", name(value)));
        if let Some(reason) = twice.or_else(|| refused(value)) {
            return wrong(one, format!("{list}: {reason}"));
        }
    }
    Ok(all.into_iter().map(Spanned::into_inner).collect())
}

#[cfg(test)]
mod tests {
    use super::Complaint;
    use crate::file::tests::rows;

    #[test]
    fn only_the_readers_words_are_put_into_others() {
        for [theirs, ours] in rows(include_str!("complaints.txt")) {
            let bare = "this is no number, no date, no text in quotes, and neither true nor false; write a number as 4, a text as \"reversi\" and a date as 2026-12-24T18:00:00+01:00";
            assert_eq!(Complaint::of(&theirs).words(), ours.replace("BARE", bare));
        }
    }
}
