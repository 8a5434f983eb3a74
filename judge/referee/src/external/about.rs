//! The answer of a program about its game, checked and made into facts that live as long as the
//! judge.

use engines::quote::shown;
use engines::{
    Better, GameInfo, Information, Labels, Lifetime, Measure, Notation, Palette, Points, SEATS_MAX,
    TimeControl,
};
use model::fixture::{AtLimit, PliesLimit};
use model::protocol;
use model::text::{SLUG_CHARS_MAX, is_slug};
use serde::Deserialize;
use serde_json::value::RawValue;

/// In characters: of a role or noun, and of other texts.
const WORD_CHARS_MAX: usize = 30;
const TEXT_CHARS_MAX: usize = 120;

/// 10 s for each turn, in a game that sets none.
const TIME: TimeControl = TimeControl {
    turn_us: Some(10_000_000),
    bank_us: None,
    increment_us: 0,
    charge_start: false,
};

#[derive(Deserialize)]
struct AboutAnswer<'a> {
    protocol: u32,
    game: String,
    title: String,
    rules_version: u32,
    roles: Vec<String>,
    seats_min: Option<usize>,
    plies_max: u32,
    at_limit: Option<AtLimit>,
    #[serde(default)]
    information: Information,
    moves_listed: Option<bool>,
    summary: Option<String>,
    points: Option<Noun>,
    tie_break: Option<Noun>,
    measure: Option<Count>,
    labels: Option<Sides>,
    time: Option<Time>,
    lifetime: Option<Lifetime>,
    #[serde(default)]
    knows: Vec<String>,
    #[serde(borrow)]
    config: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Noun {
    one: String,
    many: String,
}

/// In microseconds. Limits that are left out are unlimited.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Time {
    turn_us: Option<u64>,
    bank_us: Option<u64>,
    #[serde(default)]
    increment_us: u64,
    #[serde(default)]
    charge_start: bool,
}

impl Time {
    fn checked(self) -> Result<TimeControl, String> {
        let Self {
            turn_us,
            bank_us,
            increment_us,
            charge_start,
        } = self;
        if turn_us == Some(0) || bank_us == Some(0) {
            return Err("about: time gives a seat no time".to_owned());
        }
        Ok(TimeControl {
            turn_us,
            bank_us,
            increment_us,
            charge_start,
        })
    }
}

#[derive(Deserialize)]
struct Count {
    counts: String,
    better: Better,
    #[serde(default = "one")]
    ahead: u32,
}

/// Any difference shows who is ahead.
const fn one() -> u32 {
    1
}

#[derive(Deserialize)]
struct Sides {
    columns: Labels,
    rows: Labels,
}

#[derive(Debug)]
pub(crate) struct About {
    pub(crate) info: GameInfo,
    /// The optional requests and facts that the program knows; `protocol.md` lists them. A later
    /// version may add names.
    known: Vec<String>,
    pub(crate) limit: PliesLimit,
    /// Whether the game says itself what decides at the limit.
    pub(crate) has_at_limit: bool,
    pub(crate) config: Box<RawValue>,
}

impl About {
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.known.iter().any(|known| known == name)
    }

    /// Keeps the texts in the answer until the program ends.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let about: AboutAnswer<'_> =
            serde_json::from_str(text).map_err(|error| format!("its about is wrong ({error})"))?;
        if about.protocol != protocol::VERSION {
            return Err(format!(
                "it speaks version {} of the protocol, and this judge speaks {}",
                about.protocol,
                protocol::VERSION
            ));
        }
        let slug = about.game;
        if !is_slug(&slug) {
            return Err(format!(
                "about: game is not 1 to {SLUG_CHARS_MAX} of a-z, 0-9 and \"-\""
            ));
        }
        let found = about.roles.len();
        if !(1..=SEATS_MAX).contains(&found) {
            return Err(format!(
                "about: roles has {found} names; it needs 1 to {SEATS_MAX}"
            ));
        }
        let roles: Vec<&'static str> = (about.roles.iter())
            .map(|role| text_of("roles", role, WORD_CHARS_MAX))
            .collect::<Result<_, _>>()?;
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        let is_role =
            |role: &str| role.chars().all(is_name) && role.starts_with(char::is_alphanumeric);
        if let Some(role) = roles.iter().find(|role| !is_role(role)) {
            return Err(format!(
                "about: the role {role} is not of letters, digits, blanks, \"-\" and \"_\""
            ));
        }
        if let Some(at) = (1..found).find(|&at| roles[..at].contains(&roles[at])) {
            return Err(format!("about: two roles have the name {}", roles[at]));
        }
        let seats_min = about.seats_min.unwrap_or(found);
        if !(1..=found).contains(&seats_min) {
            return Err(format!("about: seats_min is not 1 to {found}"));
        }
        if about.plies_max == 0 {
            return Err("about: plies_max is 0".to_owned());
        }
        let summary = about.summary.as_deref().unwrap_or("a game of your own");
        let nothing = || RawValue::from_string("{}".to_owned()).expect("an object");
        let (columns, rows) = about
            .labels
            .map_or((Labels::Letters, Labels::FromOne), |it| {
                (it.columns, it.rows)
            });
        let tie_break = about.tie_break.map(|noun| noun.checked("tie_break"));
        Ok(Self {
            info: GameInfo {
                slug: kept(slug),
                title: text_of("title", &about.title, TEXT_CHARS_MAX)?,
                summary: text_of("summary", summary, TEXT_CHARS_MAX)?,
                rules_version: about.rules_version,
                seats_min,
                roles: Box::leak(roles.into_boxed_slice()),
                plies_max: about.plies_max,
                information: about.information,
                points: about
                    .points
                    .map_or(Ok(Points::PLAIN), |noun| noun.checked("points"))?,
                tie_break: tie_break.transpose()?,
                moves_listed: about.moves_listed.unwrap_or(true),
                time: about.time.map_or(Ok(TIME), Time::checked)?,
                lifetime: about.lifetime.unwrap_or(Lifetime::Game),
                variants: &[],
                notation: Notation {
                    help: &["type a move as JSON"],
                    columns,
                    rows,
                    cell: (2, 1),
                },
                palette: Palette::PLAIN,
                measure: about.measure.map(Count::checked).transpose()?,
                protocol: "",
                courses: &[],
                kits: &[],
            },
            known: about.knows,
            limit: PliesLimit {
                plies_max: about.plies_max,
                at_limit: about.at_limit.unwrap_or(AtLimit::Draw),
            },
            has_at_limit: about.at_limit.is_some(),
            config: about.config.map_or_else(nothing, ToOwned::to_owned),
        })
    }
}

impl Count {
    fn checked(self) -> Result<Measure, String> {
        Ok(Measure {
            counts: text_of("measure", &self.counts, WORD_CHARS_MAX)?,
            better: self.better,
            ahead: self.ahead,
        })
    }
}

impl Noun {
    fn checked(self, key: &str) -> Result<Points, String> {
        Ok(Points {
            one: text_of(key, &self.one, WORD_CHARS_MAX)?,
            many: text_of(key, &self.many, WORD_CHARS_MAX)?,
        })
    }
}

fn text_of(key: &str, text: &str, chars_max: usize) -> Result<&'static str, String> {
    if is_plain_line(text) && text.chars().count() <= chars_max {
        return Ok(kept(escaped(text)));
    }
    Err(format!(
        "about: {key} needs one line of 1 to {chars_max} characters"
    ))
}

pub(crate) fn is_plain_line(text: &str) -> bool {
    !text.trim().is_empty() && !text.chars().any(char::is_control)
}

/// Escapes what a terminal acts on, or nobody sees.
pub(crate) fn escaped(text: &str) -> String {
    text.chars().flat_map(shown).collect()
}

/// Keeps a text until the program ends. A process opens few games.
pub(crate) fn kept(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(change: &[(&str, &str)]) -> Result<About, String> {
        let mut keys = vec![
            ("protocol", "1"),
            ("game", "\"nim\""),
            ("title", "\"Nim\""),
            ("rules_version", "1"),
            ("roles", "[\"first\",\"second\"]"),
            ("plies_max", "20"),
        ];
        for (key, value) in change {
            keys.retain(|(known, _)| known != key);
            keys.push((key, value));
        }
        let keys = keys.into_iter().filter(|(_, value)| !value.is_empty());
        let keys: Vec<String> = keys
            .map(|(key, value)| format!("\"{key}\":{value}"))
            .collect();
        About::read(&format!("{{{}}}", keys.join(",")))
    }

    #[test]
    fn omitted_about_fields_default_to_revealing_nothing() {
        let about = read(&[]).expect("enough");
        assert_eq!(about.info.information, Information::Hidden);
        assert_eq!(about.info.seats_min, 2);
        assert_eq!(about.info.lifetime, Lifetime::Game);
        assert!(!about.knows("config"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let nine = r#"["a","b","c","d","e","f","g","h","i"]"#;
        for (key, value, words) in [
            ("protocol", "0", "version 0 of the protocol"),
            ("protocol", "true", "expected u32"),
            ("game", "\"../up\"", "game is not"),
            ("title", "\"two\\nlines\"", "title needs one line"),
            ("roles", "[]", "has 0 names"),
            ("roles", "[\"a\",\"a\"]", "two roles"),
            ("roles", "[\"=1+1\"]", "not of letters"),
            ("roles", nine, "has 9 names"),
            ("seats_min", "3", "seats_min"),
            ("plies_max", "0", "plies_max"),
            ("plies_max", "", "missing field"),
            ("at_limit", "\"win\"", "unknown variant"),
            ("time", "{\"turn_us\":0}", "no time"),
            ("information", "\"open\"", "unknown variant"),
        ] {
            let error = read(&[(key, value)]).expect_err(key);
            assert!(error.contains(words), "{key}: {error}");
        }
    }
}
