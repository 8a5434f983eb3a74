//! A reader of JSON that explains errors in plain words with the path of the value.

use crate::complaint::Complaint;
use crate::quote::{NAME_CHARS_MAX, safe_sentence, shortened};
use crate::strict::{Kept, Strict};
use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde::de::IgnoredAny;
use serde_path_to_error::{Segment, Track};

/// Reads a value. A name without content must be a string, and `-0` is 0.
pub fn read<'de, T: serde::Deserialize<'de>>(text: &'de str) -> Result<T, String> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = T::deserialize(Strict::new(&mut reader, &Kept::default()));
    match value {
        Ok(value) if reader.end().is_ok() => Ok(value),
        _ => Err(refusal::<T>(text)),
    }
}

/// Reads a refused text again, because tracking the path costs too much for every reading.
fn refusal<'de, T: serde::Deserialize<'de>>(text: &'de str) -> String {
    if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
        return safe_sentence(&format!("not JSON: {error}"));
    }
    let (kept, mut track) = (Kept::default(), Track::new());
    let mut reader = serde_json::Deserializer::from_str(text);
    let reader = Strict::new(&mut reader, &kept);
    let reader = serde_path_to_error::Deserializer::new(reader, &mut track);
    let Err(complaint) = T::deserialize(reader) else {
        return "cannot be read".to_owned();
    };
    let path = track.path();
    let mut steps: Vec<&Segment> = path.iter().collect();
    if matches!(complaint, Complaint::UnknownField(_)) {
        // The last step is the field that the words name.
        steps.pop();
    }
    let path = written(&steps);
    safe_sentence(&if path.is_empty() {
        complaint.to_string()
    } else {
        format!("{path}: {complaint}")
    })
}

fn written(steps: &[&Segment]) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Segment::Seq { index } => path = format!("{path}[{index}]"),
            Segment::Map { key: name } | Segment::Enum { variant: name } => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&shortened(name, NAME_CHARS_MAX));
            }
            Segment::Unknown => path.push('?'),
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
    fn complaints_name_field_and_value_in_plain_words() {
        for row in include_str!("../testdata/complaints.jsonl").lines() {
            let (text, words): (String, String) = serde_json::from_str(row).expect("a row");
            let error = read::<Object<Outer>>(&text).expect_err("no such thing");
            assert_eq!(error, words, "{text}");
        }
        for text in [r#"{"deed":"stay"}"#, r#"{"deed":{"step":[0,1]}}"#] {
            read::<Object<Outer>>(text).expect(text);
        }
    }

    #[test]
    fn too_large_number_error_states_limit() {
        #[derive(serde::Deserialize, Debug)]
        #[expect(dead_code, reason = "only errors are looked at")]
        struct Drawn {
            seed: u64,
        }
        for (seed, words) in [
            ("18446744073709551616", "1.8446744073709552e19"),
            ("1e19", "1e19"),
            (&"9".repeat(100), "1e100"),
        ] {
            let error = read::<Drawn>(&format!("{{\"seed\": {seed} }}")).expect_err("too large");
            let limit = "a whole number from 0 to 18446744073709551615";
            assert_eq!(error, format!("seed: expected {limit}, found {words}"));
        }
        let error = read::<Drawn>("{\"seed\":1.50}").expect_err("no whole number");
        assert_eq!(error, "seed: expected a whole number, found 1.5");
    }

    #[test]
    fn long_found_value_is_quoted_in_part() {
        let text = format!("{{\"side\":{:?}}}", "ü".repeat(1000));
        let error = read::<Object<Outer>>(&text).expect_err("no number");
        assert!(
            error.ends_with("üü…") && error.chars().count() < 140,
            "{error}"
        );
    }

    #[test]
    fn long_names_are_quoted_partly_without_escapes() {
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
    fn minus_zero_becomes_zero_other_numbers_unchanged() {
        let side = |text: &str| read::<Object<Outer>>(text).map(|outer| outer.0.side);
        assert_eq!(side(r#"{"side":-0}"#), Ok(0));
        assert_eq!(side(r#"{"side":7}"#), Ok(7));
        assert!(side(r#"{"side":0.0}"#).is_err());
        let at = read::<Object<Outer>>(r#"{"inner":[{"at":[-0,-1]}]}"#).expect("a tile");
        assert_eq!((at.0.inner[0].at.0, at.0.inner[0].at.1), (0, -1));
    }
}
