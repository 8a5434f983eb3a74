//! A bot's move, written anew: compact and bounded. A program with rules
//! never reads a byte that a bot wrote.

use crate::external::about::{escaped, is_plain_line};
use crate::external::bounded::{self, DEPTH_MAX};
use engines::plain;
use serde_json::Value;

/// Maximum length of a move, in bytes, as a bot and as the judge writes it.
const BYTES_MAX: usize = 64 << 10;

/// Rewrites a move.
///
/// # Errors
/// When it is no JSON, too long or too deep; in words.
pub(crate) fn rewritten(mv: &str) -> Result<String, String> {
    if mv.len() > BYTES_MAX {
        return Err(format!("it has more than {BYTES_MAX} bytes"));
    }
    bounded::check(mv).map_err(|reason| format!("it has {reason}"))?;
    let value: Value = plain::read(mv)?;
    if value.is_null() {
        // In a request, a field that is null counts as missing.
        return Err("it is null".to_owned());
    }
    let written = one_line(&checked(value, 0)?.to_string());
    if written.len() > BYTES_MAX {
        return Err(format!("it has more than {BYTES_MAX} bytes once escaped"));
    }
    Ok(written)
}

/// Escapes the characters at which some readers end a line, as Node does. JSON has them in texts only.
fn one_line(json: &str) -> String {
    json.replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
        .replace('\u{85}', "\\u0085")
}

/// Returns a move as people type it: a text without its quotes, unless it would be other JSON.
pub(crate) fn typed(mv: &str) -> String {
    let text: Option<String> = serde_json::from_str(mv).ok();
    let text = text.filter(|text| is_plain_line(text) && rewritten(text).is_err());
    escaped(text.as_deref().unwrap_or(mv))
}

/// Rewrites settings, in which numbers may be fractions.
///
/// # Errors
/// When they are no JSON, in words.
pub(crate) fn rewritten_all(settings: &str) -> Result<String, String> {
    plain::read(settings).map(|value: Value| value.to_string())
}

fn checked(value: Value, depth: usize) -> Result<Value, String> {
    let is_list = value.is_array() || value.is_object();
    if is_list && depth >= DEPTH_MAX {
        return Err(format!("it is nested more than {DEPTH_MAX} deep"));
    }
    Ok(match value {
        Value::Number(number) if number.as_f64().is_some_and(is_minus_zero) => Value::from(0),
        Value::Array(list) => {
            let list = list.into_iter().map(|one| checked(one, depth + 1));
            Value::Array(list.collect::<Result<_, _>>()?)
        }
        Value::Object(map) => {
            let map = map
                .into_iter()
                .map(|(key, one)| Ok((key, checked(one, depth + 1)?)));
            Value::Object(map.collect::<Result<_, String>>()?)
        }
        plain => plain,
    })
}

/// Returns whether a number is what JSON's `-0` becomes.
fn is_minus_zero(number: f64) -> bool {
    number == 0.0 && number.is_sign_negative()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_written_anew_or_refused() {
        for (mv, written) in [
            (" [ 1,\t-0 , \"\\u0061\" ] ", "[1,0,\"a\"]"),
            ("{\"b\":true,\"a\":null}", "{\"a\":null,\"b\":true}"),
            ("18446744073709551615", "18446744073709551615"),
            ("1.50", "1.5"),
            ("\"\\n\"", "\"\\n\""),
            (
                "\"a\u{2028}b\u{2029}\u{85}\"",
                "\"a\\u2028b\\u2029\\u0085\"",
            ),
        ] {
            assert_eq!(rewritten(mv).as_deref(), Ok(written));
        }
        let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(rewritten(&deep(64)).is_ok());
        for wrong in ["1e999", "NaN", "[1,]", "", " null ", &deep(65), &deep(9999)] {
            assert!(rewritten(wrong).is_err(), "{wrong}");
        }
        for (long, is_move) in [
            ("a".repeat(BYTES_MAX), false),
            ("a".repeat(BYTES_MAX - 2), true),
            ("\u{85}".repeat(BYTES_MAX / 4), false),
        ] {
            let written = rewritten(&format!("\"{long}\""));
            assert_eq!(written.is_ok(), is_move, "{}", long.len());
        }
        for (mv, text) in [("\"check\"", "check"), ("\"1\"", "\"1\""), ("[1]", "[1]")] {
            assert_eq!(typed(mv), text);
        }
    }
}
