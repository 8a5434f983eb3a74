//! What a reader of JSON complains about, in words for people who do not know the reader: what
//! was expected, what was found, and in which field. Knows no game.

use crate::quote::{NAME_CHARS_MAX, shortened, told};
use crate::strict::Strict;
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::string::ToString;
use alloc::vec::Vec;
use serde::de::IgnoredAny;
use serde_json::error::Category;

/// Reads a value. A name without content is read from a string only, and `-0` is 0.
///
/// # Errors
/// What is wrong with the text, in plain words.
pub fn read<'de, T: serde::Deserialize<'de>>(text: &'de str) -> Result<T, String> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = T::deserialize(Strict(&mut reader));
    value
        .and_then(|value| reader.end().map(|()| value))
        .map_err(|error| told(&complaint(text, &error)))
}

/// Says in plain words what is wrong with a text that could not be read.
fn complaint(text: &str, error: &serde_json::Error) -> String {
    let message = error.to_string();
    let message = match message.rfind(" at line ") {
        Some(end) if error.line() > 0 => &message[..end],
        _ => &message,
    };
    let offset = offset(text, error);
    let is_json = serde_json::from_str::<IgnoredAny>(text).is_ok();
    if !is_json && error.classify() != Category::Data {
        let place = text.as_bytes()[..offset].to_vec();
        let characters = String::from_utf8_lossy(&place).chars().count();
        return format!("not JSON: {} at character {characters}", syntax(message));
    }
    let begun = &text.as_bytes()[..offset];
    let (words, begun) = if error.classify() == Category::Data {
        (data(message, begun), begun)
    } else {
        // Such a complaint often counts the byte that it is about as read.
        let before = begun.split_last().map_or(begun, |(_, before)| before);
        (shape(message).to_owned(), before)
    };
    let mut place = place(begun);
    // A reader may have read its value first.
    if words.starts_with("duplicate field")
        && let Some(Step::Field(name)) = place.last()
        && words.ends_with(&format!("`{name}`"))
    {
        place.pop();
    }
    if place.is_empty() {
        words
    } else {
        format!("{}: {words}", path(&place))
    }
}

/// Returns the number of bytes that were read.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    let before = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1));
    let before: usize = before.map(str::len).sum();
    (before + error.column()).min(text.len())
}

/// What the reader says of a text that is no JSON.
fn syntax(message: &str) -> &str {
    match message {
        "expected value" => "a value is missing",
        "expected ident" => "a word that JSON does not have",
        "EOF while parsing an object" => "it ends inside an object",
        "EOF while parsing a list" => "it ends inside a list",
        "EOF while parsing a string" => "it ends inside a string",
        "EOF while parsing a value" => "it ends where a value belongs",
        "recursion limit exceeded" => "it is nested too deeply",
        "trailing characters" => "something follows the value",
        other => other,
    }
}

/// What the reader says of JSON that has another shape than was expected.
fn shape(message: &str) -> &str {
    match message {
        "trailing characters" => "the list is too long",
        "number out of range" => "the number is too large",
        "recursion limit exceeded" => "it is nested too deeply",
        other => other,
    }
}

/// What the reader says of a value that it does not take, with what was read until then.
fn data(message: &str, begun: &[u8]) -> String {
    let mismatch = ["invalid type: ", "invalid value: ", "invalid length "]
        .into_iter()
        .find_map(|prefix| message.strip_prefix(prefix).map(|rest| (prefix, rest)));
    if let Some((prefix, rest)) = mismatch
        && let Some((found, wanted)) = rest.rsplit_once(", expected ")
    {
        // A whole number beyond 64 bits is read as another kind of number.
        let fraction = found.strip_prefix("floating point `");
        let is_exceeded = prefix == "invalid value: "
            || fraction.is_some_and(|number| {
                let number = number.trim_end_matches('`').parse::<f64>();
                number.is_ok_and(|number| number.abs() >= WHOLE_NUMBERS_END)
            });
        let found = if prefix == "invalid length " {
            format!("a list of {found}")
        } else if fraction.is_some() {
            shortened(last_number(begun), NAME_CHARS_MAX)
        } else {
            self::found(found)
        };
        return format!("expected {}, found {found}", expected(wanted, is_exceeded));
    }
    let unknown = [
        ("unknown variant `", "unknown name"),
        ("unknown field `", "unknown field"),
    ];
    // The name may hold anything; what follows it is ours.
    let unknown = unknown.into_iter().find_map(|(prefix, words)| {
        let rest = message.strip_prefix(prefix)?;
        let expected = rest.rfind("`, expected ");
        let (name, rest) = rest.split_at(expected.or_else(|| rest.rfind("`, there are no "))?);
        let name = shortened(name, NAME_CHARS_MAX);
        Some(format!("{words} `{name}{rest}"))
    });
    unknown.unwrap_or_else(|| message.to_owned())
}

/// No whole number that is read as one is so large.
const WHOLE_NUMBERS_END: f64 = 9.2e18;

/// Returns the number that a text ends with.
fn last_number(text: &[u8]) -> &str {
    let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
    let text = text.trim_ascii_end();
    let begin = text.iter().rposition(|byte| !is_part(byte));
    let number = &text[begin.map_or(0, |at| at + 1)..];
    core::str::from_utf8(number).expect("ASCII")
}

/// What was found, as its author wrote it.
fn found(unexpected: &str) -> String {
    let kinds = ["integer `", "floating point `", "boolean `", "character `"];
    let quoted = kinds.iter().find_map(|kind| unexpected.strip_prefix(kind));
    let plain = match unexpected {
        "map" => "an object",
        "sequence" => "a list",
        "unit value" => "null",
        "unit variant" => "the name alone",
        _ => quoted.map_or(unexpected, |rest| rest.trim_end_matches('`')),
    };
    let plain = plain.strip_prefix("string ").unwrap_or(plain);
    shortened(plain, NAME_CHARS_MAX)
}

/// What was expected, without the names of types; limits that are far away only where they were
/// exceeded.
fn expected(wanted: &str, is_exceeded: bool) -> String {
    let whole = |min: &dyn core::fmt::Display, max: &dyn core::fmt::Display| {
        format!("a whole number from {min} to {max}")
    };
    let words: Vec<&str> = wanted.split(' ').collect();
    match words.as_slice() {
        ["i32" | "i64" | "u32" | "u64" | "usize"] if !is_exceeded => "a whole number".to_owned(),
        ["i8"] => whole(&i8::MIN, &i8::MAX),
        ["i16"] => whole(&i16::MIN, &i16::MAX),
        ["i32"] => whole(&i32::MIN, &i32::MAX),
        ["i64"] => whole(&i64::MIN, &i64::MAX),
        ["u8"] => whole(&0, &u8::MAX),
        ["u16"] => whole(&0, &u16::MAX),
        ["u32"] => whole(&0, &u32::MAX),
        ["u64" | "usize"] => whole(&0, &u64::MAX),
        ["f64"] => "a number".to_owned(),
        ["a", "boolean"] => "true or false".to_owned(),
        ["a", "sequence"] => "a list".to_owned(),
        ["tuple", "struct", _, "with", count, ..] | ["a", "tuple", "of", "size", count] => {
            format!("a list of {count}")
        }
        ["tuple", "struct", _] => "a list of numbers".to_owned(),
        ["an", "array", "of", "length", count] => format!("a list of {count}"),
        ["fewer", "elements", "in", "array" | "tuple"] => "a shorter list".to_owned(),
        ["enum", ..] | ["variant", "identifier"] => "a name".to_owned(),
        ["newtype" | "struct" | "tuple", "variant"] => "an object with one key".to_owned(),
        ["a", "map"] | ["struct", ..] => "an object".to_owned(),
        ["unit", "variant"] => "the name alone".to_owned(),
        ["unit" | "null"] => "null".to_owned(),
        _ => wanted.to_owned(),
    }
}

/// A step from a value to one inside it.
enum Step {
    Field(String),
    Item(usize),
}

/// Finds the value that was being read at the end of the beginning of a JSON text. Of an object it
/// names the field whose colon has been read.
fn place(begun: &[u8]) -> Vec<Step> {
    let mut open: Vec<Option<Step>> = Vec::new();
    let mut key = None;
    let mut at = 0;
    while let Some(&byte) = begun.get(at) {
        at += 1;
        match byte {
            b'{' => open.push(None),
            b'[' => open.push(Some(Step::Item(0))),
            b'}' | b']' => drop(open.pop()),
            b',' => match open.last_mut() {
                Some(Some(Step::Item(index))) => *index += 1,
                Some(field) => *field = None,
                None => {}
            },
            b':' => {
                if let (Some(field @ None), Some(name)) = (open.last_mut(), key.take()) {
                    let name = String::from_utf8_lossy(name);
                    *field = Some(Step::Field(shortened(&name, NAME_CHARS_MAX)));
                }
            }
            b'"' => {
                let end = string_end(begun, at);
                key = Some(&begun[at..end]);
                at = end + 1;
            }
            _ => {}
        }
    }
    open.into_iter().flatten().collect()
}

/// Finds the closing quote of a string that begins at a place, or the end of the text.
fn string_end(text: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

fn path(steps: &[Step]) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Field(name) if path.is_empty() => path.push_str(name),
            Step::Field(name) => path = format!("{path}.{name}"),
            Step::Item(index) => path = format!("{path}[{index}]"),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::{self, Object};

    #[derive(serde::Deserialize, Debug)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only errors are looked at")]
    struct Outer {
        #[serde(default)]
        side: u8,
        #[serde(default, deserialize_with = "object::list")]
        inner: Vec<Inner>,
        #[serde(default)]
        deed: Option<Deed>,
    }

    #[derive(serde::Deserialize, Debug)]
    struct Inner {
        at: Tile,
    }

    #[derive(serde::Deserialize, Debug)]
    struct Tile(i8, i8);

    #[derive(serde::Deserialize, Debug)]
    #[serde(rename_all = "lowercase")]
    #[expect(dead_code, reason = "only errors are looked at")]
    enum Deed {
        Step(Tile),
        Stay,
    }

    #[test]
    fn complaints_name_the_field_and_say_in_plain_words_what_was_found() {
        let rows = [
            (
                r#"{"side":300}"#,
                "side: expected a whole number from 0 to 255, found 300",
            ),
            (
                r#"{"side":-1}"#,
                "side: expected a whole number from 0 to 255, found -1",
            ),
            (
                r#"{"side":"five"}"#,
                "side: expected a whole number from 0 to 255, found \"five\"",
            ),
            (
                r#"{"side":1.5}"#,
                "side: expected a whole number from 0 to 255, found 1.5",
            ),
            (
                r#"{"side":null}"#,
                "side: expected a whole number from 0 to 255, found null",
            ),
            (
                r#"{"side":[1]}"#,
                "side: expected a whole number from 0 to 255, found a list",
            ),
            (
                r#"{"side":{"a":1}}"#,
                "side: expected a whole number from 0 to 255, found an object",
            ),
            (
                r#"{"sede":5}"#,
                "unknown field `sede`, expected one of `side`, `inner`, `deed`",
            ),
            (r#"{"side":5,"side":5}"#, "duplicate field `side`"),
            (r#"{"inner":{}}"#, "inner: expected a list, found an object"),
            (
                r#"{"inner":[{"at":[0,0]},{}]}"#,
                "inner[1]: missing field `at`",
            ),
            (
                r#"{"inner":[[[0,0]]]}"#,
                "inner[0]: expected an object, found a list",
            ),
            (
                r#"{"inner":[{"at":[0]}]}"#,
                "inner[0].at: expected a list of 2, found a list of 1",
            ),
            (
                r#"{"inner":[{"at":[0,1,2]}]}"#,
                "inner[0].at[2]: the list is too long",
            ),
            (
                r#"{"inner":[{"at":[0,"x"]}]}"#,
                "inner[0].at[1]: expected a whole number from -128 to 127, found \"x\"",
            ),
            (
                r#"{"deed":"fly"}"#,
                "deed: unknown name `fly`, expected `step` or `stay`",
            ),
            (r"[]", "expected an object, found a list"),
            (
                r#"{"side""#,
                "not JSON: it ends inside an object at character 7",
            ),
            (
                "{\"side\":\n }",
                "not JSON: a value is missing at character 11",
            ),
            ("", "not JSON: it ends where a value belongs at character 0"),
            (
                "{} x",
                "not JSON: something follows the value at character 4",
            ),
            (
                "nule",
                "not JSON: a word that JSON does not have at character 4",
            ),
        ];
        for (text, words) in rows {
            let error = read::<Object<Outer>>(text).expect_err("no such thing");
            assert_eq!(error, words, "{text}");
        }
    }

    #[test]
    fn names_are_strings_and_what_has_content_is_an_object_with_one_key() {
        let rows = [
            (
                r#"{"deed":{"fly":1}}"#,
                "deed: unknown name `fly`, expected `step` or `stay`",
            ),
            (
                r#"{"deed":7}"#,
                "deed: expected a string or an object with one key, found 7",
            ),
            (
                r#"{"deed":{"step":[0,0],"stay":null}}"#,
                "deed: expected an object with one key only",
            ),
            (r#"{"deed":{}}"#, "deed: expected an object with one key"),
            (
                r#"{"deed":{"stay":null}}"#,
                "deed: expected the name alone, found an object",
            ),
            (
                r#"{"deed":"step"}"#,
                "deed: expected an object with one key, found the name alone",
            ),
            (
                r#"{"deed":{"step":[0,"x"]}}"#,
                "deed.step[1]: expected a whole number from -128 to 127, found \"x\"",
            ),
        ];
        for (text, words) in rows {
            let error = read::<Object<Outer>>(text).expect_err("no deed");
            assert_eq!(error, words, "{text}");
        }
        for text in [r#"{"deed":"stay"}"#, r#"{"deed":{"step":[0,1]}}"#] {
            read::<Object<Outer>>(text).expect(text);
        }
    }

    #[test]
    fn a_number_that_is_too_large_is_told_the_limit() {
        #[derive(serde::Deserialize, Debug)]
        #[expect(dead_code, reason = "only errors are looked at")]
        struct Drawn {
            seed: u64,
        }
        for (seed, words) in [
            ("18446744073709551616", "18446744073709551616"),
            ("1e19", "1e19"),
            (
                &"9".repeat(100),
                "999999999999999999999999999999999999999999999999999999999999…",
            ),
        ] {
            let error = read::<Drawn>(&format!("{{\"seed\": {seed} }}")).expect_err("too large");
            let limit = "a whole number from 0 to 18446744073709551615";
            assert_eq!(error, format!("seed: expected {limit}, found {words}"));
        }
        let error = read::<Drawn>("{\"seed\":1.50}").expect_err("no whole number");
        assert_eq!(error, "seed: expected a whole number, found 1.50");
    }

    #[test]
    fn what_was_found_is_quoted_in_part_where_it_is_long() {
        let text = format!("{{\"side\":{:?}}}", "ü".repeat(1000));
        let error = read::<Object<Outer>>(&text).expect_err("no number");
        assert!(
            error.ends_with("üü…") && error.chars().count() < 140,
            "{error}"
        );
    }

    #[test]
    fn names_are_quoted_in_part_where_they_are_long_and_never_obeyed() {
        let long = "`, expected \u{1b}[2J".repeat(1 << 16);
        for text in [
            serde_json::json!({ &long: 1 }),
            serde_json::json!({ "deed": &long }),
            serde_json::json!({ "deed": { &long: 1 } }),
            serde_json::json!({ "side": &long }),
        ] {
            let error = read::<Object<Outer>>(&text.to_string()).expect_err("unknown");
            assert!(error.chars().count() < 200, "{error}");
            assert!(!error.contains('\u{1b}') && error.contains('…'), "{error}");
        }
        let nested = format!("{}1", "{\"a\":[".repeat(60));
        let error = read::<Object<Outer>>(&nested).expect_err("no end");
        assert!(error.chars().count() < 200, "{error}");
    }

    #[test]
    fn minus_nought_is_nought_and_other_numbers_stay_what_they_are() {
        let side = |text: &str| read::<Object<Outer>>(text).map(|outer| outer.0.side);
        assert_eq!(side(r#"{"side":-0}"#), Ok(0));
        assert_eq!(side(r#"{"side":7}"#), Ok(7));
        assert!(side(r#"{"side":0.0}"#).is_err());
        let at = read::<Object<Outer>>(r#"{"inner":[{"at":[-0,-1]}]}"#).expect("a tile");
        assert_eq!((at.0.inner[0].at.0, at.0.inner[0].at.1), (0, -1));
    }

    #[test]
    fn no_beginning_of_a_text_panics() {
        let text = r#"{"a\"":[{"b":"\\"},[1,2]],"c":"\u00e4ö"}"#;
        for end in 0..=text.len() {
            place(&text.as_bytes()[..end]);
        }
    }
}
