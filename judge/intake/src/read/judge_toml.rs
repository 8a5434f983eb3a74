//! The description of a submission in `judge.toml`.

use crate::read::source::without_mark;
use model::entrant::About;
use model::fault::quote;
use model::text::{SLUG_CHARS_MAX, is_slug, line_number};
use rulebook::nearest::did_you_mean;
use std::collections::BTreeMap;
use toml::{Spanned, Value};

pub(crate) const FILE_NAME: &str = "judge.toml";

/// Maximum length of a nickname, in ASCII characters; the courses' own rule.
const NICKNAME_CHARS_MAX: usize = 20;
const TEXT_CHARS_MAX: usize = 100;
const AUTHORS_MAX: usize = 20;
const WORDS_MAX: usize = 200;

const KEYS: &str = "name, nickname, authors, language, game, class, build, run, tokens";

pub(crate) fn read(bytes: &[u8]) -> Result<About, String> {
    let in_file = |reason: String| format!("{FILE_NAME} {reason}");
    let text =
        std::str::from_utf8(without_mark(bytes)).map_err(|_| in_file("is not UTF-8".to_owned()))?;
    let at = |start: usize, reason: &str| {
        in_file(format!("line {}: {reason}", line_number(text, start)))
    };
    let pairs: BTreeMap<Spanned<String>, Value> = toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        at(start, &error.message().replace('\n', " "))
    })?;
    let mut pairs: Vec<(Spanned<String>, Value)> = pairs.into_iter().collect();
    pairs.sort_by_key(|(key, _)| key.span().start);
    let mut about = About::default();
    for (key, value) in pairs {
        let start = key.span().start;
        take(&mut about, key.get_ref(), value).map_err(|reason| at(start, &reason))?;
    }
    if about.build.is_some() && about.run.is_none() {
        return Err(in_file(
            "has a build command but no run command; add run = \"./PROGRAM\"".to_owned(),
        ));
    }
    Ok(about)
}

fn take(about: &mut About, key: &str, value: Value) -> Result<(), String> {
    let list = match &value {
        Value::Array(values) => {
            Some(strings(values).ok_or_else(|| format!("{key} must contain only strings"))?)
        }
        _ => None,
    };
    match (key, value, list) {
        ("name", Value::String(text), _) => about.name = Some(short(key, text)?),
        ("class", Value::String(text), _) => about.class = Some(short(key, text)?),
        ("language", Value::String(text), _) => about.language = Some(short(key, text)?),
        ("game", Value::String(text), _) => about.game = Some(slug(text)?),
        ("nickname", Value::String(text), _) => {
            let fits = text.len() <= NICKNAME_CHARS_MAX && !text.trim().is_empty();
            if !fits || !text.bytes().all(|b| b == b' ' || b.is_ascii_graphic()) {
                return Err(format!(
                    "nickname must have 1 to {NICKNAME_CHARS_MAX} printable ASCII characters"
                ));
            }
            about.nickname = Some(text);
        }
        ("authors", _, Some(texts)) if texts.len() <= AUTHORS_MAX => {
            let texts = texts.into_iter().map(|text| short(key, text));
            about.authors = texts.collect::<Result<_, _>>()?;
        }
        // An author's own count is compared with nobody's.
        ("tokens", Value::Integer(tokens), _) => {
            u64::try_from(tokens).map_err(|_| "tokens must not be negative".to_owned())?;
        }
        ("build", Value::String(text), _) => {
            about.build = Some(words(
                key,
                vec!["/bin/sh".to_owned(), "-c".to_owned(), text],
            )?);
        }
        ("run", Value::String(text), _) => {
            if let Some(c) = text.chars().find(|c| "|&;<>()$`\\\"'*?[#~%{}".contains(*c)) {
                return Err(format!(
                    "run is split at blanks and not read by a shell, so {c} has no meaning; write a list of words"
                ));
            }
            let split = text.split_whitespace().map(str::to_owned).collect();
            about.run = Some(words(key, split)?);
        }
        ("build", _, Some(texts)) => about.build = Some(words(key, texts)?),
        ("run", _, Some(texts)) => about.run = Some(words(key, texts)?),
        ("name" | "nickname" | "language" | "game" | "class", ..) => {
            return Err(format!("{key} must be a string in quotes"));
        }
        ("authors", ..) => {
            return Err(format!(
                "authors must be a list of at most {AUTHORS_MAX} strings, for example [\"A. Turing\"]"
            ));
        }
        ("tokens", ..) => return Err("tokens must be a whole number".to_owned()),
        ("build" | "run", ..) => {
            return Err(format!("{key} must be a string or a list of strings"));
        }
        _ => {
            let meant = did_you_mean(key, KEYS.split(", "));
            return Err(format!("unknown key {key}{meant}; the keys are {KEYS}"));
        }
    }
    Ok(())
}

fn strings(values: &[Value]) -> Option<Vec<String>> {
    let texts = values.iter().map(|value| value.as_str().map(str::to_owned));
    texts.collect()
}

fn slug(text: String) -> Result<String, String> {
    if is_slug(&text) {
        return Ok(text);
    }
    let known = rulebook::rules::built_in().map(|rules| rules.info().slug);
    let meant = did_you_mean(&text.to_lowercase(), known);
    Err(format!(
        "game must be 1 to {SLUG_CHARS_MAX} of a-z, 0-9 and \"-\"{meant}"
    ))
}

fn short(key: &str, text: String) -> Result<String, String> {
    if text.trim().is_empty() || text.chars().count() > TEXT_CHARS_MAX {
        return Err(format!("{key} must have 1 to {TEXT_CHARS_MAX} characters"));
    }
    if quote(&text) != text {
        return Err(format!("{key} contains invisible characters"));
    }
    Ok(text)
}

fn words(key: &str, words: Vec<String>) -> Result<Vec<String>, String> {
    if words.first().is_none_or(String::is_empty) {
        return Err(format!("{key} is empty"));
    }
    if words.len() > WORDS_MAX || words.iter().any(|word| word.contains('\0')) {
        return Err(format!(
            "{key} must have at most {WORDS_MAX} words and no NUL characters"
        ));
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn a_whole_description_is_read() {
        let text = r#"
            name = "The Great Wall"
            nickname = "wall"
            authors = ["A. Turing", "G. Hopper"]
            language = "javascript"
            game = "reversi"
            build = "cp source.js bot.js"
            run = "node --jitless bot.js"
            tokens = 1200
        "#;
        let about = read(text.as_bytes()).expect("well-formed");
        let build = words_of(&["/bin/sh", "-c", "cp source.js bot.js"]);
        assert_eq!(about.build, Some(build));
        assert_eq!(about.run, Some(words_of(&["node", "--jitless", "bot.js"])));
        assert_eq!(about.nickname.as_deref(), Some("wall"));
        assert_eq!(about.game.as_deref(), Some("reversi"));
        assert_eq!(about.authors.len(), 2);
    }

    #[test]
    fn judge_toml_errors_name_file_and_line() {
        // `⏎` is a line's end in the text, and `␍` a carriage return before it.
        for row in include_str!("wrong_judge_toml.txt").lines() {
            let (text, words) = row.split_once(" => ").expect("a row");
            let text = text.replace('⏎', "\n").replace('␍', "\r");
            let error = read(text.as_bytes()).expect_err(row);
            let words = format!("judge.toml {words}");
            assert!(error.starts_with(&words), "{error:?} for {row}");
        }
        assert!(read(b"\xff").is_err());
    }
}
