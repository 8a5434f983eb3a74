//! The key `states`: the number of initial states, or a file with their setups.

use super::complaint::Wrong;
use super::kit::{FileReader, name_of};
use super::values::{STATES_MAX, StateCount};
use crate::error::JudgeError;
use crate::rules::Rules;
use model::fault::quote;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::value::RawValue;
use toml::{Spanned, Value};

/// Maximum size of a file with setups, in bytes. `run.json` contains them.
const BYTES_MAX: usize = 4 << 20;

pub(super) enum States {
    Drawn(u32),
    /// The path of a file with a setup on each line.
    Listed(String),
}

impl<'de> Deserialize<'de> for States {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(source)?;
        match value.as_str() {
            Some(path) if path.parse::<u64>().is_err() => Ok(Self::Listed(path.to_owned())),
            _ => StateCount::deserialize(value)
                .map(|count| Self::Drawn(count.0))
                .map_err(|error| D::Error::custom(error.message())),
        }
    }
}

pub(super) fn states(
    rules: &dyn Rules,
    states: Option<Spanned<States>>,
    read: FileReader<'_>,
) -> Result<(u32, Vec<Box<RawValue>>), Wrong> {
    let Some(states) = states else {
        return Ok((StateCount::default().0, Vec::new()));
    };
    let span = states.span();
    match states.into_inner() {
        States::Drawn(count) => Ok((count, Vec::new())),
        States::Listed(path) => {
            let shown = quote(&path);
            let wrong = |reason| (span, format!("states: {shown}{reason}"));
            let starts = listed(rules, &path, read).map_err(wrong)?;
            let count = u32::try_from(starts.len()).expect("bounded");
            Ok((count, starts))
        }
    }
}

fn listed(
    rules: &dyn Rules,
    path: &str,
    read: FileReader<'_>,
) -> Result<Vec<Box<RawValue>>, String> {
    name_of(path).map_err(|reason| format!(": {reason}"))?;
    let bytes = read(path).map_err(|reason| format!(": {reason}"))?;
    if bytes.len() > BYTES_MAX {
        return Err(format!(": exceeds {} MiB", BYTES_MAX >> 20));
    }
    let text = String::from_utf8(bytes).map_err(|_| ": is not UTF-8 text; save it as UTF-8")?;
    let mut starts = Vec::new();
    let mut seats = None;
    for (line, number) in text
        .lines()
        .zip(1..)
        .filter(|(line, _)| !line.trim().is_empty())
    {
        let wrong = |reason: String| format!(", line {number}: {reason}");
        let (start, own) = setup(rules, line).map_err(wrong)?;
        let (first, all) = *seats.get_or_insert((number, own));
        if own != all {
            return Err(wrong(format!(
                "is for {own} seats, but line {first} for {all}"
            )));
        }
        starts.push(start);
    }
    match starts.len() {
        0 => Err(
            ": has no setup; write one on each line, in the form that judge referee has".to_owned(),
        ),
        count if count > STATES_MAX as usize => Err(format!(": has more than {STATES_MAX} lines")),
        _ => Ok(starts),
    }
}

/// Reads one setup, and returns it in the game's spelling with its number of seats.
fn setup(rules: &dyn Rules, line: &str) -> Result<(Box<RawValue>, usize), String> {
    let refused = |reason: engines::Refused| JudgeError::input(reason.to_string());
    let words = |error: JudgeError| error.to_string();
    let setup: Box<RawValue> =
        serde_json::from_str(line).map_err(|error| format!("is not JSON: {error}"))?;
    let setup = rules
        .spell_setup(&setup)
        .map_err(|error| words(error.reported(refused)))?;
    let position = rules
        .start(&setup)
        .map_err(|error| words(error.reported(refused)))?;
    if position.to_move().map_err(words)?.is_empty() {
        return Err("the game is over before the first move".to_owned());
    }
    Ok((setup, position.seats().map_err(words)?))
}

#[cfg(test)]
mod tests {
    use super::super::tests::rows;
    use super::super::{Loaded, read_with};
    use crate::changes::{Changes, KeyChange};
    use crate::schedule;
    use model::competition::FINAL;
    use model::draw::Draw;

    const EMPTY: &str =
        r#"{"board":["......","......","......","......","......","......","......"]}"#;
    const RED: &str =
        r#"{"board":["......","......","......","R.....","......","......","......"]}"#;

    fn read(value: &str, content: &str) -> Result<Loaded, String> {
        let text = format!("game = \"connect-four\"\nstates = {value}\n");
        let files = |path: &str| match path {
            "s.jsonl" => Ok(content.as_bytes().to_vec()),
            _ => Err("is not in .".to_owned()),
        };
        read_with("c.toml", &text, &files).map_err(|error| error.to_string())
    }

    /// Returns the setups of the competition's states.
    fn setups(loaded: &Loaded) -> Vec<String> {
        let competition = &loaded.competition;
        let setup = |state| {
            let draw = Draw::public(1, FINAL);
            schedule::setup(&*loaded.rules, competition, &draw, state)
                .map(|setup| setup.to_string())
        };
        let setups: Result<_, _> = (0..competition.states).map(setup).collect();
        setups.expect("allowed")
    }

    #[test]
    fn each_line_is_setup_and_number_limits_games() {
        let spaced = RED.replace(':', " : ");
        let loaded = read("\"s.jsonl\"", &format!("{EMPTY}\n\n  {spaced}\n")).expect("allowed");
        assert_eq!(setups(&loaded), [EMPTY, RED]);
        let changed = |key: &str, value: &str| {
            let flags = Changes {
                keys: vec![KeyChange::by_flag(key, value.to_owned())],
                ..Changes::default()
            };
            loaded.clone().changed(&flags)
        };
        for (key, value, expected) in [
            ("states", "1", &[EMPTY][..]),
            ("states", "2", &[EMPTY, RED]),
            ("clock.turn_s", "1", &[EMPTY, RED]),
        ] {
            assert_eq!(setups(&changed(key, value).expect("allowed")), expected);
        }
        let refused = changed("states", "3").map(|_| ()).expect_err("too many");
        let words = "--states 3: the file of start positions has 2 lines; add lines";
        assert!(refused.to_string().starts_with(words), "{refused}");
    }

    #[test]
    fn invalid_setup_is_refused_with_its_line() {
        let yellow = RED.replace('R', "Y");
        let won = RED
            .replace("R.....", "RRRR..")
            .replacen("......", "YYY...", 1);
        let contents = [
            ("bad", format!("{EMPTY}\n{EMPTY}\n{yellow}\n")),
            ("won", won),
            ("text", format!("{EMPTY}\nboard\n")),
            ("bored", "{\"bored\":[]}".to_owned()),
            ("blank", "\n".to_owned()),
            ("large", " ".repeat(5 << 20)),
            ("none", String::new()),
        ];
        for [value, content, words] in rows(
            r#"
            "s.jsonl"    | bad   | line 2: states: s.jsonl, line 3: red has 0 discs
            "s.jsonl"    | won   | s.jsonl, line 1: the game is over: red has four in a row
            "s.jsonl"    | text  | s.jsonl, line 2: is not JSON:
            "s.jsonl"    | bored | s.jsonl, line 1:
            "s.jsonl"    | blank | s.jsonl: has no setup; write one on each line
            "s.jsonl"    | large | s.jsonl: exceeds 4 MiB
            "t.jsonl"    | none  | states: t.jsonl: is not in .
            "../s.jsonl" | none  | states: ../s.jsonl: is outside the competition file's folder
            "7"          | none  | line 2: states: "7": must be 1 to 1000000, without quotes
            0            | none  | line 2: states: 0: must be 1 to 1000000
            "#,
        ) {
            let (_, content) = contents
                .iter()
                .find(|(name, _)| *name == content)
                .expect("named");
            let error = read(&value, content).expect_err(&words);
            assert!(error.contains(&words), "{words:?} is not in {error:?}");
        }
    }

    #[test]
    fn all_setups_must_have_same_number_of_seats() {
        let rules = crate::rules::find("monkey-metal-man").expect("registered");
        let setup = |players: u32| {
            let config = rules
                .configure(&format!("{{\"players\":{players}}}"))
                .expect("allowed");
            rules.draw(&config, 1).expect("allowed").to_string()
        };
        let content = format!("{}\n{}\n", setup(4), setup(3));
        let error = super::listed(&*rules, "s.jsonl", &|_| Ok(content.clone().into_bytes()));
        assert_eq!(
            error.expect_err("mixed"),
            ", line 2: is for 3 seats, but line 1 for 4"
        );
    }
}
